"""The best constant answer."""

import numpy as np
import pandas as pd
import pytest

from notebooks.conftest import load
from numlab.metrics import exact_match, log_smape

best_constant = load("beyond/baselines").best_constant


def answers(true):
    return pd.DataFrame({"true": true, "predicted": np.nan, "valid": False})


def test_of_exact_answers_the_commonest_counts():
    assert best_constant(answers([7.0, 1.0, 7.0, 100.0]), exact_match) == 0.5
    assert best_constant(answers(["A", "B", "B"]), exact_match) == pytest.approx(2 / 3)


def test_of_nearness_it_is_better_than_the_median_and_as_good_as_a_search():
    true = np.concatenate([-np.geomspace(1, 1e6, 40), np.geomspace(1, 1e6, 60)])
    rows = answers(true)

    def score(guess):
        return log_smape(rows.assign(predicted=guess, valid=True), 6)

    best = best_constant(rows, lambda rows: log_smape(rows, 6))
    assert best > score(np.median(true))
    assert best > 0.95 * max(map(score, np.geomspace(1, 1e6, 2000)))
