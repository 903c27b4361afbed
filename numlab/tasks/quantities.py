"""Sentences in which words depend on numbers, made here: for masked word prediction (float)."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from numlab.examples import Examples, Layout, from_figures, to_figures
from numlab.tasks.base import Task, check_seed, check_size, child_seed, hold
from numlab.tasks.things import ENDINGS, OPENINGS, TOPICS, Quantity, Topic

LARGEST = 5000.0  # numbers are said in a unit of which there are 1 to so many, where there is one
HELD_OUT = (2, 1)  # ways to say something that the first parts of a split have for themselves


@dataclass(frozen=True)
class Quantities(Task):
    """Texts such as ``We read that the whale weighs 67 tons, more or less.``

    A thing is drawn, its size around what is usual for it, a unit in which the size is said, and
    a word for the size: each of these words is plausible with few numbers only. Slots: opening
    thing n0 unit0 [n1 unit1] [size] ending, as far as the statement has them, of which n0 and n1
    hold numbers.

    `split` shares no statement, no opening and no ending between its parts.

    Examples
    --------
    >>> texts = Quantities().sample(3, seed=1)
    >>> texts[0].text(0)
    'Few doubt that the height of the tree is 20.4 meters.'
    """

    version: ClassVar[int] = 1
    stored: ClassVar[bool] = False

    def layouts(self) -> list[Layout]:
        return [layout(topic, statement) for topic in TOPICS for statement in topic.statements]

    def sample(self, n: int, seed: int, **fixed) -> list[Examples]:
        """Draw n texts; no parameter can be held."""
        hold(fixed, {}, check_size(n))
        return _draw(n, check_seed(seed), slice(None))

    def split(self, sizes: Sequence[int], seed: int) -> tuple[list[Examples], ...]:
        """Draw corpora that share no way to say something, by convention (test, valid, train).

        A corpus does not depend on the sizes of the others, only on how many there are; one that
        is smaller is the beginning of a larger one.
        """
        shares = [*HELD_OUT, *itertools.repeat(1, len(sizes))][: len(sizes) - 1]
        ends = np.cumsum([0, *shares]).tolist()
        if ends[-1] >= len(TOPICS[0].statements):
            raise ValueError(f"statements are split into 8 parts at most; got {len(sizes)} sizes")
        return tuple(
            _draw(check_size(n), child_seed(seed, i), slice(*part))
            for i, (n, part) in enumerate(
                zip(sizes, itertools.pairwise([*ends, None]), strict=True)
            )
        )


@functools.cache
def layout(topic: Topic, statement: str) -> Layout:
    units = {f"unit{i}": tuple(q.units) for i, q in enumerate(topic.quantities)}
    words = {"thing": tuple(topic.things), "size": tuple(topic.scale), **units}
    return Layout.of(
        f"{{opening}}{statement}{{ending}}",
        opening=OPENINGS,
        ending=ENDINGS,
        **{name: own for name, own in words.items() if f"{{{name}}}" in statement},
    )


def _draw(n: int, seed: int, part: slice) -> list[Examples]:
    """n texts made of a part of the statements, openings and endings."""
    said = [(topic, statement) for topic in TOPICS for statement in topic.statements[part]]
    u = np.random.default_rng(seed).random((n, 8))  # a row a text: its place's own
    which = (u[:, 0] * len(said)).astype(int)
    return [
        _texts(*said[i], u[which == i, 1:], np.flatnonzero(which == i), part)
        for i in np.unique(which)
    ]


def _texts(topic: Topic, statement: str, u: np.ndarray, index: np.ndarray, part: slice) -> Examples:
    thing = pick(u[:, 0], len(topic.things))
    codes = {"thing": thing}
    for name, own, draw in (("opening", OPENINGS, u[:, 1]), ("ending", ENDINGS, u[:, 2])):
        open_to = np.arange(len(own))[part]
        codes[name] = open_to[pick(draw, len(open_to))]
    middles, numbers = np.array(list(topic.things.values())), {}
    for i, quantity in enumerate(topic.quantities):
        size = sizes(quantity, middles[thing, i], u[:, 3 + i])
        unit = units(quantity, size, u[:, 5 + i])
        said = to_figures(size / np.array(list(quantity.units.values()))[unit], quantity.figures)
        numbers[f"n{i}"], codes[f"unit{i}"] = from_figures(*said), unit
        if i == 0:
            least = list(topic.scale.values())
            codes["size"] = np.searchsorted(least, size, side="right") - 1
    made = layout(topic, statement)
    return Examples(
        made,
        np.column_stack([numbers[name] for name in made.number_slots]),
        np.column_stack([codes[name] for name in made.word_slots]),
        index,
    )


def pick(u: np.ndarray, n: int | np.ndarray) -> np.ndarray:
    """Uniforms in [0, 1) to one of n."""
    return (u * n).astype(int)


def sizes(quantity: Quantity, middle: np.ndarray, u: np.ndarray) -> np.ndarray:
    """(n,) sizes in the base unit, around their middles."""
    from scipy.special import ndtri

    off = quantity.spread * ndtri(np.clip(u, 1e-9, 1 - 1e-9))
    return np.rint(middle + off) if quantity.additive else middle * 10.0**off


def units(quantity: Quantity, size: np.ndarray, u: np.ndarray) -> np.ndarray:
    """(n,) one of the units in which the number is neither small nor large; else the nearest to."""
    number = np.abs(size)[:, None] / np.array(list(quantity.units.values()))
    handy = (number >= 1) & (number <= LARGEST)
    rank = pick(u, handy.sum(1))
    chosen = (handy & (np.cumsum(handy, 1) == rank[:, None] + 1)).argmax(1)
    nearest = np.abs(np.log10(np.maximum(number, 1e-9) / 100)).argmin(1)
    return np.where(handy.any(1), chosen, nearest)
