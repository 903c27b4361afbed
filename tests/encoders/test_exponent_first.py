"""The tokens of RegressLM."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from numlab.encoders import ExponentFirst, Tokens

ENCODER = ExponentFirst()


@pytest.mark.parametrize(
    ("number", "spelled"),
    [
        (0, "+ + 0 0 0 0 0"),
        (-0.0, "+ + 0 0 0 0 0"),
        (1, "+ + 0 1 0 0 0"),
        (-60.25, "- + 1 6 0 2 5"),
        (1000, "+ + 3 1 0 0 0"),  # a logarithm in float64 gives 2.9999
        (0.001, "+ - 3 1 0 0 0"),
        (2.9999999, "+ + 0 2 9 9 9"),  # cut off
        (0.3, "+ - 1 3 0 0 0"),  # 0.3 * 10^4 is 2999.9999 in some orders of the product
        (9.9999999999e9, "+ + 9 9 9 9 9"),
        (1e-9, "+ - 9 1 0 0 0"),
        (-9.99e-10, "+ + 0 0 0 0 0"),
    ],
)
def test_numbers_are_spelled_from_the_sign_down(number, spelled):
    assert ENCODER.spell(number) == spelled.split()


def test_the_example_of_regress_lm_has_two_digits_of_exponent_here():
    """It shows 1.23456789e-222 with three."""
    assert ExponentFirst(exponent_digits=2).spell(1.23456789e-22) == [*"+-221234"]


@given(st.integers(1, 9999), st.integers(-9, 6))
def test_four_digits_are_exact(significand, power):
    number = float(f"{significand}e{power}")
    if 1e-9 <= number < 1e10:
        assert ENCODER.decode(ENCODER.encode([number, -number])).tolist() == [number, -number]


@pytest.mark.parametrize(
    "ids",
    [
        [0, 0, 2, 3, 2, 2],  # too short
        [2, 0, 2, 3, 2, 2, 2],  # a digit for a sign
        [0, 3, 2, 3, 2, 2, 2],
        [0, 0, 1, 3, 2, 2, 2],  # a sign for a digit
        [0, 0, 2, 3, 2, 2, 0],
        [0, 0, 2, 3, 2, 2, -1],
    ],
)
def test_other_tokens_are_no_number(ids):
    assert np.isnan(ENCODER.decode(Tokens.of(np.array([ids])))).all()


def test_a_significand_that_begins_with_zeros_is_read():
    assert ENCODER.decode(Tokens.of(np.array([[0, 0, 3, 2, 3, 4, 5]]))).tolist() == [1.23]


@pytest.mark.parametrize(
    "wrong", [{"figures": 0}, {"figures": 16}, {"exponent_digits": 3}], ids=str
)
def test_digits_that_cannot_be_are_refused(wrong):
    with pytest.raises(ValueError, match="of ExponentFirst is a whole number"):
        ExponentFirst(**wrong)
