"""A decimal float from its most important token to its least: the text of RegressLM."""

from dataclasses import dataclass

import numpy as np

from numlab.codes import valid_only
from numlab.codes.decimal import to_digits
from numlab.encoders.base import END, Encoder, Tokens
from numlab.numbers import check_count, from_figures, to_figures

PLUS, MINUS, ZERO = 0, 1, 2  # the digits follow ZERO
EXACT_FIGURES = 15  # of a float64


@dataclass(frozen=True)
class ExponentFirst(Encoder):
    """Sign, sign and digits of the exponent, digits of the significand (2501.19383, `regress_lm`).

    The digits that do not fit are cut off, not rounded. The exponent is that of the first digit. 0
    has zeros only, and numbers too small for the exponent become 0.

    deviates: `regress_lm` takes the exponent from logarithms, whose rounding makes 1000 to 100. It
    keeps the sign of numbers that are too small.

    Parameters
    ----------
    figures : digits of the significand, 1 to 15.
    exponent_digits : 1 or 2; with 1, it holds |x| < 1e10, and 1e-9 is the smallest size.

    >>> nl.ExponentFirst().spell(-0.0602479)
    ['-', '-', '2', '6', '0', '2', '4']
    """

    figures: int = 4
    exponent_digits: int = 1
    vocabulary = ("+", "-", *"0123456789")

    def __post_init__(self):
        check_count("figures of ExponentFirst", self.figures, 1, EXACT_FIGURES)
        check_count("exponent_digits of ExponentFirst", self.exponent_digits, 1, 2)

    @property
    def length(self) -> int:
        return 2 + self.exponent_digits + self.figures

    @property
    def _most(self) -> int:
        """The largest exponent."""
        return 10**self.exponent_digits - 1

    @property
    def bounds(self) -> tuple[float, float]:
        high = float(np.nextafter(float(f"1e{self._most + 1}"), 0))
        return -high, high

    @property
    def holds(self) -> str:
        return f"|x| < 1e{self._most + 1}"

    def encode(self, numbers) -> Tokens:
        x = self.in_range(numbers).astype(np.float64, copy=False)
        largest = float(f"{10**EXACT_FIGURES - 1}e{self._most + 1 - EXACT_FIGURES}")
        all_figures, last = to_figures(np.minimum(np.abs(x), largest), EXACT_FIGURES)
        exponent = last + EXACT_FIGURES - 1
        held = (all_figures > 0) & (exponent >= -self._most)
        significand = all_figures.astype(np.int64) // 10 ** (EXACT_FIGURES - self.figures)
        exponent, significand = np.where(held, exponent, 0), np.where(held, significand, 0)
        signs = np.stack([held & (x < 0), exponent < 0], 1)  # PLUS or MINUS
        parts = (
            to_digits(np.abs(exponent), self.exponent_digits),
            to_digits(significand, self.figures),
        )
        return Tokens.of(np.hstack([signs, *(ZERO + digits for digits in parts)]))

    def decode(self, tokens: Tokens) -> np.ndarray:
        ids = tokens.packed(self.length + 1)
        signs, digits = ids[:, :2], ids[:, 2 : self.length] - ZERO
        valid = ((signs >= PLUS) & (signs <= MINUS)).all(1) & (ids[:, self.length] == END)
        valid &= ((digits >= 0) & (digits <= 9)).all(1)
        digits = np.where(valid[:, None], digits, 0)
        exponent, significand = (
            part @ 10 ** np.arange(part.shape[1])[::-1]
            for part in np.split(digits.astype(np.int64), [self.exponent_digits], 1)
        )
        exponent = np.where(signs[:, 1] == MINUS, -exponent, exponent)
        size = from_figures(significand.astype(float), exponent - self.figures + 1)
        return valid_only(np.where(signs[:, 0] == MINUS, -size, size) + 0.0, valid)
