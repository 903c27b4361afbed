"""A word for each integer, as the vocabularies of language models have them."""

import functools
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from numlab.codes import Decimal
from numlab.encoders.base import OneWord
from numlab.encoders.digits import Digits
from numlab.numbers import check_count


@dataclass(frozen=True)
class IntegerVocabulary(Decimal, OneWord):
    """One word per number: '0', '1', ..., '999'; answers are written digit by digit.

    The words show neither order nor digits: a model must learn both from texts (fone, Appendix D).

    Parameters
    ----------
    int_digits : most digits of a number in the input, 1 to 4; fractions are rounded.
    answer_digits : most digits of an answer, least digit first: each depends only on digits already
        read.

    >>> IntegerVocabulary().spell(602), IntegerVocabulary().answer.spell(602)
    (['602'], ['2', '0', '6'])
    """

    int_digits: int = 3
    answer_digits: int = 4
    frac_digits: ClassVar[int] = 0
    signed: ClassVar[bool] = False

    def __post_init__(self):
        super().__post_init__()
        check_count("int_digits of IntegerVocabulary", self.int_digits, most=4)
        check_count("answer_digits of IntegerVocabulary", self.answer_digits)

    @functools.cached_property
    def vocabulary(self) -> tuple[str, ...]:
        return tuple(map(str, range(10**self.int_digits)))

    @property
    def answer(self) -> Digits:
        return Digits(self.answer_digits, signed=False, reverse=True)

    def index(self, numbers) -> np.ndarray:
        return self.scaled(numbers)[1]
