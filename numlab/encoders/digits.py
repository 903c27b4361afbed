"""A token a digit."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from numlab.encoders.base import END, Tokens
from numlab.encoders.decimal import (
    FLOAT_DIGITS,
    Decimal,
    count_digits,
    read_decimals,
    to_digits,
    trailing_zeros,
)


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
        n_int = np.maximum(count_digits(size, self.n_digits) - self.frac_digits, 1)
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
        ids = tokens.packed()
        fenced = np.ones(len(ids), bool)
        if self.fences:
            last = np.maximum((ids != END).sum(1, keepdims=True) - 1, 0)
            fenced = (ids[:, 0] == 12) & (np.take_along_axis(ids, last, 1)[:, 0] == 13)
            fenced &= ((ids == 12) | (ids == 13)).sum(1) == 2
            ids = np.where(ids[:, 1:] == 13, END, ids[:, 1:])
        if self.reverse:
            ids = Tokens.of(ids[:, ::-1], ids[:, ::-1] != END).packed()
        values = read_decimals(ids, self.vocabulary[:12], self.n_digits > FLOAT_DIGITS)
        values[~fenced] = None if values.dtype == object else np.nan
        return values


def _same(word: int, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.full((len(mask), 1), word, np.uint8), mask[:, None]
