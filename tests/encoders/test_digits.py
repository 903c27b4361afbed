"""How numbers are spelled digit by digit and in groups of three, and what is read as one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from numlab.encoders import (
    Digits,
    FoNE,
    IntegerVocabulary,
    NumeroLogic,
    Subword,
    SubwordFromRight,
    Tokens,
)


@pytest.mark.parametrize(
    ("encoder", "number", "spelled"),
    [
        (Digits(6, 3), -602.5, "- 6 0 2 . 5"),
        (Digits(6, 3), 0, "0"),
        (Digits(6, 3), 0.05, "0 . 0 5"),
        (Digits(6, 3), 100, "1 0 0"),
        (Digits(6, 3), -0.0001, "0"),
        (Digits(6), 999999.4, "9 9 9 9 9 9"),
        (Digits(6, 3, reverse=True), -602.5, "5 . 2 0 6 -"),
        (Digits(6, fences=True), -7, "[F] - 7 [/F]"),
        (Subword(6, 3), 12345.678, "123 45 . 678"),
        (Subword(6, 3), -1000.05, "- 100 0 . 05"),
        (Subword(6, 3), 7, "7"),
        (Subword(9, 4), 1234567.0001, "123 456 7 . 000 1"),
        (Subword(20), 10**18 + 7, "100 000 000 000 000 000 7"),
        (SubwordFromRight(6, 3), -12345.678, "- 12 345 . 678"),
        (SubwordFromRight(4), 1000, "1 000"),
        (SubwordFromRight(5, 2), 7.05, "7 . 05"),
        (SubwordFromRight(20), 10**18 + 7, "1 000 000 000 000 000 007"),
        (NumeroLogic(6), 42, "{ 2 : 4 2 }"),
        (NumeroLogic(6, 3), 0, "{ 1 : 0 }"),
        (NumeroLogic(6, 3), -602.05, "{ 3 . 2 : - 6 0 2 . 0 5 }"),
        (NumeroLogic(20), 10**11, "{ 1 2 : 1 0 0 0 0 0 0 0 0 0 0 0 }"),
    ],
)
def test_spelling(encoder, number, spelled):
    assert encoder.spell(number) == spelled.split()


def decode_text(encoder, text: str):
    ids = [encoder.vocabulary.index(w) if w in encoder.vocabulary else -1 for w in text.split()]
    ids = np.array([ids])
    return encoder.decode(Tokens.of(ids))[0]


@pytest.mark.parametrize(
    "text", ["", "-", ".", "5 .", ". 5", "1 . 2 . 3", "1 - 2", "- - 1", "- . 5", "1 2 x", "1 -"]
)
@pytest.mark.parametrize("encoder", [Digits(6, 3), Subword(6, 3)], ids=repr)
def test_what_is_no_number_is_nan(encoder, text):
    assert np.isnan(decode_text(encoder, text))


@pytest.mark.parametrize("text", ["[F] 1", "1 [/F]", "[F] 1 [/F] 2 [/F]", "[F] [/F]", "1", "[F]"])
@pytest.mark.parametrize("reverse", [False, True])
def test_what_is_not_between_fences_is_nan(text, reverse):
    assert np.isnan(decode_text(Digits(6, 3, reverse=reverse, fences=True), text))


@pytest.mark.parametrize(
    "text", ["4 2", "{ 2 4 2 }", "{ 2 : 4 2", "2 : 4 2 }", "{ : 4 2 }", "{ 2 : }"]
)
def test_what_has_no_count_before_it_is_nan(text):
    assert np.isnan(decode_text(NumeroLogic(6, 3), text))


def test_a_wrong_count_is_not_looked_at():
    assert decode_text(NumeroLogic(6, 3), "{ 1 . 3 : 4 2 }") == 42


def test_zeros_that_say_nothing_are_read():
    assert decode_text(Digits(6, 3), "- 0 0 7 . 5 0") == -7.5
    assert decode_text(Subword(6, 3), "007 . 50") == 7.5


@pytest.mark.parametrize("family", [Digits, Subword])
def test_what_the_encoder_never_writes_is_no_number(family):
    for encoder, text in [
        (family(3, signed=False), "- 5"),
        (family(3), "5 . 5"),
        (family(3), "1 2 3 4"),
        (family(3, 1), "- 9 9 9 . 9 9"),
    ]:
        assert np.isnan(decode_text(encoder, text)), (encoder, text)
    assert decode_text(family(20), "9 " * 21) is None
    assert decode_text(family(20), "0 " * 4301) is None  # int() takes 4300 digits
    assert decode_text(family(3), "0 1 2 3") == 123


def test_an_answer_to_whole_words_has_no_minus():
    answers = Tokens.of(np.array([[2, 0, 6, 10], [2, 0, 6, 0]]))  # the word "10" is in its place
    assert IntegerVocabulary().answer.decode(answers).tolist() == pytest.approx(
        [np.nan, 602], nan_ok=True
    )


def test_longer_integers_have_no_point():
    assert decode_text(Digits(20), "1 . 5") is None
    assert decode_text(Digits(20), "- 1 5") == -15


@given(st.integers(0, 999_999), st.integers(0, 999))
def test_words_are_those_of_the_shortest_decimal(whole, thousandths):
    text = f"{whole}.{thousandths:03d}".rstrip("0").rstrip(".")
    for family in (Digits, Subword, SubwordFromRight):
        assert "".join(family(6, 3).spell(float(text))) == text
    counts = ".".join(str(len(part)) for part in text.split("."))
    assert "".join(NumeroLogic(6, 3).spell(float(text))) == f"{{{counts}:{text}}}"


@given(st.integers(0, 10**15 - 1))
def test_groups_from_the_right_are_those_of_thousands_separators(number):
    assert SubwordFromRight(15).spell(number) == f"{number:,}".split(",")


@pytest.mark.parametrize("family", [Digits, FoNE, NumeroLogic, Subword, SubwordFromRight])
def test_fifteen_digits_are_exact(family):
    encoder = family(9, 6)
    numbers = np.array([123456789.123456, 999999999.999999, -0.000001, 0.1])
    assert encoder.decode(encoder.encode(numbers)).tolist() == numbers.tolist()


@pytest.mark.parametrize("family", [Digits, FoNE, NumeroLogic, Subword, SubwordFromRight])
def test_long_integers_are_exact_and_floats_only_where_they_are(family):
    encoder, numbers = family(40), [10**39 + 1, -(2**63), 0, 5]
    assert encoder.decode(encoder.encode(numbers)).tolist() == numbers
    assert encoder.decode(encoder.encode([2**53])).tolist() == [2**53]
    assert encoder.decode(encoder.encode(np.array([2.0**50, -3.0]))).tolist() == [2**50, -3]
    for number in (0.5, 1e20):
        with pytest.raises(ValueError, match="holds Python ints, and whole floats below"):
            encoder.encode([number])


@pytest.mark.parametrize("family", [Digits, FoNE, NumeroLogic, Subword, SubwordFromRight])
def test_an_error_names_the_range(family):
    name = family.__name__
    with pytest.raises(ValueError, match=rf"^{name} holds \|x\| < 999\.95; got 999\.95$"):
        family(3, 1).encode([999.95])
    with pytest.raises(ValueError, match=rf"^{name} holds 0 <= x < 999\.5; got -1$"):
        family(3, signed=False).encode([-1])
    with pytest.raises(ValueError, match=rf"^{name} holds \|x\| < 1e20; got {10**20}$"):
        family(20).encode([10**20])


@pytest.mark.parametrize("family", [Digits, FoNE, NumeroLogic, Subword, SubwordFromRight])
def test_digits_that_no_float_has_cannot_be_asked_for(family):
    with pytest.raises(ValueError, match=r"15 digits .*; got int_digits 17 and frac_digits 32"):
        family(17, 32)
    with pytest.raises(ValueError, match="int_digits of .* is a whole number, 1 or more; got 0"):
        family(0, 2)
    for wrong in (3.0, True):
        with pytest.raises(ValueError, match="int_digits of .* whole number.*; got (3.0|True)"):
            family(wrong)
    assert family(np.int64(20), np.int8(0)) == family(20)
    assert type(family(np.int64(20)).int_digits) is int


@pytest.mark.parametrize("digits", [(2.5, 4), (5, 4), (3, 0), (3, 2.5)])
def test_whole_words_have_one_to_four_digits_and_answers_one_or_more(digits):
    with pytest.raises(ValueError, match="digits of IntegerVocabulary is a whole number, .*; got"):
        IntegerVocabulary(*digits)


def test_subword_has_every_string_of_up_to_three_digits():
    assert len(Subword().vocabulary) == 10 + 100 + 1000 + 2
    assert {"0", "00", "000", "007", "42", "999"} <= set(Subword().vocabulary)
