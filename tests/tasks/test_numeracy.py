"""The nine tasks, against exact fractions and roots of many digits."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from numlab.examples import Examples
from numlab.tasks import Numeracy, difficulty
from numlab.tasks.difficulty import common, non_zero
from numlab.tasks.numeracy_draws import DRAWS

NINE = [name for name in DRAWS if name != "DivM"]
N = 300
every_task = pytest.mark.parametrize("name", list(DRAWS))
every_precision = pytest.mark.parametrize("precision", ["decimal", "binary"])


def rows(task, n=N, seed=1):
    for examples in task.sample(n, seed):
        for i in range(len(examples)):
            numbers = dict(
                zip(examples.layout.number_slots, examples.numbers[i].tolist(), strict=True)
            )
            if examples.layout.word_slots:
                numbers["answer"] = examples.column("answer")[i]
            yield examples.layout.literals, numbers


def exact(x: float, precision: str) -> Fraction:
    """What is written: a decimal of at most 15 digits, or all bits."""
    return Fraction(x) if precision == "binary" else Fraction(repr(x))


def rounded(x: Fraction, digits: int, precision: str) -> float:
    if precision == "binary":
        return float(x)
    return float(Context(prec=digits).divide(Decimal(x.numerator), Decimal(x.denominator)))


@every_precision
@pytest.mark.parametrize("digits", [4, 15])
@pytest.mark.parametrize("name", ["Addition", "Multiplication", "Division", "DivM"])
def test_answers_of_pairs_are_those_of_fractions(name, digits, precision):
    for literals, numbers in rows(Numeracy(name, (-6, 6), digits, precision)):
        a, b = exact(numbers["a"], precision), exact(numbers["b"], precision)
        sign = literals[1].strip()
        answer = {"+": a + b, "-": a - b, "*": a * b}[sign] if sign != "/" else a / b
        assert numbers["answer"] == rounded(answer, digits, precision)


@every_precision
def test_means_are_those_of_fractions(precision):
    for _, numbers in rows(Numeracy("Mean", precision=precision)):
        listed = [exact(x, precision) for name, x in numbers.items() if name != "answer"]
        assert numbers["answer"] == rounded(sum(listed) / len(listed), 15, precision)


@every_precision
def test_deviations_are_those_of_the_population(precision):
    for _, numbers in rows(Numeracy("Std", precision=precision)):
        listed = [exact(x, precision) for name, x in numbers.items() if name != "answer"]
        mean = sum(listed) / len(listed)
        square = sum((x - mean) ** 2 for x in listed) / len(listed)
        with localcontext(Context(prec=80)):
            root = (Decimal(square.numerator) / Decimal(square.denominator)).sqrt()
        assert numbers["answer"] == rounded(Fraction(root), 15, precision)


@every_precision
def test_powers_are_those_of_logarithms_of_many_digits(precision):
    for _, numbers in rows(Numeracy("Exponentiation", precision=precision)):
        read = Decimal if precision == "binary" else lambda x: Decimal(repr(x))
        a, b = (read(numbers[name]) for name in "ab")
        with localcontext(Context(prec=80)):
            power = (b * abs(a).ln()).exp() * (-1 if a < 0 and b % 2 else 1)
        assert numbers["answer"] == rounded(Fraction(power), 15, precision)


def test_an_exponent_is_a_whole_number_or_the_root_as_it_is_written():
    for _, numbers in rows(Numeracy("Exponentiation")):
        k = abs(numbers["b"])
        assert k == int(k) or k == float(f"{1 / round(1 / k):.15g}")
        assert numbers["a"] > 0 or numbers["b"] > 1


def test_the_least_the_greatest_and_the_order_are_those_of_the_list():
    for literals, numbers in rows(Numeracy("MinMax")):
        *listed, answer = numbers.values()
        assert answer == {"<min>": min, "<max>": max}[literals[0]](listed)
    for literals, numbers in rows(Numeracy("Sorting")):
        every = list(numbers.values())
        listed, answer = every[: len(every) // 2], every[len(every) // 2 :]
        assert answer == sorted(listed, reverse=literals[0] == "<desc>")


def test_a_letter_names_the_half_open_interval():
    positions = Counter()
    for _, numbers in rows(Numeracy("Interval"), 3000):
        x, *edges = [v for name, v in numbers.items() if name != "answer"]
        assert edges == sorted(edges) and len(set(edges)) == len(edges)
        assert numbers["answer"] == "ABCDEF"[sum(edge <= x for edge in edges)]
        positions[len(edges), numbers["answer"]] += 1
    for n in (2, 3, 4, 5):
        share = np.array([positions[n, letter] for letter in "ABCDEF"[: n + 1]])
        assert share / share.sum() == pytest.approx(1 / (n + 1), abs=0.06)


@every_task
@pytest.mark.parametrize(("decades", "digits"), [((-14, 14), 15), ((-3, 3), 4), ((0, 6), 7)])
def test_magnitudes_are_in_range_and_digits_are_few(name, decades, digits):
    if name == "DivM" and not decades[0]:  # it divides by reciprocals, which are below 1
        with pytest.raises(ValueError, match="both sides of 0"):
            Numeracy(name, decades, digits)
        return
    task = Numeracy(name, decades, digits)
    least, most = decades
    for examples in task.sample(N, seed=3):
        for x in examples.numbers.ravel().tolist():
            assert x == float(f"{x:.{digits - 1}e}")
            power = name == "Exponentiation" and x in examples.column("b")
            assert x == 0 or power or least <= Decimal(repr(x)).adjusted() <= most
            assert x != 0 or name in ("Mean", "MinMax", "Interval", "Sorting", "Std")


def test_signs_come_as_often_as_published():
    signs = Counter((x["a"] > 0, x["b"] > 0) for _, x in rows(Numeracy("Multiplication"), 5000))
    shares = {pair: n / 5000 for pair, n in signs.items()}
    assert shares[True, True] == pytest.approx(0.4, abs=0.03)
    assert [shares[pair] for pair in shares if pair != (True, True)] == pytest.approx(
        [0.2] * 3, abs=0.03
    )


def test_sums_have_operands_of_near_decades_and_both_signs():
    drawn = list(rows(Numeracy("Addition"), 5000))
    decades = [[Decimal(repr(x[name])).adjusted() for name in "ab"] for _, x in drawn]
    weight = {d: (29 - abs(d)) * math.exp(-0.15 * abs(d)) for d in range(-28, 29)}
    near = sum(weight[d] for d in range(-4, 5)) / sum(weight.values())
    assert np.mean(np.abs(np.diff(decades)) < 5) == pytest.approx(near, abs=0.03)
    minus = np.mean([literals[1] == " - " for literals, _ in drawn])
    assert minus == pytest.approx(0.5, abs=0.04)


def test_two_operands_have_at_most_the_total_of_digits_and_a_product_can_have_two():
    found = Counter(
        non_zero(x["a"]) + non_zero(x["b"]) for _, x in rows(Numeracy("Multiplication"), 5000)
    )
    assert max(found) <= 30
    assert found[2] > 50


def test_binary_operands_have_few_bits():
    task = Numeracy("Multiplication", precision="binary")
    bits = [non_zero(x, 2) for _, numbers in rows(task, 3000) for x in list(numbers.values())[:2]]
    assert min(bits) == 1
    assert np.mean(np.array(bits) < 10) > 0.2


@every_task
def test_easy_texts_are_the_easy_share_of_the_range(name):
    task = Numeracy(name, max_difficulty=0.3)
    levels = task.levels()
    for examples in task.sample(100, seed=4):
        assert (task.difficulty(examples) <= levels[0] + 0.3 * (levels[-1] - levels[0])).all()


@every_task
@pytest.mark.parametrize("base", [2, 10])
def test_difficulties_are_levels_and_use_most_of_them(name, base):
    task = Numeracy(name)
    found = np.concatenate([task.difficulty(e, base) for e in task.sample(1000, seed=5)])
    assert set(found) <= set(task.levels(base))
    assert len(set(found)) > 3 or (name in ("Division", "DivM") and base == 2)


def one(task, layout, numbers, words=None):
    return Examples(task.layouts()[layout], [numbers], words)


@pytest.mark.parametrize(
    ("name", "layout", "numbers", "hard"),
    [
        ("Multiplication", 0, [102.0, 0.25, 25.5], 4),
        ("Division", 0, [10.0, 4.0, 2.5], 4),
        ("Addition", 0, [120.0, 3.0, 123.0], 4),  # one digit changes; 1 stands above 3
        ("Exponentiation", 0, [25.0, 2.0, 625.0], 2),  # (2 * 1 * 3)^0.4
        ("Mean", 0, [123.0, 125.0, 124.0], 3),  # 12 is common: 3, 5, and one half
        ("MinMax", 0, [123.4, 124.0, 123.4], 2),  # 2^0.8
        ("Sorting", 2, [123.0, 124.0, 9.0, 9.0, 123.0, 124.0], 2),
    ],
)
def test_difficulties_by_hand(name, layout, numbers, hard):
    task = Numeracy(name)
    assert task.difficulty(one(task, layout, numbers)).tolist() == [hard]


def test_of_a_quotient_in_base_2_the_reciprocal_of_the_divisor_counts():
    assert (
        difficulty._of_quotient([1.0, 10.0], [0.1], 2) == 1 + 27 + 27
    )  # 0.1 has 27 bits that are 1
    task = Numeracy("Division")
    assert task.difficulty(one(task, 0, [10.0, 4.0, 2.5]), 2).tolist() == [30]  # 5; the least is 30


def test_of_an_interval_what_the_edges_share_with_the_number_counts():
    task = Numeracy("Interval")
    examples = one(task, 0, [12.34, 12.0, 12.5], [[1]])
    assert task.difficulty(examples).tolist() == [math.ceil(4**0.8)]


def test_digits_and_common_prefixes():
    assert [non_zero(x) for x in (0.0, 7e-14, 1.203)] == [1, 1, 3]
    assert [non_zero(x, 2) for x in (0.0, 5.0, 0.1)] == [1, 2, 27]
    assert [common(*pair) for pair in ((1.5, 1.5), (10.0, 0.1), (-3.0, 3.0))] == [2, 0, 0]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"task": "Sums"}, "the tasks are Addition.*; got 'Sums'"),
        ({"decades": (0, 3)}, "4 apart or more.*got"),
        ({"decades": 3}, "decades is a tuple of 2 values; got 3"),
        ({"decades": (-3.5, 3)}, "the first of decades is a whole number"),
        ({"digits": 16}, "digits is a whole number, 2 to 15; got 16"),
        ({"digits": 2.5}, "digits is a whole number, 2 to 15; got 2.5"),
        ({"precision": "octal"}, "'decimal' or 'binary'; got 'octal'"),
        ({"max_difficulty": 0.0}, "above 0 and at most 1; got 0"),
    ],
)
def test_what_there_is_not_is_refused(wrong, said):
    with pytest.raises(ValueError, match=said):
        Numeracy(**wrong)


SAME = {
    "Addition": "ace62bcedd67",
    "Multiplication": "681e1869b41c",
    "Division": "7977d62f0e6d",
    "Exponentiation": "d7f6c9cac4eb",
    "Mean": "548fc8482d6a",
    "Std": "525aa3f4c3d6",
    "MinMax": "e9130c063557",
    "Interval": "011497f8e9c9",
    "Sorting": "a96552315e1d",
    "DivM": "596c1ffb22b8",
}


@every_task
def test_a_seed_gives_the_same_numbers_to_the_bit_on_every_machine(name):
    drawn = [
        (e.numbers.tolist(), None if e.words is None else e.words.tolist())
        for e in Numeracy(name).sample(20, seed=0)
    ]
    assert hashlib.sha256(repr(drawn).encode()).hexdigest()[:12] == SAME[name]


@pytest.mark.parametrize("name", ["Multiplication", "Division", "Exponentiation"])
def test_decades_without_an_answer_are_named(name):
    with pytest.raises(ValueError, match=r"within the decades \(50, 54\): widen them"):
        Numeracy(name, (50, 54)).sample(1, seed=0)


def test_lists_have_more_texts_than_pairs():
    pairs, lists = (Numeracy(task, (-2, 2), 2).population for task in ("Addition", "Sorting"))
    assert lists == pairs ** (5 / 2)


def test_the_difficulty_of_sorting_is_of_the_prefixes_that_each_two_share():
    assert difficulty.common(123.1, 123.2, 10) == difficulty.common(123.2, 123.3, 10) == 3
    assert difficulty._of_order([123.1, 123.2, 123.3], [], 10) == 6  # 9 ** 0.8 is 5.8
