"""At the papers' sizes, notebooks of tasks with few texts ask for no more than there are."""

import json
import sys
from pathlib import Path

import pytest

import numlab as nl
from numlab.training import choose_learning_rates

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
FEW = ["beyond/curriculum", "beyond/head_or_encoder"]
FEW += ["xval/encodings", "xval/products", "xval/trees"]


class Enough(Exception):
    """What a notebook trains is known."""


def first_rate(specs, rates, steps):
    """A grid of one rate, of which nothing is trained."""
    return choose_learning_rates(specs, rates[:1], steps)


@pytest.mark.parametrize("name", FEW)
def test_a_notebook_asks_for_no_more_texts_than_a_task_has(name, home, monkeypatch):
    asked, names = [], {}

    def first(specs, *_):
        asked.extend(specs)
        raise Enough

    monkeypatch.setattr("numlab.figures.filing._session", None)  # as it was, afterwards
    monkeypatch.setattr(nl, "choose_learning_rates", first_rate)
    monkeypatch.setattr(nl, "train_all", first)
    folder = NOTEBOOKS / name.split("/")[0]
    monkeypatch.syspath_prepend(folder)
    for beside in folder.glob("*.py"):  # other folders have modules of these names
        monkeypatch.delitem(sys.modules, beside.stem, raising=False)
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text("utf-8"))["cells"]
    with pytest.raises(Enough):
        for source in ("".join(c["source"]) for c in cells if c["cell_type"] == "code"):
            exec(source, names)
            names["profile"] = "paper"
    texts = {spec.task: spec.n_train + spec.n_valid + spec.n_test for spec in asked}
    assert {task: n for task, n in texts.items() if n > task.population} == {}
