"""Evenly spaced bins, one word each: how Chronos writes time series (2403.07815, 3.1)."""

import functools
from dataclasses import dataclass
from typing import Self

import numpy as np

from numlab.codes.base import LARGEST
from numlab.codes.edges import as_floats, near_one
from numlab.encoders.base import OneWord
from numlab.numbers import check_count


@dataclass(frozen=True)
class UniformBins(OneWord):
    """One word per number: the nearest of evenly spaced centres, which it reads back as.

    As in Chronos, numbers beyond the last centre are written as that one.

    Parameters
    ----------
    bins : centres, 2 or more.
    high : the centres go from -high to high, in units of `scale`.
    scale : the numbers are divided by it. `fit` takes the mean size of the numbers given; Chronos
        takes that of each series.

    >>> nl.UniformBins(bins=31).spell(-3.4), nl.UniformBins(bins=31).spell(100)
    (['-3'], ['15'])
    """

    bins: int = 4093  # Chronos-T5: 4096 words, two of them special and one never used
    high: float = 15.0
    scale: float = 1.0
    bounds = (-LARGEST, LARGEST)

    def __post_init__(self):
        check_count("bins of UniformBins", self.bins, 2)
        if not (0 < self.scale < np.inf and 0 < self.high * self.scale < np.inf):
            raise ValueError(f"UniformBins has a high and a scale above 0, finite; got {self}")

    @classmethod
    def fit(cls, numbers, bins: int = 4093, high: float = 15.0) -> Self:
        """The scale is the mean size of the numbers, one or more; 1 where all are 0, as in Chronos.

        >>> nl.UniformBins.fit([1.0, -3.0]).scale
        2.0
        """
        x, k = near_one(as_floats(numbers))
        if not len(x):
            raise ValueError("UniformBins.fit takes one number or more; got none")
        return cls(bins, high, float(np.ldexp(np.abs(x).mean(), k)) or 1.0)

    @functools.cached_property
    def word_values(self) -> np.ndarray:
        return np.linspace(-self.high, self.high, self.bins) * self.scale + 0.0

    @functools.cached_property
    def vocabulary(self) -> tuple[str, ...]:
        return tuple(f"{centre:.9g}" for centre in self.word_values)

    def index(self, numbers) -> np.ndarray:
        x = self.in_range(numbers).astype(np.float64)
        middle = self.word_values[1:] / 2 + self.word_values[:-1] / 2
        return np.searchsorted(middle, x, side="right")  # a tie goes to the greater, as in Chronos
