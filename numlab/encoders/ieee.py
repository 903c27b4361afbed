"""IEEE 754: one token that carries the bits of a number (the float paper)."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F

from numlab.codes import BitCode
from numlab.encoders.base import Embedding, ValueEncoder
from numlab.heads import BitHead, Head
from numlab.numbers import check_count


@dataclass(frozen=True)
class IEEE754(BitCode, ValueEncoder):
    """A number as the bits of a float: sign, exponent, significand (float, 3.1).

    The embedding is an MLP of the bits (Eq. 3). Infinities and NaN are out of range.

    Parameters
    ----------
    bits : 16, 32 or 64.
    overflow : "raise" or "clip": a number beyond the largest of the format is a ValueError, or
        becomes the largest.
    depth : linear layers of the embedding module.
    residual : whether the first layer is added to the last.

    >>> "".join(map(str, IEEE754().features([-28.5])[0]))
    '11000001111001000000000000000000'
    >>> IEEE754(bits=16).number(IEEE754(bits=16).features([0.1]))
    array([0.09997559])
    """

    depth: int = 3
    residual: bool = True

    def __post_init__(self):
        super().__post_init__()
        check_count("depth of IEEE754", self.depth)

    def embedding(self, d_model: int) -> nn.Module:
        return BitEmbedding(self, d_model)

    @property
    def head(self) -> Head:
        return BitHead(self.bits, self.overflow)


class BitEmbedding(Embedding):
    """(m, bits) bits to (m, d) vectors, in place of the token's (float, Eq. 3).

    x1 = ReLU(W1 x), x2 = W3 ReLU(W2 x1), ReLU(x1 + x2); no biases.
    """

    def __init__(self, encoder: IEEE754, d_model: int):
        super().__init__()
        widths = [encoder.bits] + [d_model] * (encoder.depth - 1)
        self.layers = nn.ModuleList(nn.Linear(width, d_model, bias=False) for width in widths)
        self.residual = encoder.residual

    def embed(self, bits: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        first = out = F.relu(self.layers[0](bits))
        for layer in self.layers[1:]:
            out = layer(F.relu(out))  # a second ReLU changes nothing on x1
        return F.relu(first + out if self.residual and len(self.layers) > 1 else out)
