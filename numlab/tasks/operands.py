"""Pairs of whole numbers to calculate with; those of a smaller draw begin a larger one."""

from __future__ import annotations

import numpy as np


def draw_unordered(n: int, seed: int, digits: int) -> np.ndarray:
    """(n, 2) int64 with a <= b, uniform over the unordered pairs of 0 ... 10^digits - 1."""
    count = 10**digits
    rows, columns = np.random.default_rng(seed).spawn(2)
    a, b = rows.integers(0, count // 2, n), columns.integers(0, count + 1, n)
    # The triangle a <= b, its lower half turned around and laid beside the upper one, fills a
    # rectangle of count / 2 rows and count + 1 columns.
    upper = b > a
    return np.where(upper, [a, b - 1], [count - 1 - a, count - 1 - b]).T


def draw_by_length(n: int, seed: int, digits: int) -> np.ndarray:
    """(n, 2) Python ints of 1 to `digits` digits: a uniform length, then a uniform number."""
    lengths, firsts, others = np.random.default_rng(seed).spawn(3)
    length = lengths.integers(1, digits + 1, (n, 2))
    first = firsts.random((n, 2))
    first = np.where(length > 1, 1 + 9 * first, 10 * first).astype(np.uint8)  # only 0 begins with 0
    text = others.integers(0, 10, (n, 2, digits), np.uint8)
    return _spelled(length.ravel(), first.ravel(), text.reshape(2 * n, digits)).reshape(n, 2)


def draw_of_lengths(lengths: np.ndarray, seed: int) -> np.ndarray:
    """(n,) Python ints, each uniform over the numbers with so many digits."""
    firsts, others = np.random.default_rng(seed).spawn(2)
    first = firsts.integers(np.where(lengths > 1, 1, 0), 10)  # only 0 begins with 0
    text = others.integers(0, 10, (len(lengths), int(max(lengths))), np.uint8)
    return _spelled(lengths, first.astype(np.uint8), text)


def _spelled(length: np.ndarray, first: np.ndarray, text: np.ndarray) -> np.ndarray:
    """(n,) Python ints of `length` digits: the first ones, then the last of (n, digits) `text`."""
    n, digits = text.shape
    place = np.arange(digits, 0, -1)  # 1: the last digit
    text = np.where(place == length[:, None], first[:, None], text)
    text = np.where(place > length[:, None], 0, text) + np.uint8(ord("0"))
    words = np.ascontiguousarray(text).view(f"S{digits}").ravel().tolist()
    numbers = np.empty(n, object)
    numbers[:] = list(map(int, words))
    return numbers
