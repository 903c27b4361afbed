"""Table 1 of xval, rounding, and the ends of the range."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from numlab.encoders import B1999, FP15, P10, P1000, Base10Tokens, XVal

FAMILY = (P10(), P1000(), B1999(), FP15())
SHORT = tuple(type(encoder)(figures=2) for encoder in FAMILY)


@pytest.mark.parametrize(
    ("encoder", "spelled", "length", "size"),
    [
        (P10(), ["-", "6", "0", "2", "E-1"], 5, 28),
        (P1000(), ["-", "602", "E-1"], 3, 918),
        (B1999(), ["-602", "E-1"], 2, 1816),
        (FP15(), ["-602E-1"], 1, 28800),
        (XVal(), ["[NUM]"], 1, 1),
    ],
)
def test_table_1_of_xval(encoder, spelled, length, size):
    assert encoder.spell(-6.02e1) == spelled
    assert encoder.length == length
    assert encoder.fixed
    assert len(encoder.vocabulary) == size


@pytest.mark.parametrize(
    ("number", "spelled"),
    [
        (0, "+ 100 E-8"),
        (-0.0, "+ 100 E-8"),
        (9.99e-7, "+ 100 E-8"),
        (-9.99e-7, "+ 100 E-8"),
        (-1e-6, "- 100 E-8"),
        (1.01e-6, "+ 101 E-8"),
        (0.145, "+ 145 E-3"),
        (1, "+ 100 E-2"),
        (999.4, "+ 999 E+0"),
        (999.6, "+ 100 E+1"),
        (1e5, "+ 100 E+3"),
        (-9.9949e9, "- 999 E+7"),
    ],
)
def test_numbers_are_rounded_to_three_digits(number, spelled):
    assert P1000().spell(number) == spelled.split()


@pytest.mark.parametrize("encoder", (*FAMILY, *SHORT), ids=repr)
def test_the_smallest_positive_word_is_zero(encoder):
    least = encoder.ends[0]
    decoded = encoder.decode(encoder.encode([least, 1e-9, -1e-9, -least]))
    assert decoded.tolist() == [0, 0, 0, -least]


@pytest.mark.parametrize("encoder", FAMILY, ids=repr)
def test_every_number_of_three_digits_is_exact(encoder):
    literals = [f"{s}e{e}" for s in (101, 145, 500, 707, 999) for e in range(-8, 8)]
    numbers = np.array([float(t) for t in literals])
    assert encoder.decode(encoder.encode(numbers)).tolist() == numbers.tolist()


@pytest.mark.parametrize(
    ("encoder", "spelled", "size"),
    [
        (P10(figures=2), ["-", "6", "0", "E+0"], 28),
        (P1000(figures=2), ["-", "60", "E+0"], 2 + 90 + 16),
        (B1999(figures=2), ["-60", "E+0"], 180 + 16),
        (FP15(figures=2), ["-60E+0"], 2880),
        (FP15(figures=4), ["-6020E-2"], 288_000),
    ],
)
def test_figures_say_how_long_the_significand_is(encoder, spelled, size):
    assert encoder.spell(-60.2) == spelled
    assert len(encoder.vocabulary) == size


@given(st.floats(1e-6, 9.99e9))
def test_the_rounding_is_that_of_python(number):
    significand, exponent = f"{number:.2e}".split("e")
    word = f"{significand.replace('.', '')}E{int(exponent) - 2:+d}"
    tie = abs(number / float(word) - 1) > 0.9999 * 0.5 / int(word[:3])
    assert FP15().spell(number) == [word] or tie


def test_beyond_the_largest_word_is_an_error_or_the_largest_word():
    with pytest.raises(ValueError, match=r"^P1000 holds \|x\| < 9\.995e9; got 3\.2e11$"):
        P1000().encode([1.0, 3.2e11])
    assert P1000(overflow="clip").spell(-3.2e11) == ["-", "999", "E+7"]
    with pytest.raises(ValueError, match=r"holds \|x\| < 9\.95e8; got"):
        P1000(figures=2).encode([1e9])
    with pytest.raises(ValueError, match="finite numbers; got nan"):
        P1000(overflow="clip").encode([np.nan])


def test_overflow_is_raised_or_clipped():
    with pytest.raises(ValueError, match="'raise' or 'clip'; got 'wrap'"):
        P10(overflow="wrap")


@pytest.mark.parametrize("encoder", [P1000(), FP15()], ids=repr)
def test_a_word_is_worth_what_it_says(encoder):
    values = dict(zip(encoder.vocabulary, encoder.word_values, strict=True))
    expected = {"602": 602.0} if encoder == P1000() else {"-602E-1": -60.2, "100E-8": 0.0}
    assert {word: values[word] for word in expected} == expected


def test_a_leading_zero_is_no_number():
    tokens = P10().encode([602])
    tokens.ids[0, 1] = 2  # +002E+0
    assert np.isnan(P10().decode(tokens)).all()


@pytest.mark.parametrize("wrong", [0, 2.0, True, 16])
@pytest.mark.parametrize("family", [P10, Base10Tokens])
def test_figures_are_a_whole_number_that_a_code_holds(family, wrong):
    with pytest.raises(ValueError, match=f"figures of .* is a whole number, 1 to .*; got {wrong}"):
        family(figures=wrong)
