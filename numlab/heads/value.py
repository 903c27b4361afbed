"""A single number, by least squares (xval, 2.2)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

from numlab.codes import ScaledCode
from numlab.heads.base import Head, HeadModule, in_float32

__all__ = ["NumberMLP", "ValueHead"]


@dataclass(frozen=True)
class ValueHead(ScaledCode, Head):
    """One hidden layer as wide as the model, and a scalar (2.2 and Appendix C, xval).

    Parameters
    ----------
    scale : float
        The scalar is x / scale.
    bias : bool
        Whether the layers have biases (Table 11).
    normalised : bool
        Whether the squared error is divided by the mean square of the batch's numbers.
    """

    scale: float = 1.0
    bias: bool = True
    normalised: bool = False

    def build(self, d_model: int) -> HeadModule:
        return ValueModule(d_model, self.bias, self.normalised)


class NumberMLP(nn.Module):
    """(m, d) hidden states to (m, n) outputs by one hidden layer, in float32."""

    def __init__(self, d_model: int, n_outputs: int, bias: bool):
        super().__init__()
        self.hidden = nn.Linear(d_model, d_model, bias)
        self.out = nn.Linear(d_model, n_outputs, bias)

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        with in_float32(h):
            return self.out(nn.functional.gelu(self.hidden(h.float())))


class ValueModule(HeadModule):
    """(m, 1) scalars."""

    def __init__(self, d_model: int, bias: bool, normalised: bool):
        super().__init__()
        self.mlp = NumberMLP(d_model, 1, bias)
        self.normalised = normalised

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        return self.mlp(h)

    def loss(self, outputs: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        """(m,) squared errors."""
        target = features.float()[:, 0]
        error = (outputs.float()[:, 0] - target).square()
        # our choice: the paper names the NMSE and does not define it. Here: over the mean square
        # of the batch's numbers. (Over each number's square, small predictions would pay.)
        return error / target.square().mean().clamp_min(1e-6) if self.normalised else error

    def read(self, outputs: torch.Tensor) -> torch.Tensor:
        return outputs
