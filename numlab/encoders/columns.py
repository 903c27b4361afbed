"""Encoders that know a number's column: the slot of a text that it fills."""

import functools
import glob
import re
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Self

import numpy as np

from numlab.codes.base import LARGEST, as_column
from numlab.codes.edges import as_edges, as_floats, deviation, near_one, quantile_centres
from numlab.encoders.base import Encoder, OneWord, Tokens
from numlab.encoders.xval import XVal
from numlab.examples import Examples, as_list
from numlab.numbers import check_count

DECADES = 3  # a column spanning this many decades is asinh-transformed
PLAIN = XVal()


def by_column(examples: list[Examples]) -> dict[str, np.ndarray]:
    """The numbers of each slot; ValueError for an integer beyond float64."""
    columns: dict[str, list] = {}
    for e in as_list(examples):
        for name in e.layout.number_slots:
            columns.setdefault(name, []).append(as_floats(e.column(name), f"numbers of {name}"))
    return {name: np.concatenate(parts) for name, parts in columns.items()}


@dataclass(frozen=True)
class FusedBins(OneWord):
    """One word for a column and a bin together; a number is its bin's centre (arXiv 2604.16775).

    Parameters
    ----------
    centres : (slot pattern, bin centres) pairs; the first matching pattern applies. A number has
        the word of the nearest centre.
    column : index in `centres` of the pattern whose words this encoder spells and reads; `at` sets
        it. None: none is chosen yet.

    >>> FusedBins((("m*", (1.0, 2.0)), ("x*", (0.0, 1.0)))).at("x0").spell(0.7)
    ['1.0 x*']
    """

    centres: tuple[tuple[str, tuple[float, ...]], ...] = (("*", (-2.0, -1.0, 0.0, 1.0, 2.0)),)
    column: int | None = None
    bounds = (-LARGEST, LARGEST)

    def __post_init__(self):
        centres = tuple((name, as_edges(f"FusedBins of {name}", own)) for name, own in self.centres)
        object.__setattr__(self, "centres", centres)
        if not centres:
            raise ValueError("FusedBins has the centres of one column or more; got none")
        if self.column is not None:
            check_count("the column of FusedBins", self.column, 0, len(centres) - 1)

    @classmethod
    def fit(cls, examples: list[Examples], bins: int = 48) -> Self:
        """`bins` centres, 2 or more, at each column's quantiles; fewer where numbers repeat.

        A column has two or more different numbers.

        Pass the training examples only: those of a whole table would leak the test's numbers.
        """
        columns = by_column(examples).items()
        return cls(tuple((glob.escape(name), quantile_centres(x, bins)) for name, x in columns))

    def at(self, slot: str) -> Self:
        for column, (pattern, _) in enumerate(self.centres):
            if fnmatchcase(slot, pattern):
                return replace(self, column=column) if len(self.centres) > 1 else self
        raise ValueError(f"FusedBins has {', '.join(p for p, _ in self.centres)}; got slot {slot}")

    @property
    def unchosen(self) -> tuple[str, ...]:
        several = self.column is None and len(self.centres) > 1
        return tuple(name for name, _ in self.centres) if several else ()

    @functools.cached_property
    def vocabulary(self) -> tuple[str, ...]:
        names = (re.sub(r"\[(.)\]", r"\1", name) for name, _ in self.centres)  # not escaped
        pairs = zip(names, self.centres, strict=True)
        return tuple(f"{centre} {name}" for name, (_, centres) in pairs for centre in centres)

    @functools.cached_property
    def word_values(self) -> np.ndarray:
        return np.concatenate([centres for _, centres in self.centres])

    @property
    def words(self) -> range:
        column = self.column or 0
        first = sum(len(centres) for _, centres in self.centres[:column])
        return range(first, first + len(self.centres[column][1]))

    def index(self, numbers) -> np.ndarray:
        _check_chosen(self)
        x, own = self.in_range(numbers).astype(float), self.word_values[self.words]
        return self.words.start + np.searchsorted(own[1:] / 2 + own[:-1] / 2, x)


def _check_chosen(encoder: Encoder) -> None:
    if names := ", ".join(encoder.unchosen[:12]):
        raise ValueError(f"{encoder} has columns, {names}: take encoder.at(column)")


def _of_inner(name: str) -> property:
    return property(lambda self: getattr(self.inner, name))


@dataclass(frozen=True)
class Standardised(Encoder):
    """Another encoder of numbers that are standardised by column.

    A number x is spelled as (y - centre) / scale. With `asinh_scale` > 0, y = asinh(x /
    asinh_scale), a logarithm that passes through 0; else y = x. 0 is exact where the centre is 0.

    Parameters
    ----------
    inner : the encoder; one of values that are near 0, such as XVal, PLE or Periodic.
    columns : tuples (slot pattern, asinh_scale, centre, scale); the first matching pattern applies,
        and a slot that matches none is not transformed.

    >>> Standardised(columns=(("*", 0, 100, 10),)).encode([90, 105]).features.tolist()
    [[-1.0], [0.5]]
    """

    inner: Encoder = PLAIN
    columns: tuple[tuple[str, float, float, float], ...] = ()
    vocabulary, carriers = _of_inner("vocabulary"), _of_inner("carriers")
    length, fixed = _of_inner("length"), _of_inner("fixed")
    n_features, feature_dtype = _of_inner("n_features"), _of_inner("feature_dtype")
    token_mlp, head = _of_inner("token_mlp"), _of_inner("head")

    def __post_init__(self):
        if not isinstance(self.inner, Encoder):
            raise ValueError(f"Standardised: inner is an encoder; got {self.inner!r}")
        object.__setattr__(self, "columns", tuple(map(tuple, self.columns)))
        for pattern, asinh_scale, centre, scale in self.columns:
            finite = np.isfinite([asinh_scale, centre, scale]).all()
            if not (finite and asinh_scale >= 0 and scale > 0):
                expected = "expected (pattern, asinh_scale >= 0, centre, scale > 0), all finite"
                got = f"{pattern!r}, {asinh_scale}, {centre}, {scale}"
                raise ValueError(f"Standardised: {expected}; got ({got})")

    @classmethod
    def fit(cls, examples: list[Examples], inner: Encoder = PLAIN) -> Self:
        """Mean 0 and standard deviation 1 in each column.

        A column is asinh-transformed first if its absolute values without 0 span 3 decades (factors
        of ten) or more, from the 1 % to the 99 % quantile. Pass the training examples only: those
        of a whole table would leak the test's numbers.
        """
        columns = by_column(examples).items()
        fitted = tuple((glob.escape(name), *asinh_centre_scale(x)) for name, x in columns)
        return cls(inner, fitted)

    def at(self, slot: str) -> Self:
        fitting = (own for pattern, *own in self.columns if fnmatchcase(slot, pattern))
        return replace(self, columns=(("*", *next(fitting, (0.0, 0.0, 1.0))),))

    @property
    def unchosen(self) -> tuple[str, ...]:
        names = tuple(name for name, *_ in self.columns)
        return () if "*" in names else names

    @property
    def bends(self) -> bool:
        return any(asinh_scale for _, asinh_scale, *_ in self.columns)

    @functools.cached_property
    def _transform(self) -> tuple[float, float, float]:
        """asinh_scale, centre and scale of the slot that `at` chose."""
        return next((own for pattern, *own in self.columns if pattern == "*"), (0.0, 0.0, 1.0))

    def units(self, numbers) -> np.ndarray:
        """(n,) standardised numbers."""
        asinh_scale, centre, scale = self._transform
        x = as_column(numbers).astype(float)
        return (_asinh(x, asinh_scale) - centre) / scale

    def _number(self, units: np.ndarray) -> np.ndarray:
        asinh_scale, centre, scale = self._transform
        with np.errstate(over="ignore"):
            x = np.asarray(units, float) * scale + centre
            return asinh_scale * np.sinh(x) if asinh_scale else x

    @property
    def answer(self) -> Encoder:
        own = self.inner.answer
        return self if own is self.inner else replace(self, inner=own)

    @functools.cached_property
    def bounds(self) -> tuple[float, float]:
        ends = self._number(np.array(self.inner.bounds, float) * (1 - 1e-9))
        largest = LARGEST / 4 * min(1.0, self._transform[0] or 1.0)  # x / asinh_scale is finite
        return tuple(np.clip(ends, -largest, largest).tolist())

    def encode(self, numbers) -> Tokens:
        _check_chosen(self)
        return self.inner.encode(self.units(self.in_range(numbers)))

    def decode(self, tokens: Tokens) -> np.ndarray:
        _check_chosen(self)
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


def _asinh(x: np.ndarray, scale: float) -> np.ndarray:
    """asinh(x / scale): about linear below `scale`, logarithmic above; x for a scale of 0."""
    return np.arcsinh(x / scale) if scale else x


def asinh_centre_scale(numbers: np.ndarray) -> tuple[float, float, float]:
    """The asinh_scale (0: none, below 3 decades), centre and scale that standardise numbers."""
    sizes = np.abs(numbers[numbers != 0])
    low, high = np.quantile(sizes, (0.01, 0.99)) if len(sizes) else (1.0, 1.0)
    low = max(float(low), 8 * (np.max(sizes, initial=0.0) / LARGEST))  # so that x / low is finite
    asinh_scale = low if high >= low * 10.0**DECADES else 0.0
    x = _asinh(numbers, asinh_scale)
    scaled, k = near_one(x)
    return asinh_scale, float(np.ldexp(scaled.mean(), k)), deviation(x)
