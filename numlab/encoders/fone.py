"""FoNE: one token that shows each digit of a number on a circle (the fone paper)."""

import math
from dataclasses import dataclass

import torch
from torch import nn

from numlab.codes import DigitCode
from numlab.encoders.base import Embedding, ValueEncoder
from numlab.heads import CircleHead, Head
from numlab.numbers import check_count


@dataclass(frozen=True)
class FoNE(DigitCode, ValueEncoder):
    """x as points (cos, sin)(2 pi x / T), with T = 10^(i + 1) for the place of 10^i.

    Source: fone, Definition 3.2.

    Parameters
    ----------
    int_digits, frac_digits : digits before and after the decimal point (the paper's m and n): at
        most 15 in all, or, without frac_digits, more. Numbers are rounded to them; larger ones are
        a ValueError.
    signed : deviates: the paper's numbers are positive. Here the circles are of abs(x), and one
        more entry is the sign: +1 or -1 in the embedding, a logit in the head.
        Their signs are opposite: with project=False the head would read the embedding of a positive
        number as negative.
    periods : of the units place; the next places have 10, 100, ... times these (Table 3).
    project : whether a learned linear map leads to d_model; else zeros are appended (Table 2).
    chunk : digits in a chunk; a circle sees the digits of its own chunk only (Appendix E has
        chunks of 5). None: all digits are one chunk.

    >>> FoNE(3, 1).features([-60.2])
    array([[1, 0, 6, 0, 2]], dtype=uint8)
    """

    periods: tuple[int, ...] = (10,)
    project: bool = True
    chunk: int | None = None

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "periods", self.head.periods)  # a tuple, or an error
        if self.chunk is not None:
            check_count("chunk of FoNE", self.chunk)

    def embedding(self, d_model: int) -> nn.Module:
        if not self.project:
            self.head.build(d_model)  # the same entries have to fit
        return CircleEmbedding(self, d_model)

    @property
    def head(self) -> Head:
        return CircleHead(self.int_digits, self.frac_digits, self.signed, self.periods)


class CircleEmbedding(Embedding):
    """(m, 1 + D) digits and (1, d) words to (m, d): the circles ADDED to [NUM] (fone, 3.3).

    Entries 2i and 2i + 1 are cos and sin of place i, least significant first (Algorithm 1). With
    several periods, those of one place stand together. Float32 is precise for any D, as circles
    are computed from digits.
    """

    def __init__(self, encoder: FoNE, d_model: int):
        super().__init__()
        n_entries = encoder.head.n_entries
        self.periods, self.signed = encoder.periods, encoder.signed
        self.chunk = encoder.chunk or encoder.n_digits
        if encoder.project:
            self.project = nn.Linear(n_entries, d_model, bias=False)
        else:
            self.project = nn.ConstantPad1d((0, d_model - n_entries), 0.0)

    def embed(self, features: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        return words[0] + self.project(self.circles(features))

    def circles(self, features: torch.Tensor) -> torch.Tensor:
        """(m, 1 + D) to (m, 2 D periods + signed)."""
        chunks = features[:, 1:].flip(1).split(self.chunk, 1)
        angles = [
            torch.cat([remainders(chunk, period) for chunk in chunks], 1) * (2 * math.pi / period)
            for period in self.periods
        ]
        turned = torch.stack(angles, 2)  # (m, D, P)
        entries = torch.stack([turned.cos(), turned.sin()], 3).flatten(1)
        return torch.cat([entries, 1 - 2 * features[:, :1]], 1) if self.signed else entries


def remainders(digits: torch.Tensor, period: int) -> torch.Tensor:
    """x / 10^i mod period for each place i, from x's digits, as x itself may be beyond float32.

    (m, D) digits, least significant first, to (m, D).
    """
    fractions = [torch.zeros_like(digits[:, 0])]
    for digit in digits[:, :-1].unbind(1):
        fractions.append((digit + fractions[-1]) / 10)
    wholes = digits % period
    for k in range(1, digits.shape[1]):
        if weight := 10**k % period:  # none where the period divides 10
            wholes[:, :-k] = (wholes[:, :-k] + weight * digits[:, k:]) % period
    return wholes + torch.stack(fractions, 1)
