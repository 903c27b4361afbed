"""FoNE digit by digit, for Abacus positions (fone, 5 and Appendix F)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from torch import nn

from numlab.encoders.base import Encoder, Tokens
from numlab.encoders.digits import Digits
from numlab.encoders.fone import FoNE
from numlab.heads import Head

__all__ = ["FoNEDigits"]


@dataclass(frozen=True)
class FoNEDigits(Encoder):
    """One [NUM] for each digit, on a circle of period 10; least digit first, no sign, no point.

    Parameters
    ----------
    int_digits : int
        Beyond 15, numbers are Python ints.

    Examples
    --------
    >>> FoNEDigits(3).encode([602]).features[:, 1]
    array([2, 0, 6], dtype=uint8)
    """

    int_digits: int = 6
    carriers = (0,)
    fixed = False
    n_features = 2  # as FoNE(1): a sign, never negative, and the digit
    feature_dtype = np.uint8

    def __post_init__(self):
        self._spelled.__post_init__()

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return ("[NUM]",)

    @property
    def length(self) -> int:
        return self.int_digits

    @property
    def bounds(self) -> tuple[float, float]:
        return self._spelled.bounds

    @property
    def holds(self) -> str:
        return self._spelled.holds

    def precision(self, numbers) -> np.ndarray:
        return self._spelled.precision(numbers)

    def encode(self, numbers) -> Tokens:
        self.in_range(numbers)
        spelled = self._spelled.encode(numbers)
        digits = spelled.ids[spelled.mask].astype(np.uint8)
        features = np.column_stack([np.zeros_like(digits), digits])
        return Tokens(np.zeros_like(spelled.ids), spelled.mask, features)

    def decode(self, tokens: Tokens) -> np.ndarray:
        carries = (tokens.ids == 0) & tokens.mask
        digits = np.full(tokens.ids.shape, -1, np.int32)
        signs, values = tokens.features.astype(np.int32).T
        digits[carries] = np.where((signs == 0) & (values <= 9), values, -1)
        return self._spelled.decode(Tokens.of(digits, tokens.mask))

    def embedding(self, d_model: int) -> nn.Module:
        return self._one_digit.embedding(d_model)

    @property
    def head(self) -> Head:
        return self._one_digit.head

    @property
    def _spelled(self) -> Digits:
        return Digits(self.int_digits, signed=False, reverse=True)

    @property
    def _one_digit(self) -> FoNE:
        return FoNE(1, signed=False)
