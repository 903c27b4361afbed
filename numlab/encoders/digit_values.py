"""FoNE's strawman: one token that holds each digit as it is (fone, 4.3 and Table 8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from numlab.encoders.base import ValueEncoder, in_float32
from numlab.encoders.decimal import Decimal


@dataclass(frozen=True)
class DigitValues(Decimal, ValueEncoder):
    """567 as [5, 6, 7], an entry a digit, without circles and without a sign.

    Parameters
    ----------
    int_digits, frac_digits : int

    Examples
    --------
    >>> DigitValues(3, 1).features([60.2])
    array([[0, 6, 0, 2]], dtype=uint8)
    """

    int_digits: int = 6
    frac_digits: int = 0
    signed: ClassVar[bool] = False
    feature_dtype = np.uint8

    @property
    def n_features(self) -> int:
        return self.n_digits

    def features(self, numbers) -> np.ndarray:
        """(n,) numbers to (n, digits) uint8, most significant first."""
        return np.ascontiguousarray(self.digits(numbers)[1])

    def number(self, features: np.ndarray) -> np.ndarray:
        return self.from_digits(np.zeros(len(features), bool), features)

    def embedding(self, d_model: int) -> nn.Module:
        self._check_width(d_model)
        return EntryEmbedding()

    def head(self, d_model: int) -> nn.Module:
        self._check_width(d_model)
        return EntryHead(self.n_digits)

    def _check_width(self, d_model: int) -> None:
        if d_model < self.n_digits:
            raise ValueError(f"{self} takes d_model >= {self.n_digits}; got {d_model}")


class EntryEmbedding(nn.Module):
    """(m, D) digits and (1, d) words to (m, d): the digits, with zeros behind, added to [NUM]."""

    def forward(self, features: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        with in_float32(features):
            padding = words.shape[1] - features.shape[1]
            return words[0].float() + F.pad(features.float(), (0, padding))


class EntryHead(nn.Module):
    """The first D entries of the hidden state, each rounded to a digit: nothing is learned here."""

    def __init__(self, n_digits: int):
        super().__init__()
        self.n_digits = n_digits

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        return h[:, : self.n_digits].float()

    def loss(self, outputs: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        """(m,) root mean squared errors (our choice: the root is taken number by number)."""
        error = (outputs - features.float()).square().mean(1)
        return (error + 1e-8).sqrt()  # at 0 a root has no gradient

    def read(self, outputs: torch.Tensor) -> torch.Tensor:
        return outputs.round().clamp(0, 9).to(torch.uint8)
