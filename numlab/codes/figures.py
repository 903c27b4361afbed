"""Numbers as significant figures: a sign, three digits of exponent, then the digits."""

from dataclasses import dataclass

import numpy as np

from numlab.codes.base import LARGEST, Code
from numlab.codes.decimal import to_digits
from numlab.numbers import from_figures, to_figures

SHIFT = 500  # of the exponent: 0 to 999 stand for -500 to 499
LARGEST_FIGURES = "179769313486231"  # of the largest float64


@dataclass(frozen=True)
class FigureCode(Code):
    """Sign, three digits of (exponent + 500), then `figures` digits.

    `figures`: 1 to 15; float64 may round more. A number of that many figures comes back exactly
    where its digits are shifted by 10^22 at most, else to a unit in the last place.

    Zero is all zeros but the exponent's 500.
    """

    figures: int = 15
    feature_dtype = np.uint8

    def __post_init__(self):
        if not 1 <= self.figures <= 15:
            raise ValueError(f"{type(self).__name__} has 1 to 15 figures; got {self.figures}")

    @property
    def n_digits(self) -> int:
        return 3 + self.figures

    @property
    def n_features(self) -> int:
        return 1 + self.n_digits

    @property
    def bounds(self) -> tuple[float, float]:
        high = float(f"{LARGEST_FIGURES[: self.figures]}4e{308 - self.figures}")
        high = min(high, LARGEST)  # what would round beyond float64 is out of range
        return -high, high

    def spacing(self, numbers) -> np.ndarray:
        decade = to_figures(numbers, 15)[1] + 14  # not yet rounded up
        return from_figures(np.ones(len(numbers)), decade - (self.figures - 1))

    def features(self, numbers) -> np.ndarray:
        x = self.in_range(numbers).astype(np.float64, copy=False)
        significand, exponent = to_figures(x, self.figures)
        decade = to_digits(exponent + (self.figures - 1 + SHIFT), 3)
        digits = to_digits(np.abs(significand).astype(np.int64), self.figures)
        return np.column_stack([x < 0, decade, digits])

    def number(self, features: np.ndarray) -> np.ndarray:
        valid = (features[:, 1:] <= 9).all(1)
        digits = np.where(valid[:, None], features[:, 1:], 0).astype(np.float64)
        decade = (digits[:, :3] @ [100, 10, 1]).astype(int) - SHIFT
        size = digits[:, 3:] @ 10.0 ** np.arange(self.figures)[::-1]
        value = from_figures(size, decade - (self.figures - 1))
        valid &= np.isfinite(value)
        return np.where(valid, np.where(features[:, 0] > 0, 0 - value, value), np.nan)
