"""Which periods stand out in the embeddings of consecutive integers."""

import numpy as np
import pandas as pd

from numlab.embeddings import Embeddings

FEWEST = 8  # fewer numbers have hardly any frequencies


def spectrum(e: Embeddings, n_permutations: int = 200, level: float = 0.01) -> pd.DataFrame:
    """The power of each frequency along the number line (fone, Appendix D).

    Each entry of the vectors is a function of the number. It loses its trend (the least-squares
    line) before the discrete Fourier transform, and powers are summed over the entries. The
    threshold comes from a permutation test: the same with the numbers shuffled. ValueError where
    the numbers are not 8 or more consecutive integers, or all vectors lie on a line.

    Parameters
    ----------
    e : of n consecutive integers, in any order. A period that divides n falls on one frequency;
        any other is spread over several.
    n_permutations : shuffles of the numbers.
    level : share of the shuffles in which the largest power exceeds the threshold.

    Returns
    -------
    DataFrame [frequency, period, power, threshold, peak]
        One row per frequency from 1/n to 1/2. frequency: cycles per number; period: its inverse;
        power: relative to the mean of all frequencies; peak: above the threshold and above both
        neighbours.

    >>> turns = np.arange(100) * 2 * np.pi / 10
    >>> noise = np.random.default_rng(0).normal(size=(100, 6))
    >>> circle = np.column_stack([np.cos(turns), np.sin(turns), 0.3 * noise])
    >>> frame = spectrum(Embeddings(np.arange(100), circle, "a circle"))
    >>> frame.period[frame.peak].tolist()
    [10.0]
    """
    order = np.argsort(e.numbers)
    numbers, n = e.numbers[order], len(e)
    if n < FEWEST or (np.diff(numbers) != 1).any() or numbers[0] != int(numbers[0]):
        got = f"{n} from {min(numbers, default=None)} to {max(numbers, default=None)}"
        raise ValueError(f"a spectrum takes {FEWEST} or more consecutive integers; got {got}")
    vectors = e.vectors[order].astype(np.float64)
    if vectors.shape[1] > n:  # rotated into their span, (n, n), which keeps all powers
        vectors = np.linalg.qr(vectors.T)[1].T
    power = _power(vectors)
    rng = np.random.default_rng(0)
    largest = [_power(rng.permutation(vectors)).max() for _ in range(n_permutations)]
    threshold = np.quantile(largest, 1 - level)
    around = np.concatenate([[0.0], power, [0.0]])
    frequency = np.arange(1, n // 2 + 1) / n
    return pd.DataFrame(
        {
            "frequency": frequency,
            "period": 1 / frequency,
            "power": power,
            "threshold": threshold,
            "peak": (power > threshold) & (power > around[:-2]) & (power > around[2:]),
        }
    )


def _power(vectors: np.ndarray) -> np.ndarray:
    """(n, d) to (n // 2,) powers at 1/n, 2/n, ..., relative to the mean over both signs."""
    n = len(vectors)
    line = np.linalg.qr(np.column_stack([np.ones(n), np.arange(n)]))[0]  # (n, 2)
    waves = vectors - line @ (line.T @ vectors)  # less the trend
    total = np.square(waves).sum()
    if total <= 1e-20 * np.square(vectors).sum():
        raise ValueError("the vectors lie on a line: without their trend nothing is left")
    power = np.square(np.abs(np.fft.rfft(waves, axis=0)[1:])).sum(axis=1)
    return power * (n - 1) / (n * total)  # Parseval
