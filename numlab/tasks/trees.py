"""Random expressions of two to four numbers (xval, App. B)."""

import functools
import math
import re
from dataclasses import dataclass

import numpy as np

from numlab.numbers import check_count, check_tuple, from_figures
from numlab.tasks.expressions import ExpressionTask, evaluate

SLOTS = "abcd"
LIMIT = 9.995e9  # the least number that text encoders have no word for


@dataclass(frozen=True)
class BinaryTrees(ExpressionTask):
    """Texts such as ``((1.32 * 2.1) + (1.42 - 0.82)) = 3.372``: evaluate a binary tree.

    Slots: the operands a, b, ... in reading order, and answer. Each shape of a tree with its
    operators is a layout. All layouts are equally likely, and so are all operands of three
    significant digits within the bounds (our choice: the paper's trees are "random"; here every
    shape is as likely, and small operands as large ones).

    Parameters
    ----------
    operands : leaves of the tree: 2, 3 or 4, for 3, 18 and 135 layouts.
    bounds : smallest and largest operand. From 0.1 to 3, 99 % of the answers lie within 4, 5 and
        6 for 2, 3 and 4 operands, in the range that suits XVal (our choice: the paper does not
        give the bounds).

    >>> BinaryTrees(operands=3).sample(3, seed=0)[1].text(0)
    '((0.828 - 0.845) * 0.488) = -0.008296'
    """

    operands: int = 3
    bounds: tuple[float, float] = (0.1, 3.0)

    def __post_init__(self):
        check_tuple("bounds", self.bounds)
        low, high = self.bounds
        check_count("operands", self.operands, 2, 4)
        if not 1e-6 <= low < high:
            raise ValueError(f"bounds are (low, high) with 1e-6 <= low < high; got {self.bounds}")
        if not len(self.values):
            raise ValueError(f"bounds hold no number of three digits; got {self.bounds}")
        if self.largest_answer >= LIMIT:
            raise ValueError(f"answers are below {LIMIT:g}; got {self.largest_answer:g} for {self}")
        if self.values[0] ** self.operands < 10.0 ** (2 - self.decimals):
            exact = f"three digits of every product within {self.decimals} decimals"
            raise ValueError(f"float64 has to hold {exact}: raise the lower bound; got {self}")

    @property
    def limits(self) -> dict[str, tuple[float, float]]:
        return dict.fromkeys(SLOTS[: self.operands], self.bounds)

    @functools.cached_property
    def templates(self) -> tuple[tuple[str, str], ...]:
        trees = _trees(SLOTS[: self.operands])
        return tuple((re.sub("[a-d]", r"{\g<0>}", tree) + " = {answer}", tree) for tree in trees)

    @functools.cached_property
    def values(self) -> np.ndarray:
        """Every operand: the numbers of three significant digits within the bounds."""
        low, high = self.bounds
        exponents = np.arange(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1) - 2
        values = from_figures(np.arange(100, 1000), exponents[:, None]).ravel()
        return values[(values >= low) & (values <= high)]

    @functools.cached_property
    def largest_answer(self) -> float:
        """The largest magnitude that an answer can have."""
        largest = dict.fromkeys(SLOTS, self.bounds[1])
        return max(evaluate(expression, largest) for _, expression in self.templates)

    @property
    def decimals(self) -> int:
        """As many as answers can have, as far as float64 goes."""
        finest = 2 - math.floor(math.log10(self.values[0]))
        return min(self.operands * finest, 15 - math.ceil(math.log10(self.largest_answer)))

    @property
    def population(self) -> int:
        return len(self.templates) * len(self.values) ** self.operands

    def _draw(self, n: int, seed: int) -> np.ndarray:
        trees, values = np.random.default_rng(seed).spawn(2)
        tree = trees.integers(0, len(self.templates), n)
        operands = values.integers(0, len(self.values), (n, self.operands))
        return np.column_stack([tree, self.values[operands]])


def _trees(slots: str) -> tuple[str, ...]:
    """Expressions of n slots: Catalan(n - 1) shapes times 3^(n - 1) choices of operators."""
    cuts = ((_trees(slots[:i]), _trees(slots[i:])) for i in range(1, len(slots)))
    pairs = ((x, y) for left, right in cuts for x in left for y in right)
    return tuple(f"({x} {sign} {y})" for x, y in pairs for sign in "+-*") or (slots,)
