"""xval's own metrics against plain, slow references."""

import numpy as np
import pandas as pd
import pytest

from notebooks.conftest import load
from numlab import metrics

scores = load("xval/scores")


def test_the_median_over_seeds_ignores_invalid_answers():
    runs = [
        pd.DataFrame(
            {"example": [0, 1, 2], "slot": "a", "true": [1.0, 2.0, 3.0], "predicted": p, "valid": v}
        ).assign(seed=seed)
        for seed, p, v in (
            (0, [1.0, 9.0, np.nan], [True, False, False]),
            (1, [3.0, 9.0, np.nan], [True, False, False]),
            (2, [2.0, 5.0, np.nan], [True, True, False]),
        )
    ]
    median = scores.median_over_seeds(pd.concat(runs))
    assert median.predicted.tolist()[:2] == [2.0, 5.0] and np.isnan(median.predicted[2])
    assert median.valid.tolist() == [True, True, False]
    two = scores.median_over_seeds(pd.concat(runs[:2]))
    assert two.predicted[0] == 1.0  # an answer of a seed; their mean, 2, is none
    part = pd.concat([runs[0], runs[1].assign(encoder="MLP", ended=True)])  # columns of some rows
    assert len(scores.median_over_seeds(part)) == 6


def test_adjusted_r2_pays_for_the_inputs():
    rng = np.random.default_rng(0)
    true = rng.normal(size=50)
    f = pd.DataFrame({"true": true, "predicted": true + 0.1 * rng.normal(size=50), "valid": True})
    plain = metrics.r2(f)
    assert scores.adjusted_r2(f, 2) == pytest.approx(1 - (1 - plain) * 49 / 47)
    assert np.isnan(scores.adjusted_r2(f[:3], 2))
