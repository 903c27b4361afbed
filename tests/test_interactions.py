"""Whatever was chosen before, a panel shows what a new one shows of the same choices."""

import asyncio
import json

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test
from test_widgets import spec

import numlab as nl
from numlab.embeddings import from_encoder
from numlab.widgets import sweep
from numlab.widgets.explorer import typed

NUMBERS = np.arange(30.0)
SOURCES = [from_encoder(e, NUMBERS, 16) for e in (nl.FoNE(int_digits=3), nl.XVal(), nl.P1000())]
FEW = settings(
    max_examples=8,
    stateful_step_count=10,
    phases=[Phase.generate],  # a shorter history would cost minutes
    suppress_health_check=list(HealthCheck),
)
option = st.integers(0, 30)


def choose(menu, place):
    """Choose an option of a menu by its place."""
    menu.index = place % len(menu.options)


class Explorer(RuleBasedStateMachine):
    """Menus, brush and box of the explorer."""

    def __init__(self):
        super().__init__()
        self.panel = nl.widgets.embedding_explorer(SOURCES)

    @rule(menu=st.integers(0, 2), place=option)
    def menu(self, menu, place):
        choose([*self.panel.sides, self.panel.color][menu], place)

    @rule(way=st.sampled_from(["PCA, 2-D", "PCA, 3-D"]))
    def project(self, way):
        self.panel.projection.value = way

    @rule(rows=st.sets(st.integers(0, 29)))
    def brush(self, rows):
        self.panel.brush.chosen = ",".join(map(str, sorted(rows)))

    @rule(text=st.sampled_from(["", "7", "1 to 9", "7, 100 to 199", "5000", "seven", "7 to"]))
    def type(self, text):
        self.panel.box.value = text

    def teardown(self):
        panel, new = self.panel, nl.widgets.embedding_explorer(SOURCES)
        for now, then in zip([*new.sides, new.color], [*panel.sides, panel.color], strict=True):
            now.value = then.value
        new.projection.value, new.brush.chosen = panel.projection.value, panel.brush.chosen
        assert new.brush.figure == panel.brush.figure
        assert new.near.value == panel.near.value
        assert new.power.layout.display == panel.power.layout.display
        try:
            chosen, absent = typed(panel.box.value, NUMBERS)
        except ValueError:
            wrong = True
        else:
            wrong = bool(absent)
            if panel.box.value:
                assert panel.brush.indices.tolist() == np.flatnonzero(chosen).tolist()
        assert ("alert" in panel.message.value) == wrong  # with the text, whatever is drawn
        assert wrong or new.message.value == panel.message.value


class Sweep(RuleBasedStateMachine):
    """Slider, menus, boxes and button of the sweep, and the lines that are filled in."""

    def __init__(self):
        super().__init__()
        self.panel = self.new()

    @rule(place=option)
    def move(self, place):
        slider = self.panel.slider
        slider.value = slider.min + (slider.max - slider.min) * place / 30

    @rule(place=option, parameter=st.booleans())
    def menu(self, place, parameter):
        choose(self.panel.parameter if parameter else self.panel.seed, place)

    @rule(place=st.integers(0, 2))
    def box(self, place):
        box = self.panel.boxes[place]
        box.value = not box.value

    @rule()
    def keep(self):
        if self.panel.chosen:
            self.panel.button.click()
            assert "Not kept" not in self.panel.message.value

    @rule()
    def fill(self):
        asyncio.run(self.panel.fill())

    def teardown(self):
        panel, new = self.panel, self.new()
        new.parameter.value, new.seed.value = panel.parameter.value, panel.seed.value
        for now, then in zip(new.boxes, panel.boxes, strict=True):
            now.value = then.value
        new.slider.value = panel.slider.value
        new.answered = new.answered[:0]
        for value in panel.answered.true.unique():
            new.ask(value)
        new.draw()
        assert new.button.disabled == panel.button.disabled
        assert new.table.value == panel.table.value
        figures = [json.loads(p.plot.figure) for p in (new, panel)]
        for figure in figures:
            del figure["layout"]["meta"]["model_ms"]
        assert figures[0] == figures[1]


def test_the_explorer_shows_what_is_chosen_now():
    run_state_machine_as_test(Explorer, settings=FEW)


@pytest.fixture
def runs(home):
    encoders = (nl.P1000(), nl.XVal(), nl.FoNE(int_digits=1, frac_digits=3))
    runs = [nl.train(spec(encoder, steps=2)) for encoder in encoders]
    return [*runs, nl.train(spec(nl.P1000(), steps=2, seed=1))]


def test_the_sweep_shows_what_is_chosen_now(runs, monkeypatch):
    monkeypatch.setattr(sweep, "IDLE", 0)
    monkeypatch.setattr(sweep, "REST", 0)
    monkeypatch.setattr(Sweep, "new", lambda _: nl.widgets.ood_sweep(runs, n=2), raising=False)
    run_state_machine_as_test(Sweep, settings=FEW)
