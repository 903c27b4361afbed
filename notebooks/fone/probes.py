"""What only the FoNE notebooks measure."""

import dataclasses
import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

import numlab as nl
from numlab.parsing import NUMBER
from numlab.tasks.arithmetic import join_digits

ENOUGH = 0.995  # the margin is then out of reach of all others


def by_operand_lengths(runs: Sequence[nl.Run], lengths: Sequence[int], n: int = 64) -> pd.DataFrame:
    """Exact match by the lengths of two operands, in training or beyond (Fig. 4, 9 and 10).

    `runs` are of LongAddition, and their encoders must hold the answers. `n` sums are asked for
    each pair of `lengths`, in digits. They are drawn anew, so most of the shortest ones were in the
    training set. The columns are encoder, seed, first, second and exact_match, a row for each run
    and pair.
    """
    seed = 1  # of the operands
    pairs = np.repeat(list(itertools.product(lengths, lengths)), n, axis=0)  # (texts, 2)
    a, b = draw_of_lengths(pairs.T.ravel(), seed).reshape(2, -1)
    (layout,) = runs[0].spec.task.layouts()
    texts = nl.Examples(layout, np.stack([a, b, a + b], axis=1), index=np.arange(len(pairs)))
    answers = nl.predict(runs, [texts], "answer")
    answers["first"], answers["second"] = pairs[answers.example].T
    answers["exact_match"] = (answers.true == answers.predicted).astype(float)
    by = ["encoder", "seed", "first", "second"]
    return answers.groupby(by, sort=False, as_index=False).exact_match.mean()


def draw_of_lengths(lengths: np.ndarray, seed: int) -> np.ndarray:
    """(n,) Python ints, each uniform over the numbers of the given length."""
    firsts, others = np.random.default_rng(seed).spawn(2)
    first = firsts.integers(np.where(lengths > 1, 1, 0), 10)  # only 0 begins with 0
    rest = others.integers(0, 10, (len(lengths), max(lengths)), np.uint8)
    return join_digits(lengths, first, rest)


def read_digits(answers: pd.DataFrame, encoder: nl.FoNE) -> tuple[np.ndarray, np.ndarray]:
    """(n, places) digits of the valid answers, predicted and true, most significant first."""
    valid = answers[answers.valid]
    read, true = (encoder.features(valid[c].to_numpy(float))[:, 1:] for c in ("predicted", "true"))
    return read.astype(int), true.astype(int)


def places(encoder: nl.FoNE) -> list[str]:
    """The places of the digits of `read_digits`.

    >>> places(nl.FoNE(int_digits=2, frac_digits=1))
    ['10', '1', '0.1']
    """
    return [f"{10.0**p:g}" for p in range(encoder.int_digits - 1, -encoder.frac_digits - 1, -1)]


def unexplained(answers: pd.DataFrame, unit: float = 1.0) -> float:
    """1 - R², in which an answer that is no number counts as the mean of the true ones.

    It is at least that of a single answer that is off by `unit`, the unit of the last digit: so
    logarithms and ratios of models without an error exist.
    """
    true = answers.true.to_numpy(float)
    predicted = answers.predicted.where(answers.valid, true.mean()).to_numpy(float)
    squares = np.square(predicted - true).sum()
    return float(max(squares, unit**2) / np.square(true - true.mean()).sum())


def distinct(drawn: pd.DataFrame) -> pd.DataFrame:
    """The rows of `figures.by_size`, without repeating the settings that both of its panels show."""
    return drawn.drop_duplicates(["task", "encoder", "samples", "parameters", "seed"])


def lead(
    scores: pd.DataFrame, others: Sequence[str], by: Sequence[str] = ("over", "size")
) -> pd.DataFrame:
    """By how many points of exact match FoNE is above the best of others.

    `scores` has the columns encoder, seed, exact_match and those of `by`, as from
    `figures.by_size`. The result is paired by seed, with a column for each setting.
    """
    points = 100 * scores.set_index(["encoder", *by, "seed"]).exact_match
    best = points.loc[list(others)].groupby(level=[*by, "seed"]).max()
    return (points.loc["FoNE"] - best).unstack("seed").T


def near_tenths(frequency: pd.Series, n: int) -> pd.Series:
    """Whether frequencies of the spectrum of n numbers lie within one bin of 1/10, ..., 5/10.

    Their periods are 10, 5, 3 1/3, 2.5 and 2.
    """
    bins = n * frequency.to_numpy()[:, None]
    near = np.abs(bins - n * np.arange(1, 6) / 10) < 1.01
    return pd.Series(near.any(axis=1), frequency.index)


def same_order(one: pd.DataFrame, two: pd.DataFrame) -> pd.Series:
    """For each row (seed) the share of the pairs of columns whose order is the same in both."""
    pairs = list(itertools.combinations(one.columns, 2))
    alike = [np.sign(one[a] - one[b]) == np.sign(two[a] - two[b]) for a, b in pairs]
    return pd.concat(alike, axis=1).mean(axis=1)


def plateau(
    runs: Sequence[nl.Run], exact: Sequence[float], enough: float = 1.0, floor: float = -np.inf
) -> nl.gates.Gate:
    """`nl.gates.plateau` of the runs whose exact match is below `enough`.

    The loss of a model that is always right falls towards 0 for ever, and what a claim asks for is
    reached there. One that ends below `floor` falls no more.
    """
    short = [run for run, share in zip(runs, exact, strict=True) if share < enough]
    if not short:
        shown = "always right" if enough >= 1 else f"right in {enough:.2%} or more"
        return nl.gates.Gate("plateau", True, f"each run is {shown}")
    return nl.gates.plateau(short, floor)


def plateaus(
    leader: pd.DataFrame,
    others: pd.DataFrame,
    runs: Sequence[nl.Run],
    part: str = "",
    floor: float = -np.inf,
) -> list[nl.gates.Gate]:
    """Gates of a claim that one encoder is at or above others: one against it, one for it.

    More training of the others cannot rescue it, so against it only the leader's runs must have
    reached their plateau; and for it only the others'. `leader` and `others` have a row for each
    run with its exact_match, and its place in `runs` as index.
    """
    sides = {"contradicted": leader, "held": others}
    gates = {
        side: plateau([runs[i] for i in rows.index], rows.exact_match, floor=floor)
        for side, rows in sides.items()
    }
    return [dataclasses.replace(gate, part=part, side=side) for side, gate in gates.items()]


def plateaus_of_lead(
    scores: pd.DataFrame,
    others: Sequence[str],
    runs: Sequence[nl.Run],
    by: Sequence[str] = ("over", "size"),
    equal: bool = False,
) -> list[nl.gates.Gate]:
    """The `plateaus` of each part of `lead`, which takes the same `scores`, `others` and `by`.

    Where FoNE is right in 99.5 %, the others cannot overtake it, however trained. A claim about
    `equal` training asks nothing of the others.
    """
    gates = []
    for key, rows in scores.groupby([*by]):
        fone, them = rows[rows.encoder == "FoNE"], rows[rows.encoder.isin(others)]
        sides = {"contradicted": (fone, ENOUGH), "held": (them, 1.0)}
        if fone.exact_match.min() >= ENOUGH:
            sides["held"] = sides["contradicted"]
        for side, (asked, least) in sides.items():
            if equal and side == "held":
                gate = nl.gates.Gate("plateau", True, "equal training is compared")
            else:
                gate = plateau([runs[i] for i in asked.index], asked.exact_match, least)
            gates.append(dataclasses.replace(gate, part=", ".join(map(str, key)), side=side))
    return gates


def out_of_reach(name: str, errors: pd.DataFrame, target: pd.Series) -> nl.gates.Gate:
    """A gate: at its own pace, a model would need over 100 times the steps to reach an error.

    `errors` has a row for each seed and a column for each number of steps, `target` an error for
    each seed. From the fewest steps to the most, errors are taken to fall as a power of the steps.
    Means over the seeds are geometric.
    """
    short, long = min(errors), max(errors)
    before, after, goal = (float(np.log(e).mean()) for e in (errors[short], errors[long], target))
    power = (before - after) / np.log(long / short)
    decades = (after - goal) / power / np.log(10) if power > 0 else np.inf
    shown = (
        f"the error falls as steps^{-power:.2g}, to the goal in 10^{decades:.1f} times the steps"
    )
    passed = after > goal and decades >= 2
    return nl.gates.Gate(name, passed, shown if power > 0 else "the error does not fall")


def samples_needed(exact: pd.DataFrame, enough: float) -> pd.Series:
    """For each row (seed) the least training set from which on `enough` answers are right.

    The columns of `exact` are sizes of training sets. Where none is large enough, the largest
    stands in its place.
    """
    falling = exact[sorted(exact, reverse=True)]
    n_enough = (falling >= enough).cummin(axis=1).sum(axis=1)
    return n_enough.map(lambda n: falling.columns[max(n - 1, 0)])


def learned(name: str, exact: pd.DataFrame | pd.Series, least: float = 0.9) -> nl.gates.Gate:
    """A gate: the mean exact match over the seeds is at least `least`, in each column."""
    means = exact.mean() if isinstance(exact, pd.DataFrame) else pd.Series({"": exact.mean()})
    names = [", ".join(key) if isinstance(key, tuple) else key for key in means.index]
    shown = "; ".join(f"{key} {m:.1%}".strip() for key, m in zip(names, means, strict=True))
    return nl.gates.Gate(name, bool((means >= least).all()), f"exact match {shown}")


def token_counts(table: pd.DataFrame, encoders: Mapping[str, nl.Encoder]) -> pd.DataFrame:
    """Count the tokens of the numbers in each column of a table (Section 4.2).

    In a column of text, the numbers within the texts count. The columns of the result are column,
    encoder, numbers and tokens, a row for each encoder and column that holds a number. A number
    that an encoder cannot hold raises ValueError with the name of the column.
    """
    rows = []
    for column in table.columns:
        numbers = _numbers(table[column])
        for name, encoder in encoders.items() if len(numbers) else ():
            try:
                tokens = int(encoder.encode(numbers).mask.sum())
            except ValueError as error:
                raise ValueError(f"column {column!r}: {error}") from None
            rows.append((column, name, len(numbers), tokens))
    return pd.DataFrame(rows, columns=["column", "encoder", "numbers", "tokens"])


def _numbers(column: pd.Series) -> np.ndarray:
    """(m,) all numbers of a column; booleans and missing cells are none."""
    column = column.dropna()
    if is_bool_dtype(column):
        return np.zeros(0)
    if is_numeric_dtype(column):
        return column.to_numpy()
    texts = [text for text in column.astype(str) if NUMBER.search(text)]
    parsed = [examples.numbers.ravel() for examples in nl.parse(texts)]
    return np.concatenate(parsed) if parsed else np.zeros(0)
