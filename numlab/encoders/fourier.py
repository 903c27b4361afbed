"""Numbers on circles, and two ways to read them back (papers/fone.md)."""

from __future__ import annotations

import numpy as np

from numlab.encoders.digits import Digits

__all__ = ["circles", "exact_readout", "paper_readout", "remainders"]


def remainders(places, period: int, chunk: int) -> list:
    """x / 10^i mod period for each place i, computed exactly from the digits.

    Parameters
    ----------
    places : sequence of (n,) arrays or tensors
        The digits, least significant first.
    period : int
    chunk : int
        Digits in a chunk; digits of other chunks count as 0.
    """
    zero = 0 * places[0]
    below, above, fractions, wholes = zero, zero, [], []
    for i in range(len(places)):
        below = zero if i % chunk == 0 else (places[i - 1] + below) / 10
        fractions.append(below)
    for i in reversed(range(len(places))):
        # higher places, times 10, have no remainder where the period divides 10
        first = 10 % period == 0 or (i + 1) % chunk == 0 or i + 1 == len(places)
        above = (places[i] + (0 if first else 10 * above)) % period
        wholes.insert(0, above)
    return [whole + fraction for whole, fraction in zip(wholes, fractions, strict=True)]


def circles(
    numbers, int_digits: int, frac_digits: int = 0, periods: tuple[int, ...] = (10,)
) -> np.ndarray:
    """The circles of abs(x) (Algorithm 1 and Fig. 1, fone).

    Parameters
    ----------
    numbers : array of shape (n,)
    int_digits, frac_digits : int
    periods : tuple of int

    Returns
    -------
    array of shape (n, digits, periods, 2)
        cos and sin of 2 pi abs(x) / (p 10^i), least significant place first.

    Examples
    --------
    >>> circles([4.17], 1, 2).shape
    (1, 3, 1, 2)
    """
    _, digits = Digits(int_digits, frac_digits).digits(numbers)
    places = list(digits[:, ::-1].T.astype(np.float64))
    turns = [np.stack(remainders(places, p, len(places)), 1) / p for p in periods]
    angles = 2 * np.pi * np.stack(turns, 2)
    return np.stack([np.cos(angles), np.sin(angles)], 3)


def paper_readout(circles: np.ndarray) -> np.ndarray:
    """Digits by the nearest j/10 on each circle (Definition 3.8, fone); not the inverse.

    The circle of place i is at (x mod 10^(i+1)) / 10^(i+1). Lower digits often push that past the
    next j/10: only a quarter to a third of the numbers 0 to 999 survive.

    Parameters
    ----------
    circles : array of shape (n, D, 1, 2)
        Of period 10, least significant place first; of any radius.

    Returns
    -------
    array of shape (n, D), uint8
        Most significant first.
    """
    return (np.rint(_tenths(circles)) % 10).astype(np.uint8)[:, ::-1]


def exact_readout(circles: np.ndarray) -> np.ndarray:
    """Digits off circles, the least significant first, each subtracted from the next: the inverse.

    Parameters and returns as in `paper_readout`.
    """
    tenths = _tenths(circles)
    digits, below = np.empty(tenths.shape, np.uint8), np.zeros(len(tenths))
    for i in range(tenths.shape[1]):
        digits[:, i] = np.rint(tenths[:, i] - below) % 10
        below = (digits[:, i] + below) / 10
    return digits[:, ::-1]


def _tenths(circles: np.ndarray) -> np.ndarray:
    """(n, D) the position of each point on its circle, in tenths of a turn: [0, 10)."""
    circles = np.asarray(circles)
    if circles.ndim != 4 or circles.shape[2:] != (1, 2):
        raise ValueError(f"circles of period 10 have shape (n, D, 1, 2); got {circles.shape}")
    turns = np.arctan2(circles[:, :, 0, 1], circles[:, :, 0, 0]) / (2 * np.pi)
    return turns % 1.0 * 10
