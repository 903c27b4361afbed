"""Two kinds of tasks: with independent texts, and with finitely many texts."""

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from numlab.examples import Examples
from numlab.tasks import base
from numlab.tasks.base import Task, child_seed, hold, natural

__all__ = ["IndependentTask", "PopulationTask"]

MOST_DRAWS = 200  # for each text of a split


class IndependentTask(Task):
    """A task whose i-th text is computed from the i-th row of an array of uniforms."""

    @property
    @abstractmethod
    def n_uniforms(self) -> int:
        """Uniform numbers for one text."""

    @abstractmethod
    def _texts(self, u, index, part, held) -> Iterator[tuple[int, Examples]]:
        """Texts from uniforms (n, n_uniforms), each Examples with the number of its layout."""

    def _parts(self, n_corpora: int) -> Sequence[Any]:
        """What each corpus of a split draws from; one corpus draws from everything."""
        return [None] * n_corpora

    def sample(self, n: int, seed: int, **fixed) -> list[Examples]:
        held = hold(fixed, self.limits, natural(n))
        return [e for _, e in self._draw(range(n), natural(seed), self._parts(1)[0], held)]

    def split(self, sizes: Sequence[int], seed: int) -> tuple[list[Examples], ...]:
        corpora = tuple([] for _ in sizes)
        for i, _, examples in self._shards(sizes, seed, max(*sizes, 1)):
            corpora[i].append(examples)
        return corpora

    def shards(self, sizes: Sequence[int], seed: int) -> Iterator[tuple[int, int, Examples]]:
        return self._shards(sizes, seed, base.SHARD)

    def _shards(self, sizes, seed: int, length: int) -> Iterator[tuple[int, int, Examples]]:
        for i, (n, part) in enumerate(zip(sizes, self._parts(len(sizes)), strict=True)):
            for start in range(0, natural(n), length):
                rows = range(start, min(start + length, n))
                for j, examples in self._draw(rows, child_seed(seed, i), part, {}):
                    yield i, j, examples

    def _draw(self, rows: range, seed: int, part, held) -> Iterator[tuple[int, Examples]]:
        if not len(rows):
            return iter(())
        bits = np.random.PCG64(seed)
        bits.advance(rows.start * self.n_uniforms)  # so that a text does not depend on its shard
        u = np.random.Generator(bits).random((len(rows), self.n_uniforms))
        return self._texts(u, np.arange(rows.start, rows.stop), part, held)


class PopulationTask(Task):
    """A task with finitely many texts, named by rows of an array.

    `sample` draws with replacement, `split` without: no text comes twice, in one corpus or in two.
    """

    @property
    @abstractmethod
    def population(self) -> int:
        """Number of different texts, or an upper bound."""

    @abstractmethod
    def _draw(self, n: int, seed: int) -> np.ndarray:
        """(n, columns) independent rows; those of a smaller n are the first of a larger."""

    @abstractmethod
    def _texts(self, rows: np.ndarray, held: Mapping[str, np.ndarray]) -> list[Examples]:
        """The texts of rows, with the parameters held fixed."""

    def _hold(self, fixed: Mapping[str, Any], n: int) -> Mapping[str, np.ndarray]:
        return hold(fixed, self.limits, n)

    def _names(self, rows: np.ndarray) -> np.ndarray:
        """(n, columns): equal where two rows count as the same text."""
        return rows

    def sample(self, n: int, seed: int, **fixed) -> list[Examples]:
        held = self._hold(fixed, natural(n))
        return self._texts(self._draw(n, natural(seed)), held) if n else []

    def split(self, sizes: Sequence[int], seed: int) -> tuple[list[Examples], ...]:
        n = sum(map(natural, sizes))
        if n > self.population:
            raise ValueError(f"{self} has {self.population:,} different texts; got sizes of {n:,}")
        rows = np.split(self._draw_distinct(n, child_seed(seed, 0)), np.cumsum(sizes)[:-1])
        return tuple(self._texts(part, {}) if len(part) else [] for part in rows)

    def _draw_distinct(self, n: int, seed: int) -> np.ndarray:
        """The first n different rows of the endless draw of a seed."""
        import pandas as pd

        most = min(self.population, 10**12)
        n_drawn = int(-1.02 * most * math.log1p(-n / (most + 1))) + 100  # coupon collector
        while n_drawn < MOST_DRAWS * (n + 100):
            rows = self._draw(n_drawn, seed)
            first = np.flatnonzero(~pd.DataFrame(self._names(rows)).duplicated())
            if len(first) >= n:
                return rows[first[:n]]
            n_drawn *= 2
        raise ValueError(f"{self}: {n:,} different texts; got {len(first):,} of {len(rows):,}")
