"""FoNE's head: digits read off circles in the hidden state (Algorithms 2 and 3, fone)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from numlab.codes import DigitCode
from numlab.heads.base import Head, HeadModule, in_float32
from numlab.heads.digits import DigitModule

__all__ = ["CircleHead"]


@dataclass(frozen=True)
class CircleHead(DigitCode, Head):
    """Each digit from the first entries of the hidden state; nothing is learned here.

    Parameters
    ----------
    int_digits, frac_digits : int
    periods : tuple of int
        Of the units; two entries a place and period.
    signed : bool
        One more entry is the logit of being negative.
    """

    int_digits: int = 6
    frac_digits: int = 0
    periods: tuple[int, ...] = (10,)
    signed: bool = True

    def build(self, d_model: int) -> HeadModule:
        n_entries = 2 * self.n_digits * len(self.periods) + self.signed
        if d_model < n_entries:
            raise ValueError(f"{self} takes d_model >= {n_entries}; got {d_model}")
        return CircleModule(self.n_digits, self.periods, self.signed)


class CircleModule(DigitModule):
    """The entries of place i against those of each digit j: h[2i] cos(j) + h[2i+1] sin(j)."""

    def __init__(self, n_digits: int, periods: tuple[int, ...], signed: bool):
        super().__init__(n_digits, signed)
        # j mod period: digits that a period cannot tell apart tie exactly
        turns = [[j % p / p for p in periods] for j in range(10)]
        angles = 2 * math.pi * torch.tensor(turns, dtype=torch.float64)
        basis = torch.stack([angles.cos(), angles.sin()], 2).flatten(1)
        self.register_buffer("basis", basis.float(), persistent=False)  # (10, 2P)

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        with in_float32(h):
            n = self.n_digits * self.basis.shape[1]
            entries = h[:, :n].float().unflatten(1, (self.n_digits, -1))
            logits = (entries @ self.basis.T).flatten(1)
            return torch.cat([h[:, n : n + 1].float(), logits], 1) if self.signed else logits
