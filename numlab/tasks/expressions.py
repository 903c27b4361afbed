"""Arithmetic expressions as text: "(a+b)/c"."""

import ast
import functools

import numpy as np

__all__ = ["ONE_STEP", "evaluate", "operation_of", "variables"]

ONE_STEP = ("a+b", "a-b", "a*b", "a/b")
OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div)


@functools.cache
def _tree(expression: str) -> ast.expr:
    try:
        tree = ast.parse(expression.strip(), mode="eval").body
    except SyntaxError:
        tree = None
    if tree is None or not all(map(_allowed, ast.walk(tree))):
        raise ValueError(f"an expression has numbers, names, + - * / and (); got {expression!r}")
    return tree


def _allowed(node: ast.AST) -> bool:
    number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
    return number or isinstance(node, (ast.BinOp, ast.Name, ast.Load, *OPERATORS))


def variables(expression: str) -> set[str]:
    """The names in an expression.

    >>> sorted(variables("(a+b)/c"))
    ['a', 'b', 'c']
    """
    return {node.id for node in ast.walk(_tree(expression)) if isinstance(node, ast.Name)}


def operation_of(expression: str) -> str | None:
    """The operation of an expression that has only one, as in `ONE_STEP`; else None.

    >>> operation_of("(831.5*4)"), operation_of("b-a"), operation_of("(a+b)-c")
    ('a*b', 'a-b', None)
    """
    names = dict(zip(OPERATORS, ONE_STEP, strict=True))
    steps = [names[type(node)] for node in ast.walk(_tree(expression)) if type(node) in names]
    return steps[0] if len(steps) == 1 else None


def evaluate(expression: str, columns: dict[str, np.ndarray]) -> np.ndarray:
    """The value of an expression, element by element; infinite or NaN for a division by 0.

    >>> evaluate("(a+b)/c", {"a": np.array([1.0]), "b": np.array([2.0]), "c": np.array([4.0])})
    array([0.75])
    """
    _tree(expression)  # raises for anything but arithmetic
    with np.errstate(divide="ignore", invalid="ignore"):
        return eval(expression.strip(), {"__builtins__": {}}, columns)
