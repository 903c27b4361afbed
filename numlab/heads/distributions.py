"""Distributions of numbers that heads predict: histograms, mixtures of normals, samples.

Each describes m distributions in float64. `x` and `level` have shape (m,), or (k, m) for several
of each; results have the same shape.
"""

import abc
import math
from collections.abc import Callable

import torch
from torch.special import erf, erfc, ndtr, ndtri

HALF_NORMAL = 0.6744897501960817  # median of |Z|, Z standard normal
LOG_PEAK = math.log(2 * HALF_NORMAL / math.sqrt(2 * math.pi))  # of a tail, over a bar's height
BISECTIONS = 80


class Distribution(abc.ABC):
    """m distributions of numbers.

    Attributes
    ----------
    mean, mode : (m,)

    >>> import torch
    >>> d = nl.heads.Normals(torch.ones(1, 1), torch.zeros(1, 1), torch.ones(1, 1))
    >>> d.cdf(torch.tensor([[0.0], [1.96]])).round(decimals=3).tolist()
    [[0.5], [0.975]]
    """

    mean: torch.Tensor
    mode: torch.Tensor

    @abc.abstractmethod
    def cdf(self, x: torch.Tensor) -> torch.Tensor:
        """P(X <= x)."""

    def left_cdf(self, x: torch.Tensor) -> torch.Tensor:
        """P(X < x), which is cdf(x) where no single number has a probability."""
        return self.cdf(x)

    @abc.abstractmethod
    def quantile(self, level: torch.Tensor) -> torch.Tensor:
        """The least x with cdf(x) >= level."""

    @abc.abstractmethod
    def crps(self, x: torch.Tensor) -> torch.Tensor:
        """The continuous ranked probability score of x: ∫ (cdf(t) − 1[t ≥ x])² dt."""

    @abc.abstractmethod
    def log_density(self, x: torch.Tensor) -> torch.Tensor:
        """The natural logarithm of the density at x; a ValueError where there is none."""


class Histogram(Distribution):
    """Uniform in each bar; with `tails` the outer two are half-normals (TabPFN's bars).

    Parameters
    ----------
    log_share : (m, K) logarithm of each bar's probability.
    edges : (K + 1,) ascending.
    tails : whether the outer bars are half-normals with their peak at the inner edge and half of
        their mass within the bar: they extend to infinity.

    >>> import torch
    >>> share, edges = torch.tensor([[0.25, 0.75]]), torch.tensor([0.0, 1.0, 2.0])
    >>> bars = nl.heads.Histogram(share.log(), edges)
    >>> round(float(bars.mean), 3), round(float(bars.quantile(torch.tensor([0.5]))), 3)
    (1.25, 1.333)
    """

    def __init__(self, log_share: torch.Tensor, edges: torch.Tensor, tails: bool = False):
        self.log_share, self.edges, self.tails = log_share.double(), edges.double(), tails
        self.share = self.log_share.exp()
        self.below = torch.nn.functional.pad(self.share.cumsum(1), (1, 0)).clamp(max=1)  # (m, K+1)
        self.width = self.edges.diff()
        self.scale = self.width[[0, -1]] / HALF_NORMAL
        self.inner = self.edges[[1, -2]]  # where the tails begin

    @property
    def mean(self) -> torch.Tensor:
        centre = (self.edges[1:] + self.edges[:-1]) / 2
        if self.tails:
            out = self.scale * math.sqrt(2 / math.pi)
            centre = torch.cat([self.inner[:1] - out[0], centre[1:-1], self.inner[1:] + out[1]])
        return self.share @ centre

    @property
    def mode(self) -> torch.Tensor:
        log_height, peak = self.log_share - self.width.log(), (self.edges[1:] + self.edges[:-1]) / 2
        if self.tails:
            log_height[:, [0, -1]] += LOG_PEAK
            peak[[0, -1]] = self.inner
        return peak[log_height.argmax(1)]

    def _bar(self, x: torch.Tensor) -> torch.Tensor:
        """The bar of each number; the outer bars have what is beyond them."""
        return torch.bucketize(x.contiguous(), self.edges[1:-1], right=True)

    def _of(self, table: torch.Tensor, bar: torch.Tensor) -> torch.Tensor:
        """Entries of an (m, K) table."""
        return table[torch.arange(len(table)), bar]

    def _depth(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """How far numbers are out in the lower and in the upper tail, in sqrt(2) deviations."""
        low, high = (self.inner[0] - x) / self.scale[0], (x - self.inner[1]) / self.scale[1]
        return low.clamp(min=0) / math.sqrt(2), high.clamp(min=0) / math.sqrt(2)

    def cdf(self, x: torch.Tensor) -> torch.Tensor:
        x = x.double()
        bar = self._bar(x)
        inside = ((x - self.edges[bar]) / self.width[bar]).clamp(0, 1)
        result = self._of(self.below, bar) + self._of(self.share, bar) * inside
        if self.tails:
            low, high = self._depth(x)
            result = torch.where(low > 0, self.share[:, 0] * erfc(low), result)
            result = torch.where(high > 0, 1 - self.share[:, -1] * erfc(high), result)
        return result.clamp(max=1)  # the sum of shares can be 1e-15 above it

    def quantile(self, level: torch.Tensor) -> torch.Tensor:
        level = level.double().expand(torch.broadcast_shapes(level.shape, self.mean.shape))
        flat = level.reshape(-1, len(self.share)).T.contiguous()
        bar = torch.searchsorted(self.below[:, 1:-1].contiguous(), flat).T.reshape(level.shape)
        share = self._of(self.share, bar).clamp(min=1e-300)
        inside = ((level - self._of(self.below, bar)) / share).clamp(0, 1)
        result = self.edges[bar] + self.width[bar] * inside
        if self.tails:
            last = len(self.width) - 1
            low = self.inner[0] + self.scale[0] * ndtri(inside / 2)
            high = self.inner[1] - self.scale[1] * ndtri((1 - inside) / 2)
            result = torch.where(bar == 0, low, torch.where(bar == last, high, result))
        return result

    def log_density(self, x: torch.Tensor) -> torch.Tensor:
        x = x.double()
        bar = self._bar(x)
        result = self._of(self.log_share, bar) - self.width[bar].log()
        if not self.tails:
            outside = (x < self.edges[0]) | (x > self.edges[-1])
            return torch.where(outside, -torch.inf, result)
        low, high = self._depth(x)
        outer = (bar == 0) | (bar == len(self.width) - 1)
        return torch.where(outer, result + LOG_PEAK - (low + high).square(), result)

    def crps(self, x: torch.Tensor) -> torch.Tensor:
        """In closed form: cubic in each bar, error functions in the tails."""
        y = x.double()[..., None]
        left, right = self.edges[:-1], self.edges[1:]
        low, high = self.below[:, :-1], self.below[:, 1:]
        cut = torch.minimum(torch.maximum(y, left), right)
        at = low + (high - low) * (cut - left) / self.width

        def pieces(length, a, b):  # of the square of a line from a to b
            return length * (a * a + a * b + b * b) / 3

        parts = pieces(cut - left, low, at) + pieces(right - cut, 1 - at, 1 - high)
        y = y[..., 0]
        if not self.tails:
            beyond = (self.edges[0] - y).clamp(min=0) + (y - self.edges[-1]).clamp(min=0)
            return parts.sum(-1) + beyond
        total = parts[..., 1:-1].sum(-1)
        outer = self.share[:, [0, -1]].T
        for share, scale, depth in zip(outer, self.scale, self._depth(y), strict=True):
            total = total + scale * math.sqrt(2) * _tail(share, depth)
        return total


def _tail(share: torch.Tensor, depth: torch.Tensor) -> torch.Tensor:
    """The score's integral over a tail, whose mass beyond t is share * erfc(t); x is at `depth`."""

    def once(t):  # an antiderivative of erfc
        return t * erfc(t) - torch.exp(-t * t) / math.sqrt(math.pi)

    def twice(t):  # of erfc²
        falling = t * erfc(t) ** 2 - 2 / math.sqrt(math.pi) * torch.exp(-t * t) * erfc(t)
        return falling - math.sqrt(2 / math.pi) * erf(math.sqrt(2) * t)

    beyond = share**2 * (-math.sqrt(2 / math.pi) - twice(depth))
    single, double = (f(depth) - f(torch.zeros_like(depth)) for f in (once, twice))
    return beyond + depth - 2 * share * single + share**2 * double


class Normals(Distribution):
    """Mixtures of n normal distributions; `weights`, `means`, `widths` have shape (m, n).

    >>> import torch
    >>> weights, means = torch.tensor([[0.25, 0.75]]), torch.tensor([[0.0, 10.0]])
    >>> two = nl.heads.Normals(weights, means, widths=torch.ones(1, 2))
    >>> float(two.mean), float(two.mode)
    (7.5, 10.0)
    """

    def __init__(self, weights: torch.Tensor, means: torch.Tensor, widths: torch.Tensor):
        self.weights, self.means, self.widths = weights.double(), means.double(), widths.double()

    @property
    def mean(self) -> torch.Tensor:
        return (self.weights * self.means).sum(1)

    @property
    def mode(self) -> torch.Tensor:
        """The likeliest of the components' means: near the mode, which has no closed form."""
        heights = self.log_density(self.means.T)
        return self.means.gather(1, heights.argmax(0)[:, None])[:, 0]

    def _z(self, x: torch.Tensor) -> torch.Tensor:
        return (x.double()[..., None] - self.means) / self.widths

    def cdf(self, x: torch.Tensor) -> torch.Tensor:
        return (self.weights * ndtr(self._z(x))).sum(-1)

    def quantile(self, level: torch.Tensor) -> torch.Tensor:
        """By bisection of the cdf."""
        own = self.means + self.widths * ndtri(level.double()[..., None])
        low, high = own.amin(-1), own.amax(-1)  # it lies between the components' quantiles
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            below = self.cdf(middle) < level
            low, high = torch.where(below, middle, low), torch.where(below, high, middle)
        return (low + high) / 2

    def log_density(self, x: torch.Tensor) -> torch.Tensor:
        normal = -self._z(x).square() / 2 - self.widths.log() - math.log(2 * math.pi) / 2
        return (self.weights.log() + normal).logsumexp(-1)

    def crps(self, x: torch.Tensor) -> torch.Tensor:
        """E|X - x| - E|X - X'| / 2, both in closed form (Grimit and others, 2006)."""
        far = _distance(x.double()[..., None] - self.means, self.widths)
        gap = self.means[:, :, None] - self.means[:, None]
        both = self.widths[:, :, None].hypot(self.widths[:, None])
        pairs = self.weights[:, :, None] * self.weights[:, None] * _distance(gap, both)
        return (self.weights * far).sum(-1) - pairs.sum((1, 2)) / 2


def _distance(mean: torch.Tensor, width: torch.Tensor) -> torch.Tensor:
    """The mean absolute value of a normal distribution."""
    z = mean / width
    return width * math.sqrt(2 / math.pi) * torch.exp(-z * z / 2) + mean * erf(z / math.sqrt(2))


class Points(Distribution):
    """n samples of each of m distributions, (n, m), and perhaps the log density of any x.

    A NaN is a sample that encodes no number: it is dropped, and `valid` is the share of the others.
    The density leaves out what a head gives to features that encode no number, so it can integrate
    to less than 1.

    >>> import torch
    >>> points = nl.heads.Points(torch.tensor([[1.0], [1.0], [4.0], [torch.nan]]))
    >>> float(points.mean), float(points.mode), float(points.valid)
    (2.0, 1.0, 0.75)
    """

    def __init__(self, numbers: torch.Tensor, log_density: Callable | None = None):
        self.numbers = numbers.double().sort(0).values  # NaN stand last
        self.count = (~numbers.isnan()).sum(0)
        self.valid = self.count.double() / len(numbers)
        self._log_density = log_density

    @property
    def mean(self) -> torch.Tensor:
        return self.numbers.nanmean(0)

    @property
    def mode(self) -> torch.Tensor:
        """The number that comes most often, the least of several; to torch no two NaN are alike."""
        return self.numbers.mode(0).values

    @property
    def relative_median(self) -> torch.Tensor:
        """The number a with the least mean of abs(y - a) / abs(y): the median with weights
        1 / abs(y), which is 0 if a sample is (RAIL, 2403.04182)."""
        weights = 1 / self.numbers.abs().clamp(min=1e-300)
        reached = weights.nan_to_num(0.0).cumsum(0)
        place = (reached < reached[-1:] / 2).sum(0)
        return self.numbers[place, torch.arange(len(place))]

    def cdf(self, x: torch.Tensor) -> torch.Tensor:
        return (self.numbers <= x.double()[..., None, :]).sum(-2) / self.count.double()

    def left_cdf(self, x: torch.Tensor) -> torch.Tensor:
        return (self.numbers < x.double()[..., None, :]).sum(-2) / self.count.double()

    def quantile(self, level: torch.Tensor) -> torch.Tensor:
        place = (level.double() * self.count - 1e-9).ceil().clamp(min=1).minimum(self.count) - 1
        return self.numbers[place.clamp(min=0).long(), torch.arange(place.shape[-1])]

    def crps(self, x: torch.Tensor) -> torch.Tensor:
        gap = (self.numbers - x.double()[..., None, :]).abs()
        far = gap.masked_fill(self.numbers.isnan(), 0.0).sum(-2) / self.count
        below = torch.arange(1.0, len(self.numbers)).double()[:, None] / self.count
        return far - (below * (1 - below) * self.numbers.diff(dim=0)).nansum(0)

    def log_density(self, x: torch.Tensor) -> torch.Tensor:
        if self._log_density is None:
            raise ValueError("single numbers have probabilities, not densities")
        return self._log_density(x)
