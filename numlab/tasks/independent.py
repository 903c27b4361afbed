"""Tasks whose texts are independent draws, each computed from one row of uniform numbers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from numlab.examples import Examples
from numlab.tasks import base
from numlab.tasks.base import Task, child_seed, hold, natural

__all__ = ["IndependentTask"]


class IndependentTask(Task):
    """A task whose i-th text depends on nothing but the seed and i."""

    @property
    @abstractmethod
    def n_uniforms(self) -> int:
        """Uniform numbers that a text needs."""

    @abstractmethod
    def _texts(
        self, u: np.ndarray, index: np.ndarray, part: Any, held: Mapping[str, np.ndarray]
    ) -> Iterator[tuple[int, Examples]]:
        """Texts computed from uniforms (n, n_uniforms), with the number of their layout."""

    def _parts(self, n_corpora: int) -> Sequence[Any]:
        """What each corpus of a split may draw from; the whole where there is one corpus."""
        return [None] * n_corpora

    def sample(self, n: int, seed: int, **fixed) -> list[Examples]:
        held = hold(fixed, self.limits, natural(n))
        return [e for _, e in self._draw(range(n), natural(seed), self._parts(1)[0], held)]

    def split(self, sizes: Sequence[int], seed: int) -> tuple[list[Examples], ...]:
        corpora = tuple([] for _ in sizes)
        for i, _, examples in self._pieces(sizes, seed, max(sizes, default=0)):
            corpora[i].append(examples)
        return corpora

    def shards(self, sizes: Sequence[int], seed: int) -> Iterator[tuple[int, int, Examples]]:
        return self._pieces(sizes, seed, base.SHARD)

    def _pieces(self, sizes, seed: int, length: int) -> Iterator[tuple[int, int, Examples]]:
        for i, (n, part) in enumerate(zip(sizes, self._parts(len(sizes)), strict=True)):
            for start in range(0, natural(n), max(length, 1)):
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
