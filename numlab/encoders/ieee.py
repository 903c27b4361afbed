"""IEEE 754: one token that carries the bits of a number (papers/float.md)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from numlab.encoders.base import LARGEST, ValueEncoder, as_column, in_float32


@dataclass(frozen=True)
class IEEE754(ValueEncoder):
    """A number as the bits of a float: sign, exponent, significand (3.1, float).

    The embedding is an MLP of the bits (Eq. 3); infinities and NaN are refused.

    Parameters
    ----------
    bits : int
        16, 32 or 64.
    depth : int
        Linear layers of the embedding module.
    residual : bool
        Whether the first layer is added to the last.
    overflow : {"raise", "clip"}
        What lies beyond the largest number of the format is refused, or becomes it.

    Examples
    --------
    >>> "".join(map(str, IEEE754().features([-28.5])[0]))
    '11000001111001000000000000000000'
    >>> IEEE754(bits=16).number(IEEE754(bits=16).features([0.1]))
    array([0.09997559])
    """

    bits: int = 32
    depth: int = 3
    residual: bool = True
    overflow: str = "raise"
    feature_dtype = np.uint8

    def __post_init__(self):
        if self.bits not in (16, 32, 64):
            raise ValueError(f"IEEE754 has 16, 32 or 64 bits; got {self.bits}")
        if self.depth < 1:
            raise ValueError(f"IEEE754 has a depth of 1 layer or more; got {self.depth}")
        if self.overflow not in ("raise", "clip"):
            raise ValueError(f"IEEE754 has overflow 'raise' or 'clip'; got {self.overflow!r}")

    @property
    def dtype(self) -> np.dtype:
        """Of the float, its most significant byte first."""
        return np.dtype(f">f{self.bits // 8}")

    @property
    def n_features(self) -> int:
        return self.bits

    @property
    def largest(self) -> float:
        """The largest number of the format."""
        return float(np.finfo(self.dtype).max)

    @property
    def bounds(self) -> tuple[float, float]:
        high = LARGEST if self.overflow == "clip" else self.largest
        return -high, high

    def precision(self, numbers) -> np.ndarray:
        kind = np.finfo(self.dtype)
        x = np.abs(as_column(numbers).astype(np.float64))
        rounding = x * float(kind.epsneg) + float(kind.smallest_subnormal)
        return np.maximum(rounding, x - self.largest)  # of what is clipped

    def features(self, numbers) -> np.ndarray:
        """(n,) numbers to (n, bits) uint8, the sign first."""
        x = self.in_range(numbers).astype(np.float64)
        return float_bits(x.clip(-self.largest, self.largest), self.dtype)

    def number(self, features: np.ndarray) -> np.ndarray:
        floats = np.packbits(features.astype(np.uint8), axis=1).view(self.dtype)[:, 0]
        with np.errstate(invalid="ignore"):  # a model may put out the bits of a NaN
            values = floats.astype(np.float64)
        return np.where(np.isfinite(values), values, np.nan)

    def embedding(self, d_model: int) -> nn.Module:
        return BitsEmbedding(self, d_model)

    def head(self, d_model: int) -> nn.Module:
        return BitsHead(d_model, self.bits)


def float_bits(numbers: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """(n,) float64, infinities and NaN too, to (n, bits) uint8 of a big-endian float, sign first.

    Examples
    --------
    >>> "".join(map(str, float_bits(np.array([-np.inf]), np.dtype(">f2"))[0]))
    '1111110000000000'
    """
    with np.errstate(over="ignore"):  # to infinity
        floats = np.ascontiguousarray(numbers.astype(dtype))
    return np.unpackbits(floats.view(np.uint8).reshape(len(floats), dtype.itemsize), axis=1)


class BitsEmbedding(nn.Module):
    """(m, bits) bits to (m, d) vectors, in place of their word's (Eq. 3, float), in float32.

    x1 = ReLU(W1 x), x2 = W3 ReLU(W2 x1), ReLU(x1 + x2); no biases.
    """

    def __init__(self, encoder: IEEE754, d_model: int):
        super().__init__()
        widths = [encoder.bits] + [d_model] * encoder.depth
        self.layers = nn.ModuleList(
            nn.Linear(n, d_model, bias=False) for n in widths[: encoder.depth]
        )
        self.residual = encoder.residual

    def forward(self, features: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        with in_float32(features):
            first = out = F.relu(self.layers[0](features.float()))
            for i, layer in enumerate(self.layers[1:]):
                out = layer(F.relu(out) if i else out)
            return F.relu(first + out) if self.residual and len(self.layers) > 1 else F.relu(out)


class BitsHead(nn.Module):
    """A logit a bit, each learned by itself. Ours: the paper predicts no numbers."""

    def __init__(self, d_model: int, bits: int):
        super().__init__()
        self.out = nn.Linear(d_model, bits)

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        with in_float32(h):
            return self.out(h.float())

    def loss(self, outputs: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        """(m,) binary cross-entropies, the mean over the bits."""
        bits = features.float()
        return F.binary_cross_entropy_with_logits(outputs, bits, reduction="none").mean(1)

    def read(self, outputs: torch.Tensor) -> torch.Tensor:
        """(m, bits) uint8; bits of an infinity or a NaN spell no number."""
        return (outputs > 0).to(torch.uint8)
