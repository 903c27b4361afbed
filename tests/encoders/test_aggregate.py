"""Digit aggregates against plain loops, and the three properties that section 3 of digits asks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from numlab.encoders import aggregate
from numlab.encoders.aggregate import digit_weights

TABLE = np.random.default_rng(0).normal(size=(10, 7))
PLAIN = {
    aggregate.weighted_sum: lambda e: (digit_weights(len(e))[:, None] * e).sum(0),
    aggregate.digit_sum: lambda e: e.sum(0),
    aggregate.digit_mean: lambda e: e.mean(0),
    aggregate.digit_max: lambda e: e.max(0),
    aggregate.digit_min: lambda e: e.min(0),
    aggregate.digit_median: lambda e: np.median(e, 0),
}
every_aggregate = pytest.mark.parametrize("function", PLAIN, ids=lambda f: f.__name__)
digit_arrays = st.tuples(st.integers(1, 22), st.integers(1, 5), st.integers(0, 2**32)).map(
    lambda s: np.random.default_rng(s[2]).integers(0, 10, (s[1], s[0]))
)


@every_aggregate
@given(digits=digit_arrays)
def test_an_aggregate_is_what_a_plain_loop_computes(function, digits):
    expected = np.array([PLAIN[function](TABLE[row]) for row in digits])
    np.testing.assert_allclose(function(digits, TABLE), expected, rtol=1e-9, atol=1e-9)


@every_aggregate
def test_a_single_digit_keeps_its_embedding(function):
    np.testing.assert_array_equal(function(np.arange(10)[:, None], TABLE), TABLE)


@every_aggregate
def test_the_embeddings_type_is_kept(function):
    assert function(np.array([[1, 2]]), TABLE.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("name", ["digit_max", "digit_min", "digit_median", "digit_sum"])
def test_the_standard_functions_do_not_see_the_order(name):
    vectors = getattr(aggregate, name)(np.array([[8, 5, 1], [1, 8, 5]]), TABLE)
    np.testing.assert_array_equal(vectors[0], vectors[1])


def test_the_weighted_sum_sees_the_order():
    vectors = aggregate.weighted_sum(np.array([[8, 5], [5, 8]]), TABLE)
    assert np.abs(vectors[0] - vectors[1]).max() > 0.1


@given(st.integers(1, 30))
def test_weights_are_normalised_triangular_numbers_times_powers_of_the_base(n):
    triangular = digit_weights(n) / 2.0 ** np.arange(n - 1, -1, -1)
    assert triangular.sum() == pytest.approx(1)
    steps = np.diff(triangular[::-1])
    np.testing.assert_allclose(np.diff(steps), steps[0] / 2 if n > 2 else 0, rtol=1e-6)


def test_weights_are_not_normalised_and_fall_from_left_to_right():
    weights = digit_weights(6)
    assert weights.sum() > 1
    assert (np.diff(weights) < 0).all()


def test_the_base_of_the_weights_is_a_parameter():
    np.testing.assert_allclose(digit_weights(3, base=10), [60, 3, 0.1])


@pytest.mark.parametrize(
    ("digits", "table", "message"),
    [
        (np.array([[1.0, 2.0]]), TABLE, r"integers of shape \(n, N >= 1\); got float64"),
        (np.array([1, 2]), TABLE, r"got int64 of shape \(2,\)"),
        (np.array([[1, 10]]), TABLE, "0 to 9; got 1 to 10"),
        (np.array([[1, 2]]), TABLE[:9], r"shape \(10, d\).*got float64 of shape \(9, 7\)"),
    ],
)
def test_what_is_no_digit_or_no_table_is_refused(digits, table, message):
    with pytest.raises(ValueError, match=message):
        aggregate.digit_max(digits, table)


def test_a_number_has_a_digit():
    with pytest.raises(ValueError, match="n_digits=0"):
        digit_weights(0)
