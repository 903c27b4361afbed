"""FoNE digit by digit, for Abacus positions (fone, 5 and Appendix F)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from torch import nn

from numlab.codes import Decimal
from numlab.encoders.base import Encoder, Tokens
from numlab.encoders.digits import Digits
from numlab.encoders.fone import FoNE
from numlab.heads import DigitHead, Head

ONE_DIGIT = FoNE(1, signed=False)


@dataclass(frozen=True)
class FoNEDigits(Decimal, Encoder):
    """One [NUM] for each digit, on a circle of period 10; least digit first, no sign, no point.

    Only the input is a circle: an answer's digit is a softmax over ten, as in Abacus.

    >>> FoNEDigits(3).encode([602]).features[:, 1]
    array([2, 0, 6], dtype=uint8)
    """

    version: ClassVar[int] = 2  # the first one read digits off circles
    frac_digits: ClassVar[int] = 0
    signed: ClassVar[bool] = False
    vocabulary = ("[NUM]",)
    carriers = (0,)
    fixed = False
    n_features = ONE_DIGIT.n_features
    feature_dtype = ONE_DIGIT.feature_dtype

    @property
    def length(self) -> int:
        return self.int_digits

    def encode(self, numbers) -> Tokens:
        self.in_range(numbers)
        spelled = self._spelled.encode(numbers)
        digits = spelled.ids[spelled.mask]
        return Tokens(np.zeros_like(spelled.ids), spelled.mask, ONE_DIGIT.features(digits))

    def decode(self, tokens: Tokens) -> np.ndarray:
        digits = np.full(tokens.ids.shape, -1, np.int32)
        signs, values = tokens.features.astype(np.int32).T
        digits[tokens.carry(self.carriers)] = np.where((signs == 0) & (values <= 9), values, -1)
        return self._spelled.decode(Tokens.of(digits, tokens.mask))

    def embedding(self, d_model: int) -> nn.Module:
        return ONE_DIGIT.embedding(d_model)

    @property
    def head(self) -> Head:
        return DigitHead(1, signed=False)

    @property
    def _spelled(self) -> Digits:
        return Digits(self.int_digits, signed=False, reverse=True)
