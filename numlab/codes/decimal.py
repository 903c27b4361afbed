"""Numbers with a fixed count of decimal digits, and their digits as features."""

from __future__ import annotations

import numpy as np

from numlab.codes.base import Code, Range, as_column, written
from numlab.examples import EXACT, FLOAT_DIGITS

__all__ = [
    "END",
    "Decimal",
    "DigitCode",
    "count_digits",
    "read_decimals",
    "to_digits",
    "trailing_zeros",
]

END = -2  # behind the last token of a number

# the four digits of 0 to 9999, a byte each, as one uint32: a lookup moves four digits at once
QUADS = (
    (np.arange(10_000)[:, None] // [1000, 100, 10, 1] % 10).astype(np.uint8).view(np.uint32)[:, 0]
)


class Decimal(Range):
    """Numbers with a fixed count of decimal digits, each exact.

    Up to 15 digits, numbers are float64. With more they are Python ints, or whole floats below
    2^53, where float64 is exact.

    Attributes
    ----------
    int_digits, frac_digits : int
        Digits before and after the decimal point; numbers are rounded to them.
    signed : bool
        Whether numbers can be negative.
    """

    int_digits: int
    frac_digits: int
    signed: bool

    def __post_init__(self):
        name = type(self).__name__
        whole = all(isinstance(n, int) for n in (self.int_digits, self.frac_digits))
        if not whole or self.int_digits < 1 or self.frac_digits < 0:
            raise ValueError(
                f"{name} has whole int_digits >= 1 and frac_digits >= 0; "
                f"got {self.int_digits} and {self.frac_digits}"
            )
        if self.n_digits > FLOAT_DIGITS and self.frac_digits:
            raise ValueError(
                f"{name} holds fractions of up to 15 digits in all, and longer integers; "
                f"got {self.int_digits} + {self.frac_digits} digits"
            )

    @property
    def n_digits(self) -> int:
        return self.int_digits + self.frac_digits

    @property
    def limit(self) -> float | int:
        """The least absolute value out of range: it would round up to one digit more."""
        if self.n_digits > FLOAT_DIGITS:
            return 10**self.int_digits
        return 10.0**self.int_digits - 0.5 * 10.0**-self.frac_digits

    @property
    def bounds(self) -> tuple[float, float]:
        limit = self.limit
        high = limit - 1 if isinstance(limit, int) else float(np.nextafter(limit, 0))
        return (-high if self.signed else 0 * high), high

    @property
    def holds(self) -> str:
        limit = f"1e{self.int_digits}" if self.n_digits > FLOAT_DIGITS else self.limit
        return f"|x| < {limit}" if self.signed else f"0 <= x < {limit}"

    def precision(self, numbers) -> np.ndarray:
        x = as_column(numbers)
        if self.n_digits > FLOAT_DIGITS:
            return np.zeros(len(x))
        return 0.5 * 10.0**-self.frac_digits + np.abs(x.astype(np.float64)) * 2.0**-52

    def scaled(self, numbers) -> tuple[np.ndarray, np.ndarray]:
        """(n,) numbers to negative (bool) and abs(x) 10^frac_digits, rounded (int64 or object)."""
        x = self.in_range(numbers)
        if self.n_digits > FLOAT_DIGITS:
            x = x if x.dtype == object else self._exact_integers(x)
            return x < 0, np.abs(x)
        size = np.rint(np.abs(x).astype(np.float64, copy=False) * 10.0**self.frac_digits)
        size = np.minimum(size, 10.0**self.n_digits - 1).astype(np.int64)
        return (x < 0) & (size > 0), size

    def _exact_integers(self, x: np.ndarray) -> np.ndarray:
        lost = (x != np.rint(x)) | (np.abs(x) >= EXACT)
        if lost.any():
            raise ValueError(
                f"{type(self).__name__} of more than 15 digits holds Python ints, and whole floats "
                f"below 2^53; got the float {written(x[lost][0])}"
            )
        return x.astype(np.int64).astype(object)

    def digits(self, numbers) -> tuple[np.ndarray, np.ndarray]:
        """(n,) numbers to negative (bool) and (n, n_digits) uint8, most significant first."""
        negative, size = self.scaled(numbers)
        return negative, to_digits(size, self.n_digits)

    def from_digits(self, negative: np.ndarray, digits: np.ndarray) -> np.ndarray:
        """The inverse of `digits`, exactly; NaN or None where one is above 9."""
        wrong = (digits > 9).any(1)
        if self.n_digits > FLOAT_DIGITS:
            texts = (np.where(wrong[:, None], 0, digits) + 48).astype(np.uint8)
            size = np.array([int(row.tobytes()) for row in texts], object)
            value = np.where(negative, -size, size)
            value[wrong] = None
            return value
        size = digits.astype(np.float64) @ 10.0 ** np.arange(self.n_digits)[::-1]
        value = np.where(negative, -size, size) / 10.0**self.frac_digits
        return np.where(wrong, np.nan, value + 0.0)  # + 0.0: no negative zero


class DigitCode(Decimal, Code):
    """Whether a number is negative, and its digits, most significant first."""

    feature_dtype = np.uint8

    @property
    def n_features(self) -> int:
        return 1 + self.n_digits

    def features(self, numbers) -> np.ndarray:
        """(n,) numbers to (n, 1 + digits) uint8: negative, digits most significant first."""
        negative, digits = self.digits(numbers)
        return np.concatenate([negative[:, None].view(np.uint8), digits], 1)

    def number(self, features: np.ndarray) -> np.ndarray:
        return self.from_digits(features[:, 0] > 0, features[:, 1:])


def to_digits(size: np.ndarray, n_digits: int) -> np.ndarray:
    """(n,) non-negative integers to (n, n_digits) uint8, most significant first."""
    if size.dtype == object:
        texts = [str(v).zfill(n_digits) for v in size.tolist()]
        return _bytes_of(np.array(texts, f"S{n_digits}")) - 48
    size = size.astype(np.int32) if n_digits < 10 else size
    n_quads = -(-n_digits // 4)
    digits = np.empty((len(size), n_quads), np.uint32)
    for j in reversed(range(n_quads)):
        rest = size // 10_000
        digits[:, j] = QUADS[size - 10_000 * rest]
        size = rest
    return digits.view(np.uint8)[:, 4 * n_quads - n_digits :]


def count_digits(size: np.ndarray, most: int) -> np.ndarray:
    """(n,) how many digits a non-negative integer has; 0 has one."""
    count = np.ones(len(size), np.int16)
    for j in range(1, most):
        count += size >= 10**j
    return count


def trailing_zeros(size: np.ndarray, most: int) -> np.ndarray:
    """(n,) how many zeros an integer ends in, counted up to `most`."""
    count = np.zeros(len(size), np.int16)
    for j in range(1, most + 1):
        count += size // 10**j * 10**j == size  # numpy divides faster than it takes remainders
    return count


# A state machine for -?digits(.digits)?: the next state after a digit, "-", ".", the end, another.
START, SIGN, INT, POINT, FRAC, DONE, BAD = range(7)
STEPS = np.array(
    [
        [INT, SIGN, BAD, BAD, BAD],
        [INT, BAD, BAD, BAD, BAD],
        [INT, BAD, POINT, DONE, BAD],
        [FRAC, BAD, BAD, BAD, BAD],
        [FRAC, BAD, BAD, DONE, BAD],
        [BAD, BAD, BAD, DONE, BAD],
        [BAD, BAD, BAD, BAD, BAD],
    ]
)


def read_decimals(ids: np.ndarray, words: tuple[str, ...], whole: bool) -> np.ndarray:
    """Numbers spelled in words, most significant digit first; NaN or None where malformed.

    Parameters
    ----------
    ids : array of shape (n, L)
        Indices into `words`, or END; any other is malformed.
    words : tuple of str
        Strings of digits, "-" and ".".
    whole : bool
        Python ints of any size instead of float64, and no point.
    """
    n = len(words)
    columns = np.where((ids >= 0) & (ids < n), ids, np.where(ids == END, n, n + 1)).T.copy()
    kind = np.array([0 if w.isdigit() else "-.".index(w) + 1 for w in words] + [3, 4])
    width = np.array([len(w) if w.isdigit() else 0 for w in words] + [0, 0])
    digit = np.array([float(w) if w.isdigit() else 0.0 for w in words] + [0.0, 0.0])
    unit, steps = 10.0**width, STEPS[:, kind].ravel()
    state, size = np.full(len(ids), START), np.zeros(len(ids))
    negative, n_frac = np.zeros(len(ids), bool), np.zeros(len(ids), int)
    for column in columns:
        state = steps[state * (n + 2) + column]
        size = size * unit[column] + digit[column]
        n_frac += width[column] * (state == FRAC)
        negative |= state == SIGN
    well_formed = (state == INT) | (state == FRAC) | (state == DONE)
    if whole:
        return _read_integers(columns.T, words, well_formed & (n_frac == 0))
    value = np.where(negative, -size, size) / 10.0**n_frac
    return np.where(well_formed, value + 0.0, np.nan)  # + 0.0: no negative zero


def _read_integers(ids: np.ndarray, words: tuple[str, ...], well_formed: np.ndarray) -> np.ndarray:
    texts = _bytes_of(np.array([*words, "", ""], "S")[ids])
    values = np.full(len(ids), None, object)
    values[well_formed] = [int(row.tobytes().replace(b"\0", b"")) for row in texts[well_formed]]
    return values


def _bytes_of(texts: np.ndarray) -> np.ndarray:
    """(n,) or (n, L) fixed-width byte strings to (n, all their bytes) uint8."""
    width = texts.dtype.itemsize * (texts.shape[1] if texts.ndim == 2 else 1)
    return np.ascontiguousarray(texts).view(np.uint8).reshape(len(texts), width)
