"""xVal: one token whose embedding is scaled by the number (papers/xval.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical, MixtureSameFamily, Normal

from numlab.encoders.base import LARGEST, ValueEncoder, as_column, in_float32

FLOAT32 = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class XVal(ValueEncoder):
    """A number x as x times the vector of [NUM], or spread over scales (2.1, xval).

    With k > 0 the words are [NUM-k] ... [NUM+k], all of them carriers: one number is still one
    token. It is written, and learned, as the first of them; a model that puts out any of them has
    put out a number (2.2), whose value the number head gives.

    Parameters
    ----------
    k : int
        0: x [NUM]. Else: sum over i = -k..k of tanh(x 10^i) [NUM_i], Eq. 1.
    scale : float
        What the model reads and predicts is x / scale, in float32.
    mixture : int
        Beyond the paper, as its Section 4 suggests: the number head puts out a mixture of so many
        normal distributions, trained by likelihood, and reads their mean; 0: a single number.
    head_bias : bool
        Whether the number head has biases (Table 11).

    Examples
    --------
    >>> XVal().spell(-60.2), XVal(scale=10).features([-60.2])
    (['[NUM]'], array([[-6.02]], dtype=float32))
    """

    k: int = 0
    scale: float = 1.0
    mixture: int = 0
    head_bias: bool = True
    n_features = 1
    version: ClassVar[int] = 2
    token_mlp: ClassVar[bool] = True

    def __post_init__(self):
        if self.k < 0:
            raise ValueError(f"XVal has k >= 0; got {self.k}")
        if self.mixture < 0:
            raise ValueError(f"XVal has a mixture of 0 or more normals; got {self.mixture}")
        if not 0 < self.scale < np.inf:
            raise ValueError(f"XVal has a positive, finite scale; got {self.scale}")

    @property
    def vocabulary(self) -> tuple[str, ...]:
        scales = range(-self.k, self.k + 1)
        return tuple(f"[NUM{i:+d}]" for i in scales) if self.k else ("[NUM]",)

    @property
    def carriers(self) -> tuple[int, ...]:
        return tuple(range(2 * self.k + 1))

    @property
    def bounds(self) -> tuple[float, float]:
        high = min(FLOAT32 * self.scale, LARGEST)
        return -high, high

    def precision(self, numbers) -> np.ndarray:
        x = as_column(numbers).astype(np.float64)
        return np.abs(x) * 2.0**-23 + self.scale * 2.0**-149  # float32: rounding, underflow

    def features(self, numbers) -> np.ndarray:
        x = self.in_range(numbers).astype(np.float64, copy=False)
        return (x / self.scale).astype(np.float32)[:, None]

    def number(self, features: np.ndarray) -> np.ndarray:
        value = features[:, 0].astype(np.float64) * self.scale
        return np.where(np.isfinite(value), value, np.nan)

    def embedding(self, d_model: int) -> nn.Module:
        return ScaledWords(self.k)

    def head(self, d_model: int) -> nn.Module:
        if self.mixture:
            return MixtureHead(d_model, self.mixture, self.head_bias)
        return NumberHead(d_model, self.head_bias, normalised=self.k > 0)


class ScaledWords(nn.Module):
    """(m, 1) numbers and (2k + 1, d) words to (m, d), in float32."""

    def __init__(self, k: int):
        super().__init__()
        self.k = k
        self.register_buffer("powers", 10.0 ** torch.arange(-k, k + 1.0), persistent=False)

    def forward(self, features: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        with in_float32(features):
            x, words = features.float(), words.float()
            if self.k == 0:
                return x * words[0]
            return torch.tanh(x * self.powers) @ words  # Eq. 1, xval


class NumberHead(nn.Module):
    """One hidden layer as wide as the model, a scalar out (2.2 and Appendix C, xval), in float32.

    Parameters
    ----------
    d_model : int
    bias : bool
    normalised : bool
        Loss: the squared error (k = 0), or the normalised squared error (k > 0).
    """

    n_outputs = 1

    def __init__(self, d_model: int, bias: bool, normalised: bool = False):
        super().__init__()
        self.hidden = nn.Linear(d_model, d_model, bias)
        self.out = nn.Linear(d_model, self.n_outputs, bias)
        self.normalised = normalised

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        with in_float32(h):
            return self.out(nn.functional.gelu(self.hidden(h.float())))

    def loss(self, outputs: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        """(m,) squared errors of (m, 1) outputs."""
        target = features.float()[:, 0]
        error = (outputs.float()[:, 0] - target).square()
        # our choice: the paper names the NMSE and does not define it. Here: over the mean square
        # of the batch's numbers. (Over each number's own square, small predictions would pay.)
        return error / target.square().mean().clamp_min(1e-6) if self.normalised else error

    def read(self, outputs: torch.Tensor) -> torch.Tensor:
        return outputs


class MixtureHead(NumberHead):
    """As NumberHead, with (m, 3 n) outputs: the weights, means and widths of n normals."""

    narrowest = 1e-3  # a number that is always the same would be infinitely likely

    def __init__(self, d_model: int, n: int, bias: bool):
        self.n_outputs = 3 * n
        super().__init__(d_model, bias)

    def distribution(self, outputs: torch.Tensor) -> MixtureSameFamily:
        """What (m, 3 n) outputs say of m numbers, in units of the encoder's scale."""
        weights, means, widths = outputs.float().chunk(3, 1)
        normals = Normal(means, nn.functional.softplus(widths) + self.narrowest)
        shares = Categorical(logits=weights, validate_args=False)  # which fails on no rows
        return MixtureSameFamily(shares, normals)

    def loss(self, outputs: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        """(m,) negative log-likelihoods."""
        return -self.distribution(outputs).log_prob(features.float()[:, 0])

    def read(self, outputs: torch.Tensor) -> torch.Tensor:
        return self.distribution(outputs).mean[:, None]
