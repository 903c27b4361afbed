"""Two significant figures, without zeros that say nothing (App. D.3, xval)."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from numlab.encoders.base import END, Encoder, Tokens, as_column
from numlab.examples import from_figures, to_figures

FIGURES = 2
EXPONENTS = range(-8, 3)
SMALLEST, OVERFLOW = 1e-8, 995.0  # 1E-8; would round to 1E+3
THE_POINT, THE_MINUS, FIRST_POWER = 100, 101, 102  # behind the digits, whose word is their value
DIGIT, DOUBLE, POINT, MINUS, POWER, OTHER, NOTHING = range(7)  # kinds of words
KIND = np.repeat(range(7), [10, 90, 1, 1, len(EXPONENTS), 1, 1])
# How a number can be written: what each word counts, and the power of ten of them together.
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
    """Without leading or trailing zeros, scientific below 0.1 and from 100 on.

    Words are the single and double digits, the point, the minus and E-8 to E+2. How many of them
    a number takes tells of its sign and size, whatever they are: .23 two, -.23 three, -.023 five.
    Numbers below 1E-8 are written as 0.

    deviates: the paper's words have a plus, too, which no number of its examples is written with.

    Examples
    --------
    >>> encoder = VariableLength()
    >>> encoder.spell(0.234), encoder.spell(-0.34), encoder.spell(-0.034), encoder.spell(0.03)
    (['.', '23'], ['-', '.', '34'], ['-', '3', '.', '4', 'E-2'], ['3', 'E-2'])
    >>> encoder.spell(2.34), encoder.spell(-2), encoder.spell(23.4), encoder.spell(234)
    (['2', '.', '3'], ['-', '2'], ['23'], ['2', '.', '3', 'E+2'])
    """

    length = 5
    fixed = False

    @functools.cached_property
    def vocabulary(self) -> tuple[str, ...]:
        return (*map(str, range(100)), ".", "-", *(f"E{exponent:+d}" for exponent in EXPONENTS))

    @property
    def bounds(self) -> tuple[float, float]:
        high = float(np.nextafter(OVERFLOW, 0))
        return -high, high

    @property
    def holds(self) -> str:
        return "|x| < 995"

    def precision(self, numbers) -> np.ndarray:
        size = np.abs(as_column(numbers).astype(np.float64))
        _, exponent = to_figures(size, FIGURES)
        half_unit = (0.5 + 1e-9) * 10.0**exponent
        return np.where(size < SMALLEST, size, half_unit)

    def encode(self, numbers) -> Tokens:
        x = self.in_range(numbers).astype(np.float64, copy=False)
        x = np.where(np.abs(x) < SMALLEST, 0.0, x)
        signed, exponent = to_figures(x, FIGURES)
        significand = np.abs(signed).astype(int)
        tens, units = np.divmod(significand, 10)
        fraction, whole = exponent == -2, exponent == 0  # 0.1 to 0.99, 10 to 99
        decimal = (units > 0) & ~fraction & ~whole  # 2.3 and not 2
        first = np.select([fraction, whole], [THE_POINT, significand], tens)
        second = np.select([decimal, units > 0], [THE_POINT, significand], tens)
        power = FIRST_POWER + exponent + 1 - EXPONENTS[0]
        columns = [
            (THE_MINUS, x < 0),
            (first, True),
            (second, fraction | decimal),
            (units, decimal),
            (power, (exponent < -2) | (exponent > 0)),
        ]
        ids = np.empty((len(x), len(columns)), np.int32)
        mask = np.empty(ids.shape, bool)
        for j, (word, there) in enumerate(columns):
            ids[:, j], mask[:, j] = word, there
        return Tokens.of(ids, mask)

    def decode(self, tokens: Tokens) -> np.ndarray:
        """Numbers of the forms that `encode` writes, 0.3 and 2.0 included."""
        n = len(tokens.ids)
        ids = np.full((n, max(self.length, tokens.ids.shape[1])), END)
        ids[:, : tokens.ids.shape[1]] = tokens.packed()
        negative = ids[:, 0] == THE_MINUS
        ids[negative] = np.roll(ids[negative], -1, axis=1)
        ids[negative, -1] = END
        known = (ids >= 0) & (ids < len(self.vocabulary))
        kind = KIND[np.where(known, ids, len(self.vocabulary) + (ids == END))]
        value = np.full(n, np.nan)
        for form, (counts, shift) in FORMS.items():
            padded = np.pad(form, (0, ids.shape[1] - len(form)), constant_values=NOTHING)
            rows = (kind == padded).all(1)
            words = ids[rows, : len(form)]
            power = words[:, -1] - FIRST_POWER + EXPONENTS[0] if form[-1] == POWER else 0
            value[rows] = from_figures(words @ counts, np.full(len(words), shift) + power)
        return np.where(negative, -value, value) + 0.0  # + 0.0: no negative zero
