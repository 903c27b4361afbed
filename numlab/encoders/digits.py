"""Decimal digits as words: one a token (Digits, NumeroLogic), or up to three (Subwords)."""

import abc
import functools
import itertools
import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from numlab.codes import Decimal
from numlab.codes.decimal import MOST_DIGITS, to_digits
from numlab.encoders.base import Encoder, Tokens

OPEN, CLOSE = 12, 13  # words of Digits, after 0 to 9, the minus and the point


class DecimalText(Decimal, Encoder):
    """Groups of digits, without leading zeros or trailing decimal zeros."""

    fixed = False
    from_right: bool = False  # how the digits before the point are grouped

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
        place = np.arange(self.int_digits)[:, None]
        if self.from_right:
            digits, exist = to_digits(whole, self.int_digits).T, place >= self.int_digits - n_int
        else:
            from_left = whole * powers[-n_int]  # leading zeros gone
            digits, exist = to_digits(from_left, self.int_digits).T, place < n_int
        columns += self._groups(digits, exist, self.int_digits % self.group * self.from_right)
        if self.frac_digits:
            fraction = to_digits(size - whole * 10**self.frac_digits, self.frac_digits)
            digits = np.ascontiguousarray(fraction.T)
            exist = np.maximum.accumulate(digits[::-1] > 0)[::-1]  # trailing zeros gone
            columns += [(minus + 1, exist[0]), *self._groups(digits, exist)]
        return columns

    def _groups(self, digits: np.ndarray, exist: np.ndarray, first: int = 0) -> list[tuple]:
        """The (ids, mask) of each group of (D, n) digits that `exist`; `first` are in the first."""
        edges = [0, *range(first or self.group, len(digits), self.group), len(digits)]
        groups = []
        for group in itertools.starmap(slice, itertools.pairwise(edges)):
            ids = np.full(digits.shape[1], -1, np.int16)
            for digit, exists in zip(digits[group], exist[group], strict=True):
                # the words of one digit less come first: 7 is word 7, 70 is word 10 + 70
                ids = np.where(exists, 10 * (ids + 1) + digit, ids)
            groups.append((ids, exist[group].any(0)))
        return groups

    def read(self, texts: list[str]) -> np.ndarray:
        """Texts to numbers: -?digits(.digits)?, with any needless zeros.

        What has a sign or a point that this encoder never writes, more than MOST_DIGITS digits, or
        is out of range, is none.
        """
        minus, point = "-?" * self.signed, r"(\.[0-9]+)?" * (self.frac_digits > 0)
        is_written = re.compile(f"{minus}[0-9]{{1,{MOST_DIGITS}}}{point}").fullmatch
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
    int_digits, frac_digits, signed : as in `numlab.codes.Decimal`.
    reverse : least significant digit first, as the positions `nl.Abacus` need it.
    fences : a number stands between [F] and [/F]. deviates: a minus stands between them, too; the
        paper's pattern leaves it out.

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
class NumeroLogic(DecimalText):
    """Digit by digit, and before them how many there are (Schwartz et al., 2404.00459).

    A model knows the place of the first digit before it has read, or written, the others. What is
    read is the number; its counts are not looked at.

    `int_digits`, `frac_digits`, `signed`: as in `numlab.codes.Decimal`.

    >>> "".join(NumeroLogic(6, 3).spell(42)), "".join(NumeroLogic(6, 3).spell(-602.5))
    ('{2:42}', '{3.1:-602.5}')
    """

    group = 1
    _written: ClassVar = re.compile(r"\{[0-9]+(?:\.[0-9]+)?:(.*)\}")

    @functools.cached_property
    def vocabulary(self) -> tuple[str, ...]:
        return (*super().vocabulary, "{", ":", "}")

    @property
    def length(self) -> int:
        counts = len(str(self.int_digits)) + len(f".{self.frac_digits}") * (self.frac_digits > 0)
        return super().length + counts + 3

    def columns(self, numbers) -> list[tuple]:
        columns = super().columns(numbers)
        minus = len(self.digit_words)
        start, colon, end = range(minus + 2, minus + 5)
        masks = [mask for _, mask in columns[self.signed :]]
        counts = self._count(masks[: self.int_digits], self.int_digits)
        if self.frac_digits:
            point, *masks = masks[self.int_digits :]
            count = self._count(masks, self.frac_digits)
            counts += [(minus + 1, point), *((ids, mask & point) for ids, mask in count)]
        return [(start, True), *counts, (colon, True), *columns, (end, True)]

    def _count(self, masks: list[np.ndarray], most: int) -> list[tuple]:
        """The (ids, mask) of each digit of how many of the masks are set."""
        count = np.sum(masks, axis=0)
        powers = [10**k for k in reversed(range(len(str(most))))]
        return [(count // power % 10, count >= power) for power in powers]

    def read(self, texts: list[str]) -> np.ndarray:
        matches = map(self._written.fullmatch, texts)
        return super().read([match[1] if match else "" for match in matches])


@dataclass(frozen=True)
class Subword(DecimalText):
    """Groups of three digits from the left, as Llama 3 splits numbers.

    `int_digits`, `frac_digits`, `signed`: as in `numlab.codes.Decimal`.

    >>> Subword(6, 3).spell(-12345.678)
    ['-', '123', '45', '.', '678']
    """

    group = 3


@dataclass(frozen=True)
class SubwordFromRight(DecimalText):
    """Groups of three digits that end at the point, as in 12,345 (Singh and Strouse, 2402.14903).

    A word has the same place in every number. `int_digits`, `frac_digits`, `signed`: as in
    `numlab.codes.Decimal`.

    >>> SubwordFromRight(6, 3).spell(-12345.678)
    ['-', '12', '345', '.', '678']
    """

    from_right = True
    group = 3
