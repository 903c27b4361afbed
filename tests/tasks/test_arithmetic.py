import collections
import operator
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numlab.tasks import Addition, Multiplication, Subtraction

EXACT = {Addition: operator.add, Subtraction: operator.sub, Multiplication: operator.mul}
SIGNS = {Addition: "+", Subtraction: "-", Multiplication: "*"}

additive = st.one_of(
    st.builds(Addition, st.integers(1, 8), st.integers(0, 6)),
    st.builds(Subtraction, st.integers(1, 8), st.integers(0, 6)),
    st.builds(Addition, st.integers(1, 80)),
    st.builds(Subtraction, st.integers(1, 80)),
)
any_task = st.one_of(additive, st.builds(Multiplication, st.integers(1, 40)))


def rows(corpus):
    (examples,) = corpus
    return examples.numbers.tolist()


@settings(max_examples=60, deadline=None)
@given(any_task, st.integers(0, 2**32))
def test_answers_are_those_of_exact_decimal_arithmetic(task, seed):
    for a, b, answer in rows(task.sample(5, seed)):
        if task.long:
            assert EXACT[type(task)](a, b) == answer
        else:
            a, b, answer = (Decimal(repr(number)) for number in (a, b, answer))
            assert EXACT[type(task)](a, b) == answer


@settings(max_examples=60, deadline=None)
@given(any_task, st.integers(0, 2**32))
def test_operands_have_no_more_digits_than_asked_for(task, seed):
    unit = 10**task.frac_digits
    for *operands, answer in rows(task.sample(5, seed)):
        for number in operands:
            assert 0 <= number < 10**task.operand_digits / unit
            assert task.long or number == round(number, task.frac_digits)
        assert len(str(round(abs(answer) * unit))) <= task.answer_digits


@pytest.mark.parametrize("task", [Addition(), Addition(3, 3), Multiplication(5)], ids=repr)
def test_operands_of_sums_and_products_are_in_order(task):
    table = np.array(rows(task.sample(2000, seed=1)))
    assert (table[:, 0] <= table[:, 1]).all()


@pytest.mark.parametrize("task", [Subtraction(), Subtraction(3, 3), Subtraction(25)], ids=repr)
def test_differences_are_not_negative(task):
    assert min(row[2] for row in rows(task.sample(2000, seed=1))) >= 0


@pytest.mark.parametrize("task", [Addition(4), Subtraction(4), Multiplication(4)], ids=repr)
def test_the_text_is_the_sum_with_its_answer(task):
    (examples,) = task.sample(3, seed=0)
    for i in range(3):
        question, answer = examples.text(i).split("=")
        assert eval(question) == int(answer)
        assert SIGNS[type(task)] in question


def test_every_unordered_pair_is_equally_likely():
    counts = collections.Counter((a, b) for a, b, _ in rows(Addition(1).sample(55_000, seed=2)))
    assert len(counts) == 55
    assert list(counts.values()) == pytest.approx([1000] * 55, rel=0.15)


@pytest.mark.parametrize("task", [Addition(1), Subtraction(1), Multiplication(1)], ids=repr)
def test_a_split_can_take_the_whole_population(task):
    assert task.population == 55
    parts = task.split((5, 10, 40), seed=3)
    pairs = [tuple(sorted(row[:2])) for part in parts for row in rows(part)]
    assert sorted(pairs) == [(a, b) for a in range(10) for b in range(a, 10)]


def test_a_split_can_take_nearly_all_products_of_three_digits():
    """Table 4, fone: 100,000 + 40,000 + 360,000 of 500,500."""
    parts = Multiplication(3).split((100_000, 40_000, 360_000), seed=4)
    pairs = np.concatenate([examples.numbers[:, :2] for (examples,) in parts])
    assert len(np.unique(pairs @ [1000, 1])) == 500_000


def test_a_split_of_more_than_the_population_is_refused():
    with pytest.raises(
        ValueError, match=r"Multiplication\(digits=3\) has 500,500 .* got .*500,501"
    ):
        Multiplication(3).split((100_000, 500, 400_001), seed=0)


@pytest.mark.parametrize("task", [Addition(20), Multiplication(12)], ids=repr)
def test_a_split_has_no_pair_in_both_orders(task):
    parts = task.split((3000, 3000), seed=5)
    pairs = [tuple(sorted(row[:2])) for part in parts for row in rows(part)]
    assert len(set(pairs)) == 6000


@pytest.mark.parametrize(
    ("short", "long"),
    [
        (Addition(14), Addition(15)),
        (Subtraction(15), Subtraction(16)),
        (Multiplication(7), Multiplication(8)),
    ],
    ids=repr,
)
def test_numbers_are_python_ints_where_answers_pass_fifteen_digits(short, long):
    assert short.sample(3, seed=0)[0].numbers.dtype == np.float64
    assert long.sample(3, seed=0)[0].numbers.dtype == object


def test_long_operands_have_all_pairs_of_lengths_equally_often():
    lengths = [(len(str(a)), len(str(b))) for a, b, _ in rows(Addition(16).sample(51_200, seed=6))]
    counts = collections.Counter(lengths)
    assert len(counts) == 256
    assert list(counts.values()) == pytest.approx([200] * 256, rel=0.35)


def test_long_operands_of_one_length_are_uniform():
    operands = [a for a, _, _ in rows(Addition(16).sample(40_000, seed=7))]
    ones = [a for a in operands if a < 10]
    assert np.bincount(ones) / len(ones) == pytest.approx([0.1] * 10, abs=0.03)
    longest = np.array([a for a in operands if a >= 10**15], float) / 10**16
    assert np.histogram(longest, 9, (0.1, 1))[0] / len(longest) == pytest.approx(1 / 9, abs=0.03)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Addition(0),
        lambda: Addition(2.5),
        lambda: Addition(True),
        lambda: Subtraction(3, 1.0),
        lambda: Addition(3, -1),
        lambda: Addition(12, 3),
        lambda: Subtraction(12, 4),
        lambda: Multiplication(0),
    ],
)
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(ValueError, match=r"digits.*; got"):
        wrong()


def test_a_product_names_its_own_parameter():
    with pytest.raises(ValueError, match="^digits is a whole number, 1 or more; got 0"):
        Multiplication(0)
