"""Word problems about numbers of several sizes, with one or two operations (papers/digits.md)."""

from __future__ import annotations

import ast
import functools
import operator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from numlab.examples import Examples, Layout, from_figures
from numlab.tasks.base import hold
from numlab.tasks.population import PopulationTask

OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
DECIMALS = 2  # our choice: answers are rounded to two decimals, FERMAT's to six
LARGEST = 1e13  # an answer has 13 digits before the point or fewer, so that a float64 is exact
ROUNDS = 1000  # of draws, before a template counts as one without an answer

TEMPLATES = (
    ("{a} red and {b} blue pens. How many pens in all? {answer}", "a+b"),
    ("Ann has {a} stamps and buys {b} more. How many now? {answer}", "a+b"),
    ("A farm sold {a} eggs on Monday and {b} on Tuesday. What is the total? {answer}", "a+b"),
    ("{a} birds sat there. {b} flew away. How many stayed? {answer}", "a-b"),
    ("Ben had {a} coins and lost {b} of them. How many are left? {answer}", "a-b"),
    ("A tank holds {a} litres, the other only {b}. How much less is that? {answer}", "a-b"),
    ("{a} boxes hold {b} nails each. How many nails? {answer}", "a*b"),
    ("A train drives {a} hours at {b} miles per hour. How far does it go? {answer}", "a*b"),
    ("Each of {a} rows in the hall has {b} seats. How many seats are there? {answer}", "a*b"),
    ("{a} sweets, shared by {b} children. How many for each? {answer}", "a/b"),
    ("Eve reads {a} pages in {b} days. How many pages a day? {answer}", "a/b"),
    ("A rope of {a} metres is cut into {b} equal parts. How long is each? {answer}", "a/b"),
    ("Tom had {a} cards, won {b} and then gave away {c}. How many now? {answer}", "(a+b)-c"),
    ("{a} men and {b} women came. {c} of them left. How many stayed? {answer}", "(a+b)-c"),
    ("{a} bags, with {b} apples and {c} pears in each. How many fruits? {answer}", "a*(b+c)"),
    ("A shop sells {a} jars for {b} less a rebate of {c}. What comes in? {answer}", "a*(b-c)"),
    ("{a} boys and {b} girls form teams of {c}. How many teams? {answer}", "(a+b)/c"),
    ("Of {a} ripe plums {b} rot. The rest fills {c} bowls. How many a bowl? {answer}", "(a-b)/c"),
)
ONE_STEP = ("a+b", "a-b", "a*b", "a/b")


@dataclass(frozen=True)
class Numbers:
    """Numbers of so many digits: a uniform length, then a uniform number of that length.

    Parameters
    ----------
    fewest, most : int
        Digits of the whole number that is drawn.
    power : int
        That number times 10^power: -1 for one decimal place, 2 for hundreds.

    Examples
    --------
    >>> Numbers(2, 4, power=-1).of(np.array([0.0, 0.99]), np.array([0.5, 0.99]))
    array([  5.5, 991. ])
    """

    fewest: int
    most: int
    power: int = 0

    def __post_init__(self):
        if not 1 <= self.fewest <= self.most <= 9:
            raise ValueError(f"numbers have 1 to 9 digits, fewest first; got {self}")
        if not -DECIMALS <= self.power <= 9:
            raise ValueError(f"numbers are times 10^-{DECIMALS} to 10^9; got {self}")

    def of(self, length: np.ndarray, number: np.ndarray) -> np.ndarray:
        """Two arrays of uniforms in [0, 1) to numbers."""
        n = self.fewest + np.floor(length * (self.most - self.fewest + 1))
        low = 10.0 ** (n - 1)
        whole = np.floor(low + number * 9 * low)
        return from_figures(whole, np.full(whole.shape, self.power))


# The number categories of FERMAT's training set (Appendix B, digits).
# our choice: numbers with one decimal have two to five digits, those with two three to six
TRAINING = (Numbers(1, 3), Numbers(4, 5), Numbers(2, 5, -1), Numbers(3, 6, -2))


@dataclass(frozen=True)
class WordProblems(PopulationTask):
    """Texts such as ``Ann has 12 stamps and buys 7 more. How many now? 19``.

    Every text draws a template, and one category for all of its numbers. Answers are rounded to
    two decimals; numbers whose answer would be negative, not finite, rounded to 0, or beyond 10^13
    are drawn again. Slots: those of the template, the last of which is answer.

    Parameters
    ----------
    numbers : tuple of Numbers
        The categories, all equally likely.
    templates : tuple of (str, str)
        A text with its slots, and the expression of its answer: +, -, *, / and parentheses over
        the slots. All are equally likely. Default: 18 of our own, with two to seven words
        between the numbers; `numlab.tasks.fermat.read_templates` reads FERMAT's.

    Examples
    --------
    >>> sample = WordProblems(templates=TEMPLATES[:1]).sample(2, seed=0)[0]
    >>> sample.text(0)
    '82081 red and 96086 blue pens. How many pens in all? 178167'
    """

    numbers: tuple[Numbers, ...] = TRAINING
    templates: tuple[tuple[str, str], ...] = TEMPLATES

    version: ClassVar[int] = 1

    def __post_init__(self):
        object.__setattr__(self, "numbers", tuple(self.numbers))
        object.__setattr__(self, "templates", tuple(map(tuple, self.templates)))
        if not self.numbers or not self.templates:
            raise ValueError(f"word problems need numbers and templates; got {self}")
        if len({text for text, _ in self.templates}) < len(self.templates):
            raise ValueError("word problems have no template twice")
        for text, expression in self.templates:
            slots = _layout(text).number_slots
            if slots[-1:] != ("answer",) or not variables(expression) <= set(slots[:-1]):
                raise ValueError(
                    "a template ends in the slot answer and has the slots of its expression; "
                    f"got {text!r} and {expression!r}"
                )

    def layouts(self) -> list[Layout]:
        return [_layout(text) for text, _ in self.templates]

    def operation(self, layout: Layout) -> str | None:
        """The expression of a layout with one operation, "a+b"; None where there are two."""
        return self._operations[layout]

    @functools.cached_property
    def _operations(self) -> dict[Layout, str | None]:
        return {_layout(text): operation_of(expression) for text, expression in self.templates}

    @property
    def population(self) -> int:
        """How many different texts there are, at most."""
        sizes = [10**c.most - 10 ** (c.fewest - 1) for c in self.numbers]
        slots = [len(layout.number_slots) - 1 for layout in self.layouts()]
        return sum(size**n for size in sizes for n in slots)

    def _draw(self, n: int, seed: int) -> np.ndarray:
        """(n, 1 + numbers): which template, and its numbers; 0 where it has fewer than others."""
        most = max(len(layout.number_slots) for layout in self.layouts()) - 1
        drawn = np.random.default_rng((seed, 0)).random((n, 2))
        template = np.floor(drawn[:, 0] * len(self.templates)).astype(int)
        category = np.floor(drawn[:, 1] * len(self.numbers)).astype(int)
        rows = np.column_stack([template, np.zeros((n, most))])
        left = np.arange(n)
        for again in range(ROUNDS):
            u = np.random.default_rng((seed, 1 + again)).random((n, 2, most))[left]
            for i, numbers in enumerate(self.numbers):
                own = category[left] == i
                rows[left[own], 1:] = numbers.of(u[own, 0], u[own, 1])
            for at in np.unique(template[left]):
                rows[left[template[left] == at], len(self.layouts()[at].number_slots) :] = 0
            left = left[~self._fit(rows[left])]
            if not len(left):
                return rows
        text = self.templates[template[left[0]]][0]
        raise ValueError(f"{ROUNDS} draws gave no answer from 0 to {LARGEST:g} to {text!r}")

    def _fit(self, rows: np.ndarray) -> np.ndarray:
        """(n,) bool: whether the answer is one that can be given."""
        fit = np.zeros(len(rows), bool)
        for at in np.unique(rows[:, 0]).astype(int):
            own = rows[:, 0] == at
            exact = self._exact(at, rows[own])
            shown = np.round(exact, DECIMALS)
            fit[own] = (shown >= 0) & (shown < LARGEST) & ((shown > 0) | (exact == 0))
        return fit

    def _exact(self, at: int, rows: np.ndarray) -> np.ndarray:
        text, expression = self.templates[at]
        slots = _layout(text).number_slots[:-1]
        return evaluate(expression, dict(zip(slots, rows[:, 1:].T, strict=False)))

    def _texts(self, rows: np.ndarray, **fixed) -> list[Examples]:
        hold(fixed, {}, len(rows))  # no number of a text can be held
        corpus = []
        for at in np.unique(rows[:, 0]).astype(int):
            index = np.flatnonzero(rows[:, 0] == at)
            layout = _layout(self.templates[at][0])
            answer = np.round(self._exact(at, rows[index]), DECIMALS) + 0.0  # of -0.0, 0.0
            numbers = rows[index, 1 : len(layout.number_slots)]
            corpus.append(Examples(layout, np.column_stack([numbers, answer]), None, index))
        return corpus


@functools.cache
def _layout(text: str) -> Layout:
    return Layout.of(text)


@functools.cache
def _tree(expression: str) -> ast.expr:
    try:
        tree = ast.parse(expression.strip(), mode="eval").body
    except SyntaxError:
        tree = None
    parts = [] if tree is None else list(ast.walk(tree))
    allowed = (ast.BinOp, ast.Name, ast.Load, ast.operator)
    whole = [p for p in parts if isinstance(p, ast.Constant) and type(p.value) in (int, float)]
    known = [p for p in parts if isinstance(p, allowed) and not isinstance(p, ast.operator)]
    signs = [p for p in parts if type(p) in OPERATORS]
    if not parts or len(whole) + len(known) + len(signs) < len(parts):
        raise ValueError(f"an expression has numbers, names, + - * / and (); got {expression!r}")
    return tree


def variables(expression: str) -> set[str]:
    """The names in an expression.

    >>> sorted(variables("(a+b)/c"))
    ['a', 'b', 'c']
    """
    return {part.id for part in ast.walk(_tree(expression)) if isinstance(part, ast.Name)}


def operation_of(expression: str) -> str | None:
    """The operation of an expression that has one, over names or numbers; else None.

    >>> operation_of("(831.5*4)"), operation_of("b-a"), operation_of("(a+b)-c")
    ('a*b', 'a-b', None)
    """
    tree = _tree(expression)
    if not isinstance(tree, ast.BinOp) or any(
        isinstance(side, ast.BinOp) for side in (tree.left, tree.right)
    ):
        return None
    return dict(zip(OPERATORS, ONE_STEP, strict=True))[type(tree.op)]


def evaluate(expression: str, columns: dict[str, np.ndarray]) -> np.ndarray:
    """The value of an expression, element by element; infinite or NaN where one divides by 0.

    >>> evaluate("(a+b)/c", {"a": np.array([1.0]), "b": np.array([2.0]), "c": np.array([4.0])})
    array([0.75])
    """

    def value(node: ast.expr):
        if isinstance(node, ast.Name):
            return columns[node.id]
        if isinstance(node, ast.Constant):
            return float(node.value)
        return OPERATORS[type(node.op)](value(node.left), value(node.right))

    with np.errstate(divide="ignore", invalid="ignore"):
        return value(_tree(expression))
