"""What each of the nine tasks draws: a row [layout, *numbers, word], or None to draw again."""

from __future__ import annotations

import functools
import math
from bisect import bisect
from collections.abc import Callable, Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from itertools import accumulate, product
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from numlab.examples import Layout

if TYPE_CHECKING:
    from numlab.tasks.numeracy import Numeracy

LENGTHS = (2, 3, 4, 5)  # of lists
LETTERS = "ABCDEF"
EXACT = Context(prec=400)  # sums and products within 29 decades, of all bits: +, - and * below
NARROW = Context(prec=60)  # for quotients, roots and powers, before they are rounded


class Uniforms:
    """The uniform numbers of one attempt, one after the other."""

    triangular = Random.triangular  # (low, high, mode), from random()

    def __init__(self, numbers: list[float]):
        self.numbers: Iterator[float] = iter(numbers)

    def random(self) -> float:
        return next(self.numbers)

    __call__ = random

    def whole(self, low: int, high: int) -> int:
        """Uniform from low to high, both included."""
        return low + int(self() * (high - low + 1))

    def pick(self, choices):
        return choices[int(self() * len(choices))]

    def weighted(self, choices: tuple, sums: tuple[float, ...]):
        """One of the choices, from the sums of their weights."""
        return choices[bisect(sums, self() * sums[-1])]


class Draw(NamedTuple):
    """Which layouts a task has, and how it draws a text."""

    layouts: list[Layout]
    draw: Callable[[Numeracy, Uniforms], list[float] | None]


def _row(layout: int, numbers: list[Decimal]) -> list[float]:
    return [float(x) + 0.0 for x in (layout, *numbers)]


def _weighed(values: tuple, gaps: list[int], decades: tuple) -> tuple[tuple, tuple[float, ...]]:
    """Values and the cumulated weights exp(-0.15 gap), the same on every machine."""
    if not values:
        raise ValueError(f"no operands have answers within the decades {decades}: widen them")
    return values, tuple(accumulate(float((Decimal(-15 * gap) / 100).exp()) for gap in gaps))


@functools.cache
def _pairs(task: str, least: int, most: int) -> tuple[tuple, tuple[float, ...]]:
    """Pairs of decades, and the sums of their weights."""
    pairs = tuple(product(range(least, most + 1), repeat=2))
    if task == "Addition":
        return _weighed(pairs, [abs(a - b) for a, b in pairs], (least, most))
    if task == "Multiplication":
        pairs = tuple((a, b) for a, b in pairs if least - 2 < a + b <= most)
    else:
        pairs = tuple((a, b) for a, b in pairs if least <= a - b <= most)
    return _weighed(pairs, [0] * len(pairs), (least, most))


def _solve_pair(task: Numeracy, layout: int, a: Decimal, b: Decimal) -> Decimal:
    if task.task == "Exponentiation":
        exact = NARROW.power(a, b)
    elif task.task in ("Division", "DivM"):
        exact = NARROW.divide(a, b)
    elif task.task == "Multiplication":
        exact = a * b
    else:
        exact = a - b if layout else a + b
    return task.answer(exact)


def _draw_pair(task: Numeracy, u: Uniforms) -> list[float] | None:
    """Addition, Multiplication, DivM (6.1)."""
    kind = "Multiplication" if task.task == "DivM" else task.task
    e, f = u.weighted(*_pairs(kind, *task.decades))
    first, second = task.two_lengths(u)
    a = task.rounded(task.of_decade(e, u), first)
    numbers = [a, task.rounded(task.of_decade(f, u), second(a))]
    layout = u.whole(0, 1) if kind == "Addition" else 0
    if u() < 0.5:
        numbers.reverse()
    if task.task == "DivM":
        numbers[1] = task.rounded(NARROW.divide(1, numbers[1]))
    return _signed(task, layout, numbers, u)


def _signed(task: Numeracy, layout: int, numbers: list[Decimal], u: Uniforms):
    """With signs: both positive in 40 %, the three other ways in 20 % each."""
    a, b = u.pick(((1, 1), (1, 1), (-1, 1), (1, -1), (-1, -1)))
    numbers = [a * numbers[0], b * numbers[1]]
    numbers.append(_solve_pair(task, layout, *numbers))
    return _row(layout, numbers) if task.holds(*numbers) else None


def _draw_division(task: Numeracy, u: Uniforms) -> list[float] | None:
    """The quotient first, then the divisor; the dividend is their product (6.1)."""
    least, most = task.decades
    e, f = u.weighted(*_pairs("Division", *task.decades))
    low, high = (Decimal(10) ** x for x in (max(e - f - 2, least), min(e - f + 2, most)))
    quotient = low + Decimal(u()) * (high - low)
    quotient = task.rounded(quotient, u.whole(2, task.places))
    first, _ = task.two_lengths(u)
    divisor = task.rounded(task.of_decade(f, u), first)
    dividend = task.rounded(quotient * divisor)
    if abs(dividend.adjusted() - e) > 1:
        return None
    return _signed(task, 0, [dividend, divisor], u)


@functools.cache
def _bases(least: int, most: int) -> tuple[tuple, tuple[float, ...]]:
    """Decades of a base with the whole exponents that each can have."""
    found = []
    for e in range(least, most + 1):
        size = abs(e) + 1
        powers = range(math.ceil((least + 1) / size), most // size + 1)
        found.append((e, tuple(k for k in powers if k not in (0, 1))))
    found = tuple((e, powers) for e, powers in found if powers)
    return _weighed(found, [abs(e) for e, _ in found], (least, most))


def _draw_power(task: Numeracy, u: Uniforms) -> list[float] | None:
    """A whole power or a root, whose exponent is rounded as it is written (6.2)."""
    e, powers = u.weighted(*_bases(*task.decades))
    k, flip = u.pick(powers), u() < 0.5
    base = task.rounded(task.of_decade(e, u), u.whole(2, task.places))
    power = Decimal(k) if k > 1 else task.rounded(NARROW.divide(1, k))
    power = -power if flip else power
    if power > 1 and u() < 1 / 3:
        base = -base
    if power == 1 or abs(base) == 1:
        return None
    answer = _solve_pair(task, 0, base, power)
    fits = task.holds(base, answer) and abs(answer) != 1
    return _row(0, [base, power, answer]) if fits else None


def _solve_list(task: Numeracy, layout: int, numbers: list[Decimal]) -> list[Decimal]:
    """`layout` counts lengths first, then ways."""
    way = layout % 2
    if task.task == "MinMax":
        return [max(numbers) if way else min(numbers)]
    if task.task == "Sorting":
        return sorted(numbers, reverse=bool(way))
    if task.task == "Interval":
        x, *edges = numbers
        return [Decimal(sum(edge <= x for edge in edges))]
    return [task.answer(_mean(numbers) if task.task == "Mean" else _spread(numbers))]


def _mean(numbers: list[Decimal]) -> Decimal:
    return NARROW.divide(sum(numbers), len(numbers))


def _spread(numbers: list[Decimal]) -> Decimal:
    """The population's standard deviation; all but the root and the quotient is exact."""
    n = len(numbers)
    scatter = n * sum(x * x for x in numbers) - sum(numbers) ** 2
    return NARROW.divide(NARROW.sqrt(scatter), n)


def _draw_list(task: Numeracy, u: Uniforms) -> list[float] | None:
    """A list around a centre, and what is asked about it (6.3)."""
    least, most = task.decades
    e, n = u.whole(least + 2, most - 2), u.pick(LENGTHS)
    wide = task.task in ("Mean", "Std")
    above = task.digits + 1 if wide else 1
    s = u.whole(max(least + 2, e - task.digits), min(e + above, most - 2))
    centre, half = task.of_decade(e, u), Decimal(1).scaleb(s)
    fewest = min(max(e - s + 2, 1), task.digits)
    places = u.whole(fewest, task.digits) * task.places // task.digits

    def inside(x: Decimal) -> Decimal:
        """Rounded, and towards the centre where that leads out."""
        rounded = task.rounded(x, places)
        if abs(rounded - centre) > half and task.precision == "decimal":
            way = ROUND_CEILING if x < centre else ROUND_FLOOR
            rounded = Context(prec=places, rounding=way).plus(x)
        return rounded

    numbers = [inside(centre + half * Decimal(2 * u() - 1)) for _ in range(n)]
    # our choice: the common shift in one step, where the published code bisects in ten
    shift = centre - _mean(numbers)
    numbers = [task.rounded(x + shift, places) for x in numbers]
    if not task.holds(_spread(numbers)):
        return None
    n_ways = len(task.layouts()) // len(LENGTHS)
    layout = n_ways * LENGTHS.index(n) + u.whole(0, 1) % n_ways
    if task.task == "Interval":
        if len(set(numbers)) < n:
            return None
        numbers.sort()
        at, step = u.whole(0, n), NARROW.divide(half, n)
        edges = [numbers[0] - step, *numbers, numbers[-1] + step]
        x = task.rounded(edges[at] + Decimal(u()) * (edges[at + 1] - edges[at]), places)
        numbers = [x, *numbers]
        if _solve_list(task, layout, numbers) != [at]:
            return None
    answers = _solve_list(task, layout, numbers)
    held = numbers if task.task == "Interval" else [*numbers, *answers]
    fits = all(not x or task.holds(x) for x in held)
    return _row(layout, [*numbers, *answers]) if fits else None


def _of_lists(*prompts: str, sorting: bool = False) -> list[Layout]:
    """A layout for each length and prompt; sorting, one answer for each number."""
    layouts = []
    for n in LENGTHS:
        listed = ", ".join(f"{{x{i}}}" for i in range(n))
        asked = listed.replace("x", "answer") if sorting else "{answer}"
        layouts += [Layout.of(f"<{prompt}>{listed} = {asked}") for prompt in prompts]
    return layouts


def _intervals() -> list[Layout]:
    layouts = []
    for n in LENGTHS:
        letters = LETTERS[: n + 1]
        edges = "".join(f" {{x{i}}} {letters[i + 1]}" for i in range(n))
        layouts.append(Layout.of(f"<intva>{{x}}: A{edges} = {{answer}}", answer=tuple(letters)))
    return layouts


def _of_pair(*signs: str) -> list[Layout]:
    return [Layout.of(f"{{a}} {sign} {{b}} = {{answer}}") for sign in signs]


DRAWS = {
    "Addition": Draw(_of_pair("+", "-"), _draw_pair),
    "Multiplication": Draw(_of_pair("*"), _draw_pair),
    "Division": Draw(_of_pair("/"), _draw_division),
    "Exponentiation": Draw(_of_pair("^"), _draw_power),
    "Mean": Draw(_of_lists("mean"), _draw_list),
    "Std": Draw(_of_lists("std"), _draw_list),
    "MinMax": Draw(_of_lists("min", "max"), _draw_list),
    "Interval": Draw(_intervals(), _draw_list),
    "Sorting": Draw(_of_lists("asc", "desc", sorting=True), _draw_list),
    "DivM": Draw(_of_pair("/"), _draw_pair),
}
