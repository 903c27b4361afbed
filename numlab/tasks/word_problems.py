"""Word problems about numbers of several sizes, with one or two operations (digits)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from numlab.numbers import check_count, from_figures
from numlab.tasks.base import groups
from numlab.tasks.expressions import ExpressionTask, evaluate, layout_of, variables
from numlab.tasks.files import read_data

LARGEST = 1e13  # answers are below, so that float64 holds their decimals exactly
ATTEMPTS = 1000  # to draw numbers with a valid answer

TEMPLATES = tuple(map(tuple, read_data("word_problems.toml")["templates"]))


@dataclass(frozen=True)
class DigitLengths:
    """Numbers of a uniform length in digits, uniform within each length.

    Parameters
    ----------
    fewest, most : digits of an integer, 1 to 9.
    power : the integer is multiplied by 10^power: -1 for one decimal, 2 for hundreds.

    >>> DigitLengths(2, 4, power=-1).numbers(np.array([0.0, 0.99]), np.array([0.5, 0.99]))
    array([  5.5, 991. ])
    """

    fewest: int
    most: int
    power: int = 0

    def __post_init__(self):
        check_count("fewest", self.fewest, 1, 9)
        check_count("most", self.most, self.fewest, 9)
        check_count("power", self.power, -2, 9)

    def numbers(self, u_length: np.ndarray, u_number: np.ndarray) -> np.ndarray:
        """Numbers from two arrays of uniforms in [0, 1)."""
        n = self.fewest + np.floor(u_length * (self.most - self.fewest + 1))
        low = 10.0 ** (n - 1)
        integer = np.floor(low + u_number * 9 * low)
        return from_figures(integer, np.full(integer.shape, self.power))


# The categories of numbers in FERMAT's training set (digits, Appendix B).
# our choice: numbers with one decimal have two to five digits, those with two three to six
TRAINING = (DigitLengths(1, 3), DigitLengths(4, 5), DigitLengths(2, 5, -1), DigitLengths(3, 6, -2))


@dataclass(frozen=True)
class WordProblems(ExpressionTask):
    """Texts such as ``Ann has 12 stamps and buys 7 more. How many now? 19``.

    Each text draws a template, and one category for all of its numbers. Answers are rounded to
    two decimals; numbers whose answer would be negative, not finite, rounded to 0, or beyond 10^13
    are drawn again. Slots: those of the template, the last of which is answer.

    Parameters
    ----------
    numbers : the categories, all equally likely.
    templates : pairs of a text with slots and the expression of its answer, with +, -, *, / and
        parentheses, all equally likely. By default 18, with two to seven words between numbers.

    >>> WordProblems(templates=TEMPLATES[:1]).sample(2, seed=0)[0].text(0)
    '82081 red and 96086 blue pens. How many pens in all? 178167'
    """

    numbers: tuple[DigitLengths, ...] = TRAINING
    templates: tuple[tuple[str, str], ...] = TEMPLATES

    decimals: ClassVar[int] = 2  # our choice: FERMAT's answers have six

    def __post_init__(self):
        categories = isinstance(self.numbers, (tuple, list)) and self.numbers
        if not categories or not all(isinstance(c, DigitLengths) for c in categories):
            raise ValueError(f"numbers are DigitLengths, one or more; got {self.numbers!r}")
        if not self.templates:
            raise ValueError("word problems need a template; got none")
        if len({text for text, _ in self.templates}) < len(self.templates):
            raise ValueError(f"templates are distinct; got {self.templates}")
        for text, expression in self.templates:
            slots = layout_of(text).number_slots
            if slots[-1:] != ("answer",) or not variables(expression) <= set(slots[:-1]):
                expected = f"a template with the slots of {expression!r}, then answer"
                raise ValueError(f"expected {expected}; got {text!r}")

    @property
    def population(self) -> int:
        sizes = [10**c.most - 10 ** (c.fewest - 1) for c in self.numbers]
        return sum(size**n for size in sizes for n in self._n_operands)

    @property
    def _n_operands(self) -> list[int]:
        return [len(layout.number_slots) - 1 for layout in self.layouts()]

    def _draw(self, n: int, seed: int) -> np.ndarray:
        u = np.random.default_rng((seed, 0)).random((n, 2))
        template, category = (u * (len(self.templates), len(self.numbers))).astype(int).T
        most = max(self._n_operands)
        unused = np.arange(most) >= np.array(self._n_operands)[template][:, None]
        rows = np.column_stack([template, np.zeros((n, most))])
        pending = np.arange(n)
        for attempt in range(ATTEMPTS):
            u = np.random.default_rng((seed, 1 + attempt)).random((n, 2, most))
            for i, members in groups(category[pending]):
                chosen = pending[members]
                rows[chosen, 1:] = self.numbers[i].numbers(u[chosen, 0], u[chosen, 1])
            rows[:, 1:][unused] = 0
            pending = pending[~self._valid(rows[pending])]
            if not len(pending):
                return rows
        text = self.templates[template[pending[0]]][0]
        raise ValueError(f"{ATTEMPTS} draws gave no answer from 0 to {LARGEST:g} to {text!r}")

    def _valid(self, rows: np.ndarray) -> np.ndarray:
        """(n,) bool: whether the answer of each row can be written."""
        valid = np.zeros(len(rows), bool)
        for i, members in groups(self._choose(rows)):
            answer = evaluate(self.templates[i][1], self._operands(i, rows[members]))
            rounded = np.round(answer, self.decimals)
            in_range = (rounded >= 0) & (rounded < LARGEST)
            valid[members] = in_range & ((rounded > 0) | (answer == 0))
        return valid
