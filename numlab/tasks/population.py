"""Tasks with finitely many texts: `sample` draws with replacement, `split` without."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np

from numlab.examples import Examples
from numlab.tasks.base import Task, child_seed, hold, natural

__all__ = ["PopulationTask", "first_occurrences"]

MOST_DRAWS = 200  # per text of a split


class PopulationTask(Task):
    """A task whose texts can repeat: each row of an array names a text."""

    @property
    @abstractmethod
    def population(self) -> int:
        """Number of different texts, or more."""

    @abstractmethod
    def _draw(self, n: int, seed: int) -> np.ndarray:
        """(n, columns) independent rows; those of a smaller n are the first of a larger."""

    @abstractmethod
    def _texts(self, rows: np.ndarray, held: Mapping[str, np.ndarray]) -> list[Examples]:
        """The texts that rows name, but for the parameters held fixed."""

    def _hold(self, fixed: Mapping[str, object], n: int) -> Mapping[str, np.ndarray]:
        return hold(fixed, self.limits, n)

    def _names(self, rows: np.ndarray) -> np.ndarray:
        """(n, columns) or (n,): equal where two rows count as the same text."""
        return rows

    def sample(self, n: int, seed: int, **fixed) -> list[Examples]:
        held = self._hold(fixed, natural(n))
        return self._texts(self._draw(n, natural(seed)), held) if n else []

    def split(self, sizes: Sequence[int], seed: int) -> tuple[list[Examples], ...]:
        """Draw corpora without replacement, by convention (test, valid, train).

        No text comes twice, in one corpus or in two. A corpus does not depend on the sizes of
        those after it, and a smaller last corpus is the beginning of a larger one.
        """
        total = sum(map(natural, sizes))
        if total > self.population:
            raise ValueError(
                f"{self} has {self.population:,} different texts; got sizes of {total:,} in all"
            )
        rows = np.split(self._draw_distinct(total, child_seed(seed, 0)), np.cumsum(sizes)[:-1])
        return tuple(self._texts(part, {}) if len(part) else [] for part in rows)

    def _draw_distinct(self, n: int, seed: int) -> np.ndarray:
        """The first n different rows of the endless draw of a seed."""
        n_drawn = n + n // 50 + 100
        while True:
            rows = self._draw(n_drawn, seed)
            first = first_occurrences(self._names(rows))
            if len(first) >= n:
                return rows[first[:n]]
            if n_drawn > MOST_DRAWS * (n + 100):  # `population` is too large, or some rows too rare
                raise ValueError(
                    f"{self}: expected {n:,} different texts; got {len(first):,} in {n_drawn:,}"
                )
            n_drawn *= 2


def first_occurrences(names: np.ndarray) -> np.ndarray:
    """Indices at which each different row of an array (n,) or (n, columns) first occurs.

    >>> first_occurrences(np.array([[3, 1], [2, 2], [3, 1], [1, 3]]))
    array([0, 1, 3])
    """
    import pandas as pd

    return np.flatnonzero(~pd.DataFrame(names).duplicated())
