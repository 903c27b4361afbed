"""Where a token stands: absolute positions, positions within numbers, rotary positions."""

import abc
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import nn
from torch.nn import functional as F

from numlab.numbers import check_count
from numlab.objectives import Inputs


class Position(abc.ABC):
    """A position embedding that is added to the tokens. Subclasses are frozen dataclasses.

    >>> nl.GPT2(8, 1, 1, context=64).positions
    (Absolute(n=64),)
    """

    version: ClassVar[int] = 1

    @abc.abstractmethod
    def build(self, d_model: int) -> nn.Module:
        """A module from (Inputs, first position) to (T, d_model) or (B, T, d_model) vectors."""


@dataclass(frozen=True)
class Absolute(Position):
    """A learned vector for each position in the text (GPT-2).

    `n`: tokens of the longest text; where answers are generated, of the longest prompt and the
    longest answer that the encoder can spell.

    >>> nl.models.Absolute(n=64)
    Absolute(n=64)
    """

    n: int = 1024

    def __post_init__(self):
        check_count("the n of Absolute (GPT2's context)", self.n)

    def build(self, d_model: int) -> nn.Module:
        return AbsoluteTable(self.n, d_model)


class AbsoluteTable(nn.Module):
    """(T, d_model) rows of a table."""

    def __init__(self, n: int, d_model: int):
        super().__init__()
        self.table = nn.Parameter(0.02 * torch.randn(n, d_model))

    def forward(self, inputs: Inputs, start: int) -> torch.Tensor:
        n, stop = len(self.table), start + inputs.ids.shape[1]
        if stop > n:
            wanted = f"Absolute({n}) holds {n} positions; got {stop}"
            raise ValueError(f"{wanted}: raise its n, which GPT2 takes as context")
        return self.table[start:stop]


@dataclass(frozen=True)
class Abacus(Position):
    """A learned vector for each index within a number; none for literals (McLeish et al., 2024).

    With numbers spelled least digit first, digits of one significance share a vector. In training
    the first index of a batch is drawn from 0 to `offset`, so that indices beyond the longest
    number in training are learned too (fone, Appendix F).

    Parameters
    ----------
    n : tokens of the longest number that the encoder can spell.
    offset : the largest first index in training.

    >>> nl.Abacus(n=16, offset=4)
    Abacus(n=16, offset=4)
    """

    n: int = 128
    offset: int = 100

    def __post_init__(self):
        check_count("the n of Abacus", self.n)
        check_count("the offset of Abacus", self.offset, 0)

    def build(self, d_model: int) -> nn.Module:
        return AbacusTable(self.n, self.offset, d_model)


class AbacusTable(nn.Module):
    """(B, T, d_model) rows of a table; zeros in literals."""

    def __init__(self, n: int, offset: int, d_model: int):
        super().__init__()
        self.n, self.offset = n, offset
        self.table = nn.Parameter(0.02 * torch.randn(n + offset, d_model))

    def forward(self, inputs: Inputs, start: int) -> torch.Tensor:
        within = inputs.within
        if within.numel() and int(within.max()) > self.n:
            raise ValueError(f"Abacus({self.n}) holds {self.n} places; got {int(within.max())}")
        # torch's random state is seeded at each step of a training
        first = int(torch.randint(self.offset + 1, ())) if self.training else 0
        vectors = F.embedding((within - 1).clamp_min(0) + first, self.table)
        return vectors * (within > 0)[..., None]


class Rotary(nn.Module):
    """Angles by which queries and keys of D entries turn with their position (Su et al., 2021)."""

    def __init__(self, base: float, width: int):
        super().__init__()
        frequency = base ** (-torch.arange(0, width, 2) / width)
        self.register_buffer("frequency", frequency, persistent=False)

    def forward(self, start: int, n: int) -> torch.Tensor:
        """(n, D / 2) complex numbers for the positions start, start + 1, ..."""
        position = torch.arange(start, start + n, device=self.frequency.device)
        angle = torch.outer(position, self.frequency)
        return torch.polar(torch.ones_like(angle), angle)


def rotate(x: torch.Tensor, turns: torch.Tensor) -> torch.Tensor:
    """Turn pairs of entries of x (B, H, T, D), taken as complex numbers, by (T, D / 2) turns."""
    pairs = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)))
    return torch.view_as_real(pairs * turns).flatten(-2).type_as(x)
