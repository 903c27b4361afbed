"""kNN-F1 of aggregated digits by the length of numbers, and what explains it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from aggregates import digit_f1, from_digits
from joblib import Parallel, delayed

from numlab.encoders.aggregate import Aggregation, WeightedSum

K = 10
Table = tuple[str, int, np.ndarray]  # name, seed, the (10, d) embeddings of the digits


def of_length(n: int) -> np.ndarray:
    """The numbers of n digits, in order; 0 has one."""
    return np.arange(10 ** (n - 1) if n > 1 else 0, 10**n)


def n_digits(numbers: np.ndarray) -> np.ndarray:
    """
    >>> n_digits(np.array([0, 9, 10, 999])).tolist()
    [1, 1, 2, 3]
    """
    return np.searchsorted(10 ** np.arange(1, 18), numbers, side="right") + 1


def f1_by_length(
    tables: Sequence[Table], aggregates: Mapping[str, Aggregation], longest: int
) -> pd.DataFrame:
    """Mean kNN-F1 of the numbers of each length, among those and among the numbers of all lengths.

    Returns
    -------
    DataFrame [table, seed, aggregate, pool, digits, f1]
        k is 10, and 9 among ten numbers.
    """
    pools = [("same length", of_length(n)) for n in range(1, longest + 1)]
    pools += [("all lengths", np.arange(10**longest))]

    def score(table, name, pool):
        f1 = digit_f1(pool[1], table[2], aggregates[name], min(K, len(pool[1]) - 1))
        means = f1.groupby(n_digits(pool[1])).f1.mean().rename_axis("digits").reset_index()
        return means.assign(table=table[0], seed=table[1], aggregate=name, pool=pool[0])

    jobs = itertools.product(tables, aggregates, pools)
    # threads, two at a time: 10^7 numbers take some gigabytes
    frames = Parallel(n_jobs=2, prefer="threads")(delayed(score)(*job) for job in jobs)
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

    Returns
    -------
    DataFrame [embedding, k, f1]
        The mean over the tables of the same name.
    """
    rows = [("leading digits only", k, leading_digits_only(k, length)) for k in ks]
    for name, _, embeddings in tables:
        scores = (digit_f1(of_length(length), embeddings, WeightedSum(), k).f1.mean() for k in ks)
        rows += zip([f"weighted sum, {name}"] * len(ks), ks, scores, strict=True)
    frame = pd.DataFrame(rows, columns=["embedding", "k", "f1"])
    return frame.groupby(["embedding", "k"], sort=False, as_index=False).f1.mean()


def listed(f1: pd.DataFrame) -> str:
    """A row of scores for each table, for a sentence.

    >>> listed(pd.DataFrame({2: [0.739], 3: [0.72]}, index=["MiniLM"]))
    'MiniLM: 0.739, 0.720'
    """
    return "; ".join(f"{name}: {', '.join(f'{v:.3f}' for v in row)}" for name, row in f1.iterrows())


def norms(
    tables: Sequence[Table], aggregates: Mapping[str, Aggregation], longest: int
) -> pd.DataFrame:
    """Mean length of the vectors of up to 90 numbers of each length, in lengths of a digit's.

    Returns
    -------
    DataFrame [table, seed, aggregate, digits, norm]
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
