"""Two significant figures in as few words as possible (Appendix D.3, xval)."""

from dataclasses import dataclass

import numpy as np

from numlab.encoders.base import END, Encoder, Tokens
from numlab.encoders.text import from_columns
from numlab.numbers import from_figures, to_figures

FIGURES = 2
EXPONENTS = range(-8, 3)
SMALLEST, LARGEST = 1e-8, float(np.nextafter(995, 0))  # 995 would round to 1E+3
THE_POINT, THE_MINUS, FIRST_POWER = 100, 101, 102  # the words 0 to 99 come first
DIGIT, DOUBLE, POINT, MINUS, POWER, OTHER, NOTHING = range(7)  # kinds of words
KIND = np.repeat(range(7), [10, 90, 1, 1, len(EXPONENTS), 1, 1])
# The forms of a number: each word's factor in the significand, and the power of ten.
FORMS = {
    (DIGIT,): ([1], 0),
    (DOUBLE,): ([1], 0),
    (POINT, DIGIT): ([0, 1], -1),
    (POINT, DOUBLE): ([0, 1], -2),
    (DIGIT, POINT, DIGIT): ([10, 0, 1], -1),
    (DIGIT, POWER): ([1, 0], 0),
    (DIGIT, POINT, DIGIT, POWER): ([10, 0, 1, 0], -1),
}


@dataclass(frozen=True)
class VariableLength(Encoder):
    """Two figures without leading or trailing zeros, scientific below 0.1 and from 100 on.

    The words are 0 to 99, the point, the minus and E-8 to E+2. The length alone tells sign and
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
        return from_columns(columns)

    def decode(self, tokens: Tokens) -> np.ndarray:
        """Read all FORMS, some of which `encode` never writes: 0.3 with its zero, 2.0."""
        ids = tokens.packed(self.length)
        negative = ids[:, 0] == THE_MINUS
        ids[negative] = np.roll(ids[negative], -1, axis=1)
        ids[negative, -1] = END
        known = (ids >= 0) & (ids < len(self.vocabulary))
        kind = KIND[np.where(known, ids, len(self.vocabulary) + (ids == END))]
        value = np.full(len(ids), np.nan)
        for form, (factors, shift) in FORMS.items():
            padded = np.pad(form, (0, ids.shape[1] - len(form)), constant_values=NOTHING)
            rows = (kind == padded).all(1)
            words = ids[rows, : len(form)]
            power = words[:, -1] - FIRST_POWER + EXPONENTS[0] if form[-1] == POWER else 0
            value[rows] = from_figures(words @ factors, np.full(len(words), shift) + power)
        return np.where(negative, -value, value) + 0.0  # + 0.0: no negative zero
