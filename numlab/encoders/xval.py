"""xVal: one token whose embedding is scaled by the number (the xval paper)."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import nn

from numlab.codes import ScaledCode
from numlab.encoders.base import Embedding, ValueEncoder
from numlab.heads import Head, MixtureHead, ValueHead
from numlab.numbers import check_count


@dataclass(frozen=True)
class XVal(ScaledCode, ValueEncoder):
    """A number x as x times the vector of [NUM], or spread over scales (xval, 2.1).

    With k > 0 the words are [NUM-k] ... [NUM+k]. All of them are carriers, and one number is still
    one token: it is written, and learned, as the first of them (our choice). A model that predicts
    any of them predicts a number (2.2), whose value the number head gives.

    Parameters
    ----------
    k : 0: x [NUM]. Else: sum over i = -k..k of tanh(x 10^i) [NUM_i], Eq. 1.
    scale : what the model reads and predicts is x / scale, in float32.
    mixture : beyond the paper: the head predicts a mixture of that many normal distributions; 0:
        one number.
    head_bias : whether the number head has biases (Table 11).

    >>> XVal().spell(-60.2), XVal(scale=10).features([-60.2])
    (['[NUM]'], array([[-6.02]], dtype=float32))
    """

    k: int = 0
    scale: float = 1.0
    mixture: int = 0
    head_bias: bool = True
    version: ClassVar[int] = 2
    token_mlp: ClassVar[bool] = True

    def __post_init__(self):
        super().__post_init__()
        check_count("k of XVal", self.k, 0, 38)  # 10^39 is infinite in float32, and 0 times it NaN
        check_count("mixture of XVal", self.mixture, 0)

    @property
    def label(self) -> str:
        return f"XVal(k={self.k})" if self.k else "XVal"

    @property
    def vocabulary(self) -> tuple[str, ...]:
        scales = range(-self.k, self.k + 1)
        return tuple(f"[NUM{i:+d}]" for i in scales) if self.k else ("[NUM]",)

    @property
    def carriers(self) -> tuple[int, ...]:
        return tuple(range(2 * self.k + 1))

    def embedding(self, d_model: int) -> nn.Module:
        return Embedding(self.embed)

    def embed(self, x: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        """(m, 1) scaled numbers and (2k + 1, d) words to (m, d)."""
        if self.k == 0:
            return x * words[0]
        powers = 10.0 ** torch.arange(-self.k, self.k + 1.0, device=x.device)
        return torch.tanh(x * powers) @ words  # xval, Eq. 1

    @property
    def head(self) -> Head:
        if self.mixture:
            return MixtureHead(self.mixture, self.scale, self.head_bias)
        return ValueHead(self.scale, self.head_bias, normalised=self.k > 0)
