"""Which periods stand out in the embeddings of consecutive whole numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from numlab.embeddings import Embeddings

if TYPE_CHECKING:
    import pandas as pd

FEWEST = 8  # below, there are hardly any frequencies to tell apart


def spectrum(
    e: Embeddings, n_permutations: int = 200, level: float = 0.01, seed: int = 0
) -> pd.DataFrame:
    """The power of each frequency along the number line (fone, Appendix D).

    Each entry of the vectors, as a function of the number, loses its least-squares line (the
    trend) before the discrete Fourier transform; powers are summed over the entries. The test:
    the same vectors with their numbers shuffled, detrended and transformed alike.

    Parameters
    ----------
    e : Embeddings
        Of n consecutive whole numbers, in any order. A period that divides n falls on a frequency
        of the transform; another one is spread over its neighbours.
    n_permutations : int
        How often numbers are shuffled.
    level : float
        The share of the shuffles in which any power at all may exceed the threshold.
    seed : int
        Of the shuffles.

    Returns
    -------
    DataFrame with a row a frequency, 1/n to 1/2
        frequency, period : in cycles a number, and its inverse
        power : 1 is the mean over all frequencies, where no period stands out
        threshold : what the largest power of shuffled numbers exceeds at `level`
        peak : whether the power is above the threshold and above both neighbours'

    Raises
    ------
    ValueError
        Where the numbers are not consecutive whole ones, fewer than 8, or have vectors on a line.

    Examples
    --------
    >>> turns = np.arange(100) * 2 * np.pi / 10
    >>> noise = np.random.default_rng(0).normal(size=(100, 6))
    >>> circle = np.column_stack([np.cos(turns), np.sin(turns), 0.3 * noise])
    >>> frame = spectrum(Embeddings(np.arange(100), circle, "a circle"))
    >>> frame.period[frame.peak].tolist()
    [10.0]
    """
    import pandas as pd

    order = np.argsort(e.numbers)
    numbers, n = e.numbers[order], len(e)
    if n < FEWEST or (np.diff(numbers) != 1).any() or numbers[0] != int(numbers[0]):
        raise ValueError(
            f"a spectrum is of {FEWEST} or more consecutive whole numbers; got {n} from "
            f"{min(numbers, default=None)} to {max(numbers, default=None)}"
        )
    vectors = _rotated(e.vectors[order].astype(np.float64))
    power = _power(vectors)
    rng = np.random.default_rng(seed)
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


def _rotated(vectors: np.ndarray) -> np.ndarray:
    """(n, d) to (n, min(n, d)): turned into their own span, which leaves every power as it is."""
    return np.linalg.qr(vectors.T)[1].T if vectors.shape[1] > len(vectors) else vectors


def _power(vectors: np.ndarray) -> np.ndarray:
    """(n, d) to (n // 2,) powers at 1/n, 2/n, ..., relative to the mean over both signs."""
    from scipy.signal import detrend

    waves = detrend(vectors, axis=0, type="linear")
    total = np.square(waves).sum()
    if total <= 1e-20 * np.square(vectors).sum():
        raise ValueError("the vectors lie on a line: nothing is left of them without their trend")
    power = np.square(np.abs(np.fft.rfft(waves, axis=0)[1:])).sum(axis=1)
    return power * (len(vectors) - 1) / (len(vectors) * total)  # Parseval
