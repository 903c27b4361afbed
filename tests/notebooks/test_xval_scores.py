"""xval's own metrics against plain, slow references."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

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


def rounded(x: float, n: int) -> Decimal:
    """Plainly: the shortest decimal that is x, rounded to n significant figures."""
    exact = Decimal(repr(x))
    return exact and round(exact, n - 1 - exact.adjusted()).normalize()


def is_tie(x: float, n: int) -> bool:
    """Whether a decimal ends in a 5 behind its n-th figure, which float64 may round either way."""
    figures = Decimal(repr(x)).normalize().as_tuple().digits
    return len(figures) == n + 1 and figures[-1] == 5


decimals = st.builds(
    lambda i, e: float(f"{i}e{e}"), st.integers(-(10**6), 10**6), st.integers(-9, 6)
)


@given(st.lists(st.tuples(decimals, decimals, st.booleans()), min_size=1), st.integers(1, 5))
@settings(max_examples=100, deadline=None)
def test_a_match_to_figures_is_what_rounding_one_by_one_says(rows, n):
    near = [(x, x * (1 + 0.004 * (i % 3)), True) for i, (x, _, _) in enumerate(rows)]
    clear = [row for row in [*rows, *near] if not any(is_tie(x, n) for x in row[:2])]
    assume(clear)
    table = pd.DataFrame(clear, columns=["true", "predicted", "valid"])
    table.loc[~table.valid, "predicted"] = np.nan
    alike = [
        valid and rounded(true, n) == rounded(predicted, n)
        for true, predicted, valid in table.itertuples(index=False)
    ]
    assert scores.match_to_figures(table, n) == pytest.approx(np.mean(alike))
