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
    place = np.arange(digits, 0, -1)  # 1: the last digit
    text = np.where(place == length[..., None], first[..., None], text)
    text = np.where(place > length[..., None], 0, text) + np.uint8(ord("0"))
    words = text.reshape(2 * n, digits).view(f"S{digits}").ravel().tolist()
    pairs = np.empty(2 * n, object)
    pairs[:] = list(map(int, words))
    return pairs.reshape(n, 2)
