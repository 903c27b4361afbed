"""The last snapshots of planetary systems, hidden at once."""

from __future__ import annotations

import numpy as np
import pytest

import numlab as nl
from probes.conftest import tiny_spec

SPEC = tiny_spec(nl.XVal(), n_steps=3, n_planets=(2, 3))


def test_each_position_stands_beside_what_the_run_says_of_it(run):
    texts = SPEC.task.sample(12, seed=1)
    frame = nl.probes.trajectories(run, texts, n_last=2)
    answers = nl.predict(run, texts, ("x*.1", "y*.1", "x*.2", "y*.2")).set_index(
        ["example", "slot"]
    )
    for row in frame.itertuples():
        (text,) = (e for e in texts if row.example in e.index)
        at = np.flatnonzero(text.index == row.example)
        for axis in "xy":
            slot = f"{axis}{row.planet}.{row.step}"
            assert getattr(row, axis) == text.column(slot)[at]
            said = getattr(row, f"predicted_{axis}")
            expected = np.nan if row.step == 0 else answers.predicted[row.example, slot]
            assert said == pytest.approx(expected, nan_ok=True)
        assert row.hidden == (row.step > 0)


def test_there_is_a_row_for_each_planet_of_each_text_at_each_step(run):
    texts = SPEC.task.sample(12, seed=1)
    frame = nl.probes.trajectories(run, texts, n_last=1)
    planets = {
        i: sum(name[0] == "m" for name in e.layout.number_slots) for e in texts for i in e.index
    }
    assert frame.groupby("example").size().to_dict() == {i: 3 * k for i, k in planets.items()}


@pytest.mark.parametrize("n_last", [0, 3])
def test_something_is_hidden_and_something_shown(run, n_last):
    with pytest.raises(ValueError, match=f"1 to 2 can be hidden; got {n_last}"):
        nl.probes.trajectories(run, SPEC.task.sample(2, seed=1), n_last)
