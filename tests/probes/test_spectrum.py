"""The spectrum of number embeddings: its peaks are the periods in the vectors, and no others."""

import itertools

import numpy as np
import pytest

from numlab.embeddings import Embeddings
from numlab.probes import spectrum

N = 200
NUMBERS = np.arange(N)
NOISE = np.random.default_rng(0).normal(size=(N, 16))


def normal(shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape)


def wave(period):
    turns = 2 * np.pi * NUMBERS / period
    return np.column_stack([np.cos(turns), np.sin(turns)]) @ normal((2, 16), seed=int(10 * period))


def peaks(vectors, numbers=NUMBERS, **settings):
    frame = spectrum(Embeddings(numbers, vectors, "test"), **settings)
    return frame.period[frame.peak].round(6).tolist()


def test_the_peaks_are_the_periods_in_the_vectors():
    vectors = NOISE + 0.5 * (wave(10) + wave(5) + wave(2.5) + wave(2))
    assert peaks(vectors) == [10.0, 5.0, 2.5, 2.0]


def test_a_line_through_the_numbers_is_no_peak():
    trend = 50 * NUMBERS[:, None] / N * normal(16)
    assert peaks(NOISE + trend) == []
    assert peaks(NOISE + trend + 0.5 * wave(10)) == [10.0]


@pytest.mark.parametrize(("level", "least", "most"), [(0.05, 0, 9), (0.5, 18, 42)])
def test_noise_peaks_about_as_often_as_the_level_says(level, least, most):
    noise = [np.random.default_rng(s).normal(size=(N, 16)) for s in range(60)]
    found = [bool(peaks(vectors, level=level, n_permutations=99)) for vectors in noise]
    assert least <= sum(found) <= most  # expected: 60 level; beyond it once in 1,000


def test_the_order_in_which_numbers_come_does_not_matter():
    vectors = NOISE + 0.5 * wave(10)
    shuffled = np.random.default_rng(1).permutation(N)
    assert peaks(vectors[shuffled], NUMBERS[shuffled]) == peaks(vectors) == [10.0]


def test_powers_have_the_mean_one_and_do_not_depend_on_rotation_or_scale():
    vectors = NOISE + wave(7)
    power = spectrum(Embeddings(NUMBERS, vectors, "test")).power
    both_signs = np.concatenate([power, power[:-1]])  # 1/2 has no other sign
    assert both_signs.mean() == pytest.approx(1)
    wide = 3 * vectors @ np.linalg.qr(normal((300, 16)))[0].T
    np.testing.assert_allclose(spectrum(Embeddings(NUMBERS, wide, "test")).power, power)


@pytest.mark.parametrize(
    "numbers", [[0, 1, 2], [*range(10), 11], np.arange(20) + 0.5, range(0, 40, 2)]
)
def test_numbers_other_than_consecutive_integers_are_refused(numbers):
    e = Embeddings(np.array(numbers), np.eye(len(numbers)), "test")
    with pytest.raises(ValueError, match=f"8 or more consecutive integers; got {len(e)} from"):
        spectrum(e)


def test_vectors_on_a_line_have_no_spectrum():
    with pytest.raises(ValueError, match="lie on a line"):
        spectrum(Embeddings(NUMBERS, NUMBERS[:, None] * np.ones(3), "test"))


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_the_scale_of_the_vectors_does_not_matter(scale):
    assert peaks(scale * (NOISE + wave(10))) == [10.0]


def test_the_threshold_is_the_quantile_of_the_largest_powers_of_the_shuffles(monkeypatch):
    largest = itertools.count()  # 0 of the numbers as they are, then 1 to 101
    monkeypatch.setattr(
        "numlab.probes.vectors._power", lambda vectors: np.full(N // 2, float(next(largest)))
    )
    frame = spectrum(Embeddings(NUMBERS, NOISE, "test"), n_permutations=101, level=0.1)
    assert frame.threshold.unique().tolist() == pytest.approx([91.0])
