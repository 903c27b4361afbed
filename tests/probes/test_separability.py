"""n mod T is read where single numbers can be told apart, whatever the spectrum shows."""

import numpy as np
import pytest

import numlab as nl
from numlab import embeddings
from numlab.probes import separability, spectrum

NUMBERS = np.arange(1000)


def kappa(e, moduli=(2, 5, 10)):
    return separability(e, moduli).kappa.to_numpy()


def test_circles_of_2_5_and_10_are_read_without_error():
    table = embeddings.from_encoder(nl.FoNE(3, periods=(2, 5, 10)), NUMBERS)
    assert kappa(table).min() >= 0.99


def test_a_circle_of_10_gives_away_the_last_digit_and_not_its_parity():
    table = embeddings.from_encoder(nl.FoNE(3), NUMBERS)
    even, _, last = kappa(table)
    assert last >= 0.99 and even < 0.1


def test_shuffled_numbers_are_at_chance():
    table = embeddings.from_encoder(nl.FoNE(3, periods=(2, 5, 10)), NUMBERS)
    shuffled = np.random.default_rng(0).permutation(NUMBERS)
    assert np.abs(kappa(nl.Embeddings(shuffled, table.vectors, "shuffled"))).max() < 0.05


def test_a_spike_under_scatter_is_a_peak_of_the_spectrum_that_is_not_read():
    turns = 2 * np.pi * NUMBERS / 10
    vectors = np.random.default_rng(0).normal(size=(1000, 64))
    vectors[:, :2] += 0.4 * np.column_stack([np.cos(turns), np.sin(turns)])
    table = nl.Embeddings(NUMBERS, vectors, "planted")
    frame = spectrum(table, 50)
    assert 10.0 in frame.period[frame.peak].round(6).tolist()
    assert kappa(table, (10,)).max() < 0.1


def test_a_class_with_too_few_numbers_is_refused():
    table = nl.Embeddings(np.arange(12), np.eye(12), "few")
    with pytest.raises(ValueError, match="5 folds take as many numbers of each n mod 10; got 1"):
        separability(table, (10,))


@pytest.mark.parametrize("modulus", [1, 0, -2, 2.5])
def test_a_modulus_is_a_whole_number_from_two_on(modulus):
    with pytest.raises(ValueError, match=f"a modulus is a whole number, 2 or more; got {modulus}"):
        separability(nl.Embeddings(np.arange(12), np.eye(12), "few"), (modulus,))
