"""Small models that fill in the numbers of a file, beside baselines, in and out of training."""

import dataclasses
import glob
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from scipy import stats

from numlab.codes.base import LARGEST
from numlab.compare.baselines import CONSTANTS, LEAST_SKILL, baselines
from numlab.compare.reading import LEAST, Reading
from numlab.encoders import Encoder, Standardised
from numlab.encoders.columns import by_column
from numlab.evaluation import predict
from numlab.examples import Examples
from numlab.models import GPT2
from numlab.objectives import MaskedLM
from numlab.tasks import Table, Texts
from numlab.training import Run, RunSpec

WIDTH = 48  # of the models
TEXTS = 2000  # random texts that a model learns from: each may have its own layout
PARTS = ("as in training", "in a gap", "beyond")
KEPT = 0.6  # of the rows, about, outside all gaps
GAPS = (0.2, 0.72)  # quantiles in the middle of the gaps: away from the centre
STANDARD_ERRORS = 3.5  # by which a model must beat the constant; chance does in 1 % of files


def specs(
    reading: Reading,
    encoders: list[Encoder],
    target: str | None = None,
    steps: int = 300,
    seeds: int = 3,
) -> list[RunSpec]:
    """For each seed and encoder a small run that fills in one or more masked numbers of a row.

    Without a target it learns every column of numbers, each masked as often. Of each column that
    is predicted, two gaps and the greatest numbers are held out. Ids are left out, and what
    has fewer than 48 known numbers is not predicted. ValueError where nothing is left to predict.
    """
    task, names = task_of(reading, target)
    n = len(task.usable)
    n_test = min(256, n // 4)
    n_valid = min(64, n // 8)
    return [
        RunSpec(
            task=task,
            encoder=encoder,
            objective=MaskedLM(1 / len(names), 0.0, only=tuple(map(glob.escape, names))),
            model=GPT2(WIDTH, 2, 4, context=4096),
            n_train=n - n_valid - n_test,
            n_valid=n_valid,
            n_test=n_test,
            steps=steps,
            learning_rate=3e-3,
            seed=seed,
        )
        for seed in range(seeds)
        for encoder in encoders
    ]


def task_of(reading: Reading, target: str | None = None) -> tuple[Table | Texts, list[str]]:
    """The task of `specs`, without the rows in the gaps, and the columns that it predicts."""
    if reading.of_texts:
        texts = reading.frame["text"].drop_duplicates()
        task = Texts(texts.sample(min(TEXTS, len(texts)), random_state=0).tolist())
        names = list(by_column(task.examples))
    else:
        task = Table(reading.without_ids(target), target)
        names = reading.of_kind("number") if target is None else [target]
        if len(task.frame.columns) < 2 or not names:
            raise ValueError("nothing to predict: needs a numeric column and at least one other")
    known = by_column(task.examples)
    if not (names := [name for name in names if len(known.get(name, ())) >= LEAST]):
        most = max(map(len, known.values()), default=0)
        wanted = f"expected a column to predict with {LEAST} known numbers or more"
        raise ValueError(f"{wanted}; got at most {most}")
    task = dataclasses.replace(task, without=_gaps(known, names))
    if (n := len(task.usable)) < LEAST:
        raise ValueError(f"a model needs {LEAST} rows outside the gaps; got {n}")
    return task, names


def _gaps(columns: dict[str, np.ndarray], names: list[str]) -> tuple[tuple[str, float, float], ...]:
    """Open intervals to hold out; narrower where several columns have gaps."""
    names = [name for name in names if len(np.unique(columns[name])) > 20]
    share, gaps = (1 - KEPT ** (1 / max(1, len(names)))) / 3, []
    for name in names:
        x = columns[name]
        ends = [np.quantile(x, (middle - share / 2, middle + share / 2)) for middle in GAPS]
        ends.append((np.quantile(x, 1 - share), LARGEST))
        own = [(float(low), float(high)) for low, high in ends if low < high]  # ties have no gap
        gaps += [(glob.escape(name), *gap) for gap in own]
    return tuple(gaps)


def answers(
    runs: list[Run], say: Callable[[str], None] = lambda _: None, fresh=None
) -> pd.DataFrame:
    """How far models, and baselines on the same rows, are from each number they had to fill in.

    The rows are those of the test and in the gaps, or `fresh` ones of the same form.

    Returns
    -------
    DataFrame [encoder, seed, column, part, error]
        Part "as in training", "in a gap", or "beyond" the greatest that was trained on. error:
        abs(predicted - true) in standard deviations of the column; where the column spans three
        decades (factors of ten) or more, of asinh(x), a kind of logarithm. At most the column's
        range, which is also the error of an answer that is not a number.
    """
    by_seed: dict[int, list[Run]] = {}
    for run in runs:
        by_seed.setdefault(run.spec.seed, []).append(run)
    frames = []
    for seed, own in by_seed.items():
        say(f"testing {len(own)} encoders, seed {seed + 1} of {len(by_seed)}")
        frames += _of_seed(own, fresh)
    return pd.concat(frames, ignore_index=True)


def _of_seed(runs: list[Run], fresh) -> Iterator[pd.DataFrame]:
    spec, train = runs[0].spec, runs[0].examples("train")
    asked_for = [(spec.examples("test"), False), (spec.task.held_out, True)]
    if fresh is not None:
        asked_for = [(spec.task.read(fresh), False)]
    standard = Standardised.fit(train)
    rows = as_frame(train, standard)
    for name in by_column(train):
        if glob.escape(name) not in spec.objective.only:
            continue
        known = rows.dropna(subset=name)
        models = baselines(len(known)).items()
        fitted = {k: m.fit(known.drop(columns=name), known[name]) for k, m in models}
        for texts, is_held in asked_for:
            texts = [e for e in texts if name in e.layout.number_slots]
            if not texts:
                continue
            asked = as_frame(texts, standard).reindex(columns=rows.columns)
            guesses = {k: model.predict(asked.drop(columns=name)) for k, model in fitted.items()}
            for run in runs:
                found = predict(run, texts, glob.escape(name)).set_index("example").loc[asked.index]
                guess = standard.at(name).units(found.predicted.astype(float))
                guesses[str(run.spec.encoder)] = np.where(found.valid, guess, np.nan)
            part = _parts(found.true, name, spec) if is_held else PARTS[0]
            frame = pd.DataFrame({"seed": spec.seed, "column": name, "part": part}, asked.index)
            span = known[name].max() - known[name].min()
            for encoder, guess in guesses.items():
                error = (pd.Series(guess, asked.index) - asked[name]).abs()
                error = error.clip(upper=span).fillna(span)
                yield frame.assign(encoder=encoder, error=error)[frame.part != ""]


def _parts(true: pd.Series, name: str, spec: RunSpec) -> np.ndarray:
    """The part of each held-out number; "" where only another column holds out the row."""
    x, own = true.to_numpy(float), glob.escape(name)
    gaps = [(low, high) for pattern, low, high in spec.task.without if pattern == own]
    inside = np.any([(x > low) & (x < high) & (high < LARGEST) for low, high in gaps], axis=0)
    above = np.any([(x > low) & (high == LARGEST) for low, high in gaps], axis=0)
    return np.select([above, inside], ["beyond", "in a gap"], "")


def as_frame(examples: list[Examples], standard: Standardised) -> pd.DataFrame:
    """A row for each text, in the order of `index`: its numbers, standardised by column, its words,
    and its layout."""
    parts = []
    for e in examples:
        columns = {n: standard.at(n).units(e.column(n)) for n in e.layout.number_slots}
        columns |= {n: e.column(n) for n in e.layout.word_slots}
        columns[" layout"] = "|".join(e.layout.literals)
        parts.append(pd.DataFrame(columns, index=e.index))
    return pd.concat(parts).sort_index()


def best_constant(found: pd.DataFrame) -> pd.DataFrame:
    """Answers of the better of the two constants, for each column in training."""
    constants = found[found.encoder.isin(CONSTANTS)]
    seen = constants[constants.part == PARTS[0]].groupby(["column", "encoder"]).error.mean()
    best = seen.groupby("column").idxmin().tolist()  # (column, encoder) pairs
    return constants.merge(pd.DataFrame(best, columns=["column", "encoder"]))


def skills(found: pd.DataFrame) -> pd.DataFrame:
    """How far each model and baseline beats the best constant, as in training.

    `found` is from `answers`.

    Returns
    -------
    DataFrame [column, encoder, n, ratio, sigmas]
        ratio: its mean error over n answers, relative to the constant's; sigmas: what it saves, in
        standard errors over the answers of all seeds.
    """
    seen, rows = found[found.part == PARTS[0]], []
    constant = best_constant(seen).groupby("column").error
    for (name, encoder), own in seen.groupby(["column", "encoder"], sort=False):
        if encoder not in CONSTANTS:
            against = constant.get_group(name).to_numpy()
            saved = against - own.error.to_numpy()  # the same rows in the same order
            error = saved.std(ddof=1) / np.sqrt(len(saved))
            with np.errstate(divide="ignore", invalid="ignore"):
                ratio, sigmas = own.error.mean() / against.mean(), saved.mean() / error
            rows.append((name, encoder, len(saved), ratio, sigmas))
    return pd.DataFrame(rows, columns=["column", "encoder", "n", "ratio", "sigmas"])


def predictable(skills: pd.DataFrame) -> list[str]:
    """The columns that some model or baseline predicts better than the best constant.

    It must save 3 % of the constant's error, and 3.5 standard errors. `skills` is as above.
    """
    good = skills[(skills.ratio < 1 - LEAST_SKILL) & (skills.sigmas > STANDARD_ERRORS)]
    return good.column.unique().tolist()


def relative_errors(found: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """The errors of each encoder in some columns, relative to those of the best constant.

    Returns
    -------
    DataFrame [encoder, part, error, low, high]
        error: the geometric mean over columns and seeds; low, high: its 90 % interval by Student's
        t over the seeds.
    """
    found = found[found.column.isin(columns)]
    keys = ["part", "column", "seed"]
    logs = _log_errors(found, ["encoder", *keys]) - _log_errors(best_constant(found), keys)
    seeds = logs.groupby(["encoder", "part", "seed"]).mean().groupby(["encoder", "part"])
    middle, width = seeds.mean(), _half_width(seeds).fillna(0.0)
    frame = pd.DataFrame({"error": middle, "low": middle - width, "high": middle + width})
    return np.exp(frame).reset_index().sort_values(["part", "error"], ignore_index=True)


def tied(found: pd.DataFrame, columns: list[str]) -> list[str]:
    """The encoder of `found` with the least error in some columns, as in training, and those
    statistically tied with it: the 90 % interval of the ratio over the seeds holds 1."""
    own = found[found.column.isin(columns) & (found.part == PARTS[0])]
    logs = _log_errors(own, ["encoder", "column", "seed"])
    by_seed = logs.groupby(["seed", "encoder"]).mean().unstack()
    order = by_seed.mean().sort_values().index
    behind = by_seed.sub(by_seed[order[0]], axis=0)
    width = _half_width(behind).fillna(np.inf)
    return [order[0], *(e for e in order[1:] if behind[e].mean() <= width[e])]


def _log_errors(found: pd.DataFrame, keys: list[str]) -> pd.Series:
    """The logarithms of the mean errors; one of 0 counts as 1e-9."""
    return np.log(found.groupby(keys).error.mean().clip(lower=1e-9))


def _half_width(seeds):
    """Half of the 90 % interval of the mean, by Student's t; NaN for one seed."""
    return stats.t.ppf(0.95, (seeds.count() - 1).clip(lower=1)) * seeds.sem()
