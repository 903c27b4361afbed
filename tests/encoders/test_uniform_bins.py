"""The bins of Chronos."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from numlab.encoders import UniformBins


@given(st.lists(st.floats(-40, 40, width=32), min_size=1))
def test_a_number_has_the_bin_that_chronos_gives_it(numbers):
    """Its rule: centres from -15 to 15, boundaries half-way, buckets open to the right."""
    encoder = UniformBins(bins=31)
    boundaries = torch.arange(-14.5, 15)
    expected = torch.bucketize(torch.tensor(numbers), boundaries, right=True)
    assert encoder.encode(numbers).ids[:, 0].tolist() == expected.tolist()


def test_4093_centres_lie_between_minus_15_and_15_scales():
    encoder = UniformBins(scale=2.0)
    assert len(set(encoder.vocabulary)) == 4093
    assert encoder.word_values[[0, 2046, -1]].tolist() == [-30, 0, 30]
    assert np.diff(encoder.word_values) == pytest.approx(2 * 30 / 4092)


def test_the_scale_is_the_mean_size():
    assert UniformBins.fit([1.0, -3.0, 0.0, 8]).scale == 3.0
    assert UniformBins.fit([0.0, 0.0]).scale == 1.0
    assert np.isfinite(UniformBins.fit([1e307] * 40).scale)


@pytest.mark.parametrize("numbers", [[], [1.0, np.nan], [10**400]], ids=["none", "NaN", "too long"])
def test_a_scale_needs_finite_numbers(numbers):
    with pytest.raises(ValueError, match="number"):
        UniformBins.fit(numbers)


def test_what_lies_beyond_the_last_centre_is_written_as_it():
    encoder = UniformBins(bins=31)
    assert encoder.decode(encoder.encode([1e300, -99.0, 15.4])).tolist() == [15, -15, 15]


@pytest.mark.parametrize(
    "wrong", [{"bins": 1}, {"high": 0.0}, {"scale": -1.0}, {"high": 1e300, "scale": 1e300}], ids=str
)
def test_bins_that_cannot_be_are_refused(wrong):
    with pytest.raises(ValueError, match=r"UniformBins (has|is) .*; got"):
        UniformBins(**wrong)
