"""Reductions of a cloud keep every distance, and equal vectors are found equal."""

import numpy as np
import pytest

from numlab.probes.geometry import distinct, isometry


def distances(points):
    return np.linalg.norm(points[:, None] - points[None], axis=2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rank", [1, 5, 16])
def test_vectors_of_low_rank_get_as_few_coordinates_at_the_same_distances(rank, dtype):
    rng = np.random.default_rng(0)
    vectors = (rng.normal(size=(200, rank)) @ rng.normal(size=(rank, 90))).astype(dtype)
    points = isometry(vectors, most=16)
    assert points.shape == (200, rank)
    expected = distances(vectors.astype(np.float64))
    atol = 1e-5 if dtype == np.float32 else 1e-11
    np.testing.assert_allclose(distances(points), expected, atol=atol)


def test_a_direction_that_no_sampled_row_has_is_kept():
    vectors = np.zeros((5000, 40))
    vectors[:, 0] = np.arange(5000)
    vectors[1234, 7] = 1e-3
    points = isometry(vectors, most=4)
    assert points.shape == (5000, 2)
    assert np.linalg.norm(points[1234]) == pytest.approx(np.hypot(1234, 1e-3), rel=1e-15)


def test_a_small_vector_among_large_ones_keeps_its_direction():
    vectors = np.zeros((300, 40))
    vectors[:, 0] = 1e9
    vectors[-1] = 0
    vectors[-1, 3] = 1e-6
    np.testing.assert_allclose(np.linalg.norm(isometry(vectors, most=4)[-1]), 1e-6)


def test_vectors_of_high_rank_stay_as_they_are():
    vectors = np.random.default_rng(0).normal(size=(50, 30))
    np.testing.assert_array_equal(isometry(vectors, most=16), vectors)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equal_vectors_are_one_and_rounding_makes_no_difference(dtype):
    rng = np.random.default_rng(0)
    which = rng.integers(0, 100, 5000)
    vectors = rng.normal(size=(100, 30))[which] * (1 + 1e-16)
    first, found = distinct(vectors.astype(dtype))
    assert len(first) == len(np.unique(which)) == len(set(zip(which, found, strict=True)))
    np.testing.assert_array_equal(which[first][found], which)


def test_vectors_that_differ_by_more_than_rounding_stay_apart():
    vectors = np.ones((1000, 3)) + 1e-10 * np.arange(1000)[:, None]
    assert len(distinct(vectors)[0]) == 1000


def test_a_cloud_of_zeros_is_one_point():
    first, which = distinct(np.zeros((9, 40)))
    assert len(first) == 1
    assert which.tolist() == [0] * 9
    assert np.isfinite(isometry(np.zeros((9, 40)), most=16)).all()
