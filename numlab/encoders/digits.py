"""Decimal digits as words: one a token (Digits), or up to three of them (Subword)."""

import abc
import functools
import re
from dataclasses import dataclass

import numpy as np

from numlab.codes import Decimal
from numlab.codes.decimal import to_digits
from numlab.encoders.base import Encoder, Tokens

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
        return Tokens.from_columns(self.columns(numbers))

    def decode(self, tokens: Tokens) -> np.ndarray:
        return self.read(tokens.texts(self.vocabulary))

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

    def read(self, texts: list[str]) -> np.ndarray:
        """Texts to numbers: -?digits(.digits)?, with any needless zeros.

        What has a sign or a point that this encoder never writes, or is out of range, is none.
        """
        minus, point = "-?" * self.signed, r"(\.[0-9]+)?" * (self.frac_digits > 0)
        is_written = re.compile(f"{minus}[0-9]+{point}").fullmatch
        kind, none = (int, None) if self.long else (float, np.nan)
        high = self.bounds[1]

        def number(text: str):
            if is_written(text) and abs(x := kind(text)) <= high:
                return x + 0  # no negative zero
            return none

        return np.array([*map(number, texts)], object if self.long else float)


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

    def read(self, texts: list[str]) -> np.ndarray:
        if self.fences:
            fenced = re.compile(r"\[F\](.*)\[/F\]").fullmatch
            texts = [match[1] if (match := fenced(text)) else "" for text in texts]
        return super().read([text[::-1] for text in texts] if self.reverse else texts)


@dataclass(frozen=True)
class Subword(DecimalText):
    """Groups of three digits from the left, as Llama 3 splits numbers.

    `int_digits`, `frac_digits`, `signed`: as in `numlab.codes.Decimal`.

    >>> Subword(6, 3).spell(-12345.678)
    ['-', '123', '45', '.', '678']
    """

    group = 3
