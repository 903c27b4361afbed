"""Piecewise-linear and periodic encodings of one value, and soft bins (Gorishniy and others, 2022).

arXiv 2203.05556, in the form of rtdl_num_embeddings; version B of PLE is TabM's (2410.24210).
"""

import math
from dataclasses import dataclass
from typing import Self

import torch
from torch import nn

from numlab.codes import ScaledCode
from numlab.codes.edges import as_edges, deviation, quantile_centres, quantile_edges, tree_edges
from numlab.encoders.base import Embedding, ValueEncoder
from numlab.heads import Head, ValueHead
from numlab.numbers import check_count

UNIT = (-2.0, -1.0, 0.0, 1.0, 2.0)
STANDARDISE = "standardise the numbers, by Standardised,"


class SmoothEncoder(ScaledCode, ValueEncoder):
    """x / scale in float32; a learned function embeds it, and the head predicts one number."""

    @property
    def head(self) -> Head:
        return ValueHead(self.scale)


@dataclass(frozen=True)
class PLE(SmoothEncoder):
    """Piecewise-linear encoding: component k is the fraction of bin k that lies below the number.

    The outer two components are not clipped.

    Parameters
    ----------
    edges : of the bins, in the numbers' own units.
    kind : "A": W PLE(x) + b. "B": w x + b + W PLE(x), W zero at the start (recommended).
    relu : whether a ReLU follows on W PLE(x), with the bias in A.
    scale : numbers and edges are divided by it in float32; `fit` takes the standard deviation.

    >>> import torch
    >>> x = torch.tensor([[-1.0], [2.0], [9.0]])
    >>> nl.PLE((0, 1, 3, 7)).embedding(4).components(x).tolist()
    [[-1.0, 0.0, 0.0], [1.0, 0.5, 0.0], [1.0, 1.0, 1.5]]
    """

    edges: tuple[float, ...] = UNIT
    kind: str = "B"
    relu: bool = False
    scale: float = 1.0

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "edges", as_edges("PLE", self.edges, 2, self.scale, STANDARDISE))
        if self.kind not in ("A", "B"):
            raise ValueError(f"PLE is of kind 'A' or 'B'; got {self.kind!r}")

    @classmethod
    def fit(cls, numbers, bins: int = 48, targets=None, **fields) -> Self:
        """Bins between quantiles of the numbers, or with `targets` the cuts of a tree."""
        by_tree = targets is not None
        edges = tree_edges(numbers, targets, bins) if by_tree else quantile_edges(numbers, bins)
        return cls(edges, scale=deviation(numbers), **fields)

    def embedding(self, d_model: int) -> nn.Module:
        return PiecewiseLinear(self, d_model)


class PiecewiseLinear(Embedding):
    """(m, 1) values and a word, which is not used, to (m, d)."""

    def __init__(self, encoder: PLE, d_model: int):
        super().__init__()
        edges = torch.tensor(encoder.edges, dtype=torch.float64) / encoder.scale
        self.register_buffer("edges", edges.float(), persistent=False)
        self.relu, self.linear = encoder.relu, None
        self.bins = nn.Linear(len(edges) - 1, d_model, bias=encoder.kind == "A")
        if encoder.kind == "B":
            nn.init.zeros_(self.bins.weight)
            self.linear = nn.Linear(1, d_model)
            for parameter in self.linear.parameters():
                nn.init.uniform_(parameter, -(d_model**-0.5), d_model**-0.5)

    def components(self, x: torch.Tensor) -> torch.Tensor:
        """(m, 1) to (m, bins)."""
        part = (x - self.edges[:-1]) / self.edges.diff()
        first, last = part[:, :1].clamp(max=1), part[:, -1:].clamp(min=0)
        return torch.cat([first, part[:, 1:-1].clamp(0, 1), last], 1) if part.shape[1] > 1 else part

    def embed(self, x: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        bins = self.bins(self.components(x))
        bins = bins.relu() if self.relu else bins
        if self.linear is None:
            return bins
        # our choice: x is measured from the middle edge, so shifting all numbers changes nothing
        return bins + self.linear(x - self.edges[len(self.edges) // 2])


@dataclass(frozen=True)
class Periodic(SmoothEncoder):
    """ReLU(W [cos, sin](2 pi w x) + b) at n learned frequencies w ("PLR").

    Parameters
    ----------
    n : how many frequencies.
    sigma : standard deviation of the initial frequencies, truncated at 3 sigma. Tune it: the best
        is mostly below 0.5, and a small one is safe.
    scale : numbers are divided by it in float32; `fit` takes their standard deviation.

    >>> nl.Periodic(n=2).encode([2.5]).features
    array([[2.5]], dtype=float32)
    """

    n: int = 48
    sigma: float = 0.01
    scale: float = 1.0

    def __post_init__(self):
        super().__post_init__()
        check_count("n of Periodic", self.n)
        if not 0 < self.sigma < math.inf:
            raise ValueError(f"Periodic has a positive, finite sigma; got {self.sigma}")

    @classmethod
    def fit(cls, numbers, **fields) -> Self:
        """`scale` is the numbers' standard deviation; `fields` are the other fields.

        Standardise numbers far from 0 first: float32 rounds them.
        """
        return cls(scale=deviation(numbers), **fields)

    def embedding(self, d_model: int) -> nn.Module:
        return Waves(self, d_model)


class Waves(Embedding):
    """(m, 1) values and a word, which is not used, to (m, d)."""

    def __init__(self, encoder: Periodic, d_model: int):
        super().__init__()
        sigma = encoder.sigma
        frequencies = nn.init.trunc_normal_(torch.empty(encoder.n), 0, sigma, -3 * sigma, 3 * sigma)
        self.frequencies, self.out = nn.Parameter(frequencies), nn.Linear(2 * encoder.n, d_model)

    def embed(self, x: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        angles = 2 * math.pi * self.frequencies * x
        return self.out(torch.cat([angles.cos(), angles.sin()], 1)).relu()


@dataclass(frozen=True)
class SoftBins(SmoothEncoder):
    """A vector for each centre; between two of them, the mixture of both (soft discretisation).

    Numbers beyond the outer centres are embedded as the nearest centre.

    Parameters
    ----------
    centres : ascending, in the numbers' own units.
    scale : numbers and centres are divided by it in float32; `fit` takes the standard deviation.

    >>> nl.SoftBins().encode([0.5]).features
    array([[0.5]], dtype=float32)
    """

    centres: tuple[float, ...] = UNIT
    scale: float = 1.0

    def __post_init__(self):
        super().__post_init__()
        centres = as_edges("SoftBins", self.centres, 2, self.scale, STANDARDISE)
        object.__setattr__(self, "centres", centres)

    @classmethod
    def fit(cls, numbers, bins: int = 48) -> Self:
        """`bins` centres, 2 or more, at quantiles of the numbers; equal ones become one centre.

        `scale` is the numbers' standard deviation.
        """
        return cls(quantile_centres(numbers, bins), deviation(numbers))

    def embedding(self, d_model: int) -> nn.Module:
        return SoftTable(self, d_model)


class SoftTable(Embedding):
    """(m, 1) values and a word, which is not used, to (m, d)."""

    def __init__(self, encoder: SoftBins, d_model: int):
        super().__init__()
        centres = torch.tensor(encoder.centres, dtype=torch.float64) / encoder.scale
        self.register_buffer("centres", centres.float(), persistent=False)
        self.table = nn.Parameter(nn.init.normal_(torch.empty(len(centres), d_model), std=0.02))

    def embed(self, x: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        x = x[:, 0].clamp(self.centres[0], self.centres[-1])
        k = torch.bucketize(x, self.centres[1:-1], right=True)
        share = ((x - self.centres[k]) / (self.centres[k + 1] - self.centres[k]))[:, None]
        return (1 - share) * self.table[k] + share * self.table[k + 1]
