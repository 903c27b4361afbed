"""Task: a source of texts with numbers, drawn as arrays."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Self

import numpy as np

from numlab.examples import Examples, Layout

SHARD = 4096  # texts drawn at once when a corpus is written to disk

Columns = Mapping[str, np.ndarray]  # parameters held fixed, each (n,)


class Task(ABC):
    """A distribution of texts with numbers. Tasks are frozen dataclasses of plain values.

    `sample(k, seed)` is the beginning of `sample(n, seed)`, and a parameter that is held fixed
    changes no other draw.

    Attributes
    ----------
    version : part of a run's address; raise it when the same seed gives other texts.
    stored : whether splits are kept on disk; False where it is as fast to draw them again.
    limits : the parameters that `sample` can hold fixed, each with its range (low, high).
    gaps : for some of them the open intervals (low, high) that samples leave out.
    """

    version: ClassVar[int] = 1
    stored: ClassVar[bool] = True
    limits: ClassVar[Mapping[str, tuple[float, float]]] = {}
    gaps: ClassVar[Mapping[str, tuple[tuple[float, float], ...]]] = {}

    @abstractmethod
    def layouts(self) -> list[Layout]:
        """Every layout that a sample can have."""

    @abstractmethod
    def sample(self, n: int, seed: int, **fixed) -> list[Examples]:
        """Draw n texts.

        Parameters
        ----------
        n, seed : 0 or more.
        **fixed : parameters held at one value, or at an array (n,) of one value for each text.

        Returns
        -------
        One Examples for each layout drawn; over all of them, `index` takes 0 to n - 1.
        """

    def split(self, sizes: Sequence[int], seed: int) -> tuple[list[Examples], ...]:
        """Draw disjoint corpora of the given sizes, by convention (test, valid, train).

        A corpus does not depend on the sizes of those after it, and a smaller last corpus is the
        beginning of a larger one. By default, samples of independent seeds: disjoint where
        numbers are continuous.
        """
        parts = enumerate(zip(self._parts(len(sizes)), sizes, strict=True))
        return tuple(task.sample(n, child_seed(seed, i)) for i, (task, n) in parts)

    def _parts(self, n_corpora: int) -> list[Self]:
        """The tasks that the corpora of a split are samples of."""
        return [self] * n_corpora

    def shards(self, sizes: Sequence[int], seed: int) -> Iterator[tuple[int, Examples]]:
        """Draw the corpora of `split` in pieces, each with the number of its corpus.

        For corpora larger than memory: the examples of a layout can come in several pieces.
        """
        for i, corpus in enumerate(self.split(sizes, seed)):
            for examples in corpus:
                yield i, examples


def natural(n: int) -> int:
    """Check a sample's size or a seed."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
        raise ValueError(f"sizes and seeds are integers >= 0; got {n!r}")
    return int(n)


def child_seed(seed: int, i: int) -> int:
    """The i-th of the independent seeds derived from a seed."""
    return int(np.random.SeedSequence((natural(seed), i)).generate_state(1, np.uint64)[0])


def hold(fixed: Mapping, limits: Mapping, n: int, dtype: type = np.float64) -> Columns:
    """Check the parameters held fixed against limits (None: no limits); arrays (n,)."""
    columns = {}
    for name, value in fixed.items():
        if name not in limits:
            raise ValueError(f"parameters that can be held are {sorted(limits)}; got {name!r}")
        column = np.asarray(value, dtype)
        if column.shape not in ((), (n,)):
            raise ValueError(f"{name} is a number or an array ({n},); got shape {column.shape}")
        columns[name] = column = np.broadcast_to(column, (n,))
        if limits[name] is not None:
            low, high = limits[name]
            if (wrong := ~((column >= low) & (column <= high))).any():
                raise ValueError(f"{low:g} <= {name} <= {high:g}; got {column[wrong][0]:g}")
    return columns


def groups(codes: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Each different code, in order, and the rows that have it."""
    return ((code, np.flatnonzero(codes == code)) for code in np.unique(codes).tolist())


def json_template(value: dict | list | str) -> str:
    """The template of a JSON text (with single quotes) whose strings name slots.

    >>> json_template({"a": ["x", "y"], "b": "z"})
    "{{'a':[{x},{y}], 'b':{z}}}"
    """
    if isinstance(value, dict):
        return "{{" + ", ".join(f"'{k}':{json_template(v)}" for k, v in value.items()) + "}}"
    if isinstance(value, list):
        return "[" + ",".join(map(json_template, value)) + "]"
    return f"{{{value}}}"
