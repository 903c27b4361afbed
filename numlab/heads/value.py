"""One scaled number: by least squares (xval, 2.2), or as a mixture of normals."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import nn
from torch.distributions import Categorical, MixtureSameFamily, Normal

from numlab.codes import ScaledCode
from numlab.heads.base import Head, HeadModule
from numlab.heads.distributions import Normals
from numlab.numbers import check_count

# The least width, in units of scale. A number that is always the same would be infinitely likely.
# With 1e-3 normals narrow faster than they move, and 5 of 50 seeds lose one of two numbers.
NARROWEST = 1e-2


@dataclass(frozen=True)
class ValueHead(ScaledCode, Head):
    """x / scale by one hidden layer as wide as the model (xval, 2.2 and Appendix C).

    Parameters
    ----------
    scale : what is predicted is x / scale.
    bias : whether the layers have biases (Table 11).
    normalised : whether the squared error is divided by the mean square of the batch's numbers.

    >>> nl.heads.ValueHead(scale=10.0)
    ValueHead(scale=10.0, bias=True, normalised=False)
    """

    scale: float = 1.0
    bias: bool = True
    normalised: bool = False

    def build(self, d_model: int) -> HeadModule:
        return HeadModule(self, mlp(d_model, 1, self.bias))

    def loss(self, outputs: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        """(m,) squared errors."""
        target = features.float()[:, 0]
        error = (outputs.float()[:, 0] - target).square()
        # our choice: the paper names the NMSE and does not define it. Here: over the mean square
        # of the batch's numbers. (Over each number's own square, it would favour predictions
        # that are too small.)
        return error / target.square().mean().clamp_min(1e-6) if self.normalised else error

    def read(self, outputs: torch.Tensor) -> torch.Tensor:
        return outputs


@dataclass(frozen=True)
class MixtureHead(ScaledCode, Head):
    """x / scale as a mixture of n normal distributions, by likelihood; read as its mean.

    Beyond the paper, as its Section 4 suggests.

    >>> nl.heads.MixtureHead(n=2)
    MixtureHead(n=2, scale=1.0, bias=True)
    """

    n: int = 4
    scale: float = 1.0
    bias: bool = True
    version: ClassVar[int] = 2
    closed: ClassVar[bool] = True

    def __post_init__(self):
        super().__post_init__()
        check_count("n of MixtureHead", self.n)

    def build(self, d_model: int) -> HeadModule:
        return HeadModule(self, mlp(d_model, 3 * self.n, self.bias))

    def distribution(self, outputs: torch.Tensor) -> Normals:
        mixture = self.mixture(outputs)
        means, widths = mixture.component_distribution.loc, mixture.component_distribution.scale
        shares = mixture.mixture_distribution.logits.double().softmax(1)  # they add up to 1
        return Normals(shares, means.double() * self.scale, widths.double() * self.scale)

    def mixture(self, outputs: torch.Tensor) -> MixtureSameFamily:
        """Of (m, 3 n) outputs: the weights, means and widths of n normal distributions."""
        weights, means, widths = outputs.float().chunk(3, 1)
        widths = nn.functional.softplus(widths) + NARROWEST
        # no validation: it raises for 0 rows, and for a diverged model, whose loss is NaN
        normals = Normal(means, widths, validate_args=False)
        shares = Categorical(logits=weights, validate_args=False)
        return MixtureSameFamily(shares, normals)

    def loss(self, outputs: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        """(m,) negative log-likelihoods."""
        return -self.mixture(outputs).log_prob(features.float()[:, 0])

    def read(self, outputs: torch.Tensor) -> torch.Tensor:
        return self.mixture(outputs).mean[:, None]


def mlp(d_model: int, n_outputs: int, bias: bool) -> nn.Module:
    hidden, out = nn.Linear(d_model, d_model, bias), nn.Linear(d_model, n_outputs, bias)
    return nn.Sequential(hidden, nn.GELU(), out)
