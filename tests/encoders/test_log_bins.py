"""Bins of magnitude."""

from __future__ import annotations

import numpy as np
import pytest

from numlab.encoders import LogBins


def test_numbers_of_one_decade_share_a_word():
    encoder = LogBins()
    words = [encoder.spell(x)[0] for x in (10, 60.2, 99.9, 100, -10)]
    assert words == ["10..100"] * 3 + ["100..1000", "-10..100"]


def test_a_bin_stands_for_its_geometric_mean():
    encoder = LogBins()
    assert encoder.decode(encoder.encode([20.0, -20.0])) == pytest.approx([10**1.5, -(10**1.5)])


def test_what_is_smaller_than_the_first_bin_underflows_to_zero():
    encoder = LogBins(low=1e-3)
    assert encoder.decode(encoder.encode([0.0, 9e-4, -9e-4, 1e-3])).tolist()[:3] == [0, 0, 0]
    assert encoder.decode(encoder.encode([1e-3]))[0] > 0


def test_any_number_of_bins_has_as_many_words():
    for bins in (1, 7, 1000):
        encoder = LogBins(bins=bins)
        assert len(encoder.vocabulary) == 2 * bins + 1 == len(set(encoder.vocabulary))
        assert np.isfinite(encoder.word_values).all()


@pytest.mark.parametrize(
    "wrong", [{"bins": 0}, {"bins": 2.5}, {"low": 0.0}, {"low": 2.0, "high": 1.0}], ids=str
)
def test_bins_that_cannot_be_are_refused(wrong):
    with pytest.raises(ValueError, match=r"LogBins (has|is) .*; got"):
        LogBins(**wrong)


def test_bins_of_small_numbers_are_shown_by_one_that_they_hold():
    assert "spells 0" in LogBins(high=2.0)._repr_html_()
