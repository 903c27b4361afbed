"""Sums, differences and products of two numbers (Sec. 4.1, fone; App. B, xval)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from numlab.examples import FLOAT_DIGITS, Examples, Layout
from numlab.tasks.operands import draw_by_length, draw_unordered
from numlab.tasks.population import PopulationTask


class TwoOperands(PopulationTask):
    """Texts ``{a}?{b}={answer}`` of two operands that are not negative.

    Operands are uniform over unordered pairs of numbers of up to `operand_digits` digits. Where
    an answer can have more digits than float64 holds, numbers are Python ints in an object array,
    and the lengths of the two operands are uniform instead, over all pairs of lengths (App. E,
    fone).
    """

    sign: ClassVar[str]
    frac_digits: int

    @property
    @abstractmethod
    def operand_digits(self) -> int:
        """Most digits of an operand, before and after the point."""

    @property
    @abstractmethod
    def answer_digits(self) -> int:
        """Most digits of an answer, before and after the point."""

    @abstractmethod
    def _answer(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Of operands in units of their last digit, in the same units."""

    def __post_init__(self):
        if self.operand_digits - self.frac_digits < 1 or self.frac_digits < 0:
            raise ValueError(f"operands have digits before the point, 1 or more; got {self}")
        if self.long and self.frac_digits:
            raise ValueError(
                f"digits after the point: answers have at most {FLOAT_DIGITS} digits in all; "
                f"got {self} with {self.answer_digits}"
            )

    @property
    def long(self) -> bool:
        """Whether numbers are Python ints, for more digits than float64 holds."""
        return self.answer_digits > FLOAT_DIGITS

    @property
    def population(self) -> int:
        """How many unordered pairs of operands there are."""
        count = 10**self.operand_digits
        return count * (count + 1) // 2

    def layouts(self) -> list[Layout]:
        return [Layout.of(f"{{a}}{self.sign}{{b}}={{answer}}")]

    def sample(self, n: int, seed: int, **fixed) -> list[Examples]:
        """Draw n texts, with replacement.

        Parameters
        ----------
        n, seed : int
        **fixed : number or array of shape (n,)
            a or b. Operands stay where they are put: no longer is a <= b, or a - b >= 0.
        """
        return super().sample(n, seed, **fixed)

    def _draw(self, n: int, seed: int) -> np.ndarray:
        """(n, 2) operands in units of their last digit: 1.250 is 1250."""
        draw = draw_by_length if self.long else draw_unordered
        return draw(n, seed, self.operand_digits)

    def _names(self, rows: np.ndarray) -> np.ndarray:
        a, b = np.minimum(*rows.T), np.maximum(*rows.T)
        one_number = 2 * self.operand_digits <= 18  # of an int64
        return a * 10**self.operand_digits + b if one_number else np.stack([a, b], axis=1)

    def _texts(self, rows: np.ndarray, **fixed) -> list[Examples]:
        operands = {"a": rows[:, 0], "b": rows[:, 1]}
        for name, value in fixed.items():
            if name not in operands:
                raise ValueError(f"parameters that can be held are ['a', 'b']; got {name!r}")
            operands[name] = self._held(name, value, len(rows))
        a, b = operands.values()
        table = np.stack([a, b, self._answer(a, b)], axis=1)
        if not self.long:
            table = table / 10**self.frac_digits  # both exact, so the quotient is the nearest
        index = np.arange(len(rows))
        return [Examples(self.layouts()[0], table, None, index)] if len(rows) else []

    def _held(self, name: str, value, n: int) -> np.ndarray:
        """A fixed operand (n,), in units of its last digit."""
        given = np.asarray(value, object if self.long else np.float64)
        if given.shape not in ((), (n,)):
            raise ValueError(f"{name} is a number or an array ({n},); got shape {given.shape}")
        given = np.broadcast_to(given, (n,))
        unit, end = 10**self.frac_digits, 10**self.operand_digits
        if self.long:
            units, right = given, [type(v) is int and 0 <= v < end for v in given.tolist()]
        else:
            units = np.rint(given * unit)
            right = (units / unit == given) & (units >= 0) & (units < end)
        if not np.all(right):
            kind = "a Python int" if self.long else "a number"
            raise ValueError(
                f"{name} is {kind} without a sign, of at most "
                f"{self.operand_digits - self.frac_digits} digits before and "
                f"{self.frac_digits} after the point; got {given[np.logical_not(right)][0]!r}"
            )
        return units if self.long else units.astype(np.int64)


@dataclass(frozen=True)
class Addition(TwoOperands):
    """Texts ``{a}+{b}={answer}`` with a <= b (Sec. 4.1, fone).

    Parameters
    ----------
    int_digits, frac_digits : int
        Most digits of an operand before and exactly after the point. Beyond 14 together, numbers
        are Python ints of any length, in any order, and `frac_digits` is 0.

    Examples
    --------
    >>> Addition(int_digits=3, frac_digits=3).sample(2, seed=0)[0].numbers
    array([[ 401.118,  662.051, 1063.169],
           [ 471.468,  677.196, 1148.664]])
    """

    int_digits: int = 6
    frac_digits: int = 0

    sign: ClassVar[str] = "+"
    version: ClassVar[int] = 1

    @property
    def operand_digits(self) -> int:
        return self.int_digits + self.frac_digits

    @property
    def answer_digits(self) -> int:
        return self.operand_digits + 1

    def _answer(self, a, b):
        return a + b


@dataclass(frozen=True)
class Subtraction(TwoOperands):
    """Texts ``{a}-{b}={answer}`` with a >= b (Sec. 4.1, fone).

    Parameters
    ----------
    int_digits, frac_digits : int
        Most digits of an operand before and exactly after the point. Beyond 15 together, numbers
        are Python ints of any length, and `frac_digits` is 0.

    Examples
    --------
    >>> Subtraction(int_digits=5).sample(2, seed=0)[0].text(1)
    '67719-47146=20573'
    """

    int_digits: int = 6
    frac_digits: int = 0

    sign: ClassVar[str] = "-"
    version: ClassVar[int] = 1

    @property
    def operand_digits(self) -> int:
        return self.int_digits + self.frac_digits

    @property
    def answer_digits(self) -> int:
        return self.operand_digits

    def _draw(self, n: int, seed: int) -> np.ndarray:
        return np.sort(super()._draw(n, seed), axis=1)[:, ::-1]

    def _answer(self, a, b):
        return a - b


@dataclass(frozen=True)
class Multiplication(TwoOperands):
    """Texts ``{a}*{b}={answer}`` with a <= b (Sec. 4.1, fone; Table 5, xval).

    Parameters
    ----------
    digits : int
        Most digits of an operand. Beyond 7, numbers are Python ints of any length, in any order.

    Examples
    --------
    >>> Multiplication(digits=3).sample(2, seed=0)[0].text(1)
    '471*676=318396'
    """

    digits: int = 3

    frac_digits: ClassVar[int] = 0
    sign: ClassVar[str] = "*"
    version: ClassVar[int] = 1

    @property
    def operand_digits(self) -> int:
        return self.digits

    @property
    def answer_digits(self) -> int:
        return 2 * self.digits

    def _answer(self, a, b):
        return a * b
