"""Decimal digits as features: a fixed count of them, or as many significant figures."""

from dataclasses import dataclass

import numpy as np

from numlab.codes.base import LARGEST, Code, Range, valid_only, written
from numlab.numbers import EXACT, FLOAT_DIGITS, check_count, from_figures, to_figures

# the four digits of 0 to 9999, a byte each, as one uint32: a lookup moves four digits at once
QUADS = (
    (np.arange(10_000)[:, None] // [1000, 100, 10, 1] % 10).astype(np.uint8).view(np.uint32)[:, 0]
)
MOST_DIGITS = 4300  # that Python turns into an int, and back
SHIFT = 500  # of an exponent: 0 to 999 stand for -500 to 499
LARGEST_FIGURES = "179769313486231"  # of the largest float64


@dataclass(frozen=True)
class Decimal(Range):
    """Numbers with a fixed count of decimal digits, each exact.

    Up to 15 digits, numbers are float64. With more they are Python ints, or whole floats below
    2^53, where float64 is exact.

    Parameters
    ----------
    int_digits, frac_digits : digits before and after the decimal point. x 10^frac_digits is rounded
        in float64, halves to even: 2.675 becomes 2.68, 2.665 becomes 2.66.
    signed : whether numbers can be negative.
    """

    int_digits: int = 6
    frac_digits: int = 0
    signed: bool = True

    def __post_init__(self):
        name = type(self).__name__
        got = f"got int_digits {self.int_digits} and frac_digits {self.frac_digits}"
        for field, least in (("int_digits", 1), ("frac_digits", 0)):
            check_count(f"{field} of {name}", n := getattr(self, field), least)
            object.__setattr__(self, field, int(n))  # numpy's, too
        if self.n_digits > MOST_DIGITS:
            held = f"{MOST_DIGITS:,} digits, as Python's int does"
            raise ValueError(f"{name} holds up to {held}; {got}")
        if self.long and self.frac_digits:
            held = "up to 15 digits in all, or more int_digits with frac_digits=0"
            raise ValueError(f"{name} holds {held}; {got}")

    @property
    def n_digits(self) -> int:
        return self.int_digits + self.frac_digits

    @property
    def long(self) -> bool:
        """Whether numbers are Python ints: float64 would round them."""
        return self.n_digits > FLOAT_DIGITS

    @property
    def _limit(self) -> float:
        """The least absolute value that would round up to one digit more."""
        return 10.0**self.int_digits - 0.5 * 10.0**-self.frac_digits

    @property
    def bounds(self) -> tuple[float, float]:
        high = 10**self.int_digits - 1 if self.long else float(np.nextafter(self._limit, 0))
        return (-high if self.signed else 0 * high), high

    @property
    def holds(self) -> str:
        limit = f"1e{self.int_digits}" if self.long else self._limit
        return f"|x| < {limit}" if self.signed else f"0 <= x < {limit}"

    def scaled(self, numbers) -> tuple[np.ndarray, np.ndarray]:
        """(n,) numbers to negative (bool) and abs(x) 10^frac_digits, rounded (int64 or object)."""
        x = self.in_range(numbers)
        if self.long and x.dtype != object:
            lost = (x != np.rint(x)) | (np.abs(x) >= EXACT)
            if lost.any():
                held = "more than 15 digits holds Python ints, and whole floats below 2^53"
                got = f"the float {written(x[lost][0])}"
                raise ValueError(f"{type(self).__name__} of {held}; got {got}")
            x = x.astype(np.int64).astype(object)
        if self.long:
            return x < 0, np.abs(x)
        size = np.rint(np.abs(x).astype(np.float64, copy=False) * 10.0**self.frac_digits)
        size = np.minimum(size, 10.0**self.n_digits - 1).astype(np.int64)
        return (x < 0) & (size > 0), size


class DigitCode(Decimal, Code):
    """Whether a number is negative, and its digits, most significant first."""

    feature_dtype = np.uint8

    @property
    def n_features(self) -> int:
        return 1 + self.n_digits

    def spacing(self, numbers) -> np.ndarray:
        one_sided = (self.scaled(numbers)[1] == 0) & (not self.signed)  # nothing is below 0
        return np.where(one_sided, 0.5, 1.0) * 10.0**-self.frac_digits

    def features(self, numbers) -> np.ndarray:
        negative, size = self.scaled(numbers)
        return np.column_stack([negative, to_digits(size, self.n_digits)])

    def number(self, features: np.ndarray) -> np.ndarray:
        negative, digits = features[:, 0] > 0, features[:, 1:]
        valid = (digits <= 9).all(1)
        if self.long:
            texts = (np.where(valid[:, None], digits, 0) + ord("0")).astype(np.uint8)
            size = np.array([int(row.tobytes()) for row in texts], object)
        else:
            size = digits.astype(np.float64) @ 10.0 ** np.arange(self.n_digits)[::-1]
            size /= 10.0**self.frac_digits
        return valid_only(np.where(negative, 0 - size, size), valid)  # no negative zero

    def readable(self, features: np.ndarray) -> str:
        sign, *digits = map(str, features.tolist())
        digits.insert(self.int_digits, "." if self.frac_digits else "")
        return ("+ ", "- ")[int(sign)] * self.signed + "".join(digits)


@dataclass(frozen=True)
class FigureCode(Code):
    """Sign, three digits of (exponent + 500), then `figures` digits.

    `figures`: 1 to 15, as many as float64 always keeps. A number of that many figures comes back
    exactly if it is its digits, as a whole number, times 10^-22 to 10^22; else to two units in the
    last place.

    Zero is all zeros but the exponent's 500.
    """

    figures: int = 15
    feature_dtype, n_features = np.uint8, DigitCode.n_features

    def __post_init__(self):
        check_count(f"figures of {type(self).__name__}", self.figures, 1, 15)

    @property
    def n_digits(self) -> int:
        return 3 + self.figures

    @property
    def bounds(self) -> tuple[float, float]:
        high = float(f"{LARGEST_FIGURES[: self.figures]}4e{308 - self.figures}")
        high = min(high, LARGEST)  # what would round beyond float64 is out of range
        return -high, high

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
        return valid_only(np.where(features[:, 0] > 0, 0 - value, value), valid)

    def readable(self, features: np.ndarray) -> str:
        sign, *digits = map(str, features.tolist())
        decade = int("".join(digits[:3])) - SHIFT
        return f"{'+-'[int(sign)]} {digits[3]}.{''.join(digits[4:])} E{decade}"


def to_digits(size: np.ndarray, n_digits: int) -> np.ndarray:
    """(n,) non-negative integers to (n, n_digits) uint8, most significant first."""
    if size.dtype == object:
        texts = np.array([str(v).zfill(n_digits) for v in size.tolist()], f"S{n_digits}")
        return texts.view(np.uint8).reshape(-1, n_digits) - ord("0")
    size = size.astype(np.int32) if n_digits < 10 else size
    n_quads = -(-n_digits // 4)
    digits = np.empty((len(size), n_quads), np.uint32)
    for j in reversed(range(n_quads)):
        rest = size // 10_000
        digits[:, j] = QUADS[size - 10_000 * rest]
        size = rest
    return digits.view(np.uint8)[:, 4 * n_quads - n_digits :]
