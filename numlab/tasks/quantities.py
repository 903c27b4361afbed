"""Sentences in which words depend on numbers, for masked word prediction (float).

Sentences and sizes are in data/quantity_templates.toml.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from numlab.examples import Examples, Layout, from_figures, to_figures
from numlab.tasks.base import groups
from numlab.tasks.files import read_data
from numlab.tasks.independent import IndependentTask

__all__ = ["Quantities", "Quantity", "Templates", "Topic", "templates"]

LARGEST_NUMBER = 5000.0  # units are chosen so that numbers are 1 to 5000, where possible
HELD_OUT = (2, 1)  # statements, openings and endings for the first corpora of a split


@dataclass(frozen=True)
class Quantity:
    """A size that things have, in one of several units.

    Parameters
    ----------
    units : dict of str to float
        Each unit in the base unit.
    spread : float
        Standard deviation of log10(size) among things of a kind; of the size where `additive`.
    figures : int
        Significant figures that are written.
    additive : bool
    """

    units: dict[str, float]
    spread: float
    figures: int = 3
    additive: bool = False

    def sizes(self, median: np.ndarray, u: np.ndarray) -> np.ndarray:
        """(n,) sizes in the base unit, from their medians and uniforms."""
        from scipy.special import ndtri

        deviation = self.spread * ndtri(np.clip(u, 1e-9, 1 - 1e-9))
        return np.rint(median + deviation) if self.additive else median * 10.0**deviation

    def choose_units(self, size: np.ndarray, u: np.ndarray) -> np.ndarray:
        """(n,) indices of units in which numbers are 1 to `LARGEST_NUMBER`, or closest to 100."""
        number = np.abs(size)[:, None] / np.array(list(self.units.values()))
        suitable = (number >= 1) & (number <= LARGEST_NUMBER)
        rank = (u * suitable.sum(1)).astype(int)
        chosen = (suitable & (np.cumsum(suitable, 1) == rank[:, None] + 1)).argmax(1)
        closest = np.abs(np.log10(np.maximum(number, 1e-9) / 100)).argmin(1)
        return np.where(suitable.any(1), chosen, closest)


@dataclass(frozen=True, eq=False)
class Topic:
    """Things of one kind.

    Parameters
    ----------
    quantities : tuple of Quantity
        Of the numbers {n0} and {n1}, with the units {unit0} and {unit1}.
    things : dict of str to list of float
        The median of each quantity, in base units.
    scale : dict of str to float
        The words for {size}, each with the least first quantity that it is used for.
    statements : tuple of str
    """

    quantities: tuple[Quantity, ...]
    things: dict[str, list[float]]
    scale: dict[str, float]
    statements: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Templates:
    """What sentences are made of: an opening, a statement of a topic, an ending."""

    topics: tuple[Topic, ...]
    openings: tuple[str, ...]
    endings: tuple[str, ...]


@functools.cache
def templates() -> Templates:
    """The templates of `Quantities`."""
    data = read_data("quantity_templates.toml")
    topics = []
    for topic in data["topics"]:
        quantities = (q | {"units": data["units"][q["units"]]} for q in topic["quantities"])
        topics.append(Topic(**topic | {"quantities": tuple(Quantity(**q) for q in quantities)}))
    return Templates(tuple(topics), tuple(data["openings"]), tuple(data["endings"]))


@dataclass(frozen=True)
class Quantities(IndependentTask):
    """Texts such as ``We read that the whale weighs 67 tons, more or less.``

    Each draws a thing, a size, a unit and a word for the size: each of these words is plausible
    with few numbers only. Slots: opening thing n0 unit0 [n1 unit1] [size] ending, in the order of
    the statement, of which n0 and n1 hold numbers. The corpora of a split, by convention (test,
    valid, train), share no statement, opening or ending; there are at most eight.

    Examples
    --------
    >>> Quantities().sample(3, seed=1)[0].text(0)
    'Few doubt that the height of the tree is 20.4 meters.'
    """

    version: ClassVar[int] = 1
    stored: ClassVar[bool] = False
    n_uniforms: ClassVar[int] = 8

    def layouts(self) -> list[Layout]:
        return [_layout(topic, s) for topic in templates().topics for s in topic.statements]

    def _parts(self, n_corpora: int) -> list[slice]:
        """Which of the statements, openings and endings each corpus uses."""
        ends = np.cumsum([0, *HELD_OUT, *itertools.repeat(1, n_corpora)])[:n_corpora].tolist()
        if ends[-1] >= len(templates().topics[0].statements):
            raise ValueError(f"statements are split into 8 parts at most; got {n_corpora} sizes")
        return [slice(*part) for part in itertools.pairwise([*ends, None])]

    def _texts(self, u, index, part, held) -> Iterator[tuple[int, Examples]]:
        choices = [(topic, s) for topic in templates().topics for s in topic.statements[part]]
        for j, rows in groups((u[:, 0] * len(choices)).astype(int)):
            yield j, _examples(*choices[j], u[rows, 1:], index[rows], part)


@functools.cache
def _layout(topic: Topic, statement: str) -> Layout:
    units = {f"unit{i}": tuple(q.units) for i, q in enumerate(topic.quantities)}
    words = {"thing": tuple(topic.things), "size": tuple(topic.scale), **units}
    used = {name: choices for name, choices in words.items() if f"{{{name}}}" in statement}
    used |= {"opening": templates().openings, "ending": templates().endings}
    return Layout.of(f"{{opening}}{statement}{{ending}}", **used)


def _examples(
    topic: Topic, statement: str, u: np.ndarray, index: np.ndarray, part: slice
) -> Examples:
    """Texts of one statement, from uniforms (n, 7)."""
    codes, numbers = {"thing": (u[:, 0] * len(topic.things)).astype(int)}, {}
    for name, column in (("opening", u[:, 1]), ("ending", u[:, 2])):
        allowed = np.arange(len(templates().openings))[part]
        codes[name] = allowed[(column * len(allowed)).astype(int)]
    medians = np.array(list(topic.things.values()))[codes["thing"]]
    for i, quantity in enumerate(topic.quantities):
        size = quantity.sizes(medians[:, i], u[:, 3 + i])
        codes[f"unit{i}"] = unit = quantity.choose_units(size, u[:, 5 + i])
        number = size / np.array(list(quantity.units.values()))[unit]
        numbers[f"n{i}"] = from_figures(*to_figures(number, quantity.figures))
        if i == 0:
            codes["size"] = np.searchsorted(list(topic.scale.values()), size, side="right") - 1
    layout = _layout(topic, statement)
    return Examples(
        layout,
        np.column_stack([numbers[name] for name in layout.number_slots]),
        np.column_stack([codes[name] for name in layout.word_slots]),
        index,
    )
