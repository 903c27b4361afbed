"""The nine tasks of BitTokens: sums, products, powers, means and lists over 29 decades.

Kreitner and others (2025), arXiv 2510.06824. Answers come from exact decimal arithmetic on what is
written, rounded once.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext

import numpy as np

from numlab.examples import Examples, Layout
from numlab.numbers import FLOAT_DIGITS, check_count, check_tuple
from numlab.tasks.base import PopulationTask
from numlab.tasks.difficulty import DIFFICULTIES, as_text
from numlab.tasks.numeracy_draws import DRAWS, EXACT, Uniforms

ATTEMPTS = 2000  # to draw an example whose numbers are all in range
N_UNIFORMS = 16  # of an attempt
BITS = 53  # of a float64's significand


@dataclass(frozen=True)
class Numeracy(PopulationTask):
    """Texts of one task, such as ``{a} * {b} = {answer}`` or ``<mean>{x0}, {x1} = {answer}``.

    All magnitudes, of the answer too, are from 10^least to 10^(most + 1); in lists 0 is allowed.
    The answer's slots fit "answer*". Tasks: Addition, Multiplication, Division, Exponentiation,
    Mean, Std, MinMax, Interval, Sorting; and for training DivM, a product written as a
    division by the reciprocal, which needs `decades` with least < 0 < most.

    Parameters
    ----------
    decades : (least, most), 4 apart or more.
    digits : most significant digits of operands and answers, 2 to 15. deviates: the published
        operands have up to 17, which float64 does not hold.
    precision : "decimal", or "binary": operands have few bits in place of few digits, and answers
        are the nearest float64.
    max_difficulty : the share of the range of difficulty that is drawn, above 0, at most 1.

    >>> Numeracy("Multiplication", (-3, 3), 4).sample(2, seed=0)[0].numbers.tolist()
    [[10.0, -0.0083, -0.083], [1.25, -480.0, -600.0]]
    """

    task: str = "Addition"
    decades: tuple[int, int] = (-14, 14)
    digits: int = FLOAT_DIGITS
    precision: str = "decimal"
    max_difficulty: float = 1.0

    def __post_init__(self):
        check_tuple("decades", self.decades)
        object.__setattr__(self, "decades", tuple(self.decades))
        if self.task not in DRAWS:
            raise ValueError(f"the tasks are {', '.join(DRAWS)}; got {self.task!r}")
        least, most = self.decades
        check_count("the first of decades", least, -100)
        check_count("the second of decades", most, -100)
        if not -100 <= least <= most - 4 <= 96:
            raise ValueError(f"decades are 4 apart or more, from -100 to 100; got {self.decades}")
        if self.task == "DivM" and not least < 0 < most:
            raise ValueError(f"DivM takes decades on both sides of 0; got {self.decades}")
        check_count("digits", self.digits, 2, FLOAT_DIGITS)
        if self.precision not in ("decimal", "binary"):
            raise ValueError(f"precision is 'decimal' or 'binary'; got {self.precision!r}")
        if not 0 < self.max_difficulty <= 1:
            wanted = "max_difficulty is above 0 and at most 1"
            raise ValueError(f"{wanted}; got {self.max_difficulty}")

    @property
    def population(self) -> int:
        """An upper bound: operands of all signs."""
        least, most = self.decades
        names = max((layout.number_slots for layout in self.layouts()), key=len)
        n_operands = sum(not name.startswith("answer") for name in names)
        return (2 * int(most - least + 1) * 10 ** int(self.digits)) ** n_operands

    def layouts(self) -> list[Layout]:
        return DRAWS[self.task].layouts

    def difficulty(self, examples: Examples, base: int = 10) -> np.ndarray:
        levels = self.levels(base)
        return np.clip(DIFFICULTIES[self.task].of(examples, base), levels[0], levels[-1])

    def levels(self, base: int = 10) -> range:
        """All difficulties; harder texts count as the last."""
        own = base == (10 if self.precision == "decimal" else 2)  # few digits can be many bits
        return DIFFICULTIES[self.task].levels(self.digits if own else FLOAT_DIGITS, base)

    def _choose(self, rows: np.ndarray) -> np.ndarray:
        return rows[:, 0].astype(int)

    def _fill(self, i: int, rows: np.ndarray, held) -> tuple:
        layout = self.layouts()[i]
        k = len(layout.number_slots)
        words = rows[:, 1 + k : 2 + k].astype(int) if layout.word_slots else None
        return rows[:, 1 : 1 + k], words

    def _draw(self, n: int, seed: int) -> np.ndarray:
        """(n, columns): a layout, its numbers, its word, and zeros."""
        width = 2 + max(len(layout.number_slots) for layout in self.layouts())
        rows, pending = np.zeros((n, width)), np.arange(n)
        for attempt in range(ATTEMPTS):
            bits = np.random.PCG64(np.random.SeedSequence((seed, attempt)))
            uniforms = np.random.Generator(bits).random((n, N_UNIFORMS))[pending]
            with localcontext(EXACT):
                for i, u in zip(pending.tolist(), uniforms, strict=True):
                    row = DRAWS[self.task].draw(self, Uniforms(u.tolist()))
                    rows[i] = np.nan if row is None else row + [0.0] * (width - len(row))
            pending = pending[~self._kept(rows[pending])]
            if not len(pending):
                return rows
        advice = "widen its decades or raise max_difficulty"
        raise ValueError(f"{ATTEMPTS} draws gave no text of {self}: {advice}")

    def _kept(self, rows: np.ndarray) -> np.ndarray:
        kept = ~np.isnan(rows[:, 0])
        if self.max_difficulty < 1:
            here, levels = np.flatnonzero(kept), self.levels()
            hardest = levels[0] + self.max_difficulty * (levels[-1] - levels[0])
            for examples in self._texts(rows[here], {}):
                hard = self.difficulty(examples) > hardest
                kept[here[examples.index[hard]]] = False
        return kept

    # --- numbers ---------------------------------------------------------------------------------

    @property
    def places(self) -> int:
        """Most digits, or bits, of an operand."""
        return self.digits if self.precision == "decimal" else BITS * self.digits // FLOAT_DIGITS

    def rounded(self, x: Decimal, places: int | None = None) -> Decimal:
        """An operand of at most that many digits or bits."""
        places = self.places if places is None else places
        if self.precision == "decimal":
            return Context(prec=places).plus(x)
        fraction, exponent = math.frexp(x)
        return Decimal(math.ldexp(round(math.ldexp(fraction, places)), exponent - places))

    def answer(self, x: Decimal) -> Decimal:
        """An answer as it is written."""
        return self.rounded(x) if self.precision == "decimal" else Decimal(float(x))

    def holds(self, *numbers: Decimal) -> bool:
        """Whether all are in range."""
        least, most = self.decades
        return all(x and least <= x.adjusted() <= most for x in numbers)

    def of_decade(self, e: int, u: Uniforms) -> Decimal:
        """A uniform number from 10^e to 10^(e + 1)."""
        return Decimal(1 + 9 * u()).scaleb(e)

    def two_lengths(self, u: Uniforms) -> tuple[int, Callable[[Decimal], int]]:
        """Digits of the first operand; a function giving those of the second from the first as
        drawn."""
        most = self.places
        total = u.whole(2, 2 * most - (self.precision == "decimal"))
        low, high = max(1, total // 2), min(total - 1, most)
        first = math.floor(u.triangular(low, high, min(max(low + 1, total // 2), high)))
        return first, lambda x: max(1, min(total - self.n_places(x), most))

    def n_places(self, x: Decimal) -> int:
        """Digits, or bits, that an operand really has."""
        if self.precision == "binary":
            return len(as_text(float(x), 2))
        return len(x.normalize().as_tuple().digits)
