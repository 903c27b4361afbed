"""What notebooks ask for: runs that others train or numlab ships, no more texts than there are."""

import dataclasses
import json
import sys

import pytest

import numlab as nl
from numlab.training import choose_learning_rates

from .conftest import NOTEBOOKS

FEW = ["beyond/curriculum", "beyond/head_or_encoder"]
FEW += ["xval/encodings", "xval/products", "xval/trees"]


class Asked(Exception):
    """What a notebook asks for, instead of training it."""


def asked(name, profile, monkeypatch, of="choose_learning_rates"):
    """What a notebook asks of a function: the specs, rates and steps of a search, or the specs."""

    def ask(*request):
        raise Asked(*request)

    monkeypatch.setattr(nl, of, ask)
    folder = NOTEBOOKS / name.split("/")[0]
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text("utf-8"))["cells"]
    names = {}
    monkeypatch.syspath_prepend(folder)
    for beside in folder.glob("*.py"):  # other folders have modules of these names
        monkeypatch.delitem(sys.modules, beside.stem, raising=False)
    with pytest.raises(Asked) as request:
        for cell in cells:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), names)
                names["profile"] = profile
    return request.value.args


@pytest.mark.parametrize("profile", ["smoke", "quick", "full", "paper"])
def test_embeddings_asks_for_runs_that_the_planets_notebook_trains(profile, monkeypatch):
    request, trained = (asked(f"xval/{n}", profile, monkeypatch) for n in ("embeddings", "planets"))
    same_runs(request, trained, [])


@pytest.mark.parametrize("profile", ["quick", "full"])
@pytest.mark.parametrize("name", ["explore/ood_sweep", "explore/embeddings"])
def test_a_notebook_to_explore_asks_for_runs_that_numlab_ships(name, profile, monkeypatch):
    (specs,) = asked(name, profile, monkeypatch, of="train_all")
    assert [spec.name for spec in specs if not nl.store.is_shipped(nl.Run(spec).folder)] == []
    searched, *_ = asked("xval/planets", "full", monkeypatch)
    of_planets = [spec for spec in specs if spec.task == searched[0].task]
    rate = searched[0].learning_rate
    assert {dataclasses.replace(spec, learning_rate=rate) for spec in of_planets} <= {*searched}


def test_length_cues_asks_for_runs_that_the_temperature_notebook_trains(home, monkeypatch):
    request, trained = (
        asked(f"xval/{n}", "smoke", monkeypatch) for n in ("length_cues", "temperature")
    )
    same_runs(request, trained, [nl.VariableLength()])


def same_runs(request, lender, own):
    """A request is for the lender's runs, apart from those of its own encoders."""
    (specs, *rates_and_steps), (trained, *grid) = request, lender
    trained = trained.values() if isinstance(trained, dict) else trained
    assert rates_and_steps == grid
    assert [spec.encoder for spec in specs if spec not in trained] == own
    asks, lends = (
        {dataclasses.replace(spec, encoder=nl.P10()) for spec in of} for of in (specs, trained)
    )
    assert asks <= lends


def first_rate(specs, rates, steps):
    """A grid of one rate, of which nothing is trained."""
    return choose_learning_rates(specs, rates[:1], steps)


@pytest.mark.parametrize("name", FEW)
def test_a_notebook_asks_for_no_more_texts_than_a_task_has(name, home, monkeypatch):
    monkeypatch.setattr(nl, "choose_learning_rates", first_rate)
    (specs,) = asked(name, "paper", monkeypatch, of="train_all")
    texts = {spec.task: spec.n_train + spec.n_valid + spec.n_test for spec in specs}
    assert {task: n for task, n in texts.items() if n > task.population} == {}
