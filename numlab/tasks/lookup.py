"""Look up a number in a dictionary of letters (xval, App. D.7)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from numlab.examples import Layout
from numlab.numbers import FLOAT_DIGITS, check_count, check_tuple, rounded
from numlab.tasks.base import Columns, IndependentTask

KEYS = tuple("abcdefghij")  # our choice: the keys are the first ten letters
LOW, HIGH = RANGE = (-3.0, 3.0)


@dataclass(frozen=True)
class Lookup(IndependentTask):
    """Texts such as ``{d:1.53, e:-1.33, a:2.53, i:0.0232} e=-1.33``: repeat one of the numbers.

    Keys are different letters. Numbers are uniform in [-3, 3] outside the withheld interval,
    rounded to some significant figures. Slots: key0 value0 key1 value1 ... key answer, of which
    the keys hold words. `sample` can hold the answer, with the entry that it repeats, anywhere in
    [-3, 3].

    Parameters
    ----------
    entries : of the dictionary, 1 to 10 (our choice: four entries, as in the paper's example).
    withheld : an open interval without numbers, with ends of as many figures.
    figures : of the numbers (our choice: three, as in the paper's example).

    >>> Lookup().sample(2, seed=0)[0].text(0)
    '{d:1.93, c:-2.98, b:2.17, i:-2.81} b=2.17'
    >>> Lookup().sample(2, seed=0, answer=0.4)[0].text(0)
    '{d:1.93, c:-2.98, b:0.4, i:-2.81} b=0.4'
    """

    entries: int = 4
    withheld: tuple[float, float] = (0.3, 0.5)
    figures: int = 3

    limits: ClassVar[Mapping[str, tuple[float, float]]] = {"answer": RANGE}

    def __post_init__(self):
        check_tuple("withheld", self.withheld)
        low, high = self.withheld
        check_count("entries", self.entries, 1, len(KEYS))
        if not LOW <= low < high <= HIGH or (low, high) == RANGE:
            wanted = f"withheld is (low, high) within {RANGE}, not all of it"
            raise ValueError(f"{wanted}; got {self.withheld}")
        check_count("figures", self.figures, 1, FLOAT_DIGITS)
        if (rounded(self.withheld, self.figures) != self.withheld).any():
            wanted = f"withheld ends at {self.figures} significant figures"
            raise ValueError(f"{wanted}; got {self.withheld}")

    @property
    def gaps(self) -> dict[str, tuple[tuple[float, float], ...]]:
        return {"answer": (self.withheld,)}

    @property
    def n_uniforms(self) -> int:
        return len(KEYS) + self.entries + 1

    def layouts(self) -> list[Layout]:
        entries = ", ".join(f"{{key{i}}}:{{value{i}}}" for i in range(self.entries))
        keys = dict.fromkeys([*(f"key{i}" for i in range(self.entries)), "key"], KEYS)
        return [Layout.of(f"{{{{{entries}}}}} {{key}}={{answer}}", **keys)]

    def _fill(self, i: int, u: np.ndarray, held: Columns) -> tuple:
        keys = u[:, : len(KEYS)].argsort(axis=1)[:, : self.entries]
        start, end = self.withheld
        values = LOW + u[:, len(KEYS) : -1] * (HIGH - LOW - (end - start))
        values = np.where(values > start, values + (end - start), values)
        values = rounded(values, self.figures)
        asked = np.arange(len(u)), (u[:, -1] * self.entries).astype(int)  # row and column
        values[asked] = held.get("answer", values[asked])
        return np.column_stack([values, values[asked]]), np.column_stack([keys, keys[asked]])
