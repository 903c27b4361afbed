"""A token a digit; and the decimal digits that Subword and FoNE are made from, too."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from numlab.encoders.base import Encoder, Tokens, as_numbers

FLOAT_DIGITS = 15  # every decimal of 15 digits survives in a float64
POWERS = 10 ** np.arange(19)  # int64
QUADS = (np.arange(10_000)[:, None] // POWERS[3::-1] % 10).astype(np.uint8)


class Decimal(Encoder):
    """An encoder of numbers with a given number of decimal digits, exact for those.

    Up to 15 digits numbers are float64. With more they are whole, and Python ints (float64 is
    taken where it is whole and below 2^53, where it is exact).

    Attributes
    ----------
    int_digits, frac_digits : int
        Digits before and after the decimal point; numbers are rounded to that.
    signed : bool
        Whether there are negative numbers.
    """

    int_digits: int
    frac_digits: int
    signed: bool

    def __post_init__(self):
        name = type(self).__name__
        if self.int_digits < 1 or self.frac_digits < 0:
            raise ValueError(
                f"{name} has int_digits >= 1 and frac_digits >= 0; "
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
    def bounds(self) -> tuple[float, float]:
        if self.n_digits > FLOAT_DIGITS:
            high = 10**self.int_digits - 1
        else:  # the last number that does not round up to one digit more
            high = float(np.nextafter(10.0**self.int_digits - 0.5 * 10.0**-self.frac_digits, 0))
        return (-high if self.signed else 0 * high), high

    @property
    def holds(self) -> str:
        sign = "" if self.signed else "0 <= x, "
        return f"{sign}{self.int_digits}+{self.frac_digits} digits"

    def precision(self, numbers) -> np.ndarray:
        x = as_numbers(numbers)
        if self.n_digits > FLOAT_DIGITS:
            return np.zeros(len(x))
        return 0.5 * 10.0**-self.frac_digits + np.abs(x.astype(np.float64)) * 2.0**-52

    def scaled(self, numbers) -> tuple[np.ndarray, np.ndarray]:
        """(n,) numbers to negative (bool) and abs(x) 10^frac_digits, rounded: int64 or object."""
        x = self.in_range(numbers)
        if x.dtype == object:
            _check_integers(x, type(self).__name__)
        elif self.n_digits > FLOAT_DIGITS:
            _check_exact(x, type(self).__name__)
        size = np.abs(x)
        if self.n_digits > FLOAT_DIGITS:
            size = size if x.dtype == object else size.astype(np.int64).astype(object)
        else:
            size = np.rint(size.astype(np.float64) * 10.0**self.frac_digits).astype(np.int64)
        return (x < 0) & (size > 0), size

    def digits(self, numbers) -> tuple[np.ndarray, np.ndarray]:
        """(n,) numbers to negative (bool) and (n, n_digits) uint8, most significant first."""
        negative, size = self.scaled(numbers)
        return negative, to_digits(size, self.n_digits)

    def from_digits(self, negative: np.ndarray, digits: np.ndarray) -> np.ndarray:
        """The inverse of `digits`, exactly; NaN or None where one is above 9."""
        wrong = (digits > 9).any(1)
        if self.n_digits > FLOAT_DIGITS:
            texts = (np.where(wrong[:, None], 0, digits) + 48).astype(np.uint8)
            size = np.array([int(text) for text in _rows_as_bytes(texts)], object)
            value = np.where(negative, -size, size)
            value[wrong] = None
            return value
        size = digits.astype(np.float64) @ 10.0 ** np.arange(self.n_digits)[::-1]
        value = np.where(negative, -size, size) / 10.0**self.frac_digits
        return np.where(wrong, np.nan, value + 0.0)  # + 0.0: no negative zero


@dataclass(frozen=True)
class Digits(Decimal):
    """Digit by digit, without leading zeros, and without trailing ones behind the point.

    Parameters
    ----------
    int_digits, frac_digits : int
    signed : bool
    reverse : bool
        Least digit first, as Abacus has it.
    fences : bool
        Between [F] and [/F].

    Examples
    --------
    >>> Digits(6, 3).spell(-602.5)
    ['-', '6', '0', '2', '.', '5']
    >>> Digits(6, reverse=True, fences=True).spell(-602)
    ['[F]', '2', '0', '6', '-', '[/F]']
    >>> big = [10**59 + 7, 0]
    >>> Digits(60).decode(Digits(60).encode(big)).tolist() == big
    True
    """

    int_digits: int = 6
    frac_digits: int = 0
    signed: bool = True
    reverse: bool = False
    fences: bool = False
    fixed = False

    @functools.cached_property
    def vocabulary(self) -> tuple[str, ...]:
        return (*"0123456789-.", *(("[F]", "[/F]") if self.fences else ()))

    @property
    def length(self) -> int:
        point, fences = self.frac_digits > 0, 2 * self.fences
        return self.n_digits + point + self.signed + fences

    def encode(self, numbers) -> Tokens:
        negative, size = self.scaled(numbers)
        n, split = len(size), self.int_digits
        digits = to_digits(size, self.n_digits)
        whole = size // 10**self.frac_digits if self.frac_digits else size
        n_int = count_digits(whole, split)
        parts = [(digits[:, :split], np.arange(split)[::-1] < n_int[:, None])]
        if self.signed:
            parts.insert(0, _same(10, negative))
        if self.frac_digits:
            fraction = digits[:, split:]
            n_frac = self.frac_digits - trailing_zeros(size, self.frac_digits)
            parts.append(_same(11, n_frac > 0))
            parts.append((fraction, np.arange(self.frac_digits) < n_frac[:, None]))
        if self.reverse:
            parts = [(ids[:, ::-1], mask[:, ::-1]) for ids, mask in reversed(parts)]
        if self.fences:
            there = np.ones(n, bool)
            parts = [_same(12, there), *parts, _same(13, there)]
        ids, masks = zip(*parts, strict=True)
        ids = np.concatenate(ids, 1, dtype=np.int32, casting="unsafe")
        return Tokens.of(ids, np.concatenate(masks, 1))

    def decode(self, tokens: Tokens) -> np.ndarray:
        ids, count = tokens.packed(1)
        well_formed = np.ones(len(ids), bool)
        if self.fences:
            last = np.take_along_axis(ids, np.maximum(count - 1, 0)[:, None], 1)[:, 0]
            well_formed = (ids[:, 0] == 12) & (last == 13)
            ids, count = ids[:, 1:], np.maximum(count - 2, 0)
        there = np.arange(ids.shape[1]) < count[:, None]
        if self.reverse:
            ids, there = ids[:, ::-1], there[:, ::-1]
        ids, count = Tokens.of(ids, there).packed(1)
        values = read_decimals(ids, count, self.vocabulary[:12], self.n_digits > FLOAT_DIGITS)
        values[~well_formed] = None if values.dtype == object else np.nan
        return values


def to_digits(size: np.ndarray, n_digits: int) -> np.ndarray:
    """(n,) non-negative integers to (n, n_digits) uint8, most significant first."""
    if size.dtype == object:
        texts = np.array([str(v) for v in size.tolist()], f"S{n_digits}")
        return _bytes_of(np.char.zfill(texts, n_digits)) - 48
    n_quads = -(-n_digits // 4)
    digits = np.empty((len(size), n_quads, 4), np.uint8)
    for j in reversed(range(n_quads)):  # four digits at a time, from a table
        rest = size // 10_000
        digits[:, j] = QUADS[size - 10_000 * rest]
        size = rest
    return digits.reshape(len(size), -1)[:, 4 * n_quads - n_digits :]


def count_digits(size: np.ndarray, most: int) -> np.ndarray:
    """(n,) how many digits a non-negative integer has; 0 has one."""
    count = np.ones(len(size), np.int8)
    for j in range(1, most):
        count += size >= 10**j
    return count


def trailing_zeros(size: np.ndarray, most: int) -> np.ndarray:
    """(n,) how many zeros an integer ends in, no more than `most`."""
    count = np.zeros(len(size), np.int8)
    for j in range(1, most + 1):
        count += size % 10**j == 0
    return count


def read_decimals(ids, count, words: tuple[str, ...], whole: bool) -> np.ndarray:
    """Read -?digits(.digits)? off words, most significant first; NaN or None where it is not.

    Parameters
    ----------
    ids : array of shape (n, L)
        Indices into `words`, anything behind the first `count`.
    count : array of shape (n,)
    words : tuple of str
        Strings of digits, "-" and ".".
    whole : bool
        Python ints of any size instead of float64, and no point.
    """
    n_words = len(words)
    known = (ids >= 0) & (ids < n_words)
    there = np.arange(ids.shape[1]) < count[:, None]
    ids = np.where(known & there, ids, n_words)
    width = np.array([len(w) if w.isdigit() else 0 for w in words] + [0])[ids]
    minus, point = ids == words.index("-"), ids == words.index(".")
    negative, n_points = minus[:, 0], point.sum(1)
    ends = np.stack([negative, np.maximum(count - 1, 0)], 1)
    ends = np.take_along_axis(width, np.minimum(ends, ids.shape[1] - 1), 1)
    well_formed = (known | ~there).all(1) & (minus.sum(1) == negative) & (ends > 0).all(1)
    well_formed &= n_points <= (not whole)
    if whole:
        texts = np.array([w.encode() if w.isdigit() else b"" for w in words] + [b""])[ids]
        texts = [t.replace(b"\0", b"") for t in _rows_as_bytes(_bytes_of(texts))]
        size = [int(t) if ok else None for t, ok in zip(texts, well_formed.tolist(), strict=True)]
        signs = zip(size, negative.tolist(), strict=True)
        return np.array([-v if v and minus else v for v, minus in signs], object)
    digit = np.array([float(w) if w.isdigit() else 0.0 for w in words] + [0.0])[ids]
    size = np.zeros(len(ids))
    for j in range(ids.shape[1]):
        size = size * 10.0 ** width[:, j] + digit[:, j]
    n_frac = (width * (np.cumsum(point, 1) > 0)).sum(1)
    value = np.where(negative, -size, size) / 10.0**n_frac
    return np.where(well_formed, value + 0.0, np.nan)


def _same(word: int, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.full((len(mask), 1), word, np.uint8), mask[:, None]


def _bytes_of(texts: np.ndarray) -> np.ndarray:
    """(n,) or (n, L) fixed-width byte strings to (n, all their bytes) uint8."""
    width = texts.dtype.itemsize * (texts.shape[1] if texts.ndim == 2 else 1)
    return np.ascontiguousarray(texts).view(np.uint8).reshape(len(texts), width)


def _rows_as_bytes(rows: np.ndarray) -> list[bytes]:
    return [row.tobytes() for row in rows]


def _check_integers(x: np.ndarray, name: str) -> None:
    others = {type(v).__name__ for v in x.tolist()} - {"int"}
    if others:
        raise ValueError(f"{name} holds float64 or Python ints; got an object array of {others}")


def _check_exact(x: np.ndarray, name: str) -> None:
    lost = (x != np.rint(x)) | (np.abs(x) >= 2.0**53)
    if lost.any():
        raise ValueError(
            f"{name} of more than 15 digits holds Python ints, which float64 rounds; "
            f"got the float64 {x[lost][0]!r}"
        )
