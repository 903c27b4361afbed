"""BitTokens: one token whose vector is the bits of a number and of its reciprocal.

Kreitner and others (2025), arXiv 2510.06824; and its twin in base 10, from the same repository.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from numlab.codes import BitCode, FigureCode
from numlab.codes.bits import float_bits
from numlab.encoders.base import Embedding, ValueEncoder
from numlab.heads import BitHead, FigureHead, Head

WAYS = ("zero_pad", "sum", "sum_scaled", "prod", "concat", "weighted", "weighted_sum")


class Signs:
    """For a value encoder: a number as m entries of ±1, combined with the vector t of [NUM].

    `combine` says how, with d the width of the model and u the ±1 entries, padded to d:
    "zero_pad": sqrt(d / m) u, as in the published runs; "sum": t + u, as in the paper's text;
    "sum_scaled": t + rms(t) u; "prod": t u, padded with ones; "concat": the ±1 entries, then the
    rest of t over its rms; "weighted": W u; "weighted_sum": t + W u. Only the last two allow d < m.
    """

    reciprocal: bool
    combine: str

    def __post_init__(self):
        super().__post_init__()
        if self.combine not in WAYS:
            raise ValueError(f"combine is one of {', '.join(WAYS)}; got {self.combine!r}")

    def indicators(self, features: np.ndarray) -> np.ndarray:
        """(n, F) features to 0 and 1 for each sign."""
        return features

    def inverse(self, numbers: np.ndarray) -> np.ndarray:
        """The (n, F) features of reciprocals: infinite ones are the largest number, NaN is 0."""
        return self.features(np.nan_to_num(numbers).clip(*self.bounds))

    def signs(self, features: np.ndarray) -> np.ndarray:
        """(n, F) features to (n, m) int8: those of x, then those of 1 / x."""
        parts = [self.indicators(features)]
        if self.reciprocal:
            with np.errstate(divide="ignore", over="ignore"):
                parts.append(self.indicators(self.inverse(1 / self.number(features))))
        return 2 * np.concatenate(parts, 1).view(np.int8) - 1

    def embedding(self, d_model: int) -> nn.Module:
        return SignEmbedding(self, d_model)


@dataclass(frozen=True)
class BitTokens(Signs, BitCode, ValueEncoder):
    """The bits of an IEEE 754 float, and of its reciprocal.

    Parameters
    ----------
    bits, overflow : as in `numlab.codes.BitCode`. deviates: numbers are rounded to the format first
        (the published 16 and 32 bits are the low bits of a float64), and -0.0 is 0.0.
    reciprocal : whether the bits of 1 / x follow those of x.
    combine : how the bits, as ±1, and the vector of [NUM] make one vector; the seven ways stand in
        `help("numlab.encoders.bit_tokens.Signs")`.
    weight : of the bits' loss beside the words'.

    >>> "".join(map(str, BitTokens(16).features([-28.5])[0]))
    '1100111100100000'
    """

    bits: int = 64
    reciprocal: bool = True
    combine: str = "zero_pad"
    weight: float = 10.0

    def features(self, numbers) -> np.ndarray:
        bits = super().features(numbers)
        bits[~bits[:, 1:].any(1), 0] = 0  # no negative zero, also where a number rounds to it
        return bits

    def inverse(self, numbers: np.ndarray) -> np.ndarray:
        return float_bits(numbers, self.dtype)

    @property
    def head(self) -> Head:
        return BitHead(self.bits, self.overflow, self.weight)


@dataclass(frozen=True)
class Base10Tokens(Signs, FigureCode, ValueEncoder):
    """BitTokens with decimal digits, each one-hot in ten ±1 entries: a control for the base.

    deviates: 15 figures in place of 17, one entry for the sign; 1/0 counts as the largest number.

    `figures`: significant figures, 1 to 15; `reciprocal`, `combine`, `weight`: as of `BitTokens`.

    >>> Base10Tokens(3).features([-28.5]).tolist()
    [[1, 5, 0, 1, 2, 8, 5]]
    """

    reciprocal: bool = True
    combine: str = "zero_pad"
    weight: float = 10.0

    def indicators(self, features: np.ndarray) -> np.ndarray:
        n, d = features[:, 1:].shape
        digits = (features[:, 1:, None] == np.arange(10)).astype(np.uint8)  # 255 is no digit
        return np.concatenate([features[:, :1], digits.reshape(n, 10 * d)], 1)

    @property
    def head(self) -> Head:
        return FigureHead(self.figures, self.weight)


class SignEmbedding(Embedding):
    """(n, F) features and (1, d) words to (n, d), in float32."""

    def __init__(self, encoder: ValueEncoder, d_model: int):
        super().__init__()
        self.encoder, n_signs = encoder, encoder.signs(encoder.features([0])).shape[1]
        if encoder.combine.startswith("weighted"):
            self.project = nn.Linear(n_signs, d_model, bias=False)
        elif d_model < n_signs:
            wanted = f"{encoder} takes d_model >= {n_signs}, or combine='weighted_sum'"
            raise ValueError(f"{wanted}; got {d_model}")

    def embed(self, features: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        signs = self.encoder.signs(features.to(torch.uint8).cpu().numpy())
        signs, word = torch.from_numpy(signs).to(words), words[0]
        (d,), m, way = word.shape, signs.shape[1], self.encoder.combine
        if way.startswith("weighted"):
            return self.project(signs) + (word if way == "weighted_sum" else 0)
        if way == "concat":
            rest = word[m:] / _rms(word[m:])
            return torch.cat([signs, rest.expand(len(signs), -1)], 1)
        if way == "prod":
            return word * F.pad(signs, (0, d - m), value=1.0)
        u = F.pad(signs, (0, d - m))
        if way == "zero_pad":
            return math.sqrt(d / m) * u
        return word + (_rms(word) * u if way == "sum_scaled" else u)


def _rms(x: torch.Tensor) -> torch.Tensor:
    return x.square().mean().sqrt()
