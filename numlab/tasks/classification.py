"""On which side of a plane do three numbers lie? (fone, App. B)"""

import math
from dataclasses import dataclass

import numpy as np

from numlab.examples import Layout
from numlab.numbers import check_count
from numlab.tasks.base import Columns, PopulationTask


@dataclass(frozen=True)
class Classification(PopulationTask):
    """Texts ``{a},{b},{c}={answer}``: answer is 1 where 1.5 a - 2 b + 0.5 c > d, else 0.

    Integers a <= b <= c, uniform over all such triples.

    Parameters
    ----------
    d : 10 or -190 in the paper, which prints the rule as "... - d > 0".
    largest : the numbers are 0 to `largest`.

    >>> Classification().sample(1, seed=0)[0].text(0)
    '657,662,802=1'
    """

    d: int = 10
    largest: int = 1000

    def __post_init__(self):
        check_count("largest", self.largest)

    @property
    def population(self) -> int:
        return math.comb(self.largest + 3, 3)

    def layouts(self) -> list[Layout]:
        return [Layout.of("{a},{b},{c}={answer}", answer=("0", "1"))]

    def _draw(self, n: int, seed: int) -> np.ndarray:
        """(n, 3) a <= b <= c: three distinct numbers of 0 to largest + 2, sorted, less 0, 1, 2."""
        streams = np.random.default_rng(seed).spawn(3)
        x, y, z = (s.integers(0, self.largest + 3 - i, n) for i, s in enumerate(streams))
        y = y + (y >= x)  # distinct: the second skips the first, the third both
        z = z + (z >= np.minimum(x, y))
        z = z + (z >= np.maximum(x, y))
        return np.sort(np.stack([x, y, z], axis=1), axis=1) - np.arange(3)

    def _fill(self, i: int, rows: np.ndarray, held: Columns) -> tuple:
        numbers = rows.astype(np.float64)
        return numbers, (numbers @ (1.5, -2.0, 0.5) > self.d).astype(int)[:, None]
