"""At the papers' sizes, notebooks of tasks with few texts ask for no more than there are."""

import json
import sys
from pathlib import Path

import pandas as pd
import pytest

import numlab as nl

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
FEW = ["beyond/curriculum", "beyond/head_or_encoder"]
FEW += ["xval/encodings", "xval/products", "xval/trees"]


class Enough(Exception):
    """What a notebook trains is known."""


def search(specs, rates, steps, names=None):
    """Every spec with the first rate, and the record of `choose_learning_rates`."""
    names = names or [str(spec.encoder) for spec in specs]
    tried = {"encoder": names, "learning_rate": rates[0], "valid_loss": 1.0, "chosen": True}
    return [*specs], pd.DataFrame(tried)


@pytest.mark.parametrize("name", FEW)
def test_a_notebook_asks_for_no_more_texts_than_a_task_has(name, home, monkeypatch):
    asked, names = [], {}

    def first(specs, *_):
        asked.extend(specs)
        raise Enough

    monkeypatch.setattr("numlab.figures.filing._session", None)  # as it was, afterwards
    monkeypatch.setattr(nl, "choose_learning_rates", search)
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
