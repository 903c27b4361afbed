"""Judge a claim: the 95 % interval of its statistic against the claimed side."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from numlab.claims.gates import Gate
from numlab.claims.registry import Claim

Column = float | Sequence[float] | pd.Series
Samples = Column | pd.DataFrame | Mapping[str, Column]

LEVEL = 0.95
# Samples that an interval needs: of 20 examples, a bootstrap misses on a side in 5 %, not 2.5.
LEAST = {"seeds": 3, "examples": 200, "nothing": 1}
UNIT_NAMES = {"seed", "example"}
MANY = 100  # samples that are not stored one by one
ROUNDING = 1e-12  # of what decimals leave, as 0.98 - 0.96 against 0.02


class WrongSamplesError(ValueError):
    """Samples that cannot judge a claim: too few, unpaired, or not numbers.

    >>> claim = nl.claims.Claim("xval/even", [], "they err alike", "difference of errors", above=0)
    >>> nl.claims.judge(claim, [0.1, 0.2])
    Traceback (most recent call last):
    numlab.claims.verdict.WrongSamplesError: xval/even: seeds needed: 3; got 2
    """


@dataclass(frozen=True)
class Part:
    """A part of the statistic: its mean over `n` samples and its 95 % interval.

    `effect` says how far the mean lies on the claimed side of the bound, in standard deviations of
    the samples, and `effect_half` half of its interval; None where the samples do not vary.
    `samples` are those of the mean; more than a hundred are left out.
    """

    name: str
    n: int
    mean: float
    low: float
    high: float
    effect: float | None = None
    effect_half: float | None = None
    samples: tuple[float, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """What samples say of a claim.

    "held": the interval of every part lies on the claimed side, and every gate of it passed.
    "contradicted": that of some part lies on the other side, and every gate of that part passed.
    With m parts this interval has a level of 1 - 0.05 / m (Bonferroni): some part would otherwise
    lie there by chance more often than once in twenty times. Both are widened likewise for a claim
    with two `looks`: more seeds are a second chance to be decided by luck.
    "open": a gate failed, or an interval holds both sides.
    "exact": nothing is trained, and it is true (where it is false: "contradicted").

    >>> claim = nl.claims.Claim("xval/less", [], "XVal errs less", "error of P10 - XVal", above=0)
    >>> verdict = nl.claims.judge(claim, [0.3, -0.1, 0.4])
    >>> verdict.verdict, verdict.why, round(verdict.parts[0].mean, 3)
    ('open', 'the interval holds both sides', 0.2)
    """

    verdict: str
    why: str = ""  # of "open": the gates that failed, or the parts that do not decide
    # those that contradict first, then those nearest to the other side
    parts: tuple[Part, ...] = ()
    gates: tuple[Gate, ...] = ()


def judge(
    claim: Claim,
    samples: Samples,
    against: Samples | None = None,
    gates: Sequence[Gate] = (),
    half: Sequence[Samples] = (),
) -> Verdict:
    """Judge a claim by samples of its statistic.

    WrongSamplesError for fewer than 3 seeds or 200 examples, for unpaired samples, for a label that
    two samples or two parts share, and for NaN or infinity; ValueError for gates other than those
    of the claim.

    Parameters
    ----------
    samples : one number for each seed or example. A DataFrame or a mapping has a column of them for
        each part of the statistic; the claim speaks of all parts at once. With an index (seed,
        example) they are first averaged to one value per seed (or example).
    against : the same, or one column for all parts: what `samples` are compared with, pair by pair.
        The statistic is their difference, or their ratio if the claim is about a ratio.
    gates : one for each name in `claim.gates`, or one for each part and side.
    half : `[samples]` or `[samples, against]` of the same runs with half of the steps, for a claim
        with the gate "settled". It passes for a part if the change from half of the steps to all of
        them, added once more within the claim's range, leaves the mean on its side of the bound.
        That is what twice the steps bring where a statistic moves evenly with the logarithm of the
        steps, and all that further training brings where each doubling moves it half as far as the
        one before. Means alone are compared: how much they vary, the interval says.

    Returns
    -------
    Verdict
        By Student's t over seeds, by a bootstrap over examples; for a ratio of its logarithm.
        Samples that are all equal count as certain: [0, 0, 0] contradicts "above 0".

    >>> claim = nl.claims.Claim("xval/less", [], "XVal errs less", "error of P10 - XVal", above=0)
    >>> errors, others = [0.31, 0.29, 0.33], [0.12, 0.11, 0.15]
    >>> nl.claims.judge(claim, errors, others).verdict
    'held'
    """
    columns = _statistic(claim, samples, against)
    gates = (*gates, *_settled(claim, columns, _statistic(claim, *half) if half else {}))
    _check_gates(claim, gates, columns)
    least, greatest = claim.bounds
    intervals = {name: _interval(claim, name, values) for name, values in columns.items()}
    by_slack = sorted(intervals.items(), key=lambda i: min(i[1][0] - least, greatest - i[1][1]))
    parts = tuple(_part(claim, name, columns[name], *ends) for name, ends in by_slack)
    lies = {name: _lies(claim, *ends) for name, ends in by_slack}
    widened = []
    for name, where in lies.items():
        chances = claim.looks * (len(columns) if where == "beyond" else 1)
        wide = _interval(claim, name, columns[name], 1 - (1 - LEVEL) / chances)
        if _lies(claim, *wide) != where:
            lies[name] = "both"
            widened.append(name)
    beyond = [name for name, where in lies.items() if where == "beyond"]
    against_it = [name for name in beyond if not _failed(gates, name, "contradicted")]
    if against_it:
        deciding = sorted(parts, key=lambda part: part.name not in against_it)
        return Verdict("contradicted", "", tuple(deciding), gates)
    sides = {"inside": ["held"], "beyond": ["contradicted"], "both": ["held", "contradicted"]}
    failed = [gate for name, where in lies.items() for gate in _failed(gates, name, *sides[where])]
    if failed := dict.fromkeys(f"{gate.name} ({gate.evidence})" for gate in failed):
        return Verdict("open", f"failed gates: {'; '.join(failed)}", parts, gates)
    if undecided := [name for name, where in lies.items() if where == "both"]:
        names = ", ".join(filter(None, undecided))
        why = f"the interval holds both sides{names and f' for {names}'}"
        if widened:
            counts = {"parts": len(columns), "looks": claim.looks}
            chances = " and ".join(f"{n} {of}" for of, n in counts.items() if n > 1)
            named = ", ".join(filter(None, widened))
            why += f" (widened for {chances}{named and f', that of {named}'})"
        return Verdict("open", why, parts, gates)
    return Verdict("exact" if claim.over == "nothing" else "held", "", parts, gates)


def _statistic(claim: Claim, samples: Samples, against: Samples | None = None) -> dict:
    """The samples of each part of the statistic, one for each seed or example."""
    columns = _columns(samples, claim.ratio)
    if against is not None:
        columns = _pair(claim, columns, _columns(against, claim.ratio))
    return {name: _averaged(claim, name, values) for name, values in columns.items()}


def _settled(claim: Claim, whole: dict, half: dict) -> Iterable[Gate]:
    """The gate "settled" of each part, if there are samples with half of the steps."""
    if half and half.keys() != whole.keys():
        apart = ", ".join(sorted(half.keys() ^ whole.keys()))
        wanted = "expected the same parts with half of the steps as with all"
        raise WrongSamplesError(f"{claim.id}: {wanted}; only on one side: {apart}")
    for name, values in half.items():
        if set(values.index) != set(whole[name].index):
            where = _named(claim, name)
            wanted = f"expected the same {claim.over} with half of the steps as with all"
            raise WrongSamplesError(f"{where}: {wanted}; got {sorted(map(str, values.index))}")
        before, after = (v.mean(skipna=False) for v in (values, whole[name]))
        least, greatest = claim.range or (-np.inf, np.inf)
        if claim.ratio and claim.range:
            least, greatest = (np.log(x) if x > 0 else -np.inf for x in claim.range)
        means = before, after, np.clip(2 * after - before, least, greatest)
        shown = "{:.3g} with half of the steps, {:.3g} with all, {:.3g} if it moves as far again"
        numbers = np.exp(means) if claim.ratio else means
        sides = {_lies(claim, mean, mean) for mean in means[1:]}
        passed = len(sides) == 1 and np.isfinite(before)
        yield Gate("settled", passed, shown.format(*numbers), part=name)


def _check_gates(claim: Claim, gates: Sequence[Gate], parts: Iterable[str]) -> None:
    """Exactly the gates of the claim guard each part and side, each once."""
    for part, side in itertools.product(parts, ("held", "contradicted")):
        guards = [gate.name for gate in gates if gate.guards(part, side)]
        if sorted(guards) != sorted(claim.gates):
            got = f"{guards} for {side} {part}".rstrip()
            raise ValueError(f"{claim.id} has the gates {claim.gates}; got {got}")


def _failed(gates: Sequence[Gate], part: str, *sides: str) -> list[Gate]:
    """The failed gates that guard a part on any of these sides."""
    return [g for g in gates if not g.passed and any(g.guards(part, side) for side in sides)]


def _lies(claim: Claim, low: float, high: float) -> str:
    """Where an interval lies: "inside" the claimed side, "beyond" it, or on "both" sides."""
    closed = claim.within is not None
    slack = ROUNDING if closed else -ROUNDING  # at a bound, rounding would decide
    least, greatest = (
        bound + side * slack * max(1, abs(bound)) if np.isfinite(bound) else bound
        for side, bound in zip((-1, 1), claim.bounds, strict=True)
    )
    if (least <= low and high <= greatest) if closed else (least < low and high < greatest):
        return "inside"
    beyond = (high < least or low > greatest) if closed else (high <= least or low >= greatest)
    return "beyond" if beyond or claim.over == "nothing" else "both"


def _columns(samples: Samples, logarithm: bool) -> dict[str, pd.Series]:
    """Samples as a Series for each part; of ratios their logarithms."""
    if not isinstance(samples, (Mapping, pd.DataFrame)):
        samples = {"": [samples] if np.isscalar(samples) else samples}
    columns = {}
    for key, values in samples.items():
        name = ", ".join(map(str, key)) if isinstance(key, tuple) else str(key)
        if name in columns:
            raise WrongSamplesError(f"two parts have one name: {name}")
        columns[name] = pd.Series(values, dtype=float)
        if not columns[name].index.is_unique:
            raise WrongSamplesError(f"{name or 'samples'}: two samples have one label")
        if logarithm:
            with np.errstate(divide="ignore", invalid="ignore"):  # _interval refuses what is left
                columns[name] = np.log(columns[name])
    return columns


def _pair(claim: Claim, columns: dict, others: dict) -> dict[str, pd.Series]:
    """The differences of paired samples."""
    shared = others[""] if others.keys() == {""} else None
    pairs = {}
    for name, column in columns.items():
        other = others.get(name) if shared is None else shared
        where = _named(claim, name)
        if other is None or set(column.index) != set(other.index):
            n = "no" if other is None else len(other)
            got = f"{len(column)} samples are not paired with {n} others"
            raise WrongSamplesError(f"{where}: {got}")
        names, of_others = column.index.names, other.index.names
        if names != of_others and None not in {*names, *of_others}:  # pandas would not look at them
            raise WrongSamplesError(f"{where}: samples by {names}, others by {of_others}")
        pairs[name] = column - other
    if shared is None and (left := others.keys() - columns.keys()):
        raise WrongSamplesError(f"{claim.id}: no samples for {', '.join(sorted(left))}")
    return pairs


def _averaged(claim: Claim, name: str, values: pd.Series) -> pd.Series:
    """One value for each seed or example, where an index (seed, example) has many."""
    unit, names = claim.over.removesuffix("s"), values.index.names
    plain = values.index.nlevels == 1 and names[0] not in UNIT_NAMES - {unit}
    if claim.over == "nothing" or plain:
        return values
    if unit not in names:
        where = _named(claim, name)
        raise WrongSamplesError(f"{where}: a value for each {unit} is needed; got {names}")
    return values.groupby(unit, dropna=False).mean(skipna=False)


def _interval(
    claim: Claim, name: str, values: pd.Series, level: float = LEVEL
) -> tuple[float, float]:
    """The interval of the mean; of a computation: the least and the greatest value."""
    where, n = _named(claim, name), len(values)
    if n < LEAST[claim.over]:
        raise WrongSamplesError(f"{where}: {claim.over} needed: {LEAST[claim.over]}; got {n}")
    if not np.isfinite(values).all():
        labels = values.index[~np.isfinite(values)].tolist()
        raise WrongSamplesError(f"{where}: NaN, infinity or no ratio at {labels[:5]}")
    if claim.over == "nothing" or _alike(values):
        return values.min(), values.max()
    if claim.over == "seeds":
        half = stdtrit(n - 1, (1 + level) / 2) * values.std() / n**0.5  # Student's t
        return values.mean() - half, values.mean() + half
    from scipy import stats  # takes a second, and few claims are over examples

    settings = {"n_resamples": 2000, "confidence_level": level, "batch": 100, "rng": 0}
    draws = stats.bootstrap((values.to_numpy(),), np.mean, **settings)
    return tuple(draws.confidence_interval)


def _named(claim: Claim, part: str) -> str:
    return f"{claim.id}, {part}" if part else claim.id


def _alike(values: pd.Series) -> bool:
    return bool(values.max() - values.min() <= ROUNDING * values.abs().max())


def _part(claim: Claim, name: str, values: pd.Series, low: float, high: float) -> Part:
    mean, effect, half = values.mean(), None, None
    if claim.over != "nothing" and not _alike(values):
        least, greatest = claim.bounds
        effect = float(min(mean - least, greatest - mean) / values.std())
        half = float((high - low) / 2 / values.std())
    unit = np.exp if claim.ratio else np.asarray
    samples = tuple(unit(values.to_numpy(float)).tolist()) if len(values) <= MANY else ()
    return Part(name, len(values), *unit([mean, low, high]).tolist(), effect, half, samples)
