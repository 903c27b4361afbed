"""Ten logits for each decimal digit, and a logit for the sign."""

from __future__ import annotations

import abc
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F

from numlab.codes import DigitCode
from numlab.heads.base import Head, HeadModule, in_float32

__all__ = ["DigitHead", "DigitModule"]


@dataclass(frozen=True)
class DigitHead(DigitCode, Head):
    """A learned linear map to ten logits a digit; beyond the papers.

    Parameters
    ----------
    int_digits, frac_digits : int
    signed : bool
    """

    int_digits: int = 6
    frac_digits: int = 0
    signed: bool = True

    def build(self, d_model: int) -> HeadModule:
        return LinearDigits(d_model, self.n_digits, self.signed)


class DigitModule(HeadModule):
    """(m, 10 D) logits, the digits of the least significant place first, behind one logit of
    being negative where numbers are signed."""

    def __init__(self, n_digits: int, signed: bool):
        super().__init__()
        self.n_digits, self.signed = n_digits, signed

    @abc.abstractmethod
    def forward(self, h: torch.Tensor) -> torch.Tensor:
        """(m, d) to (m, signed + 10 D), in float32."""

    def loss(self, outputs: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        """(m,) cross-entropies, the mean over the digits (Algorithm 3, fone); plus the sign's."""
        digits = features[:, 1:].flip(1).long()
        logits = outputs[:, int(self.signed) :].unflatten(1, (self.n_digits, 10))
        loss = F.cross_entropy(logits.flatten(0, 1), digits.flatten(), reduction="none")
        loss = loss.view(digits.shape).mean(1)
        if not self.signed:
            return loss
        negative = features[:, 0].float()
        return loss + F.binary_cross_entropy_with_logits(outputs[:, 0], negative, reduction="none")

    def read(self, outputs: torch.Tensor) -> torch.Tensor:
        """(m, 1 + D) uint8: negative, digits most significant first."""
        logits = outputs[:, int(self.signed) :].unflatten(1, (self.n_digits, 10))
        digits = logits.argmax(2).flip(1)
        negative = (outputs[:, :1] > 0) if self.signed else torch.zeros_like(digits[:, :1])
        return torch.cat([negative, digits], 1).to(torch.uint8)


class LinearDigits(DigitModule):
    """Logits by a learned linear map."""

    def __init__(self, d_model: int, n_digits: int, signed: bool):
        super().__init__(n_digits, signed)
        self.out = nn.Linear(d_model, 10 * n_digits + signed)

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        with in_float32(h):
            return self.out(h.float())
