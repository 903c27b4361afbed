"""A word for each whole number, as the vocabularies of language models have them."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from numlab.encoders.base import Encoder, Tokens, as_column
from numlab.encoders.digits import Digits


@dataclass(frozen=True)
class IntegerVocabulary(Encoder):
    """One token a number: '0', '1', ..., '999'; answers are spelled in its first ten words.

    Nothing tells a model how its words are ordered or made: all of it must be learned from texts
    (fone, Appendix D).

    Parameters
    ----------
    int_digits : int
        Most digits of a number that is read, up to 4; fractions are rounded.
    answer_digits : int
        Most digits of an answer: least digit first, so that each follows from what stands there.

    Examples
    --------
    >>> IntegerVocabulary().spell(602), IntegerVocabulary().answer.spell(602)
    (['602'], ['2', '0', '6'])
    """

    int_digits: int = 3
    answer_digits: int = 4

    def __post_init__(self):
        if not 1 <= self.int_digits <= 4:
            raise ValueError(
                f"IntegerVocabulary has a word for numbers of 1 to 4 digits; got {self}"
            )

    @functools.cached_property
    def vocabulary(self) -> tuple[str, ...]:
        return tuple(map(str, range(10**self.int_digits)))

    @property
    def bounds(self) -> tuple[float, float]:
        return 0.0, float(np.nextafter(10**self.int_digits - 0.5, 0))

    @property
    def answer(self) -> Digits:
        return Digits(self.answer_digits, signed=False, reverse=True)

    def precision(self, numbers) -> np.ndarray:
        return np.full(len(as_column(numbers)), 0.5)

    def encode(self, numbers) -> Tokens:
        return Tokens.of(np.rint(self.in_range(numbers).astype(np.float64))[:, None])

    def decode(self, tokens: Tokens) -> np.ndarray:
        first = np.pad(tokens.packed(), ((0, 0), (0, 1)), constant_values=-1)[:, 0]
        whole = (tokens.mask.sum(1) == 1) & (first >= 0) & (first < len(self.vocabulary))
        return np.where(whole, first, np.nan)
