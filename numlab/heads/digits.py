"""Decimal digits: by a linear map, off FoNE's circles, or as rounded entries."""

import math
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import nn
from torch.nn import functional as F

from numlab.codes import DigitCode, FigureCode
from numlab.heads.base import Head, HeadModule

NO_DIGIT = 255


class _Logits(Head):
    """(m, signed + 10 D) logits: of being negative, then of the least significant digit, ..."""

    def build(self, d_model: int) -> HeadModule:
        return HeadModule(self, nn.Linear(d_model, 10 * self.n_digits + self.signed))

    def loss(self, outputs: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        """(m,) cross-entropies, the mean over the digits (fone, Algorithm 3); plus the sign's."""
        digits = features[:, 1:].flip(1).long()
        logits = self._of_digits(outputs).flatten(0, 1)
        loss = F.cross_entropy(logits, digits.flatten(), reduction="none")
        loss = self.weight * loss.view(digits.shape).mean(1)
        if not self.signed:
            return loss
        negative = features[:, 0].float()
        sign = F.binary_cross_entropy_with_logits(outputs[:, 0], negative, reduction="none")
        return loss + self.weight * sign

    def read(self, outputs: torch.Tensor) -> torch.Tensor:
        digits = self._of_digits(outputs).argmax(2).flip(1)
        digits[~outputs.isfinite().all(1)] = NO_DIGIT  # of a diverged model
        negative = (outputs[:, :1] > 0) if self.signed else torch.zeros_like(digits[:, :1])
        return torch.cat([negative, digits], 1).to(torch.uint8)

    def draw(self, outputs: torch.Tensor, n: int, generator: torch.Generator) -> torch.Tensor:
        m, signed = len(outputs), self.signed
        shares = self._of_digits(outputs.float()).softmax(2).flatten(0, 1)  # (m D, 10)
        digits = torch.multinomial(shares, n, replacement=True, generator=generator)
        digits = digits.T.reshape(n, m, self.n_digits).flip(2)
        negative = outputs[:, :1].float().sigmoid() if signed else torch.zeros(m, 1)
        negative = torch.bernoulli(negative.expand(n, -1, -1), generator=generator)
        return torch.cat([negative, digits], 2).to(torch.uint8)

    def log_probability(self, outputs: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        digits = features[..., 1:].flip(-1).long()
        logs = self._of_digits(outputs.double()).log_softmax(2).expand(*digits.shape, 10)
        log_share = logs.gather(-1, digits[..., None]).sum((-2, -1))
        negative = outputs[:, 0].double() if self.signed else torch.tensor(-torch.inf)
        return log_share + F.logsigmoid(torch.where(features[..., 0] > 0, negative, -negative))

    def _of_digits(self, outputs: torch.Tensor) -> torch.Tensor:
        """(m, D, 10) logits of the digits."""
        return outputs[:, int(self.signed) :].unflatten(1, (self.n_digits, 10))


@dataclass(frozen=True)
class DigitHead(DigitCode, _Logits):
    """Ten logits for each digit and one for the sign, by a learned linear map.

    >>> nl.heads.DigitHead(int_digits=3)
    DigitHead(int_digits=3, frac_digits=0, signed=True)
    """


@dataclass(frozen=True)
class FigureHead(FigureCode, _Logits):
    """Ten logits for each digit of scientific notation, one for the sign: BitTokens in base 10.

    deviates: the original has ten logits for the sign, too, and predicts 17 figures; it sums the
    cross-entropies, which are averaged and then weighted here. It has no density, as a number has
    many spellings: 50e0 is 05e1.

    `figures`: significant figures, 1 to 15. `weight`: factor on this loss.

    >>> nl.heads.FigureHead(figures=3).features([-28.5]).tolist()
    [[1, 5, 0, 1, 2, 8, 5]]
    """

    weight: float = 10.0
    signed: ClassVar[bool] = True


@dataclass(frozen=True)
class CircleHead(DigitCode, _Logits):
    """Digits, read from circles in the first entries of the hidden state (fone, Alg. 2 and 3).

    These are two entries (cos, sin) for each place and period, the least significant place first;
    then, if `signed`, the logit of being negative. Nothing is learned here.

    `periods`: of the place of the units; that of 10^i has 10^i times these.

    >>> nl.heads.CircleHead(int_digits=3).periods
    (10,)
    """

    periods: tuple[int, ...] = (10,)

    def __post_init__(self):
        super().__post_init__()
        if not isinstance(self.periods, (tuple, list)):
            raise ValueError(f"periods are a tuple, such as (10,); got {self.periods!r}")
        object.__setattr__(self, "periods", tuple(self.periods))
        if not self.periods or not all(isinstance(p, int) and p > 1 for p in self.periods):
            name = type(self).__name__
            raise ValueError(f"{name} has periods of whole numbers > 1; got {self.periods}")

    @property
    def n_entries(self) -> int:
        return 2 * self.n_digits * len(self.periods) + self.signed

    def build(self, d_model: int) -> HeadModule:
        _check_width(self, d_model, self.n_entries)
        return HeadModule(self, CircleLogits(self.n_digits, self.periods, self.signed))


@dataclass(frozen=True)
class RoundedHead(DigitCode, Head):
    """The first D entries of the hidden state, each rounded to a digit (fone, 4.3 and Table 8).

    Nothing is learned here.

    >>> nl.heads.RoundedHead(int_digits=3)
    RoundedHead(int_digits=3, frac_digits=0)
    """

    signed: ClassVar[bool] = False

    def build(self, d_model: int) -> HeadModule:
        _check_width(self, d_model, self.n_digits)
        return HeadModule(self, nn.Identity())

    def loss(self, outputs: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        """(m,) root mean squared errors (our choice: the root is taken number by number)."""
        digits = outputs[:, : self.n_digits]
        error = (digits - features[:, 1:].float()).square().mean(1)
        return (error + 1e-8).sqrt()  # at 0 a root has no gradient

    def read(self, outputs: torch.Tensor) -> torch.Tensor:
        outputs = outputs[:, : self.n_digits]
        digits = outputs.round().clamp(0, 9)
        digits = torch.where(outputs.isfinite(), digits, NO_DIGIT).to(torch.uint8)
        return torch.cat([torch.zeros_like(digits[:, :1]), digits], 1)


def _check_width(head: Head, d_model: int, least: int) -> None:
    if d_model < least:
        raise ValueError(f"{head} takes d_model >= {least}; got {d_model}")


class CircleLogits(nn.Module):
    """The entries of place i against those of each digit j: h[2i] cos(j) + h[2i+1] sin(j)."""

    def __init__(self, n_digits: int, periods: tuple[int, ...], signed: bool):
        super().__init__()
        self.n_digits, self.signed = n_digits, signed
        # j mod period: digits that are alike under a period tie exactly
        turns = [[j % p / p for p in periods] for j in range(10)]
        angles = 2 * math.pi * torch.tensor(turns, dtype=torch.float64)
        basis = torch.stack([angles.cos(), angles.sin()], 2).flatten(1)
        self.register_buffer("basis", basis.float(), persistent=False)  # (10, 2P)

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        n = self.n_digits * self.basis.shape[1]
        logits = (h[:, :n].unflatten(1, (self.n_digits, -1)) @ self.basis.T).flatten(1)
        return torch.cat([h[:, n : n + 1], logits], 1) if self.signed else logits
