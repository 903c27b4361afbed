"""Arithmetic expressions as text, "(a+b)/c", and tasks whose answers are their values."""

import ast
import functools
from types import CodeType

import numpy as np

from numlab.examples import Layout
from numlab.tasks.base import Columns, PopulationTask

ALLOWED = (ast.Expression, ast.BinOp, ast.Name, ast.Load, ast.Add, ast.Sub, ast.Mult, ast.Div)


@functools.cache
def _code(expression: str) -> CodeType:
    wanted = f"an expression has numbers, names, + - * / and (); got {expression!r}"
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except SyntaxError:
        raise ValueError(wanted) from None
    for node in ast.walk(tree):
        is_number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
        if not (is_number or isinstance(node, ALLOWED)):
            raise ValueError(wanted)
    return compile(tree, "expression", "eval")


def variables(expression: str) -> set[str]:
    """The names in an expression.

    >>> sorted(variables("(a+b)/c"))
    ['a', 'b', 'c']
    """
    return set(_code(expression).co_names)


def evaluate(expression: str, columns: dict[str, np.ndarray]) -> np.ndarray:
    """The value of an expression, element by element; infinite or NaN for a division by 0.

    >>> evaluate("(a+b)/c", {"a": np.array([1.0]), "b": np.array([2.0]), "c": np.array([4.0])})
    array([0.75])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return eval(_code(expression), {"__builtins__": {}}, columns)


layout_of = functools.cache(Layout.of)


class ExpressionTask(PopulationTask):
    """Texts of numbers and of the value of an expression of them, rounded.

    A row is the number of a template, then its operands in reading order, then zeros.
    """

    templates: tuple[tuple[str, str], ...]  # a text whose last slot is answer, and its expression
    decimals: int  # to which answers are rounded

    def layouts(self) -> list[Layout]:
        return [layout_of(text) for text, _ in self.templates]

    def _choose(self, rows: np.ndarray) -> np.ndarray:
        return rows[:, 0].astype(int)

    def _operands(self, i: int, rows: np.ndarray) -> Columns:
        """The operands of rows that have the i-th layout, by their slots."""
        return dict(zip(self.layouts()[i].number_slots[:-1], rows[:, 1:].T, strict=False))

    def _fill(self, i: int, rows: np.ndarray, held: Columns) -> tuple:
        operands = self._operands(i, rows) | held
        answer = np.round(evaluate(self.templates[i][1], operands), self.decimals)
        answer = answer + np.zeros(len(rows))  # -0.0 becomes 0.0
        return np.column_stack([*operands.values(), answer]), None
