"""Decimal digits as words: one a token (Digits), or up to three of them (Subword)."""

import abc
import functools
from dataclasses import dataclass

import numpy as np

from numlab.codes import Decimal, valid_only
from numlab.codes.decimal import to_digits
from numlab.encoders.base import END, Encoder, Tokens
from numlab.encoders.text import from_columns

OPEN, CLOSE = 12, 13  # words of Digits, after 0 to 9, the minus and the point


class DecimalText(Decimal, Encoder):
    """Groups of digits from the left, without leading zeros or trailing decimal zeros."""

    fixed = False

    @property
    @abc.abstractmethod
    def group(self) -> int:
        """Most digits in a word. The words are all strings of one digit, then those of two, ..."""

    @functools.cached_property
    def digit_words(self) -> tuple[str, ...]:
        widths = range(1, self.group + 1)
        return tuple(f"{i:0{width}d}" for width in widths for i in range(10**width))

    @functools.cached_property
    def vocabulary(self) -> tuple[str, ...]:
        return (*self.digit_words, "-", ".")

    @property
    def length(self) -> int:
        n_groups = -(-self.int_digits // self.group) + -(-self.frac_digits // self.group)
        return self.signed + n_groups + (self.frac_digits > 0)

    def encode(self, numbers) -> Tokens:
        return from_columns(self.columns(numbers))

    def decode(self, tokens: Tokens) -> np.ndarray:
        return self.read(tokens.packed())

    def columns(self, numbers) -> list[tuple]:
        """The (ids, mask) of each token of (n,) numbers, from the left."""
        negative, size = self.scaled(numbers)
        minus = len(self.digit_words)
        columns = [(minus, negative)] if self.signed else []
        whole = size // 10**self.frac_digits if self.frac_digits else size
        powers = np.array([10**k for k in range(self.int_digits)], size.dtype)
        n_int = np.maximum(sum(whole >= power for power in powers), 1)
        from_left = whole * powers[-n_int]  # leading zeros gone
        columns += self._groups(to_digits(from_left, self.int_digits).T, n_int)
        if self.frac_digits:
            fraction = to_digits(size - whole * 10**self.frac_digits, self.frac_digits)
            digits = np.ascontiguousarray(fraction.T)
            n_frac = np.where(digits > 0, np.arange(1, len(digits) + 1)[:, None], 0).max(0)
            columns += [(minus + 1, n_frac > 0), *self._groups(digits, n_frac)]
        return columns

    def _groups(self, digits: np.ndarray, count: np.ndarray) -> list[tuple]:
        """The (ids, mask) of each group of (D, n) digits; the first `count` of them are written."""
        groups = []
        for start in range(0, len(digits), self.group):
            first, *others = digits[start : start + self.group]
            ids = first.astype(np.int16)
            for j, digit in enumerate(others, start + 1):
                # the words of one digit less come first: 7 is word 7, 70 is word 10 + 70
                ids = np.where(count > j, 10 * (ids + 1) + digit, ids)
            groups.append((ids, count > start))
        return groups

    def read(self, ids: np.ndarray) -> np.ndarray:
        """(n, L) words, then END, to numbers: -?digits(.digits)?, with any needless zeros.

        What has a sign or a point that this encoder never writes, or is out of range, is none.
        """
        minus, columns = len(self.digit_words), np.ascontiguousarray(ids.T)
        is_digit = (columns >= 0) & (columns < minus)
        is_minus, is_point = columns == minus, columns == minus + 1
        valid = (is_digit | is_minus | is_point | (columns == END)).all(0) & is_digit.any(0)
        valid &= ~is_minus[int(self.signed) :].any(0) & (is_point.sum(0) <= (self.frac_digits > 0))
        beside = np.pad(is_digit, ((1, 1), (0, 0)))  # a point stands between digits
        valid &= (~is_point | (beside[:-2] & beside[2:])).all(0)
        words = np.where(is_digit, columns, minus)
        if self.long:
            strings = np.array([*self.digit_words, ""], object)[words.T]
            size = np.array([int("".join(row) or 0) for row in strings], object)
        else:
            values = np.array([*map(float, self.digit_words), 0.0])
            widths = np.array([*map(len, self.digit_words), 0])
            units, size, n_frac = 10.0**widths, np.zeros(len(ids)), np.zeros(len(ids), int)
            for word, in_fraction in zip(words, is_point.cumsum(0), strict=True):
                size = size * units[word] + values[word]
                n_frac += widths[word] * in_fraction
            size /= 10.0**n_frac
        valid &= size <= self.bounds[1]
        return valid_only(np.where(is_minus.any(0), 0 - size, size), valid)  # no negative zero


@dataclass(frozen=True)
class Digits(DecimalText):
    """Digit by digit, without leading zeros or trailing decimal zeros.

    Parameters
    ----------
    int_digits, frac_digits, signed : as in Decimal.
    reverse : least digit first, as Abacus needs it.
    fences : between [F] and [/F].

    >>> Digits(6, 3).spell(-602.5)
    ['-', '6', '0', '2', '.', '5']
    >>> Digits(6, reverse=True, fences=True).spell(-602)
    ['[F]', '2', '0', '6', '-', '[/F]']
    >>> big = [10**59 + 7, 0]
    >>> Digits(60).decode(Digits(60).encode(big)).tolist() == big
    True
    """

    reverse: bool = False
    fences: bool = False
    group = 1

    @functools.cached_property
    def vocabulary(self) -> tuple[str, ...]:
        return (*"0123456789-.", *(("[F]", "[/F]") if self.fences else ()))

    @property
    def length(self) -> int:
        return super().length + 2 * self.fences

    def columns(self, numbers) -> list[tuple]:
        columns = super().columns(numbers)
        if self.reverse:
            columns.reverse()
        return [(OPEN, True), *columns, (CLOSE, True)] if self.fences else columns

    def decode(self, tokens: Tokens) -> np.ndarray:
        ids, fenced = tokens.packed(1), True
        if self.fences:
            last = np.take_along_axis(ids, (ids != END).sum(1, keepdims=True) - 1, 1)
            fenced = (ids[:, 0] == OPEN) & (last[:, 0] == CLOSE) & ((ids >= OPEN).sum(1) == 2)
            ids = np.where(ids == CLOSE, END, ids)[:, 1:]
        if self.reverse:
            ids = Tokens.of(ids[:, ::-1], ids[:, ::-1] != END).packed()
        return valid_only(self.read(ids), fenced)


@dataclass(frozen=True)
class Subword(DecimalText):
    """Groups of three digits from the left, as Llama 3 splits numbers.

    >>> Subword(6, 3).spell(-12345.678)
    ['-', '123', '45', '.', '678']
    """

    group = 3
