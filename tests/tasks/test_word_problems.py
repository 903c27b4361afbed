"""Word problems: their answers against exact fractions, their numbers, and what is refused."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np
import pytest

from numlab.examples import Layout
from numlab.tasks import DigitLengths, WordProblems
from numlab.tasks.expressions import evaluate, variables
from numlab.tasks.word_problems import LARGEST, TEMPLATES, TRAINING

CORPUS = WordProblems().sample(3000, seed=0)


def test_every_template_has_two_to_seven_words_between_its_numbers():
    for text, _ in TEMPLATES:
        between = re.findall(r"(?<=\})[^{]*(?=\{)", text)[:-1]
        assert all(2 <= len(words.split()) <= 7 for words in between), text


def test_all_templates_are_drawn_about_equally_often():
    assert len(CORPUS) == len(TEMPLATES)
    assert min(map(len, CORPUS)) > 3000 / len(TEMPLATES) / 2


def test_answers_are_those_of_exact_fractions_rounded_to_two_decimals():
    expressions = {Layout.of(text): expression for text, expression in TEMPLATES}
    for examples in CORPUS:
        for row in examples.numbers.tolist():
            exact = {
                name: Fraction(repr(x))
                for name, x in zip(examples.layout.number_slots, row, strict=True)
            }
            true = eval(expressions[examples.layout], {}, exact)
            assert abs(Fraction(repr(row[-1])) - true) <= Fraction(1, 200) * (
                1 + Fraction(1, 10**6)
            )
            assert round(row[-1], 2) == row[-1] and 0 <= row[-1] < LARGEST
            assert row[-1] > 0 or true == 0
            assert not math.copysign(1, row[-1]) < 0


@pytest.mark.parametrize("numbers", [*TRAINING, DigitLengths(2, 3, 2)], ids=repr)
def test_numbers_are_of_their_category(numbers):
    for examples in WordProblems(numbers=(numbers,)).sample(300, seed=1):
        given = examples.numbers[:, :-1].ravel()
        whole = np.rint(given * 10.0**-numbers.power)
        np.testing.assert_allclose(whole * 10.0**numbers.power, given, rtol=1e-12)
        assert (whole >= 10 ** (numbers.fewest - 1)).all() and (whole < 10**numbers.most).all()


def test_lengths_are_uniform():
    drawn = DigitLengths(1, 4).numbers(*np.random.default_rng(0).random((2, 40_000)))
    counts = np.bincount(np.char.str_len(drawn.astype(int).astype(str)))[1:]
    assert len(counts) == 4 and abs(counts / 10_000 - 1).max() < 0.05


@pytest.mark.parametrize(
    ("templates", "numbers"),
    [
        ((("{a} {b}", "a+b"),), TRAINING),
        ((("{a} {answer}", "a+b"),), TRAINING),
        ((TEMPLATES[0], TEMPLATES[0]), TRAINING),
        ((), TRAINING),
        (TEMPLATES, ()),
        (TEMPLATES, (1, 2)),
    ],
)
def test_templates_and_numbers_that_make_no_task_are_refused(templates, numbers):
    with pytest.raises(ValueError, match="template|DigitLengths, one or more"):
        WordProblems(numbers=numbers, templates=templates)


@pytest.mark.parametrize("numbers", [(0, 3), (4, 3), (1, 10), (1, 3, -3), (1, 3, 10)])
def test_numbers_that_cannot_be_drawn_are_refused(numbers):
    with pytest.raises(ValueError, match=r"(fewest|most|power) is .* to 9; got"):
        DigitLengths(*numbers)


@pytest.mark.parametrize("numbers", [(1.5, 3), (1, 3.5), (1, 3, 0.5), (True, 3)])
def test_lengths_and_powers_are_whole(numbers):
    with pytest.raises(ValueError, match=r"(fewest|most|power) is a whole number"):
        DigitLengths(*numbers)


def test_a_template_without_an_answer_is_named():
    with pytest.raises(ValueError, match=r"gave no answer from 0 to 1e\+13 to '\{a\} \{answer\}'"):
        WordProblems(templates=(("{a} {answer}", "a-a-1"),)).sample(2, seed=0)


def test_more_texts_than_there_are_is_refused():
    task = WordProblems((DigitLengths(1, 1),), (("{a} less {b} {answer}", "a-b"),))
    (whole,) = task.split((45,), seed=0)  # of 81 pairs, those with a >= b
    assert len({tuple(row) for e in whole for row in e.numbers.tolist()}) == 45
    with pytest.raises(ValueError, match="sizes of 46 in all; got 45 different"):
        task.split((46,), seed=0)


@pytest.mark.parametrize("expression", ["a**b", "-a", "f(a)", "a+", "a if b else c", "'a'", ""])
def test_what_is_no_arithmetic_is_refused(expression):
    with pytest.raises(ValueError, match="an expression has numbers, names"):
        variables(expression)


def test_division_by_zero_is_no_error_and_no_number():
    with np.errstate(all="raise"):
        found = evaluate("a/b", {"a": np.array([1.0, 0.0, 3.0]), "b": np.array([0.0, 0.0, 2.0])})
    assert np.isinf(found[0]) and np.isnan(found[1]) and found[2] == 1.5
