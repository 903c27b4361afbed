"""Random expressions of two to four numbers (App. B, xval)."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from numlab.examples import Examples, Layout, from_figures
from numlab.tasks.base import groups
from numlab.tasks.operands import OPERATORS
from numlab.tasks.population import PopulationTask

__all__ = ["BinaryTrees"]

SLOTS = "abcd"
TEXT_ENCODER_LIMIT = 9.995e9  # the least number that rounds to one without a word

Tree = str | tuple  # the slot of a leaf, or (operator, left, right)


@dataclass(frozen=True)
class BinaryTrees(PopulationTask):
    """Texts such as ``((1.32 * 2.1) + (1.42 - 0.82)) = 3.372``: evaluate a binary tree.

    Slots: the operands a, b, ... in reading order, and answer. Each shape of a tree with its
    operators is a layout. All layouts are equally likely, and so are all operands of three
    significant digits within the bounds (our choice: the paper's trees are "random"; here every
    shape is as likely, and small operands as large ones).

    Parameters
    ----------
    operands : int
        Leaves of the tree: 2, 3 or 4, for 3, 18 and 135 layouts.
    bounds : (float, float)
        Smallest and largest operand. From 0.1 to 3, 99 % of the answers lie within 4, 5 and 6 for
        2, 3 and 4 operands, in the range that suits XVal (our choice: the paper does not give the
        bounds).

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
        if self.largest_answer >= TEXT_ENCODER_LIMIT:
            raise ValueError(
                f"text encoders hold answers below {TEXT_ENCODER_LIMIT:g}; "
                f"got {self.largest_answer:g} for {self}"
            )

    @property
    def limits(self) -> dict[str, tuple[float, float]]:
        return dict.fromkeys(SLOTS[: self.operands], self.bounds)

    @property
    def values(self) -> np.ndarray:
        """Every operand: the numbers of three significant digits within the bounds."""
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
        return len(_trees(self.operands)) * len(self.values) ** self.operands

    def layouts(self) -> list[Layout]:
        return [_layout(tree) for tree in _trees(self.operands)]

    def _draw(self, n: int, seed: int) -> np.ndarray:
        """(n, 1 + operands): indices of the tree and of the values."""
        trees, values = np.random.default_rng(seed).spawn(2)
        tree = trees.integers(0, len(_trees(self.operands)), n)
        return np.column_stack([tree, values.integers(0, len(self.values), (n, self.operands))])

    def _texts(self, rows: np.ndarray, held: Mapping[str, np.ndarray]) -> list[Examples]:
        operands = dict(zip(SLOTS, self.values[rows[:, 1:]].T, strict=False)) | held
        corpus = []
        for code, index in groups(rows[:, 0]):
            tree = _trees(self.operands)[code]
            columns = {name: column[index] for name, column in operands.items()}
            answer = np.round(_evaluate(tree, columns), self._decimals) + 0.0  # -0.0 becomes 0.0
            numbers = np.column_stack([*columns.values(), answer])
            corpus.append(Examples(_layout(tree), numbers, None, index))
        return corpus

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
    """Every tree: Catalan(operands - 1) shapes times 3^(operands - 1) choices of operators."""
    return tuple(_subtrees(SLOTS[:operands]))


def _subtrees(slots: str) -> Iterator[Tree]:
    if len(slots) == 1:
        yield slots
    for cut in range(1, len(slots)):
        for left in _subtrees(slots[:cut]):
            for right in _subtrees(slots[cut:]):
                yield from ((sign, left, right) for sign in OPERATORS)


@functools.cache
def _values(low: float, high: float) -> np.ndarray:
    exponents = np.arange(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1) - 2
    values = from_figures(np.arange(100, 1000), exponents[:, None]).ravel()
    values = values[(values >= low) & (values <= high)]
    values.flags.writeable = False
    return values
