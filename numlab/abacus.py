"""Positions within numbers (McLeish et al., 2024; fone, Appendix F)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import nn
from torch.nn import functional as F

from numlab.objectives import Inputs


@dataclass(frozen=True)
class Abacus:
    """A learned vector for each place within a number, added to its tokens; none for literals.

    With numbers spelled least digit first, digits of one significance get the same vector. In
    training the first place of a batch is drawn from 0 to `offset`, so that places beyond the
    longest number in training are learned, too.

    Parameters
    ----------
    n : int
        Tokens of the longest number.
    offset : int
        The largest first place in training.

    Examples
    --------
    >>> from numlab.models import ModelSpec
    >>> ModelSpec(positions=(Abacus(n=51, offset=40),)).positions[0].n
    51
    """

    version: ClassVar[int] = 1
    n: int = 128
    offset: int = 100

    def build(self, d_model: int) -> nn.Module:
        return AbacusTable(self.n, self.offset, d_model)


class AbacusTable(nn.Module):
    def __init__(self, n: int, offset: int, d_model: int):
        super().__init__()
        self.n, self.offset = n, offset
        self.table = nn.Parameter(0.02 * torch.randn(n + offset, d_model))

    def forward(self, inputs: Inputs, start: int) -> torch.Tensor:
        """(B, T, d_model); `start` says nothing here, the places are the inputs' own."""
        place = inputs.place
        if place.numel() and int(place.max()) > self.n:
            raise ValueError(f"Abacus({self.n}) holds {self.n} places; got {int(place.max())}")
        # torch's own generator is seeded by each step of a training
        first = int(torch.randint(self.offset + 1, ())) if self.training else 0
        vectors = F.embedding((place - 1).clamp_min(0) + first, self.table)
        return vectors * (place > 0)[..., None]
