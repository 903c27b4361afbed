"""The table whose target is a sum of functions, and what is measured along a column."""

import numpy as np
import pandas as pd
import pytest

import numlab as nl
from notebooks.conftest import load

shapes = load("beyond/shapes")
TASK = shapes.Shapes()


def test_the_target_is_the_sum_of_four_functions_and_noise():
    table = shapes.as_table(TASK.sample(20_000, seed=0))
    noise = table.y - TASK.truth(table)
    assert noise.std() == pytest.approx(TASK.noise, abs=0.01)
    assert abs(np.corrcoef(table.y - noise, noise)[0, 1]) < 0.03


@pytest.mark.parametrize("name", shapes.FUNCTIONS)
def test_the_part_of_a_column_has_a_mean_of_0_and_a_deviation_of_1(name):
    part = shapes.FUNCTIONS[name](TASK.spread(name, (np.arange(8000) + 0.5) / 8000))
    assert (part.mean(), part.std()) == (pytest.approx(0, abs=1e-3), pytest.approx(1, abs=0.07))


def test_a_column_that_is_held_changes_no_other():
    free = shapes.as_table(TASK.sample(50, seed=1))
    held = shapes.as_table(TASK.sample(50, seed=1, steps=30.0))
    assert (held.steps == 30).all()
    assert held.drop(columns=["steps", "y"]).equals(free.drop(columns=["steps", "y"]))


def test_answers_without_error_give_back_the_function_of_each_column(monkeypatch):
    def exact(runs, examples, slots, batch_size):
        table = shapes.as_table(examples)
        answer = {"encoder": "exact", "seed": 0, "predicted": TASK.truth(table) + 5.0}
        return pd.DataFrame(answer | {"example": np.arange(len(table))})

    monkeypatch.setattr(nl, "predict", exact)
    found = shapes.responses([], TASK, points=24, texts=3)
    assert found.groupby("column").size().to_dict() == dict.fromkeys(shapes.FUNCTIONS, 24)
    np.testing.assert_allclose(found.learned, found.true, atol=1e-9)
