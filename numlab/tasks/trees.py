"""Random expressions of two to four numbers (App. B, xval)."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from numlab.examples import Examples, Layout
from numlab.tasks.base import hold
from numlab.tasks.population import PopulationTask

OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul}
SLOTS = "abcd"
HELD_BY_TEXT_ENCODERS = 9.995e9  # the first number that rounds beyond their words

Tree = str | tuple  # the slot of a leaf, or (operator, left, right)


@dataclass(frozen=True)
class BinaryTrees(PopulationTask):
    """Texts such as ``((1.32 * 2.1) + (1.42 - 0.82)) = 3.372``: evaluate a binary tree.

    Slots: the operands a, b, ... in reading order, and answer. Each shape of a tree with its
    operators is a layout of its own, and all of them are equally likely. Operands have three
    significant digits, and all such numbers within the bounds are equally likely (our choice: the
    paper's trees are "random"; here every shape is as likely, and small operands as large ones).

    Parameters
    ----------
    operands : int
        Leaves of the tree: 2, 3 or 4, for 3, 18 and 135 layouts.
    bounds : (float, float)
        Smallest and largest operand. From 0.1 to 3 99 % of the answers lie within
        4, 5 and 6 for 2, 3 and 4 operands, near to where XVal is at its best (our choice: the
        paper does not give the bounds).

    Examples
    --------
    >>> BinaryTrees(operands=3).sample(3, seed=0)[1].text(0)
    '((0.828 - 0.845) * 0.488) = -0.008296'
    """

    operands: int = 3
    bounds: tuple[float, float] = (0.1, 3.0)

    version: ClassVar[int] = 1

    def __post_init__(self):
        object.__setattr__(self, "bounds", tuple(self.bounds))
        if self.operands not in (2, 3, 4):
            raise ValueError(f"a tree has 2, 3 or 4 operands; got {self.operands}")
        if len(self.bounds) != 2 or not 1e-6 <= self.bounds[0] < self.bounds[1]:
            raise ValueError(f"bounds are (low, high) with 1e-6 <= low < high; got {self.bounds}")
        if not len(self.values):
            raise ValueError(f"numbers of three digits lie within bounds; got {self.bounds}")
        if self.largest_answer >= HELD_BY_TEXT_ENCODERS:
            raise ValueError(
                f"text encoders hold answers below {HELD_BY_TEXT_ENCODERS:g}; "
                f"got {self.largest_answer:g} for {self}"
            )

    @property
    def values(self) -> np.ndarray:
        """The operands: all numbers of three significant digits within the bounds."""
        return _values(*self.bounds)

    @property
    def largest_answer(self) -> float:
        """The largest magnitude that an answer can have."""
        most = {1: self.bounds[1]}
        for n in range(2, self.operands + 1):
            halves = [(most[k], most[n - k]) for k in range(1, n)]
            most[n] = max(max(x + y, x * y) for x, y in halves)
        return most[self.operands]

    @property
    def population(self) -> int:
        """How many different texts there are."""
        return len(_trees(self.operands)) * len(self.values) ** self.operands

    def layouts(self) -> list[Layout]:
        return [_layout(tree) for tree in _trees(self.operands)]

    def sample(self, n: int, seed: int, **fixed) -> list[Examples]:
        """Draw n texts, with replacement.

        Parameters
        ----------
        n, seed : int
        **fixed : float or array of shape (n,)
            Operands a, b, ... within the bounds.
        """
        return super().sample(n, seed, **fixed)

    def _draw(self, n: int, seed: int) -> np.ndarray:
        """(n, 1 + operands): which tree, and which values."""
        trees, values = np.random.default_rng(seed).spawn(2)
        return np.column_stack(
            [
                trees.integers(0, len(_trees(self.operands)), n),
                values.integers(0, len(self.values), (n, self.operands)),
            ]
        )

    def _texts(self, rows: np.ndarray, **fixed) -> list[Examples]:
        slots = SLOTS[: self.operands]
        columns = dict(zip(slots, self.values[rows[:, 1:]].T, strict=True))
        columns |= hold(fixed, dict.fromkeys(slots, self.bounds), len(rows))
        table = np.stack([columns[slot] for slot in slots], axis=1)
        order = np.argsort(rows[:, 0], kind="stable")
        codes, starts = np.unique(rows[order, 0], return_index=True)
        return [
            self._examples(_trees(self.operands)[code], table[index], index)
            for code, index in zip(codes, np.split(order, starts)[1:], strict=True)
        ]

    def _examples(self, tree: Tree, operands: np.ndarray, index: np.ndarray) -> Examples:
        answer = _evaluate(tree, dict(zip(SLOTS, operands.T, strict=False)))
        answer = np.round(answer, self._decimals) + 0.0  # of -0.0, 0.0
        return Examples(_layout(tree), np.column_stack([operands, answer]), None, index)

    @property
    def _decimals(self) -> int:
        """Digits after the point of the finest answer, as far as float64 holds them."""
        finest = 2 - math.floor(math.log10(self.values[0]))
        return min(self.operands * finest, 15 - math.ceil(math.log10(self.largest_answer)))


def _evaluate(tree: Tree, operands: dict[str, np.ndarray]) -> np.ndarray:
    if isinstance(tree, str):
        return operands[tree]
    sign, left, right = tree
    return OPERATORS[sign](_evaluate(left, operands), _evaluate(right, operands))


def _template(tree: Tree) -> str:
    if isinstance(tree, str):
        return f"{{{tree}}}"
    sign, left, right = tree
    return f"({_template(left)} {sign} {_template(right)})"


@functools.cache
def _layout(tree: Tree) -> Layout:
    return Layout.of(f"{_template(tree)} = {{answer}}")


@functools.cache
def _trees(operands: int) -> tuple[Tree, ...]:
    """Every tree over so many operands: Catalan(operands - 1) shapes times 3^(operands - 1)."""
    return tuple(_grow(SLOTS[:operands]))


def _grow(slots: str) -> Iterator[Tree]:
    if len(slots) == 1:
        yield slots
    for cut in range(1, len(slots)):
        for left in _grow(slots[:cut]):
            for right in _grow(slots[cut:]):
                yield from ((sign, left, right) for sign in OPERATORS)


@functools.cache
def _values(low: float, high: float) -> np.ndarray:
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    values = np.array(
        [float(f"{digits}e{e - 2}") for e in exponents for digits in range(100, 1000)]
    )
    values = values[(values >= low) & (values <= high)]
    values.flags.writeable = False
    return values
