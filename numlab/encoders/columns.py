"""Encoders that know a number's column: the slot of a text that it fills."""

import functools
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Self

import numpy as np

from numlab.codes.base import LARGEST, as_column
from numlab.codes.edges import as_edges, deviation, quantile_edges
from numlab.encoders.base import END, Tokens
from numlab.encoders.text import OneWord
from numlab.encoders.xval import XVal
from numlab.examples import Examples

__all__ = ["ColumnXVal", "FusedBins"]


def by_column(examples: list[Examples]) -> dict[str, np.ndarray]:
    """The numbers of each slot."""
    columns: dict[str, list] = {}
    for e in examples:
        for name in e.layout.number_slots:
            columns.setdefault(name, []).append(e.column(name).astype(float))
    return {name: np.concatenate(parts) for name, parts in columns.items()}


@dataclass(frozen=True)
class ColumnXVal(XVal):
    """xVal with a scale for each column; columns share the vector of [NUM] and the head.

    Parameters
    ----------
    scales : tuple of (str, float)
        Patterns of slots and their scales; the first that fits counts, then `scale`.
    """

    scales: tuple[tuple[str, float], ...] = ()

    @classmethod
    def fit(cls, examples: list[Examples], **fields) -> Self:
        """Each column in units of its deviation."""
        columns = by_column(examples).items()
        return cls(scales=tuple((name, deviation(x)) for name, x in columns), **fields)

    def at(self, slot: str) -> Self:
        fitting = (scale for pattern, scale in self.scales if fnmatchcase(slot, pattern))
        return replace(self, scale=next(fitting, self.scale))


@dataclass(frozen=True)
class FusedBins(OneWord):
    """One word for a column and a bin together; a number is its bin's centre (arXiv 2604.16775).

    Parameters
    ----------
    centres : tuple of (str, tuple of float)
        A pattern of slots, and the centres of its bins; the first that fits counts. A number has
        the word of the nearest centre.
    column : int
        The pattern whose words this encoder spells and reads; `at` sets it.

    Examples
    --------
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
        return cls(tuple((name, quantile_edges(x, bins - 1)) for name, x in columns))

    def at(self, slot: str) -> Self:
        for column, (pattern, _) in enumerate(self.centres):
            if fnmatchcase(slot, pattern):
                return replace(self, column=column)
        raise ValueError(f"FusedBins has {', '.join(p for p, _ in self.centres)}; got slot {slot}")

    @functools.cached_property
    def vocabulary(self) -> tuple[str, ...]:
        return tuple(f"{centre} {name}" for name, centres in self.centres for centre in centres)

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
