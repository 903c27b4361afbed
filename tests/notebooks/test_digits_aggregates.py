"""Numbers aggregated from digits, and their kNN-F1 against that of their vectors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from probes.test_neighbours import AGGREGATIONS, every_aggregation, reference

from notebooks.conftest import load
from numlab.encoders import DigitMax, DigitSum, WeightedSum
from numlab.probes import neighbour_f1

aggregates = load("digits/aggregates")
digit_f1, from_digits = aggregates.digit_f1, aggregates.from_digits


def test_digits_of_numbers_of_mixed_lengths_are_aggregated_without_leading_zeros():
    table = np.random.default_rng(0).normal(size=(10, 4))
    vectors = from_digits([305, 0, 42], table, WeightedSum()).vectors
    expected = [WeightedSum()(np.array([d]), table)[0] for d in ([3, 0, 5], [0], [4, 2])]
    np.testing.assert_allclose(vectors, expected)


def test_more_numbers_than_are_aggregated_at_a_time_keep_their_order():
    numbers = np.random.default_rng(0).permutation(100_000)
    vectors = from_digits(numbers, np.arange(10.0)[:, None], DigitSum()).vectors
    assert vectors[:, 0].tolist() == [sum(map(int, str(n))) for n in numbers.tolist()]


@pytest.mark.parametrize("number", [-1, 0.5])
def test_only_whole_numbers_have_digits_to_aggregate(number):
    with pytest.raises(ValueError, match=str(number)):
        from_digits([1, number], np.eye(10), DigitMax())


@every_aggregation
def test_digits_score_as_their_vectors(how):
    table = np.random.default_rng(1).normal(size=(10, 24))
    numbers = np.random.default_rng(2).permutation(2000)[:1500]
    expected = neighbour_f1(from_digits(numbers, table, how), 7)
    found = digit_f1(numbers, table, how, 7)
    np.testing.assert_array_equal(found.number, expected.number)
    np.testing.assert_allclose(found.f1, expected.f1, atol=1e-12)


def test_digits_of_few_different_vectors_score_as_the_reference():
    table = np.repeat(np.eye(3), [4, 3, 3], axis=0)  # 0 to 3 are alike
    numbers = np.arange(300)
    for how in AGGREGATIONS:
        e = from_digits(numbers, table, how)
        found = digit_f1(numbers, table, how, 10)
        np.testing.assert_allclose(found.f1, reference(numbers, e.vectors, 10), atol=1e-12)


@given(st.lists(st.integers(0, 10**9), min_size=1))
def test_a_multiset_is_the_digits_in_any_order(numbers):
    codes = aggregates.multisets(np.array(numbers))
    ordered = ["".join(sorted(str(n))) for n in numbers]
    assert len(set(zip(codes.tolist(), ordered, strict=True))) == len(set(ordered))
    assert len(set(codes.tolist())) == len(set(ordered))


@pytest.mark.parametrize("how", [WeightedSum(), DigitMax()], ids=repr)
def test_a_digit_whose_embedding_is_not_finite_is_named(how):
    table = np.ones((10, 3))
    table[7, 1] = np.nan
    with pytest.raises(ValueError, match="vectors are finite; the vector of 7"):
        digit_f1(np.arange(100), table, how)


@pytest.mark.parametrize("how", [WeightedSum(), DigitSum()], ids=repr)
def test_digits_too_ask_for_k_below_the_number_of_points(how):
    with pytest.raises(ValueError, match="each of 10 numbers has 1 to 9 neighbours; got k=10"):
        digit_f1(np.arange(10), np.eye(10), how)
