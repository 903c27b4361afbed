"""A number as the bin of its magnitude: the baseline of papers/float.md (4.2)."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass

import numpy as np

from numlab.encoders.base import Encoder, Tokens, as_column


@dataclass(frozen=True)
class LogBins(Encoder):
    """One word a number: its sign and which of the bins, evenly spaced in log x, it falls into.

    A bin stands for its geometric mean: what is within it is lost.

    Parameters
    ----------
    bins : int
        Of each sign. With the bounds as they are, a bin is a decade.
    low, high : float
        Magnitudes from low to below high fall into the bins. Zero has a word of its own, and what
        is smaller than low underflows to it (our choice: the paper is silent on zero and on
        underflow).

    Examples
    --------
    >>> LogBins().spell(-60.2), LogBins().spell(0)
    (['-10..100'], ['0'])
    """

    bins: int = 16
    low: float = 1e-8
    high: float = 1e8

    def __post_init__(self):
        if self.bins < 1:
            raise ValueError(f"LogBins has 1 bin or more; got {self.bins}")
        if not 0 < self.low < self.high < np.inf:
            raise ValueError(f"LogBins has 0 < low < high, finite; got {self.low}, {self.high}")

    @functools.cached_property
    def edges(self) -> np.ndarray:
        """(bins + 1,) where the bins begin, and where the last one ends."""
        return np.geomspace(self.low, self.high, self.bins + 1)

    @functools.cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """Zero, then the bins of the positive numbers, then those of the negative ones."""
        ends = [f"{edge:.9g}" for edge in self.edges]
        bins = [f"{a}..{b}" for a, b in itertools.pairwise(ends)]
        return ("0", *bins, *(f"-{b}" for b in bins))

    @functools.cached_property
    def word_values(self) -> np.ndarray:
        middle = np.sqrt(self.edges[:-1]) * np.sqrt(self.edges[1:])
        return np.concatenate([[0.0], middle, -middle])

    @property
    def bounds(self) -> tuple[float, float]:
        below = float(np.nextafter(self.high, 0))
        return -below, below

    def precision(self, numbers) -> np.ndarray:
        x = np.abs(as_column(numbers).astype(np.float64))
        widest = np.sqrt(self.edges[1] / self.edges[0]) - 1
        return np.where(x < self.low, x, x * widest * (1 + 1e-9))

    def encode(self, numbers) -> Tokens:
        x = self.in_range(numbers).astype(np.float64)
        inner = np.searchsorted(self.edges[1:-1], np.abs(x), side="right")
        ids = np.where(np.abs(x) < self.low, 0, 1 + inner + self.bins * (x < 0))
        return Tokens.of(ids[:, None])

    def decode(self, tokens: Tokens) -> np.ndarray:
        one = tokens.mask.sum(1) == 1
        word = tokens.ids[one][tokens.mask[one]]
        known = (word >= 0) & (word < len(self.word_values))
        out = np.full(len(one), np.nan)
        out[one] = np.where(known, self.word_values[np.where(known, word, 0)], np.nan)
        return out
