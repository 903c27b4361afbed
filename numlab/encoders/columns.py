"""Encoders that know a number's column: the slot of a text that it fills."""

import functools
import glob
import re
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Self

import numpy as np

from numlab.codes.base import LARGEST, as_column
from numlab.codes.edges import as_edges, deviation, quantile_edges
from numlab.encoders.base import END, Encoder, Tokens
from numlab.encoders.text import OneWord
from numlab.encoders.xval import XVal
from numlab.examples import Examples

DECADES = 3  # of a column whose scale is bent
PLAIN = XVal()


def by_column(examples: list[Examples]) -> dict[str, np.ndarray]:
    """The numbers of each slot."""
    columns: dict[str, list] = {}
    for e in examples:
        for name in e.layout.number_slots:
            columns.setdefault(name, []).append(e.column(name).astype(float))
    return {name: np.concatenate(parts) for name, parts in columns.items()}


@dataclass(frozen=True)
class FusedBins(OneWord):
    """One word for a column and a bin together; a number is its bin's centre (arXiv 2604.16775).

    Parameters
    ----------
    centres : (slot pattern, bin centres) pairs; the first matching pattern applies. A number has
        the word of the nearest centre.
    column : the pattern whose words this encoder spells and reads; `at` sets it.

    >>> FusedBins((("m*", (1.0, 2.0)), ("x*", (0.0, 1.0)))).at("x0").spell(0.7)
    ['1.0 x*']
    """

    centres: tuple[tuple[str, tuple[float, ...]], ...] = (("*", (-2.0, -1.0, 0.0, 1.0, 2.0)),)
    column: int = 0
    bounds = (-LARGEST, LARGEST)

    def __post_init__(self):
        centres = tuple((name, as_edges("FusedBins", own)) for name, own in self.centres)
        object.__setattr__(self, "centres", centres)

    @classmethod
    def fit(cls, examples: list[Examples], bins: int = 48) -> Self:
        """Centres at each column's quantiles; a column has two or more different numbers."""
        columns = by_column(examples).items()
        return cls(tuple((glob.escape(name), quantile_edges(x, bins - 1)) for name, x in columns))

    def at(self, slot: str) -> Self:
        for column, (pattern, _) in enumerate(self.centres):
            if fnmatchcase(slot, pattern):
                return replace(self, column=column)
        raise ValueError(f"FusedBins has {', '.join(p for p, _ in self.centres)}; got slot {slot}")

    @functools.cached_property
    def vocabulary(self) -> tuple[str, ...]:
        names = (re.sub(r"\[(.)\]", r"\1", name) for name, _ in self.centres)  # not escaped
        pairs = zip(names, self.centres, strict=True)
        return tuple(f"{centre} {name}" for name, (_, centres) in pairs for centre in centres)

    @functools.cached_property
    def word_values(self) -> np.ndarray:
        return np.concatenate([centres for _, centres in self.centres])

    @property
    def words(self) -> tuple[int, int]:
        """The first word of the column, and the first that is no more of it."""
        first = sum(len(centres) for _, centres in self.centres[: self.column])
        return first, first + len(self.centres[self.column][1])

    def index(self, numbers) -> np.ndarray:
        x, (first, end) = self.in_range(numbers).astype(float), self.words
        own = self.word_values[first:end]
        return first + np.searchsorted((own[1:] + own[:-1]) / 2, x)

    def precision(self, numbers) -> np.ndarray:
        return np.abs(as_column(numbers).astype(float) - self.word_values[self.index(numbers)])

    def decode(self, tokens: Tokens) -> np.ndarray:
        ids, (first, end) = tokens.packed(1), self.words
        of_column = ((ids == END) | ((ids >= first) & (ids < end))).all(1)
        return np.where(of_column, super().decode(tokens), np.nan)


def _of_inner(name: str) -> property:
    return property(lambda self: getattr(self.inner, name))


@dataclass(frozen=True)
class Standardised(Encoder):
    """Another encoder of numbers that are standardised by column.

    A number x is spelled as ((bent x) - centre) / scale, where bent x is asinh(x / bend): a
    logarithm that passes through 0; with a bend of 0 it is x. 0 is exact where the centre is 0.

    Parameters
    ----------
    inner : the encoder; one of values that are near 0, such as XVal, PLE or Periodic.
    columns : (slot pattern, bend, centre, scale); the first matching pattern applies, and a slot
        that matches none is not transformed.

    >>> Standardised(columns=(("*", 0, 100, 10),)).encode([90, 105]).features.tolist()
    [[-1.0], [0.5]]
    """

    inner: Encoder = PLAIN
    columns: tuple[tuple[str, float, float, float], ...] = ()
    vocabulary, carriers = _of_inner("vocabulary"), _of_inner("carriers")
    length, fixed = _of_inner("length"), _of_inner("fixed")
    n_features, feature_dtype = _of_inner("n_features"), _of_inner("feature_dtype")
    token_mlp, head = _of_inner("token_mlp"), _of_inner("head")

    @classmethod
    def fit(cls, examples: list[Examples], inner: Encoder | None = None) -> Self:
        """Mean 0 and deviation 1 in each column, bent where it has 3 decades or more."""
        columns = by_column(examples).items()
        units = tuple((glob.escape(name), *bend_centre_scale(x)) for name, x in columns)
        return cls(inner or cls.inner, units)

    def at(self, slot: str) -> Self:
        fitting = (own for pattern, *own in self.columns if fnmatchcase(slot, pattern))
        return replace(self, columns=(("*", *next(fitting, (0.0, 0.0, 1.0))),))

    @functools.cached_property
    def _own(self) -> tuple[float, float, float]:
        """Bend, centre and scale of any slot: `at` sets them."""
        return next((own for pattern, *own in self.columns if pattern == "*"), (0.0, 0.0, 1.0))

    def units(self, numbers) -> np.ndarray:
        """(n,) numbers, bent, less the centre, over the scale."""
        bend, centre, scale = self._own
        x = as_column(numbers).astype(float)
        return (bent(x, bend) - centre) / scale

    def _number(self, units: np.ndarray) -> np.ndarray:
        bend, centre, scale = self._own
        with np.errstate(over="ignore"):
            x = np.asarray(units, float) * scale + centre
            return bend * np.sinh(x) if bend else x

    @property
    def answer(self) -> Encoder:
        own = self.inner.answer
        return self if own is self.inner else replace(self, inner=own)

    @functools.cached_property
    def bounds(self) -> tuple[float, float]:
        ends = self._number(np.array(self.inner.bounds, float) * (1 - 1e-9))
        largest = LARGEST / 4 * min(1.0, self._own[0] or 1.0)  # what bends does not overflow
        return tuple(np.clip(ends, -largest, largest).tolist())

    def precision(self, numbers) -> np.ndarray:
        (bend, centre, scale), x = self._own, as_column(numbers).astype(float)
        slope = scale * (np.hypot(x, bend) if bend else 1.0)
        rounded = 2.0**-50 * (1 + np.abs(bent(x, bend)) + abs(centre)) / scale
        return slope * (self.inner.precision(self.units(x)) + rounded)

    def encode(self, numbers) -> Tokens:
        return self.inner.encode(self.units(self.in_range(numbers)))

    def decode(self, tokens: Tokens) -> np.ndarray:
        found = self._number(self.inner.decode(tokens))
        return np.where(np.isfinite(found), found, np.nan)

    def embedding(self, d_model: int):
        return self.inner.embedding(d_model)

    @functools.cached_property
    def word_values(self) -> np.ndarray:
        return np.full(len(self.vocabulary), np.nan)  # a word is another number in each column

    @property
    def label(self) -> str:
        return f"{self.inner.label} (by column)"

    def __str__(self) -> str:
        return f"{self.inner} (by column)"


def bent(x: np.ndarray, bend: float) -> np.ndarray:
    """asinh(x / bend): about linear below `bend`, logarithmic above; x for a bend of 0."""
    return np.arcsinh(x / bend) if bend else x


def bend_centre_scale(numbers: np.ndarray) -> tuple[float, float, float]:
    """What standardises numbers; bent where their sizes have 3 decades or more."""
    sizes = np.abs(numbers[numbers != 0])
    low, high = np.quantile(sizes, (0.01, 0.99)) if len(sizes) else (1.0, 1.0)
    bend = float(low) if high >= low * 10.0**DECADES else 0.0
    x = bent(numbers, bend)
    return bend, float(x.mean()), deviation(x)
