"""FoNE: one token that shows each digit of a number on a circle (papers/fone.md)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F

from numlab.codes import DigitCode
from numlab.encoders.base import ValueEncoder, in_float32
from numlab.encoders.fourier import remainders
from numlab.heads import CircleHead, Head

__all__ = ["FoNE"]


@dataclass(frozen=True)
class FoNE(DigitCode, ValueEncoder):
    """x as the points (cos, sin)(2 pi x / T) for T = 10, 100, 1000, ... (Definition 3.2, fone).

    Parameters
    ----------
    int_digits, frac_digits : int
        m and n of the paper.
    periods : tuple of int
        Of the units place; the next places have 10, 100, ... times these (Table 3).
    signed : bool
        deviates: the paper's numbers are positive. Here the circles are of abs(x), and one more
        entry is the sign: +1 or -1 in the embedding, a logit in the head.
    project : bool
        Whether a learned linear map leads to d_model; else zeros are appended (Table 2).
    chunk : int, optional
        Digits in a chunk; a circle sees the digits of its own chunk only (Appendix E: 5).

    Examples
    --------
    >>> FoNE(3, 1).features([-60.2])
    array([[1, 0, 6, 0, 2]], dtype=uint8)
    """

    int_digits: int = 6
    frac_digits: int = 0
    periods: tuple[int, ...] = (10,)
    signed: bool = True
    project: bool = True
    chunk: int | None = None

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "periods", tuple(self.periods))
        if not self.periods or not all(isinstance(p, int) and p > 1 for p in self.periods):
            raise ValueError(f"FoNE has periods of whole numbers > 1; got {self.periods}")
        if self.chunk is not None and self.chunk < 1:
            raise ValueError(f"FoNE has chunks of one digit or more; got {self.chunk}")

    @property
    def n_entries(self) -> int:
        """Entries of a vector that the circles and the sign take."""
        return 2 * self.n_digits * len(self.periods) + self.signed

    def embedding(self, d_model: int) -> nn.Module:
        if not self.project:
            self.head.build(d_model)  # the same entries have to fit
        return CircleEmbedding(self, d_model)

    @property
    def head(self) -> Head:
        return CircleHead(self.int_digits, self.frac_digits, self.periods, self.signed)


class CircleEmbedding(nn.Module):
    """(m, 1 + D) digits and (1, d) words to (m, d): the circles ADDED to [NUM] (3.3, fone).

    Entries 2i and 2i + 1 are cos and sin of place i, least significant first (Algorithm 1). With
    several periods, those of one place stand together. In float32, exact for any D.
    """

    def __init__(self, encoder: FoNE, d_model: int):
        super().__init__()
        self.periods, self.signed = encoder.periods, encoder.signed
        self.chunk = encoder.chunk or encoder.n_digits
        self.padding = d_model - encoder.n_entries
        self.project = (
            nn.Linear(encoder.n_entries, d_model, bias=False) if encoder.project else None
        )

    def forward(self, features: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        with in_float32(features):
            entries = self.circles(features.float())
            added = (
                F.pad(entries, (0, self.padding)) if self.project is None else self.project(entries)
            )
            return words[0].float() + added

    def circles(self, features: torch.Tensor) -> torch.Tensor:
        """(m, 1 + D) to (m, 2 D periods + signed)."""
        places = features[:, 1:].flip(1).unbind(1)
        angles = torch.stack(
            [
                torch.stack(remainders(places, period, self.chunk), 1) * (2 * math.pi / period)
                for period in self.periods
            ],
            2,
        )  # (m, D, P)
        entries = torch.stack([angles.cos(), angles.sin()], 3).flatten(1)
        return torch.cat([entries, 1 - 2 * features[:, :1]], 1) if self.signed else entries
