"""A logit for each bit of a float."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F

from numlab.codes import BitCode
from numlab.heads.base import Head, HeadModule


@dataclass(frozen=True)
class BitHead(BitCode, Head):
    """A logit for each bit, learned independently. Ours: the float paper predicts no numbers.

    `bits`, `overflow`: as in `numlab.codes.BitCode`. `weight`: factor on this loss, relative to the
    token loss; BitTokens has 10.

    >>> "".join(map(str, nl.heads.BitHead(bits=16).features([-28.5])[0]))
    '1100111100100000'
    """

    weight: float = 1.0

    def build(self, d_model: int) -> HeadModule:
        return HeadModule(self, nn.Linear(d_model, self.bits))

    def loss(self, outputs: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        """(m,) binary cross-entropies, the mean over the bits."""
        bits = features.float()
        loss = F.binary_cross_entropy_with_logits(outputs, bits, reduction="none").mean(1)
        return self.weight * loss

    def read(self, outputs: torch.Tensor) -> torch.Tensor:
        """(m, bits) uint8; `number` gives NaN for the bits of an infinity or a NaN."""
        diverged = ~outputs.isfinite().all(1, keepdim=True)  # all ones are a NaN
        return ((outputs > 0) | diverged).to(torch.uint8)

    def draw(self, outputs: torch.Tensor, n: int, generator: torch.Generator) -> torch.Tensor:
        chance = outputs.float().sigmoid().expand(n, *outputs.shape)
        return torch.bernoulli(chance, generator=generator).to(torch.uint8)

    def log_probability(self, outputs: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        logits = outputs.double()
        return F.logsigmoid(torch.where(features > 0, logits, -logits)).sum(-1)
