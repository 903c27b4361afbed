"""One token a digit."""

import functools
from dataclasses import dataclass

import numpy as np

from numlab.codes.decimal import Decimal, count_digits, read_decimals, to_digits, trailing_zeros
from numlab.encoders.base import END, Encoder, Tokens
from numlab.encoders.text import from_columns, invalidate
from numlab.examples import FLOAT_DIGITS

__all__ = ["Digits"]

MINUS, POINT, OPEN, CLOSE = 10, 11, 12, 13  # words after the digits 0 to 9


@dataclass(frozen=True)
class Digits(Decimal, Encoder):
    """Digit by digit, without leading zeros or trailing decimal zeros.

    Parameters
    ----------
    reverse : bool
        Least digit first, as Abacus needs it.
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
        return self.n_digits + (self.frac_digits > 0) + self.signed + 2 * self.fences

    def encode(self, numbers) -> Tokens:
        negative, size = self.scaled(numbers)
        digits = to_digits(size, self.n_digits).T
        n_int = np.maximum(count_digits(size, self.n_digits) - self.frac_digits, 1)
        n_frac = self.frac_digits - trailing_zeros(size, self.frac_digits)
        columns = [(MINUS, negative)] if self.signed else []
        columns += [(digits[j], n_int >= self.int_digits - j) for j in range(self.int_digits)]
        columns += [(POINT, n_frac > 0)] if self.frac_digits else []
        columns += [(digits[self.int_digits + j], n_frac > j) for j in range(self.frac_digits)]
        if self.reverse:
            columns = columns[::-1]
        if self.fences:
            columns = [(OPEN, True), *columns, (CLOSE, True)]
        return from_columns(columns)

    def decode(self, tokens: Tokens) -> np.ndarray:
        ids = tokens.packed()
        fenced = np.ones(len(ids), bool)
        if self.fences:
            fence, following = ids >= OPEN, np.roll(ids, -1, axis=1)
            following[:, -1:] = END
            fenced = (fence.sum(1) == 2) & (ids[:, :1] == OPEN).any(1)
            fenced &= ((ids == CLOSE) & (following == END)).any(1)
            ids = np.where(ids == CLOSE, END, ids)[:, 1:]
        if self.reverse:
            ids = Tokens.of(ids[:, ::-1], ids[:, ::-1] != END).packed()
        numbers = read_decimals(ids, self.vocabulary[:12], self.n_digits > FLOAT_DIGITS)
        return invalidate(numbers, ~fenced)
