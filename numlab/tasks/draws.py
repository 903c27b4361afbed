"""Tasks that compute each text from a row of an array: independent rows, or different ones."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from numlab.examples import Examples
from numlab.tasks import base
from numlab.tasks.base import Columns, Task, child_seed, groups, hold, natural

MOST_DRAWS = 200  # for each text of a split


def pick(choices: Sequence, u: np.ndarray) -> np.ndarray:
    """(n,) choices, from uniforms (n,)."""
    return np.array(choices)[(u * len(choices)).astype(int)]


class RowTask(Task):
    """A task that draws rows of an array; each row chooses a layout and fills it."""

    @abstractmethod
    def _draw(self, n: int, seed: int) -> np.ndarray:
        """(n, columns) independent rows; those of a smaller n are the first of a larger."""

    def _choose(self, rows: np.ndarray) -> np.ndarray:
        """(n,) which of `layouts` each row has."""
        return np.zeros(len(rows), int)

    @abstractmethod
    def _fill(self, i: int, rows: np.ndarray, held: Columns) -> tuple:
        """Numbers, and words or None, of rows that have the i-th layout."""

    def _hold(self, fixed: Mapping[str, Any], n: int) -> Columns:
        return hold(fixed, self.limits, n)

    def sample(self, n: int, seed: int, **fixed) -> list[Examples]:
        held = self._hold(fixed, natural(n))
        return self._texts(self._draw(n, natural(seed)), held)

    def _texts(self, rows: np.ndarray, held: Columns, start: int = 0) -> list[Examples]:
        """One Examples for each layout; the first row has the index `start`."""
        layouts, corpus = self.layouts(), []
        for i, chosen in groups(self._choose(rows)):
            own = {name: column[chosen] for name, column in held.items()}
            numbers, words = self._fill(i, rows[chosen], own)
            corpus.append(Examples(layouts[i], numbers, words, start + chosen))
        return corpus


class IndependentTask(RowTask):
    """A task whose i-th row holds the i-th `n_uniforms` uniform numbers of a seed."""

    n_uniforms: int

    def shards(self, sizes: Sequence[int], seed: int) -> Iterator[tuple[int, Examples]]:
        for i, (task, n) in enumerate(zip(self._parts(len(sizes)), sizes, strict=True)):
            for start in range(0, natural(n), base.SHARD):
                rows = task._draw(min(base.SHARD, n - start), child_seed(seed, i), start)
                for examples in task._texts(rows, {}, start):
                    yield i, examples

    def _draw(self, n: int, seed: int, start: int = 0) -> np.ndarray:
        bits = np.random.PCG64(seed)
        bits.advance(start * self.n_uniforms)  # so that a text does not depend on its shard
        return np.random.Generator(bits).random((n, self.n_uniforms))


class PopulationTask(RowTask):
    """A task with finitely many texts.

    `sample` draws with replacement, `split` without: no text comes twice, in one corpus or in two.
    """

    @property
    @abstractmethod
    def population(self) -> int:
        """Number of different texts, or an upper bound."""

    def _names(self, rows: np.ndarray) -> np.ndarray:
        """(n, columns): equal where two rows count as the same text."""
        return rows

    def split(self, sizes: Sequence[int], seed: int) -> tuple[list[Examples], ...]:
        n = sum(map(natural, sizes))
        if n > self.population:
            raise ValueError(f"{self} has {self.population:,} different texts; got sizes of {n:,}")
        rows = np.split(self._draw_distinct(n, child_seed(seed, 0)), np.cumsum(sizes)[:-1])
        return tuple(self._texts(part, {}) for part in rows)

    def _draw_distinct(self, n: int, seed: int) -> np.ndarray:
        """The first n different rows of the endless draw of a seed."""
        import pandas as pd

        n_drawn = n + n // 4 + 100
        while n_drawn < MOST_DRAWS * (n + 100):
            rows = self._draw(n_drawn, seed)
            first = np.flatnonzero(~pd.DataFrame(self._names(rows)).duplicated())
            if len(first) >= n:
                return rows[first[:n]]
            n_drawn *= 2
        raise ValueError(f"{self}: {n:,} different texts; got {len(first):,} of {len(rows):,}")
