"""Digits as plain entries of the hidden state, rounded (fone, 4.3 and Table 8)."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from numlab.codes import DigitCode
from numlab.heads.base import Head, HeadModule

__all__ = ["RoundedHead"]


@dataclass(frozen=True)
class RoundedHead(DigitCode, Head):
    """The first D entries of the hidden state, each rounded to a digit; nothing is learned here.

    Parameters
    ----------
    int_digits, frac_digits : int
    """

    int_digits: int = 6
    frac_digits: int = 0
    signed = False

    def build(self, d_model: int) -> HeadModule:
        if d_model < self.n_digits:
            raise ValueError(f"{self} takes d_model >= {self.n_digits}; got {d_model}")
        return RoundedModule(self.n_digits)


class RoundedModule(HeadModule):
    """(m, D) entries, most significant digit first."""

    def __init__(self, n_digits: int):
        super().__init__()
        self.n_digits = n_digits

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        return h[:, : self.n_digits].float()

    def loss(self, outputs: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        """(m,) root mean squared errors (our choice: the root is taken number by number)."""
        error = (outputs - features[:, 1:].float()).square().mean(1)
        return (error + 1e-8).sqrt()  # at 0 a root has no gradient

    def read(self, outputs: torch.Tensor) -> torch.Tensor:
        digits = outputs.round().clamp(0, 9).to(torch.uint8)
        return torch.cat([torch.zeros_like(digits[:, :1]), digits], 1)
