"""A number's bin: smoothed targets (HL-Gauss), or bars with tails (TabPFN's distribution)."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import torch
from torch import nn
from torch.special import ndtr

from numlab.codes import ScaledCode
from numlab.codes.edges import as_edges, as_floats, quantile_edges
from numlab.heads.base import Head, HeadModule
from numlab.heads.distributions import Histogram
from numlab.numbers import check_count


@dataclass(frozen=True)
class BinHead(ScaledCode, Head):
    """A logit for each bin between edges; numbers are read as the mean of the histogram."""

    edges: tuple[float, ...] = (-1.0, 0.0, 1.0)  # ascending, in the numbers' own units
    scale: ClassVar[float] = 1.0
    closed: ClassVar[bool] = True
    tails: ClassVar[bool]

    def __post_init__(self):
        name, advice = type(self).__name__, "standardise the target"
        object.__setattr__(self, "edges", as_edges(name, self.edges, 3, self.scale, advice))

    def build(self, d_model: int) -> HeadModule:
        return HeadModule(self, nn.Linear(d_model, len(self.edges) - 1))

    def distribution(self, outputs: torch.Tensor) -> Histogram:
        edges = torch.tensor(self.edges, dtype=torch.float64, device=outputs.device)
        return Histogram(outputs.double().log_softmax(1), edges, self.tails)

    def read(self, outputs: torch.Tensor) -> torch.Tensor:
        return self.distribution(outputs).mean.float()[:, None]


@dataclass(frozen=True)
class HLGauss(BinHead):
    """A histogram, learned by cross-entropy to a normal around the number (Imani and White, 2018).

    The number that is read is the mean of the histogram.

    Parameters
    ----------
    edges : of the bins, ascending, in the numbers' own units; `fit` finds them.
    ratio : standard deviation of the normal distribution, in bin widths. Where bins are unequal,
        the number is first mapped linearly to bin units (our choice: the papers' bins are equal).
        Numbers beyond the edges count as the nearest edge.

    >>> HLGauss.fit([0.0, 1.0], bins=18).edges[0]
    -0.4
    """

    ratio: float = 1.0
    tails: ClassVar[bool] = False

    def __post_init__(self):
        super().__post_init__()
        if not 0 < self.ratio < np.inf:
            raise ValueError(f"HLGauss has a positive, finite ratio; got {self.ratio}")

    @classmethod
    def fit(cls, numbers, bins: int = 128, asinh: bool = False) -> Self:
        """Equal bins over the range of (n,) numbers, and 4 of `bins` beyond either end.

        With the ratio 1 a bin is as wide as the normal's standard deviation. With `asinh` bins are
        equal after x -> asinh((x - median) / interquartile range). ValueError below 9 bins.
        """
        check_count("bins", bins)
        x = as_floats(numbers)
        if bins < 9 or not len(x):
            wanted = "HLGauss is fitted to numbers, with more than 8 bins (margins of 4 deviations)"
            raise ValueError(f"{wanted}; got {len(x)} numbers, {bins} bins")
        low, middle, high = np.quantile(x, [0.25, 0.5, 0.75]) if asinh else (0.0, 0.0, 1.0)
        spread = (high - low) or max(1.0, 1e-4 * abs(middle))
        x = np.arcsinh((x - middle) / spread) if asinh else x
        same = max(1.0, 1e-4 * abs(x[0]))  # the range of a constant: float32 tells its bins apart
        width = ((x.max() - x.min()) or same) / (bins - 8)
        edges = x.min() + width * (np.arange(bins + 1) - 4)
        edges = middle + spread * np.sinh(edges) if asinh else edges
        return cls(tuple(edges.tolist()))

    def loss(self, outputs: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        """Cross-entropies, in float32."""
        return -(self.targets(features[:, 0]).float() * outputs.float().log_softmax(1)).sum(1)

    def targets(self, numbers: torch.Tensor) -> torch.Tensor:
        """(m,) numbers to the (m, K) distributions that stand for them."""
        edges = torch.tensor(self.edges, dtype=torch.float64, device=numbers.device)
        x = numbers.double().clamp(edges[0], edges[-1])
        bin = torch.bucketize(x, edges[1:-1], right=True)
        place = bin + (x - edges[bin]) / (edges[bin + 1] - edges[bin])
        borders = torch.arange(len(edges), device=numbers.device, dtype=torch.float64)
        below = ndtr((borders - place[:, None]) / self.ratio)
        return below.diff(dim=1) / (below[:, -1:] - below[:, :1])


@dataclass(frozen=True)
class Bars(BinHead):
    """A histogram with tails, learned by maximum likelihood: the bar distribution of TabPFN.

    Between the `edges`, ascending and in the numbers' own units, it is uniform in each bar; the
    outer two bars are half-normals that extend to infinity. The mean of it is read.

    >>> nl.heads.Bars.fit([0.0, 1.0, 2.0, 3.0], bins=2).edges
    (0.0, 1.5, 3.0)
    """

    tails: ClassVar[bool] = True

    @classmethod
    def fit(cls, numbers, bins: int = 128) -> Self:
        """`bins` bars that hold equally many of the (n,) numbers; fewer where numbers repeat."""
        return cls(quantile_edges(numbers, bins))

    def loss(self, outputs: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        """Negative log densities."""
        return -self.distribution(outputs).log_density(features[:, 0]).float()
