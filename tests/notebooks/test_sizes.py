"""At the papers' sizes, notebooks of tasks with few texts ask for no more than there are."""

import pytest
from test_widgets import asked

import numlab as nl
from numlab.training import choose_learning_rates

FEW = ["beyond/curriculum", "beyond/head_or_encoder"]
FEW += ["xval/encodings", "xval/products", "xval/trees"]


def first_rate(specs, rates, steps):
    """A grid of one rate, of which nothing is trained."""
    return choose_learning_rates(specs, rates[:1], steps)


@pytest.mark.parametrize("name", FEW)
def test_a_notebook_asks_for_no_more_texts_than_a_task_has(name, home, monkeypatch):
    monkeypatch.setattr(nl, "choose_learning_rates", first_rate)
    (specs,) = asked(name, "paper", monkeypatch, of="train_all")
    texts = {spec.task: spec.n_train + spec.n_valid + spec.n_test for spec in specs}
    assert {task: n for task, n in texts.items() if n > task.population} == {}
