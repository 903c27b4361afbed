"""Integers to calculate with. Those of a smaller draw are the first of a larger one."""

import numpy as np

__all__ = ["draw_by_length", "draw_of_lengths", "draw_unordered"]


def draw_unordered(n: int, seed: int, digits: int) -> np.ndarray:
    """(n, 2) int64 with a <= b, uniform over the unordered pairs of 0 ... 10^digits - 1."""
    count = 10**digits
    rows, columns = np.random.default_rng(seed).spawn(2)
    a, b = rows.integers(0, count // 2, n), columns.integers(0, count + 1, n)
    # A rectangle of count / 2 rows and count + 1 columns holds the triangle a <= b: its upper
    # half as it is, its lower half rotated beside it.
    return np.where(b > a, [a, b - 1], [count - 1 - a, count - 1 - b]).T


def draw_by_length(n: int, seed: int, digits: int) -> np.ndarray:
    """(n, 2) Python ints: a uniform length from 1 to `digits`, then a uniform number."""
    lengths, firsts, others = np.random.default_rng(seed).spawn(3)
    length = lengths.integers(1, digits + 1, (n, 2)).ravel()
    first = firsts.random((n, 2)).ravel()
    first = np.where(length > 1, 1 + 9 * first, 10 * first).astype(np.uint8)  # only 0 begins with 0
    rest = others.integers(0, 10, (n, 2, digits), np.uint8).reshape(2 * n, digits)
    return _integers(length, first, rest).reshape(n, 2)


def draw_of_lengths(lengths: np.ndarray, seed: int) -> np.ndarray:
    """(n,) Python ints, each uniform over the numbers of the given length."""
    firsts, others = np.random.default_rng(seed).spawn(2)
    first = firsts.integers(np.where(lengths > 1, 1, 0), 10)  # only 0 begins with 0
    return _integers(lengths, first, others.integers(0, 10, (len(lengths), max(lengths)), np.uint8))


def _integers(length: np.ndarray, first: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """(n,) Python ints of first digits (n,) and the last digits of `rest` (n, most)."""
    most = rest.shape[1]
    place = np.arange(most, 0, -1)  # 1: the units
    length, first = length[:, None], first[:, None]
    digits = np.where(place < length, rest, np.where(place == length, first, 0))
    words = (digits + ord("0")).astype(np.uint8).view(f"S{most}").ravel()
    return np.array([int(word) for word in words.tolist()], object)
