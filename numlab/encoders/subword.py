"""Subword: up to three digits a token, from the left, as Llama 3 splits numbers."""

import functools
from dataclasses import dataclass

import numpy as np

from numlab.codes.decimal import Decimal, count_digits, read_decimals, trailing_zeros
from numlab.encoders.base import Encoder, Tokens
from numlab.encoders.text import from_columns
from numlab.examples import FLOAT_DIGITS

__all__ = ["Subword"]

MINUS, POINT = 1110, 1111
# TRIMMED[width, group]: the word of the first `width` digits of a three-digit group; 0 for none
GROUPS = np.arange(1000)
TRIMMED = np.stack([0 * GROUPS, GROUPS // 100, 10 + GROUPS // 10, 110 + GROUPS], dtype=np.int32)


@dataclass(frozen=True)
class Subword(Decimal, Encoder):
    """Groups of three digits from the left, without leading zeros or trailing decimal zeros.

    >>> Subword(6, 3).spell(-12345.678)
    ['-', '123', '45', '.', '678']
    """

    int_digits: int = 6
    frac_digits: int = 0
    signed: bool = True
    fixed = False

    @functools.cached_property
    def vocabulary(self) -> tuple[str, ...]:
        strings = (f"{i:0{width}d}" for width in (1, 2, 3) for i in range(10**width))
        return (*strings, "-", ".")

    @property
    def length(self) -> int:
        point = self.frac_digits > 0
        return _n_groups(self.int_digits) + point + _n_groups(self.frac_digits) + self.signed

    def encode(self, numbers) -> Tokens:
        negative, size = self.scaled(numbers)
        whole = size // 10**self.frac_digits if self.frac_digits else size
        columns = [(MINUS, negative)] if self.signed else []
        n_int, width = count_digits(whole, self.int_digits), 3 * _n_groups(self.int_digits)
        powers = np.array([10**k for k in range(width)], size.dtype)
        columns += _groups(whole * powers[width - n_int], n_int, width // 3)
        if self.frac_digits:
            fraction = size - whole * 10**self.frac_digits
            n_frac = self.frac_digits - trailing_zeros(fraction, self.frac_digits)
            width = 3 * _n_groups(self.frac_digits)
            fraction *= 10 ** (width - self.frac_digits)
            columns += [(POINT, n_frac > 0), *_groups(fraction, n_frac, width // 3)]
        return from_columns(columns)

    def decode(self, tokens: Tokens) -> np.ndarray:
        return read_decimals(tokens.packed(), self.vocabulary, self.n_digits > FLOAT_DIGITS)


def _n_groups(n_digits: int) -> int:
    return -(-n_digits // 3)


def _groups(size: np.ndarray, n_digits: np.ndarray, n_groups: int) -> list[tuple]:
    """(ids, mask) of each group, from the left.

    `size` are integers of 3 n_groups digits; only the first n_digits are written.
    """
    groups = []
    for j in reversed(range(n_groups)):
        rest = size // 1000
        width = np.clip(n_digits - 3 * j, 0, 3)
        groups.append((TRIMMED[width, (size - 1000 * rest).astype(np.int64)], width > 0))
        size = rest
    return groups[::-1]
