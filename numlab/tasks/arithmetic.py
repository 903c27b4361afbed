"""Sums, differences and products of two numbers (fone, Sec. 4.1; xval, App. B)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from numlab.examples import Layout
from numlab.numbers import FLOAT_DIGITS, check_count
from numlab.tasks.base import Columns, PopulationTask
from numlab.tasks.expressions import evaluate


class TwoOperands(PopulationTask):
    """Texts ``{a}?{b}={answer}`` of two operands >= 0.

    Operands are uniform over the unordered pairs of numbers of up to `int_digits` digits before
    the point and `frac_digits` after it. Where answers can have more than 15 digits (`long`),
    numbers are Python ints in an object array, and the lengths of the two operands are uniform
    instead (fone, App. E).
    """

    int_digits: int
    frac_digits = 0
    sign: ClassVar[str]  # the operation: +, - or *

    def __post_init__(self):
        check_count("int_digits", self.int_digits)
        check_count("frac_digits", self.frac_digits, 0)
        if self.long and self.frac_digits:
            raise ValueError(f"decimals have answers of {FLOAT_DIGITS} digits or fewer; got {self}")

    @property
    def operand_digits(self) -> int:
        """Most digits of an operand, before and after the point."""
        return int(self.int_digits + self.frac_digits)  # of numpy, 10**20 would overflow

    @property
    def answer_digits(self) -> int:
        """Most digits of an answer, before and after the point."""
        most = 10**self.operand_digits - 1
        return len(str(max(self._answer(most, 0), self._answer(most, most))))

    def _answer(self, a, b):
        return evaluate(f"a{self.sign}b", {"a": a, "b": b})

    @property
    def long(self) -> bool:
        return self.answer_digits > FLOAT_DIGITS

    @property
    def population(self) -> int:
        count = 10**self.operand_digits
        return count * (count + 1) // 2

    def layouts(self) -> list[Layout]:
        return [Layout.of(f"{{a}}{self.sign}{{b}}={{answer}}")]

    def _draw(self, n: int, seed: int) -> np.ndarray:
        """(n, 2) operands in units of their last digit: 1.250 is 1250."""
        draw = draw_by_length if self.long else draw_unordered
        return draw(n, seed, self.operand_digits)

    def _identity(self, rows: np.ndarray) -> np.ndarray:
        return np.sort(rows, axis=1)

    def _fill(self, i: int, rows: np.ndarray, held: Columns) -> tuple:
        a, b = rows.T
        numbers = np.stack([a, b, self._answer(a, b)], axis=1)
        if not self.long:
            numbers = numbers / 10**self.frac_digits  # both exact, so the quotient is the nearest
        return numbers, None


@dataclass(frozen=True)
class Addition(TwoOperands):
    """Texts ``{a}+{b}={answer}`` with a <= b (fone, Sec. 4.1).

    Parameters
    ----------
    int_digits : most digits of an operand before the point.
    frac_digits : digits after it. With more than 14 int_digits, a and b are Python ints in any
        order; with more than 14 in all and some after the point, a ValueError.

    >>> Addition(int_digits=3, frac_digits=3).sample(2, seed=0)[0].numbers
    array([[ 401.118,  662.051, 1063.169],
           [ 471.468,  677.196, 1148.664]])
    """

    int_digits: int = 6
    frac_digits: int = 0
    sign: ClassVar[str] = "+"


@dataclass(frozen=True)
class LongAddition(TwoOperands):
    """Addition of Python ints, uniform over all pairs of lengths (fone, Appendices E and F).

    As `Addition` beyond 14 digits, but of any length: to train on short operands and to test on
    long ones. A split has no sum twice, and so fewer of the shortest.

    >>> nl.tasks.LongAddition(int_digits=20).sample(1, seed=0)[0].numbers
    array([[71958204419405349, 3163429196701220226, 3235387401120625575]],
          dtype=object)
    """

    int_digits: int = 10
    sign: ClassVar[str] = "+"
    long: ClassVar[bool] = True


@dataclass(frozen=True)
class Subtraction(TwoOperands):
    """Texts ``{a}-{b}={answer}`` with a >= b (fone, Sec. 4.1).

    `int_digits`, `frac_digits`: as of `Addition`; with more than 15 in all, numbers are Python
    ints.

    >>> nl.tasks.Subtraction(int_digits=2).sample(1, seed=0)[0].numbers
    array([[65., 40., 25.]])
    """

    int_digits: int = 6
    frac_digits: int = 0
    sign: ClassVar[str] = "-"

    def _draw(self, n: int, seed: int) -> np.ndarray:
        return np.sort(super()._draw(n, seed), axis=1)[:, ::-1]


@dataclass(frozen=True)
class Multiplication(TwoOperands):
    """Texts ``{a}*{b}={answer}`` with a <= b (fone, Sec. 4.1; xval, Table 5).

    `digits`: most digits of an operand; with more than 7, numbers are Python ints in any order.

    >>> nl.tasks.Multiplication(digits=2).sample(1, seed=0)[0].numbers
    array([[  40.,   65., 2600.]])
    """

    digits: int = 3
    sign: ClassVar[str] = "*"

    def __post_init__(self):
        check_count("digits", self.digits)

    @property
    def int_digits(self) -> int:
        return self.digits


def draw_unordered(n: int, seed: int, digits: int) -> np.ndarray:
    """(n, 2) int64 with a <= b, uniform over the unordered pairs of 0 ... 10^digits - 1."""
    count = 10**digits
    rows, columns = np.random.default_rng(seed).spawn(2)
    a, b = rows.integers(0, count // 2, n), columns.integers(0, count + 1, n)
    # A rectangle of count / 2 rows and count + 1 columns holds the triangle a <= b: its upper
    # half as it is, its lower half rotated beside it.
    return np.where(b > a, [a, b - 1], [count - 1 - a, count - 1 - b]).T


def draw_by_length(n: int, seed: int, digits: int) -> np.ndarray:
    """(n, 2) Python ints: a uniform length from 1 to `digits`, then a uniform number."""
    lengths, firsts, others = np.random.default_rng(seed).spawn(3)
    length = lengths.integers(1, digits + 1, (n, 2)).ravel()
    first = firsts.random((n, 2)).ravel()
    first = np.where(length > 1, 1 + 9 * first, 10 * first).astype(np.uint8)  # only 0 begins with 0
    rest = others.integers(0, 10, (n, 2, digits), np.uint8).reshape(2 * n, digits)
    return join_digits(length, first, rest).reshape(n, 2)


def join_digits(length: np.ndarray, first: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """(n,) Python ints of a length (n,), of first digits (n,) and then of digits (n, most)."""
    most = rest.shape[1]
    place = np.arange(most, 0, -1)  # 1: the units
    length, first = length[:, None], first[:, None]
    digits = np.where(place < length, rest, np.where(place == length, first, 0))
    words = (digits + ord("0")).astype(np.uint8).view(f"S{most}").ravel()
    return np.array([int(word) for word in words.tolist()], object)
