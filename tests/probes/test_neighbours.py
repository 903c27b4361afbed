"""kNN-F1 against a slow plain reference: ties, the ends of the range, shared vectors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from notebooks.conftest import load

import numlab as nl
from numlab.embeddings import Embeddings, from_encoder
from numlab.encoders import (
    DigitMax,
    DigitMean,
    DigitMedian,
    DigitMin,
    DigitSum,
    WeightedSum,
)
from numlab.probes import nearby, neighbour_f1
from numlab.probes.neighbours import _distinct, shared_f1

from_digits = load("digits/aggregates").from_digits
AGGREGATIONS = (
    WeightedSum(),
    DigitSum(),
    DigitMean(),
    DigitMax(),
    DigitMin(),
    DigitMedian(),
)
every_aggregation = pytest.mark.parametrize("how", AGGREGATIONS, ids=repr)


def membership(distance, k, tolerance):
    """Probability of each candidate of one number to be among its k nearest, ties shared."""
    radius = np.sort(distance)[k - 1]
    closer, tied = distance < radius - tolerance, np.abs(distance - radius) <= tolerance
    return closer + tied * (k - closer.sum()) / tied.sum()


def reference(numbers, vectors, k):
    """Expected F1 of every number, one at a time, all distances, sums over all candidates."""
    numbers, vectors = np.asarray(numbers, float), np.asarray(vectors, float)
    f1 = []
    for i in range(len(numbers)):
        others = np.arange(len(numbers)) != i
        natural = membership(np.abs(numbers[others] - numbers[i]), k, 1e-9)
        gap = vectors[others] - vectors[i]
        embedded = membership(np.sqrt((gap**2).sum(1)), k, 1e-9)
        assert natural.sum() == pytest.approx(k)
        assert embedded.sum() == pytest.approx(k)
        f1.append((natural * embedded).sum() / k)
    return np.array(f1)


def assert_is_the_reference(numbers, vectors, k):
    frame = neighbour_f1(Embeddings(numbers, vectors, "test"), k)
    np.testing.assert_array_equal(frame.number, np.asarray(numbers, float))
    np.testing.assert_allclose(frame.f1, reference(numbers, vectors, k), atol=1e-12)


@pytest.mark.parametrize("n_digits", [2, 3])
@every_aggregation
def test_digit_aggregates_of_one_length_score_as_the_reference(how, n_digits):
    table = np.random.default_rng(n_digits).normal(size=(10, 24))
    e = from_digits(np.arange(10 ** (n_digits - 1), 10**n_digits), table, how)
    assert_is_the_reference(e.numbers, e.vectors, 10)


@every_aggregation
def test_digit_aggregates_of_all_lengths_score_as_the_reference(how):
    table = np.random.default_rng(0).normal(size=(10, 24))
    e = from_digits(np.arange(1000), table, how)
    assert_is_the_reference(e.numbers, e.vectors, 10)


@pytest.mark.parametrize("how", [WeightedSum(), DigitSum()], ids=repr)
def test_four_digits_score_as_the_reference(how):
    table = np.random.default_rng(0).normal(size=(10, 8))
    e = from_digits(np.arange(1000, 4000), table, how)
    assert_is_the_reference(e.numbers, e.vectors, 10)


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 40), st.integers(1, 3), st.integers(1, 3), st.data())
def test_ties_on_a_lattice_score_as_the_reference(n, d, side, data):
    k = data.draw(st.integers(1, n - 1))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    numbers = rng.choice(3 * n, n, replace=False)
    assert_is_the_reference(numbers, rng.integers(0, side + 1, (n, d)).astype(float), k)


@settings(deadline=None, max_examples=30)
@given(st.integers(2, 40), st.sampled_from([17, 40]), st.data())
def test_many_dimensions_score_as_the_reference(n, d, data):
    k = data.draw(st.integers(1, n - 1))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    vectors = rng.normal(size=(n, d))[rng.integers(0, n, n)]  # some of them twice
    assert_is_the_reference(rng.normal(size=n), vectors, k)


def test_ties_that_run_beyond_the_neighbours_fetched_are_all_counted():
    assert_is_the_reference(np.arange(100), np.eye(100), 10)  # all 99 others at one distance
    assert_is_the_reference(np.arange(100), np.arange(100)[:, None] % 2 + 0.0, 10)


def test_all_numbers_on_one_vector_score_chance():
    frame = neighbour_f1(Embeddings(np.arange(31), np.zeros((31, 5)), "test"))
    np.testing.assert_allclose(frame.f1, 10 / 30)


def test_at_the_ends_the_natural_neighbours_lie_on_one_side():
    vectors = np.random.default_rng(0).normal(size=(12, 2))
    vectors[1:6] = vectors[0] + 1e-3 * np.arange(1, 6)[:, None]
    frame = neighbour_f1(Embeddings(np.arange(12), vectors, "test"), k=5)
    assert frame.f1[0] == 1


def test_the_order_in_which_numbers_come_does_not_matter():
    rng = np.random.default_rng(0)
    numbers, vectors = np.arange(200), rng.integers(0, 4, (200, 3)).astype(float)
    shuffle = rng.permutation(200)
    straight = neighbour_f1(Embeddings(numbers, vectors, "test"))
    shuffled = neighbour_f1(Embeddings(numbers[shuffle], vectors[shuffle], "test"))
    np.testing.assert_allclose(shuffled.f1, straight.f1[shuffle])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rounding_noise_on_ties_changes_nothing(dtype):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(10, 64)).astype(dtype)
    digits = np.arange(100, 1000)[:, None] // [100, 10, 1] % 10
    # added up digit by digit, permutations of the same digits differ in the last bit
    rounded = (0.1 * table)[digits].cumsum(axis=1, dtype=dtype)[:, -1]
    assert len(np.unique(rounded, axis=0)) > 2 * len(np.unique(np.sort(digits), axis=0))
    exact = 0.1 * DigitSum()(digits, table.astype(np.float64))
    found = neighbour_f1(Embeddings(np.arange(100, 1000), rounded, "test"))
    np.testing.assert_allclose(found.f1, reference(np.arange(100, 1000), exact, 10), atol=1e-12)


def test_vectors_of_very_different_lengths_are_told_apart():
    numbers = np.geomspace(1e-6, 1e9, 200)
    frame = neighbour_f1(Embeddings(numbers, numbers[:, None] * np.ones((1, 20)), "test"))
    np.testing.assert_allclose(frame.f1, 1)


def test_integers_beyond_a_float_have_neighbours():
    numbers = [10**40 + i for i in range(30)]
    frame = neighbour_f1(Embeddings(numbers, np.arange(30.0)[:, None], "test"), k=4)
    np.testing.assert_allclose(frame.f1, 1)


def test_shared_vectors_score_as_one_vector_a_number():
    rng = np.random.default_rng(0)
    vectors, which = rng.normal(size=(20, 3)), np.r_[np.arange(20), rng.integers(0, 20, 80)]
    expected = neighbour_f1(Embeddings(np.arange(100), vectors[which], "test"), 7)
    np.testing.assert_allclose(shared_f1(np.arange(100), vectors, which, 7), expected.f1)


@pytest.mark.parametrize("k", [0, 5, 6])
def test_k_below_the_number_of_points_is_asked(k):
    with pytest.raises(ValueError, match=f"each of 5 numbers has 1 to 4 neighbours; got k={k}"):
        neighbour_f1(Embeddings(np.arange(5), np.arange(5.0)[:, None], "test"), k)


CLOUDS = {
    "distinct vectors": from_encoder(nl.FoNE(int_digits=3), np.arange(300.0)),
    "shared vectors": from_encoder(nl.P10(), np.arange(300.0)),
    "two vectors": Embeddings(np.arange(40.0), np.arange(40)[:, None] % 2 * np.ones(3), "parity"),
    "no order": from_encoder(nl.XVal(), np.random.default_rng(0).permutation(200) / 8),
}


@pytest.mark.parametrize("name", CLOUDS)
@pytest.mark.parametrize("k", [1, 10])
def test_the_neighbours_of_a_few_numbers_give_the_f1_of_all(name, k):
    e = CLOUDS[name]
    rows = np.array([0, 7, 13, len(e) - 1])
    frame = nl.probes.nearby(e, rows, k)
    by_number = frame.assign(both=frame.embedding * frame.line).groupby("number")
    assert by_number.embedding.sum().tolist() == pytest.approx([k] * 4)
    assert by_number.line.sum().tolist() == pytest.approx([k] * 4)
    f1 = by_number.both.sum() / k
    expected = neighbour_f1(e, k).set_index("number").f1[f1.index]
    assert f1.tolist() == pytest.approx(expected.tolist(), abs=1e-9)


def test_the_nearest_in_the_embedding_come_first():
    e = Embeddings(np.arange(4.0), np.array([[0.0], [5.0], [1.0], [3.0]]), "test")
    frame = nl.probes.nearby(e, [0, 3], k=3)
    assert frame.number.tolist() == [0, 0, 0, 3, 3, 3]
    assert frame.neighbour.tolist()[:3] == [2, 3, 1]
    assert set(frame.neighbour[3:5]) == {1, 2}


def test_a_number_is_not_its_own_neighbour_and_k_is_checked():
    frame = nl.probes.nearby(CLOUDS["distinct vectors"], [5], 3)
    assert 5 not in frame.neighbour.tolist()
    with pytest.raises(ValueError, match="1 to 39 neighbours; got k=40"):
        nl.probes.nearby(CLOUDS["two vectors"], [0], 40)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equal_vectors_are_one_and_rounding_makes_no_difference(dtype):
    rng = np.random.default_rng(0)
    which = rng.integers(0, 100, 5000)
    vectors = rng.normal(size=(100, 30))[which] * (1 + 1e-16)
    first, found = _distinct(vectors.astype(dtype))
    assert len(first) == len(np.unique(which)) == len(set(zip(which, found, strict=True)))
    np.testing.assert_array_equal(which[first][found], which)


def test_vectors_that_differ_by_more_than_rounding_stay_apart():
    vectors = np.ones((1000, 3)) + 1e-10 * np.arange(1000)[:, None]
    assert len(_distinct(vectors)[0]) == 1000


def test_a_cloud_of_zeros_is_one_point():
    first, which = _distinct(np.zeros((9, 40)))
    assert len(first) == 1
    assert which.tolist() == [0] * 9


def test_rows_may_be_a_mask():
    line = Embeddings(np.arange(6), np.arange(6.0)[:, None], "a line")
    mask = np.arange(6) > 3
    assert nearby(line, mask, k=1).equals(nearby(line, [4, 5], k=1))


@pytest.mark.parametrize("size", [1e-300, 1e200])
def test_the_size_of_the_vectors_does_not_matter(size):
    line = Embeddings(np.arange(50), size * np.arange(50.0)[:, None], "a line")
    assert neighbour_f1(line, k=2).f1.eq(1).all()
    assert nearby(line, [20], k=2).neighbour.tolist() == [19, 21]


def test_numbers_at_both_ends_of_float64_have_neighbours():
    numbers = np.array([1e308, -1e308, 0.0, 1e307])
    assert neighbour_f1(Embeddings(numbers, numbers[:, None], "a line"), k=1).f1.eq(1).all()
