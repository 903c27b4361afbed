"""Sentences in which words depend on numbers."""

import numpy as np
import pytest

from numlab.tasks import Quantities
from numlab.tasks.quantities import Quantity, topics

TOPICS = topics()


def test_parts_of_a_split_make_the_same_statements_in_hardly_any_common_text():
    parts = Quantities().split((2000, 2000, 2000), seed=0)
    every = {layout for topic in TOPICS for layout in topic.layouts}
    assert all({e.layout for e in part} == every for part in parts)
    test, _, train = ({e.text(i) for e in part for i in range(len(e))} for part in parts)
    assert len(test & train) < 0.01 * len(test)


def test_every_part_speaks_of_every_thing():
    for part in Quantities().split((2000, 2000, 4000), seed=0):
        said = set(np.concatenate([e.column("thing") for e in part]))
        assert said == {thing for topic in TOPICS for thing in topic.things}


@pytest.mark.parametrize("topic", TOPICS, ids=lambda t: next(iter(t.things)))
def test_the_number_and_its_unit_tell_the_thing(topic):
    """The thing whose size is nearest is the one that is spoken of, mostly: words are no chance."""
    (quantity, *_), right, n = topic.quantities, 0, 0
    middles = np.array([own[0] for own in topic.things.values()])
    for e in Quantities().sample(4000, seed=2):
        if (
            e.layout.slots
            and set(e.column("thing")) <= set(topic.things)
            and "n0" in e.layout.number_slots
        ):
            unit = e.column("unit0") if "unit0" in e.layout.word_slots else None
            base = list(quantity.units.values())
            factor = [quantity.units[u] for u in unit] if unit is not None else base[0]
            size = e.column("n0") * factor
            gap = (
                abs(size[:, None] - middles)
                if quantity.additive
                else abs(np.log(size[:, None] / middles))
            )
            right += (np.array(list(topic.things))[gap.argmin(1)] == e.column("thing")).sum()
            n += len(e)
    assert n > 100 and right / n > 0.7  # of about twelve things


def test_the_topics_are_said_in_as_many_ways_with_words_of_their_own():
    assert {len(topic.layouts) for topic in TOPICS} == {9}
    for topic in TOPICS:
        assert all("thing" in lay.word_slots and "n0" in lay.number_slots for lay in topic.layouts)
        assert {len(layout.slots[0].words) for layout in topic.layouts} == {12}
        assert {len(layout.slots[-1].words) for layout in topic.layouts} == {12}
        assert list(topic.scale.values()) == sorted(topic.scale.values())


WEIGHT = Quantity(units={"g": 1.0, "kg": 1e3, "t": 1e6}, spread=0.3)


def test_a_size_is_written_in_a_unit_in_which_it_is_from_1_to_5000():
    u = np.linspace(0, 0.999, 50)
    for size, numbers in ((40_000.0, {40.0}), (4000.0, {4000.0, 4.0}), (3e10, {30_000.0})):
        found, unit = WEIGHT.numbers(np.full(50, size), u)
        assert {*found.tolist()} == numbers
        assert (found * np.array(list(WEIGHT.units.values()))[unit] == size).all()


def test_counts_are_whole_and_the_ends_of_chance_are_finite():
    ends = np.array([0.0, 0.5, 1 - 2.0**-53])
    years = Quantity(units={"year": 1.0}, spread=7.3, additive=True).sizes(np.full(3, 50.0), ends)
    assert (years == np.rint(years)).all() and years[1] == 50 and np.isfinite(years).all()
    assert np.isfinite(WEIGHT.sizes(np.full(3, 50.0), ends)).all()
