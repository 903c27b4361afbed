"""How hard an example of the nine tasks is (BitTokens, 2510.06824)."""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, takewhile

import numpy as np

from numlab.examples import Examples


@dataclass(frozen=True)
class Difficulty:
    """How hard a text is: `measure(operands, answers, base)`.

    `least`, `most`: its range at 15 digits, each as (base 10, base 2).
    """

    measure: Callable[[list[float], list[float], int], int]
    most: tuple[int, int]
    least: tuple[int, int] = (1, 1)

    def of(self, examples: Examples, base: int) -> np.ndarray:
        """(n,) int, before it is clipped to the levels."""
        if base not in (2, 10):
            raise ValueError(f"digits are of base 10 or 2; got {base!r}")
        asked = sum(not name.startswith("answer") for name in examples.layout.number_slots)
        rows = examples.numbers.tolist()
        return np.array([self.measure(row[:asked], row[asked:], base) for row in rows], int)

    def levels(self, digits: int, base: int) -> range:
        """The difficulties of texts of at most that many digits; fewer digits, proportionally."""
        i = int(base == 2)
        most = max(self.least[i] + 1, math.ceil(self.most[i] * digits / 15))
        return range(self.least[i], most + 1)


@functools.lru_cache(1 << 16)
def as_text(x: float, base: int) -> str:
    """abs(x) as text: base 10 positional; base 2 the significand's bits without trailing zeros."""
    if base == 10:
        return np.format_float_positional(abs(x), trim="-")
    numerator = abs(x).as_integer_ratio()[0]
    return bin(numerator)[2:].rstrip("0") or "0"


def non_zero(x: float, base: int = 10) -> int:
    """Digits that are not 0, at least one.

    >>> non_zero(-102.5), non_zero(5.0, base=2)
    (3, 2)
    """
    text = as_text(x, base)
    return max(1, len(text) - text.count("0") - text.count("."))


def common(a: float, b: float, base: int = 10) -> int:
    """How many leading digits two numbers share, as written; 0 if their signs differ.

    >>> common(12.5, 12.75), common(12.5, -12.5)
    (2, 0)
    """
    if (a < 0) != (b < 0):
        return 0
    pairs = zip(as_text(a, base), as_text(b, base), strict=False)
    return sum(x != "." for x, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _of_sum(asked: list[float], answers: list[float], base: int) -> int:
    """Digits of the larger that change, and 3 for each place where neither operand has a 0.

    Compared from the left, without the point, as they are written (6.5).
    """
    large, small = (as_text(x, base).replace(".", "") for x in sorted(asked, key=abs, reverse=True))
    total = as_text(answers[0], base).replace(".", "")
    changed = sum(x != y for x, y in zip(large, total.ljust(len(large)), strict=False))
    both = sum(x != "0" != y for x, y in zip(large, small, strict=False))
    return changed + 3 * both


def _of_product(asked: list[float], answers: list[float], base: int) -> int:
    return sum(non_zero(x, base) for x in asked)


def _of_quotient(asked: list[float], answers: list[float], base: int) -> int:
    a, b = asked
    divisor = 1 / b if base == 2 else b
    return non_zero(a, base) + non_zero(divisor, base) + non_zero(answers[0], base)


def _of_power(asked: list[float], answers: list[float], base: int) -> int:
    return round(math.prod(non_zero(x, base) for x in asked + answers) ** 0.4)


def _of_mean(asked: list[float], answers: list[float], base: int) -> int:
    """Digits that are not 0 after the common prefix, and those of 1 / n."""
    texts = [as_text(x, base).replace(".", "") for x in asked]
    shared = min(common(asked[0], x, base) for x in asked)
    rest = sum(len(text[shared:].replace("0", "")) for text in texts)
    share = float(f"{1 / len(asked):.15g}") if base == 10 else 1 / len(asked)
    return rest + non_zero(share, base)


def _of_choice(asked: list[float], answers: list[float], base: int) -> int:
    """Leading digits shared with the answer (MinMax) or with x (Interval), summed over the others,
    ^0.8."""
    answer, others = (answers or asked)[0], [*asked]
    if answer in others:
        others.remove(answer)
    return math.ceil(sum(common(answer, x, base) for x in others) ** 0.8)


def _of_order(asked: list[float], answers: list[float], base: int) -> int:
    return math.ceil(sum(common(a, b, base) for a, b in combinations(asked, 2)) ** 0.8)


# The caps are the published ones; where none is published, our choice: the most there can be.
DIFFICULTIES = {
    "Addition": Difficulty(_of_sum, (60, 212), (0, 0)),
    "Multiplication": Difficulty(_of_product, (32, 60), (2, 2)),
    "Division": Difficulty(_of_quotient, (45, 60), (3, 30)),
    "Exponentiation": Difficulty(_of_power, (26, 117)),
    "Mean": Difficulty(_of_mean, (80, 155)),
    "Std": Difficulty(_of_mean, (80, 155)),
    "MinMax": Difficulty(_of_choice, (27, 73), (0, 0)),
    "Interval": Difficulty(_of_choice, (32, 88), (0, 0)),
    "Sorting": Difficulty(_of_order, (56, 152), (0, 0)),
    "DivM": Difficulty(_of_quotient, (45, 60), (3, 30)),
}
