"""Sentences in which words depend on numbers, for masked word prediction (float)."""

import functools
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from numlab.examples import Layout
from numlab.numbers import rounded
from numlab.tasks.base import Columns, IndependentTask, pick
from numlab.tasks.files import read_data


@dataclass(frozen=True)
class Quantity:
    """A size that things have; data/quantity_templates.toml explains its fields."""

    units: dict[str, float]
    spread: float
    figures: int = 3
    additive: bool = False

    def sizes(self, median: np.ndarray, u: np.ndarray) -> np.ndarray:
        """(n,) sizes in the base unit, from their medians and uniforms."""
        from scipy.special import ndtri

        deviation = self.spread * ndtri(np.clip(u, 1e-9, 1 - 1e-9))
        return np.rint(median + deviation) if self.additive else median * 10.0**deviation

    def numbers(self, size: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n,) numbers, and indices of their units: numbers from 1 to 5000, or closest to 100."""
        number = size[:, None] / np.array(list(self.units.values()))
        suitable = (abs(number) >= 1) & (abs(number) <= 5000)
        rank = (u * suitable.sum(1)).astype(int)
        chosen = (suitable & (np.cumsum(suitable, 1) == rank[:, None] + 1)).argmax(1)
        closest = abs(np.log10(np.maximum(abs(number), 1e-9) / 100)).argmin(1)
        unit = np.where(suitable.any(1), chosen, closest)
        return rounded(number[np.arange(len(u)), unit], self.figures), unit


class Topic(NamedTuple):
    """Things of one kind; data/quantity_templates.toml explains its fields."""

    quantities: list[Quantity]
    things: dict[str, list[float]]
    scale: dict[str, float]
    layouts: list[Layout]


@functools.cache
def topics() -> tuple[Topic, ...]:
    """The topics of `Quantities`, each with a layout for each of its statements."""
    data, made = read_data("quantity_templates.toml"), []
    ends = {"opening": tuple(data["openings"]), "ending": tuple(data["endings"])}
    for topic in data["topics"]:
        sizes = [Quantity(**q | {"units": data["units"][q["units"]]}) for q in topic["quantities"]]
        words = {f"unit{i}": tuple(q.units) for i, q in enumerate(sizes)}
        words |= {"thing": tuple(topic["things"]), "size": tuple(topic["scale"])}
        layouts = []
        for text in topic["statements"]:
            used = {name: choices for name, choices in words.items() if f"{{{name}}}" in text}
            layouts.append(Layout.of(f"{{opening}}{text}{{ending}}", **ends, **used))
        made.append(Topic(sizes, topic["things"], topic["scale"], layouts))
    return tuple(made)


@dataclass(frozen=True)
class Quantities(IndependentTask):
    """Texts such as ``We read that the whale weighs 67 tons, more or less.``

    Each draws a thing, a size, a unit and a word for the size: each of these words is plausible
    with few numbers only. Slots: opening thing n0 unit0 [n1 unit1] [size] ending, in the order of
    the statement, of which n0 and n1 hold numbers.

    >>> Quantities().sample(3, seed=1)[0].text(0)
    'Few doubt that the height of the tree is 20.4 meters.'
    """

    version: ClassVar[int] = 2  # the corpora of a split of the first one shared no statement
    stored: ClassVar[bool] = False
    n_uniforms: ClassVar[int] = 8

    def layouts(self) -> list[Layout]:
        return [layout for topic in topics() for layout in topic.layouts]

    def _fill(self, i: int, u: np.ndarray, held: Columns) -> tuple:
        topic, layout = [(topic, layout) for topic in topics() for layout in topic.layouts][i]
        codes, numbers = {"thing": pick(range(len(topic.things)), u[:, 1])}, {}
        for column, slot in ((2, layout.slots[0]), (3, layout.slots[-1])):  # opening, ending
            codes[slot.name] = pick(range(len(slot.words)), u[:, column])
        medians = np.array(list(topic.things.values()))[codes["thing"]]
        for j, quantity in enumerate(topic.quantities):
            size = quantity.sizes(medians[:, j], u[:, 4 + j])
            numbers[f"n{j}"], codes[f"unit{j}"] = quantity.numbers(size, u[:, 6 + j])
            if j == 0:
                codes["size"] = np.searchsorted(list(topic.scale.values()), size, side="right") - 1
        table = np.column_stack([numbers[name] for name in layout.number_slots])
        return table, np.column_stack([codes[name] for name in layout.word_slots])
