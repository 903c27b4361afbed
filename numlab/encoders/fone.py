"""FoNE: one token that shows each digit of a number on a circle (papers/fone.md)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from numlab.encoders.base import ValueEncoder, in_float32
from numlab.encoders.decimal import Decimal
from numlab.encoders.fourier import remainders


@dataclass(frozen=True)
class FoNE(Decimal, ValueEncoder):
    """x as the points (cos, sin)(2 pi x / T) for T = 10, 100, 1000, ... (Definition 3.2, fone).

    Parameters
    ----------
    int_digits, frac_digits : int
        m and n of the paper.
    periods : tuple of int
        Of the units; a period p stands for p, 10 p, 100 p, ... from place to place (Table 3).
    signed : bool
        deviates: the paper's numbers are positive. Here the circles are those of abs(x), and one
        more entry is the sign: +1 or -1 in the embedding, a logit in the head.
    project : bool
        To d_model by a learned linear map; else zeros are appended (Table 2).
    chunk : int, optional
        Circles see only the digits of their chunk of so many (Appendix E: 5).

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
    feature_dtype = np.uint8

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "periods", tuple(self.periods))
        if not self.periods or not all(isinstance(p, int) and p > 1 for p in self.periods):
            raise ValueError(f"FoNE has periods of whole numbers > 1; got {self.periods}")
        if self.chunk is not None and self.chunk < 1:
            raise ValueError(f"FoNE has chunks of one digit or more; got {self.chunk}")

    @property
    def n_features(self) -> int:
        return 1 + self.n_digits

    @property
    def n_entries(self) -> int:
        """How many entries of a vector its circles (and its sign) take."""
        return 2 * self.n_digits * len(self.periods) + self.signed

    def features(self, numbers) -> np.ndarray:
        """(n,) numbers to (n, 1 + digits) uint8: negative, digits most significant first."""
        negative, digits = self.digits(numbers)
        return np.concatenate([negative[:, None].view(np.uint8), digits], 1)

    def number(self, features: np.ndarray) -> np.ndarray:
        return self.from_digits(features[:, 0] > 0, features[:, 1:])

    def embedding(self, d_model: int) -> nn.Module:
        if not self.project:
            self._check_width(d_model)
        return CircleEmbedding(self, d_model)

    def head(self, d_model: int) -> nn.Module:
        self._check_width(d_model)
        return CircleHead(self)

    def _check_width(self, d_model: int) -> None:
        if d_model < self.n_entries:
            raise ValueError(f"{self} takes d_model >= {self.n_entries}; got {d_model}")


class CircleEmbedding(nn.Module):
    """(m, 1 + D) digits and (1, d) words to (m, d): the circles ADDED to [NUM] (3.3, fone).

    Entries 2i and 2i + 1 are cos and sin of place i, least significant first (Algorithm 1); with
    several periods those of one place follow each other. All in float32, exact for any D.
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


class CircleHead(nn.Module):
    """Digits read straight off the hidden state: nothing is learned here (Algorithms 2, 3, fone).

    The entries of place i are compared with those of each digit, h[2i] cos(j) + h[2i+1] sin(j).
    Outputs are (m, 10 D) logits, the digits of the least significant place first, behind one
    logit of being negative where the encoder is signed.
    """

    def __init__(self, encoder: FoNE):
        super().__init__()
        self.n_digits, self.signed = encoder.n_digits, encoder.signed
        # j mod period: digits that a period cannot tell apart tie exactly
        turns = [[j % p / p for p in encoder.periods] for j in range(10)]
        angles = 2 * math.pi * torch.tensor(turns, dtype=torch.float64)
        basis = torch.stack([angles.cos(), angles.sin()], 2).flatten(1)
        self.register_buffer("basis", basis.float(), persistent=False)  # (10, 2P)

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        with in_float32(h):
            n = self.n_digits * self.basis.shape[1]
            entries = h[:, :n].float().unflatten(1, (self.n_digits, -1))
            logits = (entries @ self.basis.T).flatten(1)
            return torch.cat([h[:, n : n + 1].float(), logits], 1) if self.signed else logits

    def loss(self, outputs: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        """(m,) cross-entropy, the mean over the digits (Algorithm 3); plus that of the sign."""
        digits = features[:, 1:].flip(1).long()
        logits = outputs[:, int(self.signed) :].unflatten(1, (self.n_digits, 10))
        loss = F.cross_entropy(logits.flatten(0, 1), digits.flatten(), reduction="none")
        loss = loss.view(digits.shape).mean(1)
        if not self.signed:
            return loss
        negative = features[:, 0].float()
        return loss + F.binary_cross_entropy_with_logits(outputs[:, 0], negative, reduction="none")

    def read(self, outputs: torch.Tensor) -> torch.Tensor:
        """(m, 1 + D) uint8, as the encoder's features."""
        logits = outputs[:, int(self.signed) :].unflatten(1, (self.n_digits, 10))
        digits = logits.argmax(2).flip(1)
        negative = (outputs[:, :1] > 0) if self.signed else torch.zeros_like(digits[:, :1])
        return torch.cat([negative, digits], 1).to(torch.uint8)
