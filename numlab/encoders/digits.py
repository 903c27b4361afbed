"""A token a digit."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from numlab.codes.decimal import (
    Decimal,
    count_digits,
    read_decimals,
    to_digits,
    trailing_zeros,
)
from numlab.encoders.base import END, Encoder, Tokens
from numlab.examples import FLOAT_DIGITS

MINUS, POINT, OPEN, CLOSE = 10, 11, 12, 13  # behind the digits themselves


@dataclass(frozen=True)
class Digits(Decimal, Encoder):
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
        digits = to_digits(size, self.n_digits)
        n_int = np.maximum(count_digits(size, self.n_digits) - self.frac_digits, 1)
        n_frac = self.frac_digits - trailing_zeros(size, self.frac_digits)
        ids = np.empty((len(size), self.length), np.int32)
        sign, whole, point, fraction = self._parts(ids)
        sign[:], point[:] = MINUS, POINT
        whole[:], fraction[:] = digits[:, : self.int_digits], digits[:, self.int_digits :]
        if self.fences:
            ids[:, 0], ids[:, -1] = OPEN, CLOSE
        row = np.ravel_multi_index(
            (negative.astype(int), n_int, n_frac), (2, self.int_digits + 1, self.frac_digits + 1)
        )
        mask = self._masks.take(row).view(bool).reshape(ids.shape)
        return Tokens.of(ids, mask)

    @functools.cached_property
    def _masks(self) -> np.ndarray:
        """Which words are there, by sign, digits before and digits after the point: a row of
        `length` bools each, as one void, which numpy looks up an order of magnitude faster."""
        n_int, n_frac = self.int_digits, self.frac_digits
        masks = np.ones((2, n_int + 1, n_frac + 1, self.length), bool)
        by_sign, by_int, by_frac = np.ogrid[:2, : n_int + 1, : n_frac + 1, :1][:3]
        sign, whole, point, fraction = self._parts(masks)
        sign[:], point[:] = by_sign, by_frac > 0
        whole[:] = np.arange(n_int)[::-1] < by_int
        fraction[:] = np.arange(n_frac) < by_frac
        return masks.view(f"V{self.length}").ravel()

    def _parts(self, row: np.ndarray) -> tuple[np.ndarray, ...]:
        """Views of the sign, the digits before, the point, and the digits after it."""
        if self.fences:
            row = row[..., 1:-1]
        if self.reverse:
            row = row[..., ::-1]
        ends = np.cumsum([self.signed, self.int_digits, self.frac_digits > 0])
        return tuple(np.split(row, ends, axis=-1))

    def decode(self, tokens: Tokens) -> np.ndarray:
        ids = tokens.packed()
        fenced = np.ones(len(ids), bool)
        if self.fences:
            fence, followed = ids >= OPEN, np.roll(ids, -1, axis=1)
            followed[:, -1:] = END
            fenced = (fence.sum(1) == 2) & (ids[:, :1] == OPEN).any(1)
            fenced &= ((ids == CLOSE) & (followed == END)).any(1)
            ids = np.where(ids == CLOSE, END, ids)[:, 1:]
        if self.reverse:
            ids = Tokens.of(ids[:, ::-1], ids[:, ::-1] != END).packed()
        values = read_decimals(ids, self.vocabulary[:12], self.n_digits > FLOAT_DIGITS)
        values[~fenced] = None if values.dtype == object else np.nan
        return values
