"""Task: a source of texts with numbers, drawn as arrays; and two ways to draw them from rows."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Self

import numpy as np

from numlab.examples import Examples, Layout
from numlab.numbers import check_count

SHARD = 4096  # texts drawn at once when a corpus is written to disk
MOST_DRAWS = 50  # rows drawn at most for each text of a split without repetitions

Columns = Mapping[str, np.ndarray]  # parameters held fixed, each (n,)


class Task(ABC):
    """A distribution of texts with numbers. Tasks are frozen dataclasses of plain values.

    `sample(k, seed)` is the beginning of `sample(n, seed)`, and a parameter that is held fixed
    changes no other draw. `limits`: the parameters that can be held, each with its range (low,
    high). `names`: axis labels of some of them. `gaps`: the open intervals (low, high) that samples
    leave out. `stored`: whether splits are kept on disk, as drawing them is slower. A stored run is
    found by the class, its `version` and its fields: raise the version when the same seed gives
    other texts. Where there are few different texts, `split` has to keep those of the test out of
    training: `PopulationTask` does.

    >>> nl.tasks.Addition(2).sample(1, seed=0)[0].numbers
    array([[ 40.,  65., 105.]])
    """

    version: ClassVar[int] = 1
    stored: ClassVar[bool] = True
    limits: ClassVar[Mapping[str, tuple[float, float]]] = {}
    names: ClassVar[Mapping[str, str]] = {}
    gaps: ClassVar[Mapping[str, tuple[tuple[float, float], ...]]] = {}

    @abstractmethod
    def layouts(self) -> list[Layout]:
        """Every layout that a sample can have."""

    @abstractmethod
    def sample(self, n: int, seed: int, **fixed) -> list[Examples]:
        """Draw n texts: an Examples for each layout; together their `index` covers 0 to n - 1.

        `fixed` are parameters held at one value, or at an array (n,) of one for each text.
        """

    def task_of(self, layout: Layout) -> "Task":
        """The task that a layout is of: this one, or one of several."""
        return self

    def difficulty(self, examples: Examples, base: int = 10) -> np.ndarray:
        """(n,) how hard each text is (int), by its digits in a base."""
        raise ValueError(f"{self} does not say how hard its texts are; nl.tasks.Numeracy does")

    def levels(self, base: int = 10) -> range:
        """The difficulties there are."""
        raise ValueError(f"{self} does not say how hard its texts are; nl.tasks.Numeracy does")

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


class GivenTask(Task):
    """A task whose texts are given; they are drawn in random order, each at most once."""

    stored: ClassVar[bool] = False
    usable: np.ndarray  # the places of the texts that can be drawn

    @abstractmethod
    def _take(self, rows: np.ndarray) -> list[Examples]:
        """Some texts; `index` is their place among these."""

    def sample(self, n: int, seed: int, **fixed) -> list[Examples]:
        """n texts, none drawn twice; no parameter can be held fixed."""
        hold(fixed, self.limits, natural(n))
        return self.split((n,), seed)[0]

    def split(self, sizes: Sequence[int], seed: int) -> tuple[list[Examples], ...]:
        n, rows = sum(map(natural, sizes)), self.usable
        if n > len(rows):
            asked = f"got sizes {tuple(sizes)}, {n:,} in all (a RunSpec's n_test, n_valid, n_train)"
            raise ValueError(f"there are {len(rows):,} texts; {asked}")
        order = np.random.default_rng(natural(seed)).permutation(rows)[:n]
        return tuple(map(self._take, np.split(order, np.cumsum(sizes)[:-1])))


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

    def sample(self, n: int, seed: int, **fixed) -> list[Examples]:
        held = hold(fixed, self.limits, natural(n))
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
    """A task whose i-th row holds the i-th `n_uniforms` uniform numbers of a seed.

    Of several layouts the first of these numbers chooses one.
    """

    n_uniforms: int

    def _choose(self, rows: np.ndarray) -> np.ndarray:
        return pick(range(len(self.layouts())), rows[:, 0])

    def shards(self, sizes: Sequence[int], seed: int) -> Iterator[tuple[int, Examples]]:
        for i, (task, n) in enumerate(zip(self._parts(len(sizes)), sizes, strict=True)):
            for start in range(0, natural(n), SHARD):
                rows = task._draw(min(SHARD, n - start), child_seed(seed, i), start)
                for examples in task._texts(rows, {}, start):
                    yield i, examples

    def _draw(self, n: int, seed: int, start: int = 0) -> np.ndarray:
        bits = np.random.PCG64(seed)
        bits.advance(start * self.n_uniforms)  # so that a text does not depend on its shard
        return np.random.Generator(bits).random((n, self.n_uniforms))


class PopulationTask(RowTask):
    """A task with finitely many texts.

    `sample` draws with replacement, `split` without: no text comes twice, in one corpus or in two.
    A subclass has `layouts`, a number `population` (of different texts, or an upper bound), and two
    methods: `_draw(n, seed)` gives n independent rows (n, columns), and those of a smaller n are
    the first of a larger; `_fill(i, rows, held)` turns the rows of the i-th layout, and the
    parameters held fixed, each (n,), into numbers (n, number slots) and words, or None. Rows that
    `_identity` gives equal values are the same text.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Dozens(PopulationTask):
    ...     most: int = 50
    ...     population = property(lambda self: self.most)
    ...
    ...     def layouts(self):
    ...         return [nl.Layout.of("{dozens} dozen are {answer}")]
    ...
    ...     def _draw(self, n, seed):
    ...         return np.random.default_rng(seed).integers(self.most, size=(n, 1))
    ...
    ...     def _fill(self, i, rows, held):
    ...         return np.hstack([rows, 12 * rows]).astype(float), None
    >>> test, train = Dozens().split((10, 40), seed=0)
    >>> test[0].text(0), len(np.unique(np.vstack([test[0].numbers, train[0].numbers]), axis=0))
    ('49 dozen are 588', 50)
    """

    population: int

    def _identity(self, rows: np.ndarray) -> np.ndarray:
        """(n, columns): equal where two rows count as the same text."""
        return rows

    def split(self, sizes: Sequence[int], seed: int) -> tuple[list[Examples], ...]:
        n = sum(map(natural, sizes))
        if n > self.population:
            held = f"{self} has {self.population:,} different texts"
            raise ValueError(f"{held}; got n_test, n_valid and n_train of {n:,} in all")
        rows = np.split(self._draw_distinct(n, child_seed(seed, 0)), np.cumsum(sizes)[:-1])
        return tuple(self._texts(part, {}) for part in rows)

    def _draw_distinct(self, n: int, seed: int) -> np.ndarray:
        """The first n different rows of the endless draw of a seed."""
        import pandas as pd

        n_drawn = n + n // 4 + 100
        while n_drawn < MOST_DRAWS * (n + 100):
            rows = self._draw(n_drawn, seed)
            first = np.flatnonzero(~pd.DataFrame(self._identity(rows)).duplicated())
            if len(first) >= n:
                return rows[first[:n]]
            n_drawn *= 2
        got = f"{len(first):,} different ones in {len(rows):,} draws"
        raise ValueError(f"{self} has too few texts for sizes of {n:,} in all; got {got}")


def natural(n: int) -> int:
    """Check a sample's size or a seed."""
    check_count("a size or a seed", n, 0)
    return int(n)


def child_seed(seed: int, i: int) -> int:
    """The i-th of the independent seeds derived from a seed."""
    return int(np.random.SeedSequence((natural(seed), i)).generate_state(1, np.uint64)[0])


def hold(fixed: Mapping, limits: Mapping, n: int) -> Columns:
    """Check the parameters held fixed against their limits; arrays (n,)."""
    columns = {}
    for name, value in fixed.items():
        if name not in limits:
            known = ", ".join(sorted(limits)) or "none"
            raise ValueError(f"parameters that can be held: {known}; got {name!r}")
        column = np.asarray(value, np.float64)
        if column.shape not in ((), (n,)):
            raise ValueError(f"{name} is a number or an array ({n},); got shape {column.shape}")
        columns[name] = column = np.broadcast_to(column, (n,))
        low, high = limits[name]
        if (wrong := ~((column >= low) & (column <= high))).any():
            raise ValueError(f"{low:g} <= {name} <= {high:g}; got {column[wrong][0]:g}")
    return columns


def groups(codes: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Each different code, in order, and the rows that have it."""
    return ((code, np.flatnonzero(codes == code)) for code in np.unique(codes).tolist())


def pick(choices: Sequence, u: np.ndarray) -> np.ndarray:
    """(n,) choices, from uniforms (n,)."""
    return np.array(choices)[(u * len(choices)).astype(int)]


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
