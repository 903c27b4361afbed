"""Numbers as significant figures: a sign, three digits of exponent, then the digits."""

from dataclasses import dataclass

import numpy as np

from numlab.codes.base import Code
from numlab.codes.decimal import to_digits

SHIFT = 500  # of the exponent: 0 to 999 stand for -500 to 499
TENS = np.array([float(f"1e{k}") for k in range(-324, 309)])  # 1e-324 is 0
ONE = 324  # where 1 stands in TENS
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
        return -high, high  # what would round beyond float64 is out of range

    def spacing(self, numbers) -> np.ndarray:
        return _shifted(np.ones(len(numbers)), _decade(np.abs(numbers)) - (self.figures - 1))

    def features(self, numbers) -> np.ndarray:
        x = self.in_range(numbers).astype(np.float64, copy=False)
        decade = _decade(np.abs(x))
        size = np.rint(_shifted(np.abs(x), self.figures - 1 - decade))
        up = size >= 10.0**self.figures
        size, decade = np.where(up, size / 10, size), np.where(size > 0, decade + up, 0)
        exponent = to_digits(decade + SHIFT, 3)
        return np.column_stack([x < 0, exponent, to_digits(size.astype(np.int64), self.figures)])

    def number(self, features: np.ndarray) -> np.ndarray:
        valid = (features[:, 1:] <= 9).all(1)
        digits = np.where(valid[:, None], features[:, 1:], 0).astype(np.float64)
        decade = (digits[:, :3] @ [100, 10, 1]).astype(int) - SHIFT
        size = digits[:, 3:] @ 10.0 ** np.arange(self.figures)[::-1]
        value = _shifted(size, decade - (self.figures - 1))
        valid &= np.isfinite(value)
        return np.where(valid, np.where(features[:, 0] > 0, 0 - value, value), np.nan)


def _decade(size: np.ndarray) -> np.ndarray:
    """(n,) floor(log10(size)), 0 for 0; may be one too small at an exact power of ten."""
    decade = np.floor(np.log10(np.where(size > 0, size, 1.0))).astype(np.int64)
    return decade - (size < TENS[decade + ONE]) * (size > 0)


def _shifted(x: np.ndarray, power: np.ndarray) -> np.ndarray:
    """x * 10^power, in two steps where the power itself is beyond float64."""
    first = np.clip(power, -300, 300)
    with np.errstate(over="ignore"):
        for step in (first, power - first):
            if step.any():
                x = np.where(step < 0, x / TENS[ONE + np.abs(step)], x * TENS[ONE + np.abs(step)])
    return x
