"""Two significant figures in as few words as they take: what is written, and what is read."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from numlab.encoders import Tokens, VariableLength


def plainly(x: float) -> list[str]:
    """A number's words, by the rules of Appendix D.3 one after the other."""
    if abs(x) < 1e-8:
        return ["0"]
    digits, exponent = f"{Decimal(repr(abs(x))):.1e}".split("e")
    first, second, exponent = digits[0], digits[2].replace("0", ""), int(exponent)
    sign = ["-"] if x < 0 else []
    if exponent == -1:
        return [*sign, ".", first + second]
    if exponent == 1:
        return [*sign, first + digits[2]]
    fraction = [".", second] if second else []
    return [*sign, first, *fraction, *([] if exponent == 0 else [f"E{exponent:+d}"])]


def is_tie(x: float) -> bool:
    """Is it written halfway between two figures? Its float is on either side of the middle."""
    return Decimal(repr(x)).normalize().as_tuple().digits[2:] == (5,)


sizes = st.builds(lambda i, e: float(f"{i}e{e}"), st.integers(-9999, 9999), st.integers(-13, -2))


@given(sizes.filter(lambda x: abs(x) < 995 and not is_tie(x)))
@example(0.0)
@example(0.0999)
@example(-99.6)
@example(0.0101)
@settings(max_examples=300, deadline=None)
def test_a_number_is_written_as_the_paper_says(x):
    assert VariableLength().spell(x) == plainly(x)


@pytest.mark.parametrize(
    ("number", "length"),
    [(0.23, 2), (-0.34, 3), (0.034, 4), (-0.034, 5), (0.030, 2), (-0.030, 3), (0.0, 1), (2.3, 3)],
)
def test_the_length_tells_of_sign_and_size(number, length):
    assert len(VariableLength().spell(number)) == length


def read(*words: str) -> float:
    ids = np.array([[VariableLength().vocabulary.index(word) for word in words]])
    return float(VariableLength().decode(Tokens.of(ids))[0])


@pytest.mark.parametrize(
    ("words", "number"),
    [
        (("0", ".", "3"), 0.3),
        (("-", "2", ".", "0"), -2.0),
        (("-", "0"), 0.0),
        ((".", "3"), 0.3),
        (("0", ".", "3", "E-8"), 3e-9),
        (("-", "7", "E+2"), -700.0),
    ],
)
def test_other_ways_to_write_a_number_are_read(words, number):
    assert read(*words) == number


@pytest.mark.parametrize(
    "words",
    ["- ", ".", "E-2", "12 E-2", "12 . 3", "1 2", "- - 3", "3 .", "3 E-2 E-2", ". 3 E-2", "3 -"],
)
def test_what_no_number_is_written_as_is_none(words):
    assert np.isnan(read(*words.split()))


def test_beyond_the_words_is_an_error_that_names_the_number():
    with pytest.raises(ValueError, match=r"VariableLength holds \|x\| < 995; got 995"):
        VariableLength().encode([1.0, 995.0])
