"""Two significant figures in as few words as possible (xval, Appendix D.3)."""

import re
from dataclasses import dataclass

import numpy as np

from numlab.encoders.base import Encoder, Tokens
from numlab.numbers import to_figures

FIGURES = 2
EXPONENTS = range(-8, 3)
SMALLEST, LARGEST = 1e-8, float(np.nextafter(995, 0))  # 995 would round to 1E+3
THE_POINT, THE_MINUS, FIRST_POWER = 100, 101, 102  # the words 0 to 99 come first
# 23, .2, 2.3, 2E-3, 2.3E-3, word by word
WRITTEN = re.compile(r"(- )?(\d\d?|\. \d\d?|\d \. \d|\d( \. \d)? E[+-]\d)")


@dataclass(frozen=True)
class VariableLength(Encoder):
    """Two figures without leading or trailing zeros, scientific below 0.1 and from 100 on.

    The words are 0 to 99, the point, the minus and E-8 to E+2. The length tells of sign and
    size: .23 has two words, -.23 three, -.023 five. Numbers below 1E-8 are written as 0.

    deviates: the paper's vocabulary has a plus, too, which none of its examples use.

    >>> encoder = VariableLength()
    >>> encoder.spell(0.234), encoder.spell(-0.34), encoder.spell(-0.034), encoder.spell(0.03)
    (['.', '23'], ['-', '.', '34'], ['-', '3', '.', '4', 'E-2'], ['3', 'E-2'])
    >>> encoder.spell(2.34), encoder.spell(-2), encoder.spell(23.4), encoder.spell(234)
    (['2', '.', '3'], ['-', '2'], ['23'], ['2', '.', '3', 'E+2'])
    """

    vocabulary = (*map(str, range(100)), ".", "-", *(f"E{power:+d}" for power in EXPONENTS))
    length = 5
    fixed = False
    bounds = (-LARGEST, LARGEST)
    holds = "|x| < 995"

    def encode(self, numbers) -> Tokens:
        x = self.in_range(numbers).astype(np.float64, copy=False)
        x = np.where(np.abs(x) < SMALLEST, 0.0, x)
        signed, exponent = to_figures(x, FIGURES)
        significand = np.abs(signed).astype(int)
        tens, units = np.divmod(significand, 10)
        fraction, whole = exponent == -2, exponent == 0  # 0.1 to 0.99, 10 to 99
        decimal = (units > 0) & ~fraction & ~whole  # 2.3, but not 2
        first = np.select([fraction, whole], [THE_POINT, significand], tens)
        second = np.select([decimal, units > 0], [THE_POINT, significand], tens)
        power = FIRST_POWER + exponent + 1 - EXPONENTS[0]
        columns = [(THE_MINUS, x < 0), (first, True), (second, fraction | decimal)]
        columns += [(units, decimal), (power, (exponent < -2) | (exponent > 0))]
        return Tokens.from_columns(columns)

    def decode(self, tokens: Tokens) -> np.ndarray:
        """Read all that is WRITTEN, some of which `encode` never writes: 0.3 with its zero, 2.0."""
        found = tokens.texts(self.vocabulary, between=" ")
        values = [float(t.replace(" ", "")) if WRITTEN.fullmatch(t) else np.nan for t in found]
        return np.array(values) + 0.0  # no negative zero
