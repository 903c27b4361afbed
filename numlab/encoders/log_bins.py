"""Bins of magnitude: the baseline of the float paper (section 4.2)."""

import functools
import itertools
from dataclasses import dataclass

import numpy as np

from numlab.encoders.base import OneWord
from numlab.numbers import check_count, written


@dataclass(frozen=True)
class LogBins(OneWord):
    """One word per number: its sign and its bin; bins are evenly spaced in log |x|.

    A number reads back as the geometric mean of its bin.

    Parameters
    ----------
    bins : bins of each sign. By default, each bin is a decade.
    low, high : the bins cover low <= |x| < high. Zero has its own word; smaller numbers underflow
        to it (our choice, as are the sign and the mean: the paper is silent on them, on zero and
        on underflow).

    >>> LogBins().spell(-60.2), LogBins().spell(0)
    (['-10..100'], ['0'])
    """

    bins: int = 16
    low: float = 1e-8
    high: float = 1e8

    def __post_init__(self):
        check_count("bins of LogBins", self.bins)
        if not 0 < self.low < self.high < np.inf:
            raise ValueError(f"LogBins has 0 < low < high, finite; got {self.low}, {self.high}")

    @functools.cached_property
    def edges(self) -> np.ndarray:
        """(bins + 1,) edges of the positive bins, ascending."""
        return np.geomspace(self.low, self.high, self.bins + 1)

    @functools.cached_property
    def vocabulary(self) -> tuple[str, ...]:
        bins = [f"{a:.9g}..{b:.9g}" for a, b in itertools.pairwise(self.edges)]
        return ("0", *bins, *(f"-{b}" for b in bins))

    @functools.cached_property
    def word_values(self) -> np.ndarray:
        mean = np.sqrt(self.edges[:-1]) * np.sqrt(self.edges[1:])
        return np.concatenate([[0.0], mean, -mean])

    @property
    def bounds(self) -> tuple[float, float]:
        high = float(np.nextafter(self.high, 0))
        return -high, high

    @property
    def holds(self) -> str:
        return f"|x| < {written(self.high)}"

    def index(self, numbers) -> np.ndarray:
        x = self.in_range(numbers).astype(np.float64)
        bin = np.searchsorted(self.edges[1:-1], np.abs(x), side="right")
        return np.where(np.abs(x) < self.low, 0, 1 + bin + self.bins * (x < 0))
