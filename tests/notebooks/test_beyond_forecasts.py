"""The true distribution of a forecast, and how coverage counts."""

import numpy as np
import pandas as pd
import pytest
import torch

import numlab as nl
from notebooks.conftest import load

forecasts = load("beyond/forecasts")


@pytest.fixture(scope="module")
def said():
    task = forecasts.weather()
    (examples,) = task.sample(3000, seed=5)
    return examples, forecasts.truth(task, examples)


def test_numbers_fall_evenly_over_the_true_distribution(said):
    examples, truth = said
    pit = nl.probes.scores(truth, examples.column("next0")).pit
    shares = np.histogram(pit, 10, (0, 1))[0] / len(pit)
    np.testing.assert_allclose(shares, 0.1, atol=0.025)


def test_the_true_distribution_uses_the_present_temperature(said):
    examples, truth = said
    left = torch.from_numpy(examples.column("next0")) - truth.mean
    weather = examples.column("T0.0") - examples.column("T0.0").mean()
    assert abs(np.corrcoef(left, weather)[0, 1]) < 0.06
    assert truth.widths.mean() < 0.15  # of a field with a deviation of 1


def test_a_summary_has_the_share_inside_each_central_interval_and_mean_scores():
    frame = pd.DataFrame({"head": "x", "seed": 0, "pit": [0.5, 0.4, 0.7, 0.01]})
    found = forecasts.summary(frame.assign(crps=[1, 2, 3, 4], log_density=0.5))
    held = found.set_index("nominal").held.iloc[[1, 5, 18]]  # 10, 30, 95 %
    assert held.tolist() == [0.25, 0.5, 0.75]
    assert set(found.crps) == {2.5} and set(found.log_density) == {0.5}
