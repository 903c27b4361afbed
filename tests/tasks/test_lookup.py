"""The look-up task: what stands in its texts, and what is withheld."""

from __future__ import annotations

import numpy as np
import pytest

import numlab as nl
from numlab.numbers import from_figures, to_figures
from numlab.tasks import Lookup


@pytest.mark.parametrize("entries", [1, 4, 10])
def test_the_answer_is_the_entry_of_the_key_asked_for(entries):
    (texts,) = Lookup(entries).sample(200, seed=1)
    for i in range(len(texts)):
        dictionary, question = texts.text(i)[1:].split("} ")
        pairs = dict(entry.split(":") for entry in dictionary.split(", "))
        key, answer = question.split("=")
        assert len(pairs) == entries
        assert pairs[key] == answer


def test_every_entry_is_asked_for_equally_often():
    (texts,) = Lookup(4).sample(4000, seed=1)
    asked = (texts.words[:, :4] == texts.words[:, 4:]).mean(0)
    assert asked == pytest.approx([0.25] * 4, abs=0.03)


@pytest.mark.parametrize("figures", [2, 3])
def test_numbers_have_so_many_figures_and_fill_the_range_but_for_what_is_withheld(figures):
    numbers = Lookup(figures=figures).sample(20_000, seed=1)[0].numbers[:, :4].ravel()
    assert (from_figures(*to_figures(numbers, figures)) == numbers).all()
    assert not ((numbers > 0.3) & (numbers < 0.5)).any()
    counts, _ = np.histogram(numbers, [-3, -1.5, -0.5, -0.3, 0.3, 0.5, 1.5, 3])
    share = np.array([1.5, 1, 0.2, 0.6, 0, 1, 1.5]) / 5.8
    assert counts / len(numbers) == pytest.approx(share, abs=0.02 if figures == 2 else 0.006)


def test_an_answer_held_in_the_withheld_interval_changes_only_the_entry_asked_for():
    task, held = Lookup(), np.linspace(0.31, 0.49, 50)
    (free,), (gap,) = task.sample(50, seed=2), task.sample(50, seed=2, answer=held)
    asked = np.hstack([free.words[:, :4] == free.words[:, 4:], np.ones((50, 1), bool)])
    assert (gap.words == free.words).all()
    assert (gap.numbers[~asked] == free.numbers[~asked]).all()
    assert (gap.numbers[asked].reshape(50, 2) == held[:, None]).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"entries": 0}, "entries is a whole number, 1 to 10; got 0"),
        ({"entries": 2.5}, "entries is a whole number"),
        ({"entries": 11}, "1 to 10; got 11"),
        ({"withheld": (0.5, 0.3)}, r"withheld is \(low, high\) .* got \(0.5, 0.3\)"),
        ({"withheld": (0.3, 4.0)}, r"within \(-3.0, 3.0\)"),
        ({"withheld": (-3.0, 3.0)}, r"not all of it; got \(-3.0, 3.0\)"),
        ({"withheld": (0.2996, 0.5)}, "3 significant figures; got"),
        ({"withheld": (0.305, 0.5), "figures": 2}, "2 significant figures; got"),
        ({"figures": 0}, "figures is a whole number, 1 to 15; got 0"),
        ({"figures": 16}, "1 to 15; got 16"),
    ],
)
def test_a_dictionary_that_cannot_be_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        Lookup(**given)


@pytest.mark.parametrize("encoder", [nl.P10(), nl.FP15(), nl.FoNE(1, 4)], ids=str)
def test_the_encoders_of_the_tables_write_its_numbers_exactly(encoder):
    numbers = Lookup().sample(300, seed=0)[0].numbers.ravel()
    numbers = numbers[np.abs(numbers) >= 0.01]  # FoNE has four decimals
    assert np.allclose(encoder.decode(encoder.encode(numbers)), numbers, rtol=0, atol=1e-12)
