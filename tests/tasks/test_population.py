import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from numlab.tasks.population import expected_draws, first_occurrences

names = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1)


@given(names, st.sampled_from([np.int64, np.float64, object]))
def test_first_occurrences_are_those_of_a_dict(rows, dtype):
    first = {}
    for place, row in enumerate(rows):
        first.setdefault(row, place)
    assert first_occurrences(np.array(rows, dtype)).tolist() == list(first.values())


@pytest.mark.parametrize("n", [10, 500, 990, 1000])
def test_expected_draws_are_about_those_that_are_needed(n):
    rng = np.random.default_rng(0)
    needed = []
    for _ in range(50):
        first = first_occurrences(rng.integers(0, 1000, 12_000)[:, None])
        needed.append(first[n - 1] + 1)
    assert expected_draws(n, 1000) == pytest.approx(np.mean(needed), rel=0.12)
