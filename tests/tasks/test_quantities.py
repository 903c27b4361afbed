"""Sentences in which words depend on numbers."""

import numpy as np
import pytest

from numlab.tasks import Quantities
from numlab.tasks.quantities import topics

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
