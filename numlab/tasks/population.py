"""Tasks whose texts can repeat: drawn with replacement by sample, without by split."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from numlab.examples import Examples
from numlab.tasks.base import Task, check_seed, check_size, child_seed


class PopulationTask(Task):
    """A task that draws its texts from a finite population, by rows that each name one text."""

    @property
    @abstractmethod
    def population(self) -> int:
        """How many different texts there are."""

    @abstractmethod
    def _draw(self, n: int, seed: int) -> np.ndarray:
        """(n, columns) independent rows; those of a smaller n are the first of a larger."""

    @abstractmethod
    def _texts(self, rows: np.ndarray, **fixed) -> list[Examples]:
        """The texts that rows name."""

    def _names(self, rows: np.ndarray) -> np.ndarray:
        """(n,) or (n, columns): equal where two rows count as the same text."""
        return rows

    def sample(self, n: int, seed: int, **fixed) -> list[Examples]:
        return self._texts(self._draw(check_size(n), check_seed(seed)), **fixed)

    def split(self, sizes: Sequence[int], seed: int) -> tuple[list[Examples], ...]:
        """Draw disjoint corpora without replacement: no text twice, in one or in two of them.

        Parameters
        ----------
        sizes : sequence of int
            By convention (test, valid, train).
        seed : int

        Returns
        -------
        tuple of list of Examples
            A corpus does not depend on the sizes of those that follow it, and a smaller last
            corpus is the beginning of a larger one.
        """
        sizes = [check_size(n) for n in sizes]
        total = sum(sizes)
        if total > self.population:
            raise ValueError(
                f"{self} has {self.population:,} different texts; got sizes of {total:,} in all"
            )
        rows = self._draw_distinct(total, child_seed(seed, 0))
        return tuple(self._texts(part) for part in np.split(rows, np.cumsum(sizes)[:-1]))

    def _draw_distinct(self, n: int, seed: int) -> np.ndarray:
        """The first n different rows of the endless draw of a seed."""
        drawn = int(1.02 * expected_draws(n, self.population)) + 100
        most = 100 * drawn
        while True:
            rows = self._draw(drawn, seed)
            first = first_occurrences(self._names(rows))
            if len(first) >= n:
                return rows[first[:n]]
            if drawn > most:  # `population` is a bound, and some of it hardly ever comes
                raise ValueError(
                    f"{self}: {len(first):,} different texts in {drawn:,}; asked {n:,}"
                )
            drawn += drawn // 2


def expected_draws(n: int, population: int) -> float:
    """How often one draws until n of a population have come (coupon collector), about.

    >>> expected_draws(10, 10**9), round(expected_draws(500, 1000)), round(expected_draws(10, 10))
    (10.0, 693, 30)
    """
    if n < 1e-6 * population:
        return float(n)
    # The sum of population / (population - i) for i < n.
    return population * (math.log(population + 0.5) - math.log(population - n + 0.5))


def first_occurrences(names: np.ndarray) -> np.ndarray:
    """Where each distinct row of an array (n,) or (n, columns) first occurs, in order.

    >>> first_occurrences(np.array([[3, 1], [2, 2], [3, 1], [1, 3]]))
    array([0, 1, 3])
    """
    if names.ndim == 1:
        return np.sort(np.unique(names, return_index=True)[1])
    if names.dtype == object:
        return _first_by_hash(names)
    order = np.lexsort(names.T)  # stable: the first of equal rows stays first
    ordered = names[order]
    new = np.ones(len(order), bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return np.sort(order[new])


def _first_by_hash(names: np.ndarray) -> np.ndarray:
    keys = list(map(tuple, names.tolist()))
    place = dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))
    return np.sort(np.fromiter(place.values(), np.int64, len(place)))
