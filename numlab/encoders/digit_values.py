"""One token that holds each digit as a plain number: FoNE's strawman (fone, 4.3 and Table 8)."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import nn
from torch.nn import functional as F

from numlab.codes import DigitCode
from numlab.encoders.base import Embedding, ValueEncoder
from numlab.heads import Head, RoundedHead


@dataclass(frozen=True)
class DigitValues(DigitCode, ValueEncoder):
    """567 as the entries 5, 6, 7 of a vector; no circles and no sign.

    >>> DigitValues(3, 1).features([60.2])
    array([[0, 0, 6, 0, 2]], dtype=uint8)
    """

    signed: ClassVar[bool] = False

    def embedding(self, d_model: int) -> nn.Module:
        self.head.build(d_model)  # the same entries have to fit
        return Embedding(self.embed)

    def embed(self, features: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        """(m, 1 + D) digits and (1, d) words to (m, d): the digits, then zeros, plus [NUM]."""
        return words[0] + F.pad(features[:, 1:], (0, words.shape[1] - self.n_digits))

    @property
    def head(self) -> Head:
        return RoundedHead(self.int_digits, self.frac_digits)
