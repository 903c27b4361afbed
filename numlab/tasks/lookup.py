"""A number to be looked up in a dictionary of letters (App. D.7, xval)."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from numlab.examples import Examples, Layout, from_figures, to_figures
from numlab.tasks.base import Task, check_seed, check_size, hold

KEYS = tuple("abcdefghij")  # our choice: the keys are the first ten letters
RANGE = (-3.0, 3.0)
FIGURES = 3  # our choice: numbers of three figures, as in the example


@dataclass(frozen=True)
class Lookup(Task):
    """Texts such as ``{d:1.53, e:-1.33, a:2.53, i:0.0232} e=-1.33``: say it again.

    The keys are different letters, and one of them is asked for. Numbers are uniform in [-3, 3]
    without the withheld interval, and rounded to three significant figures. Slots: key0 value0
    key1 value1 ... key answer, of which the keys hold words.

    Parameters
    ----------
    entries : int
        Of the dictionary, 1 to 10 (our choice: four entries, as in the paper's example).
    withheld : (float, float)
        No number of a sample lies in this open interval, unless `sample` holds the answer there.

    Examples
    --------
    >>> Lookup().sample(2, seed=0)[0].text(0)
    '{d:1.93, c:-2.98, b:2.17, i:-2.81} b=2.17'
    >>> Lookup().sample(2, seed=0, answer=0.4)[0].text(0)
    '{d:1.93, c:-2.98, b:0.4, i:-2.81} b=0.4'
    """

    entries: int = 4
    withheld: tuple[float, float] = (0.3, 0.5)

    version: ClassVar[int] = 1

    def __post_init__(self):
        object.__setattr__(self, "withheld", tuple(self.withheld))
        if not 1 <= self.entries <= len(KEYS):
            raise ValueError(f"a dictionary has 1 to {len(KEYS)} entries; got {self.entries}")
        low, high = RANGE
        if len(self.withheld) != 2 or not low <= self.withheld[0] < self.withheld[1] <= high:
            raise ValueError(
                f"withheld is an interval (low, high) within {low:g} and {high:g}; "
                f"got {self.withheld}"
            )
        significand, exponent = to_figures(self.withheld, FIGURES)
        if (from_figures(significand, exponent) != self.withheld).any():
            raise ValueError(  # numbers next to it would be rounded into it
                f"withheld ends at numbers of {FIGURES} significant figures; got {self.withheld}"
            )

    @property
    def limits(self) -> dict[str, tuple[float, float]]:
        """The parameters that `sample` can hold fixed, and how far."""
        return {"answer": RANGE}

    @property
    def gaps(self) -> dict[str, tuple[tuple[float, float], ...]]:
        """Open intervals between the values that a parameter takes in a sample."""
        return {"answer": (self.withheld,)}

    def layouts(self) -> list[Layout]:
        return [_layout(self.entries)]

    def sample(self, n: int, seed: int, **fixed) -> list[Examples]:
        """Draw n texts.

        Parameters
        ----------
        n, seed : int
        **fixed : float or array of shape (n,)
            answer, within [-3, 3], the withheld interval included. The asked entry of the
            dictionary holds it as well; the other entries stay outside of the interval.
        """
        k = self.entries
        held = hold(fixed, self.limits, check_size(n))
        if n == 0:
            return []
        # a row of uniforms a text: its place's own
        u = np.random.default_rng(check_seed(seed)).random((n, len(KEYS) + k + 1))
        keys = u[:, : len(KEYS)].argsort(axis=1)[:, :k]
        values, asked = self._values(u[:, len(KEYS) : -1]), (u[:, -1] * k).astype(int)
        row = np.arange(n)
        values[row, asked] = held.get("answer", values[row, asked])
        words = np.column_stack([keys, keys[row, asked]])
        numbers = np.column_stack([values, values[row, asked]])
        return [Examples(_layout(k), numbers, words, row)]

    def _values(self, u: np.ndarray) -> np.ndarray:
        """Uniforms to numbers outside of the withheld interval."""
        (low, high), (start, end) = RANGE, self.withheld
        x = low + u * (high - low - (end - start))
        x = np.where(x > start, x + (end - start), x)
        return from_figures(*to_figures(x, FIGURES))


@functools.cache
def _layout(k: int) -> Layout:
    entries = ", ".join(f"{{key{i}}}:{{value{i}}}" for i in range(k))
    words = {f"key{i}": KEYS for i in range(k)} | {"key": KEYS}
    return Layout.of(f"{{{{{entries}}}}} {{key}}={{answer}}", **words)
