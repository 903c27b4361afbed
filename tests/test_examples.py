"""Layouts, tables of numbers, and what parse finds in texts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from numlab.examples import Examples, Layout, Slot
from numlab.numbers import as_numbers, from_figures, to_figures
from numlab.parsing import parse


def found(text: str) -> list[float]:
    (examples,) = parse([text])
    return examples.numbers[0].tolist()


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("-6.02e1", [-60.2]),
        (".5", [0.5]),
        ("-.5e-3", [-0.0005]),
        ("+3", [3]),
        ("1e5", [1e5]),
        ("1E+5", [1e5]),
        ("1-2", [1, 2]),
        ("1 -2", [1, -2]),
        ("1--2", [1, -2]),
        ("1 - 2", [1, 2]),
        ("(1)-2", [1, 2]),
        ("2023-01-05", [2023, 1, 5]),
        ("\u22125", [-5]),
        ("[1. 2.e3]", [1, 2000]),
        ("at 7.", [7]),
        ("0", [0]),
        ("007", [7]),
        ("{'a':[1e5,-3.0]}", [1e5, -3]),
        ("planet0 has mass 3", [3]),
        ("x_1=2", [2]),
        ("v1.2.3 1e5e5", [1e5]),
        ("on 25.11.2026 at 10.30.15 from 192.168.0.1: 5 kg, or 2.5.", [5, 2.5]),
        ("1.6e\u221227 kg", [1.6e-27]),
        ("-.5.2 1e5.3 1.25.3 1..2", [1]),
        ("5%-10%, 5°-10°, 5€-10€", [5, 10, 5, 10, 5, 10]),
        ("'-5' is €-3", [-5, -3]),
        ("2024年5月, 1200円", [2024, 5, 1200]),
        ("0e-400", [0]),
    ],
)
def test_numbers_are_found(text, numbers):
    assert found(text) == numbers


def test_the_text_around_numbers_is_kept():
    (examples,) = parse(["planet0: {'a':[1e5,-3.0]}"])
    assert examples.layout.literals == ("planet0: {'a':[", ",", "]}")
    assert examples.layout.slots == (Slot("n0"), Slot("n1"))


def test_texts_are_grouped_by_layout_and_keep_their_place():
    groups = parse(["1+2", "3", "4+5"])
    assert [g.layout.literals for g in groups] == [("", "+", ""), ("", "")]
    assert [g.numbers.tolist() for g in groups] == [[[1, 2], [4, 5]], [[3]]]
    assert [g.index.tolist() for g in groups] == [[0, 2], [1]]
    assert parse([]) == []


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
def test_what_python_writes_is_read(numbers):
    assert found(f"values: {numbers}") == numbers


@given(st.lists(st.integers(), min_size=1, max_size=5))
@example([10**4300 - 1])  # the longest that int() reads
def test_integers_of_any_size_are_read(numbers):
    assert found(str(numbers)) == numbers


def test_long_integers_among_integers_are_python_ints():
    (examples,) = parse(["12345678901234567890+1", "2+3"])
    assert examples.numbers.dtype == object
    assert examples.numbers.tolist() == [[12345678901234567890, 1], [2, 3]]
    assert parse(["000000000000000000001+2"])[0].numbers.dtype == np.float64


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["1", ""], "text 1 is empty"),
        (["1", "1", "planet0"], "text 2: expected a number; got no number in 'planet0'"),
        (["1", "1e400"], "text 1: .*float64 holds.*; got 1e400"),
        (["1", "1e-400"], "text 1: .*float64 holds.*; got 1e-400"),
        (
            ["2.5+1", "1+12345678901234567"],
            "text 1: .*more than 15 digits.*; got 12345678901234567",
        ),
        ("1+2", "a list of texts; got the one text '1.2'"),
        (["1", 2], "text 1: expected a str; got 2"),
    ],
)
def test_what_cannot_be_read_is_an_error_that_names_the_text(texts, message):
    with pytest.raises(ValueError, match=message):
        parse(texts)


def test_a_template_gives_literals_and_slots():
    layout = Layout.of("{{{a} is {size}, {x0.5}}}", size=["small", "large"])
    assert layout.literals == ("{", " is ", ", ", "}")
    assert layout.slots == (Slot("a"), Slot("size", ("small", "large")), Slot("x0.5"))
    assert layout.number_slots == ("a", "x0.5")
    assert layout.word_slots == ("size",)
    assert layout.number_slots.index("x0.5") == 1


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Layout.of("{a}+{a}"), "distinct names; got"),
        (lambda: Layout.of("{a:.2f}"), "a format in '{a:.2f}'"),
        (lambda: Layout.of("{}"), "needs a name"),
        (lambda: Layout.of("a}b{x}"), "braces of the text are written {{ and }}; got 'a}b{x}'"),
        (lambda: Layout.of("{a}", b=("x",)), r"lacks: \[.b.\]"),
        (lambda: Layout(("", ""), ()), "0 slots need 1 literals; got 2"),
        (lambda: Slot("a", ("x", "x")), "distinct words; got"),
        (lambda: Slot("a", ()), "distinct words; got"),
        (
            lambda: Examples(Layout.of("{a}"), [[1]]).column("b"),
            r"slots are \('a',\); got 'b'",
        ),
    ],
)
def test_a_layout_that_makes_no_sense_is_an_error(build, message):
    with pytest.raises(ValueError, match=message):
        build()


MIXED = Layout.of("{a} {op} {b}", op=("plus", "minus"))


def test_a_text_is_filled_in():
    examples = Examples(MIXED, [[1, 2.5], [0.1234567, 1e6]], [[0], [1]])
    assert examples.text(0) == "1 plus 2.5"
    assert examples.text(1) == "0.123457 minus 1000000"
    assert examples.text(1, spell="<{}>".format) == "<0.1234567> minus <1000000.0>"
    assert Examples(Layout.of("{a}"), [[10**20]]).text(0) == str(10**20)


def test_columns_and_rows_are_taken():
    examples = Examples(MIXED, [[1, 2], [3, 4], [5, 6]], [[0], [1], [0]], [7, 8, 9])
    assert examples.column("b").tolist() == [2, 4, 6]
    assert examples.column("op").tolist() == ["plus", "minus", "plus"]
    some = examples.take([2, 1])
    assert (some.numbers.tolist(), some.words.tolist(), some.index.tolist()) == (
        [[5, 6], [3, 4]],
        [[0], [1]],
        [9, 8],
    )
    assert len(examples.take(examples.column("a") > 1)) == 2


def test_no_texts_have_no_words():
    assert Examples(MIXED, np.zeros((0, 2)), np.zeros((0, 1))).column("op").tolist() == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((MIXED, [1.0, 2.0], [[0]]), r"shape \(n, 2\).*; got \(2,\)"),
        ((MIXED, [[1.0]], [[0]]), r"shape \(n, 2\).*; got \(1, 1\)"),
        ((MIXED, [[1.0, 2.0]]), r"words have shape \(1, 1\)"),
        ((MIXED, [[1.0, 2.0]], [[0], [1]]), r"words have shape \(1, 1\).*; got \(2, 1\)"),
        ((MIXED, [[1.0, 2.0]], [[2]]), "'op' has 2 words; got index 2 in row 0"),
        ((MIXED, [[1.0, 2.0]], [["plus"]]), "indices into a slot's words"),
        ((MIXED, [[1.0, 2.0]], [[0]], [1, 2]), r"index has shape \(1,\); got \(2,\)"),
        ((MIXED, [["1", "2"]], [[0]]), "floats or ints; got"),
    ],
)
def test_arrays_that_do_not_fit_the_layout_are_an_error(arguments, message):
    with pytest.raises(ValueError, match=message):
        Examples(*arguments)


def test_no_integer_is_rounded():
    assert as_numbers([-1, 2**63 + 1]).tolist() == [-1, 2**63 + 1]
    assert as_numbers(np.array([2**60 + 1])).tolist() == [2**60 + 1]
    assert as_numbers(np.array([3], np.int32)).dtype == np.float64
    assert as_numbers([1, 2.5]).dtype == np.float64
    assert as_numbers([1.5, 2**53, 10**22]).tolist() == [1.5, 2**53, 1e22]
    with pytest.raises(ValueError, match=f"exact in float64; got {2**53 + 1}"):
        as_numbers([1.5, 2**53 + 1])
    with pytest.raises(ValueError, match=r"ends at 1\.8e308; got an integer of about 400 digits"):
        as_numbers([0.5, 10**400])


@pytest.mark.parametrize("n", [1, 2, 3, 12])
def test_rounding_to_figures_is_what_python_writes(n):
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=500) * 10.0 ** rng.integers(-20, 20, 500)
    numbers = np.concatenate([numbers, [0.0, 1.0, -10.0, 999.99999, 1e-7, 1e22]])
    expected = [float(f"{x:.{n - 1}e}") for x in numbers.tolist()]
    assert from_figures(*to_figures(numbers, n)).tolist() == pytest.approx(expected, rel=1e-15)


def test_masked_numbers_are_refused():
    with pytest.raises(ValueError, match="not masked"):
        as_numbers(np.ma.masked_array([1, 2, 3], [False, True, False]))


def test_significands_have_the_figures_asked_for():
    significand, exponent = to_figures([0.0999, -9996, 5e-324, 0.0], 3)
    assert significand.tolist() == [999, -100, 494, 0]
    assert exponent.tolist()[:3] == [-4, 2, -326]


def test_a_silent_literal_stands_in_the_text_and_is_no_token():
    import numlab as nl

    aloud = Layout.of("<{a},{b}>")
    silent = Layout(aloud.literals, aloud.slots, silent=(",",))
    for layout, n in ((aloud, 6), (silent, 5)):  # < a , b > and the end
        e = Examples(layout, [[1.0, 2.0]])
        assert e.text(0) == "<1,2>"
        tokenizer = nl.Tokenizer.of([layout], nl.XVal())
        assert tokenizer([e]).lengths.tolist() == [n]
        assert ("," in tokenizer.text.words) == (layout is aloud)
