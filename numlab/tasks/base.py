"""What a task is: a source of texts about numbers, drawn as arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import numpy as np

from numlab.examples import Examples, Layout

SHARD = 4096  # texts that are drawn at once on their way to disk


class Task(ABC):
    """A distribution of texts with numbers in them. Tasks are frozen dataclasses of plain values.

    Draws are a function of (seed, place): the first k texts of `sample(n, seed)` are those of
    `sample(k, seed)`, and a parameter that is held fixed leaves all other draws as they were.

    Attributes
    ----------
    version : int
        Part of a run's address: raised when the same seed would give other texts.
    stored : bool
        Whether splits are kept on disk: not where drawing them again is as fast.
    """

    version: ClassVar[int] = 1
    stored: ClassVar[bool] = True

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """The parameters that a slider can hold fixed in `sample`, and how far."""
        return {}

    @property
    def gaps(self) -> Mapping[str, tuple[tuple[float, float], ...]]:
        """Open intervals between the values that a parameter takes in a sample."""
        return {}

    @abstractmethod
    def layouts(self) -> list[Layout]:
        """Every layout that a sample can have: vocabulary and lengths before any data."""

    @abstractmethod
    def sample(self, n: int, seed: int, **fixed) -> list[Examples]:
        """Draw n texts.

        Parameters
        ----------
        n : int
        seed : int
            Not negative.
        **fixed : float or array of shape (n,)
            Parameters held at a value, or at one value a text: for sweeps and gaps.

        Returns
        -------
        list of Examples
            One for each layout that was drawn; `index` is the text's place, 0 to n - 1.
        """

    def split(self, sizes: Sequence[int], seed: int) -> tuple[list[Examples], ...]:
        """Draw disjoint corpora of the given sizes, by convention (test, valid, train).

        A corpus does not depend on the sizes of the others that follow it, and a smaller last
        corpus is the beginning of a larger one. Here: samples of independent seeds, which are
        disjoint where numbers are continuous. Tasks whose texts can repeat draw without
        replacement instead.
        """
        return tuple(self.sample(n, child_seed(seed, i)) for i, n in enumerate(sizes))

    def shards(self, sizes: Sequence[int], seed: int) -> Iterator[tuple[int, int, Examples]]:
        """The same corpora bit by bit, for those that no memory holds.

        Yields
        ------
        corpus : int
        place : int
            Of the layout among the corpus's: it may come again, with the texts that follow.
        examples : Examples
            Here: all of that layout.
        """
        for i, corpus in enumerate(self.split(sizes, seed)):
            for j, examples in enumerate(corpus):
                yield i, j, examples


def child_seed(seed: int, i: int) -> int:
    """The i-th of the independent seeds that belong to a seed."""
    return int(np.random.SeedSequence((check_seed(seed), i)).generate_state(1, np.uint64)[0])


def shard_places(n: int) -> Iterator[range]:
    """The places 0 to n - 1, SHARD at a time."""
    return (range(i, min(i + SHARD, n)) for i in range(0, n, SHARD))


def uniforms(seed: int, places: range, columns: int) -> np.ndarray:
    """(places, columns) uniform in [0, 1): a row a text, the same wherever the range begins."""
    bits = np.random.PCG64(seed)
    bits.advance(places.start * columns)
    return np.random.Generator(bits).random((len(places), columns))


def check_seed(seed: int) -> int:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(f"a seed is an integer >= 0; got {seed!r}")
    return int(seed)


def check_size(n: int) -> int:
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
        raise ValueError(f"a sample's size is an integer >= 0; got {n!r}")
    return int(n)


def hold(
    fixed: Mapping[str, object], limits: Mapping[str, tuple[float, float]], n: int
) -> dict[str, np.ndarray]:
    """Check the parameters that are held fixed and give each of them a value a text.

    Parameters
    ----------
    fixed : mapping of str to float or array of shape (n,)
    limits : mapping of str to (low, high)
        The names that can be held, and the closed range of each.
    n : int

    Returns
    -------
    dict of str to (n,) float64
    """
    columns = {}
    for name, value in fixed.items():
        if name not in limits:
            raise ValueError(f"parameters that can be held are {sorted(limits)}; got {name!r}")
        column = np.asarray(value, np.float64)
        if column.shape not in ((), (n,)):
            raise ValueError(f"{name} is a number or an array ({n},); got shape {column.shape}")
        low, high = limits[name]
        wrong = ~((column >= low) & (column <= high))
        if wrong.any():
            raise ValueError(f"{low:g} <= {name} <= {high:g}; got {column[wrong].flat[0]:g}")
        columns[name] = np.broadcast_to(column, (n,))
    return columns
