"""Sentences in which words depend on numbers."""

import numpy as np
import pytest

from numlab.tasks import Quantities
from numlab.tasks.quantities import topics

TOPICS = topics()


def ways(corpus):
    """The statements, openings and endings that a corpus uses."""
    words = [(e.column("opening"), e.column("ending")) for e in corpus]
    openings, endings = (set(np.concatenate(column)) for column in zip(*words, strict=True))
    return {e.layout for e in corpus}, openings, endings


def test_parts_of_a_split_share_no_statement_no_opening_and_no_ending():
    parts = [ways(part) for part in Quantities().split((400, 300, 2000), seed=0)]
    for i, ours in enumerate(parts):
        for others in parts[i + 1 :]:
            assert not any(a & b for a, b in zip(ours, others, strict=True))
    assert [len(layouts) for layouts, *_ in parts] == [
        2 * len(TOPICS),
        len(TOPICS),
        6 * len(TOPICS),
    ]


def test_every_part_speaks_of_every_thing():
    for part in Quantities().split((2000, 2000, 4000), seed=0):
        said = set(np.concatenate([e.column("thing") for e in part]))
        assert said == {thing for topic in TOPICS for thing in topic.things}


def test_a_split_into_more_parts_than_there_are_statements_is_refused():
    with pytest.raises(ValueError, match="split into 8 parts at most; got 9 sizes"):
        Quantities().split((1,) * 9, seed=0)


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
