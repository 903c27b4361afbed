"""kNN-F1 of aggregated digits by the length of numbers, and what explains it."""

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from aggregates import digit_f1, from_digits
from joblib import Parallel, delayed

import numlab as nl
from numlab.encoders.aggregate import Aggregation, WeightedSum

K = 10
Table = tuple[str, int, np.ndarray]  # name, seed, the (10, d) embeddings of the digits


def of_length(n: int) -> np.ndarray:
    """The numbers of n digits, in order; 0 has one."""
    return np.arange(10 ** (n - 1) if n > 1 else 0, 10**n)


def n_digits(numbers: np.ndarray) -> np.ndarray:
    """How many digits each of (n,) whole numbers has, without leading zeros; 0 has one.

    >>> n_digits(np.array([0, 9, 10, 999])).tolist()
    [1, 1, 2, 3]
    """
    return np.searchsorted(10 ** np.arange(1, 18), numbers, side="right") + 1


def _by_length(numbers: np.ndarray, table: Table, how: Aggregation, **names) -> pd.DataFrame:
    """The mean kNN-F1 of each length among some numbers: [digits, f1, table, seed, *names]."""
    name, seed, embeddings = table
    f1 = digit_f1(numbers, embeddings, how, min(K, len(numbers) - 1))
    means = f1.groupby(n_digits(numbers)).f1.mean().rename_axis("digits").reset_index()
    return means.assign(table=name, seed=seed, **names)


def f1_by_length(
    tables: Sequence[Table], aggregates: Mapping[str, Aggregation], longest: int
) -> pd.DataFrame:
    """Mean kNN-F1 of the numbers of each length, among those and among the numbers of all lengths.

    The columns are table, seed, aggregate, pool, digits and f1. k is 10, and 9 among ten numbers.
    """
    pools = [("all lengths", np.arange(10**longest))]
    pools += [("same length", of_length(n)) for n in range(1, longest + 1)]

    # threads, two at a time: 10^7 numbers take some gigabytes
    frames = Parallel(n_jobs=2, prefer="threads")(
        delayed(_by_length)(numbers, table, aggregates[name], aggregate=name, pool=pool)
        for table, name, (pool, numbers) in itertools.product(tables, aggregates, pools)
    )
    return pd.concat(frames)[["table", "seed", "aggregate", "pool", "digits", "f1"]]


def leading_digits_only(k: int, n: int) -> float:
    """Expected F1 of numbers of up to n digits whose k nearest share the most leading digits,
    drawn at random among equals."""
    x = np.arange(10**n)
    offset = np.concatenate([np.arange(-(k // 2 + 1), 0), np.arange(1, k // 2 + 2)])
    natural = np.where(abs(offset) <= k // 2, 1.0, (k % 2) / 2)
    shared, nearer = 0.0, 0
    for level in 10 ** np.arange(1, n + 1):
        chance = np.clip((k - nearer) / (level - 1 - nearer), 0, 1)
        here = (x[:, None] + offset) // level == x[:, None] // level
        if nearer:
            here &= (x[:, None] + offset) // (level // 10) != x[:, None] // (level // 10)
        shared, nearer = shared + chance * (here * natural).sum(1).mean(), level - 1
    return shared / k


def f1_over_k(tables: Sequence[Table], length: int, ks: Sequence[int]) -> pd.DataFrame:
    """kNN-F1 of weighted sums among the numbers of one length, beside `leading_digits_only`.

    The columns are embedding, seed, k and f1, a row for each table and k.
    """
    rows = [("leading digits only", 0, k, leading_digits_only(k, length)) for k in ks]
    for name, seed, embeddings in tables:
        for k in ks:
            f1 = digit_f1(of_length(length), embeddings, WeightedSum(), k).f1.mean()
            rows.append((f"weighted sum, {name}", seed, k, f1))
    return pd.DataFrame(rows, columns=["embedding", "seed", "k", "f1"])


def f1_over_base(tables: Sequence[Table], bases: Sequence[float], longest: int) -> pd.DataFrame:
    """Mean kNN-F1 of weighted sums of each length among the numbers of all lengths.

    The columns are table, seed, base, digits and f1.
    """
    numbers = np.arange(10**longest)
    frames = [
        _by_length(numbers, table, WeightedSum(base), base=base)
        for table, base in itertools.product(tables, bases)
    ]
    return pd.concat(frames)[["table", "seed", "base", "digits", "f1"]]


def by_table(scores: pd.DataFrame, value: str = "f1") -> pd.DataFrame:
    """A row for each table and seed; a column for each aggregate and number of digits."""
    columns = ["aggregate", "digits"]
    wide = scores.pivot(index=["table", "seed"], columns=columns, values=value)
    return wide.set_axis([f"{table} {seed}" for table, seed in wide.index])


def chance(n: int) -> float:
    """Expected F1 among the numbers of n digits of neighbours drawn at random.

    >>> round(chance(2), 3)
    0.112
    """
    others = len(of_length(n)) - 1
    return min(K, others) / others


def median_errors(runs: Sequence[nl.Run], names: Mapping) -> tuple[pd.DataFrame, float]:
    """How far the answers of runs are off, and the errors of always answering the median.

    First the median distance from the true answer, (seeds, encoders); an invalid answer is
    infinitely far off. Then the same of the median of all true answers.
    """
    rows, true = [], []
    for run in runs:
        answers = nl.predict(run, run.examples("valid"), "answer")
        gap = (answers.predicted - answers.true).abs().fillna(np.inf)
        rows.append((names[run.spec.encoder], run.spec.seed, gap.median()))
        true.append(answers.true)
    frame = pd.DataFrame(rows, columns=["encoder", "seed", "error"])
    true = pd.concat(true)
    trivial = float((true - true.median()).abs().median())
    return frame.pivot(index="seed", columns="encoder", values="error"), trivial


def norms(
    tables: Sequence[Table], aggregates: Mapping[str, Aggregation], longest: int
) -> pd.DataFrame:
    """Mean length of the vectors of up to 90 numbers of each length, in lengths of a digit's.

    The columns are table, seed, aggregate, digits and norm.
    """
    rng = np.random.default_rng(0)
    numbers = [of_length(n) for n in range(1, longest + 1)]
    some = np.concatenate([numbers[0], *(rng.choice(x, 90, replace=False) for x in numbers[1:])])
    frames = []
    for name, (table, seed, embeddings) in itertools.product(aggregates, tables):
        vectors = from_digits(some, embeddings, aggregates[name]).vectors
        norm = np.linalg.norm(vectors, axis=1) / np.linalg.norm(embeddings, axis=1).mean()
        means = pd.Series(norm).groupby(n_digits(some)).mean().rename_axis("digits")
        of = {"table": table, "seed": seed, "aggregate": name}
        frames.append(means.rename("norm").reset_index().assign(**of))
    return pd.concat(frames, ignore_index=True)
