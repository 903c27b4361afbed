"""A mixture of normal distributions, by likelihood (xval's Section 4 suggests it)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn
from torch.distributions import Categorical, MixtureSameFamily, Normal

from numlab.codes import ScaledCode
from numlab.heads.base import Head, HeadModule
from numlab.heads.value import NumberMLP

__all__ = ["MixtureHead"]

NARROWEST = 1e-3  # a number that is always the same would be infinitely likely


@dataclass(frozen=True)
class MixtureHead(ScaledCode, Head):
    """A mixture of n normal distributions; the number that is read is its mean.

    Parameters
    ----------
    n : int
    scale : float
        The distribution is of x / scale.
    bias : bool
        Whether the layers have biases.
    """

    n: int = 4
    scale: float = 1.0
    bias: bool = True

    def __post_init__(self):
        super().__post_init__()
        if self.n < 1:
            raise ValueError(f"MixtureHead has 1 normal distribution or more; got {self.n}")

    def build(self, d_model: int) -> HeadModule:
        return MixtureModule(d_model, self.n, self.bias)


class MixtureModule(HeadModule):
    """(m, 3 n) outputs: the weights, means and widths of n normal distributions."""

    def __init__(self, d_model: int, n: int, bias: bool):
        super().__init__()
        self.mlp = NumberMLP(d_model, 3 * n, bias)

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        return self.mlp(h)

    def distribution(self, outputs: torch.Tensor) -> MixtureSameFamily:
        weights, means, widths = outputs.float().chunk(3, 1)
        normals = Normal(means, nn.functional.softplus(widths) + NARROWEST)
        shares = Categorical(logits=weights, validate_args=False)  # validation fails on no rows
        return MixtureSameFamily(shares, normals)

    def loss(self, outputs: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        """(m,) negative log-likelihoods."""
        return -self.distribution(outputs).log_prob(features.float()[:, 0])

    def read(self, outputs: torch.Tensor) -> torch.Tensor:
        return self.distribution(outputs).mean[:, None]
