"""Range: the numbers that can be represented. Code: those numbers as feature arrays, and back."""

import abc
from typing import Any

import numpy as np

from numlab.numbers import as_numbers, written

LARGEST = float(np.finfo(np.float64).max)
FLOAT32 = float(np.finfo(np.float32).max)


class Range(abc.ABC):
    """A set of numbers that can be written."""

    @property
    @abc.abstractmethod
    def bounds(self) -> tuple[float, float]:
        """(low, high): finite numbers between them can be written; others raise a ValueError."""

    @property
    def holds(self) -> str:
        """The range in words, for errors."""
        low, high = map(written, self.bounds)
        return f"|x| <= {high}" if low == f"-{high}" else f"{low} <= x <= {high}"

    def readable(self, features: np.ndarray) -> str:
        """The (F,) features that one token carries, as people read them."""
        return " ".join(f"{value:.6g}" for value in features.tolist())

    def in_range(self, numbers) -> np.ndarray:
        """(n,) float64 or Python ints, all within `bounds`."""
        x = as_column(numbers)
        low, high = self.bounds
        if x.dtype.kind == "f":  # an int beyond float64 cannot be compared with floats
            low, high = max(low, -LARGEST), min(high, LARGEST)
        outside = ~((x >= low) & (x <= high))  # NaN compares false, so it is outside too
        if outside.any():
            name = type(self).__name__
            raise ValueError(f"{name} holds {self.holds}; got {written(x[outside][0])}")
        return x


class Code(Range):
    """Numbers as rows of `n_features` features of `feature_dtype`, and back.

    A number is rounded to what the features can hold.
    """

    n_features: int
    feature_dtype: Any = np.float32

    def spacing(self, numbers) -> np.ndarray:
        """(n,) for each number, the width of the interval of numbers with the same features."""
        raise ValueError(f"{type(self).__name__} has no density: it has no `spacing`")

    @abc.abstractmethod
    def features(self, numbers) -> np.ndarray:
        """(n,) numbers to (n, F) features: digits, bits, a scaled value."""

    @abc.abstractmethod
    def number(self, features: np.ndarray) -> np.ndarray:
        """(n, F) features back to (n,) numbers; NaN or None where they encode none."""


class ScaledCode(Code):
    """x / scale as one float32 (xval, 2.1). A subclass is a dataclass with a field `scale`."""

    scale: float
    n_features = 1

    def __post_init__(self):
        if not 0 < self.scale < np.inf:
            name = type(self).__name__
            raise ValueError(f"{name} has a positive, finite scale; got {self.scale}")

    @property
    def bounds(self) -> tuple[float, float]:
        high = min(FLOAT32 * self.scale, LARGEST)
        return -high, high

    def features(self, numbers) -> np.ndarray:
        x = self.in_range(numbers).astype(np.float64, copy=False)
        return (x / self.scale).astype(np.float32)[:, None]

    def number(self, features: np.ndarray) -> np.ndarray:
        value = features[:, 0].astype(np.float64) * self.scale
        return np.where(np.isfinite(value), value, np.nan)


def as_column(numbers) -> np.ndarray:
    """(n,) float64; Python ints in an object array where float64 could round them."""
    x = np.atleast_1d(as_numbers(numbers))
    if x.ndim != 1:
        raise ValueError(f"numbers have shape (n,); got {x.shape}")
    return x


def valid_only(numbers: np.ndarray, valid: np.ndarray) -> np.ndarray:
    """Numbers where they are valid, else NaN; None among Python ints."""
    return np.where(valid, numbers, None if numbers.dtype == object else np.nan)
