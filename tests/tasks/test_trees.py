import re
from fractions import Fraction

import numpy as np
import pytest

from numlab.tasks import BinaryTrees

every_size = pytest.mark.parametrize("operands", [2, 3, 4])


@every_size
def test_there_is_a_layout_for_each_shape_and_choice_of_operators(operands):
    shapes = {2: 1, 3: 2, 4: 5}[operands]
    layouts = BinaryTrees(operands).layouts()
    assert len(set(layouts)) == len(layouts) == shapes * 3 ** (operands - 1)


@every_size
def test_layouts_are_equally_likely(operands):
    corpus = BinaryTrees(operands).sample(200 * len(BinaryTrees(operands).layouts()), seed=0)
    assert [len(examples) for examples in corpus] == pytest.approx([200] * len(corpus), rel=0.35)
    assert {examples.layout for examples in corpus} == set(BinaryTrees(operands).layouts())


@every_size
def test_the_answer_is_the_value_of_the_text(operands):
    names = {"Fraction": Fraction}
    for examples in BinaryTrees(operands).sample(300, seed=1):
        for i in range(len(examples)):
            expression, answer = examples.text(i, repr).split(" = ")
            exact = eval(re.sub(r"[\d.e-]*\d", lambda m: f"Fraction('{m[0]}')", expression), names)
            assert float(answer) == float(exact)


def test_the_text_is_written_as_in_the_paper():
    """App. B, xval: ((1.32 * 32.1) + (1.42-8.20)) = 35.592."""
    texts = {examples.text(0) for examples in BinaryTrees(4).sample(2000, seed=2)}
    number = r"-?\d+(\.\d+)?(e-\d+)?"
    pair = rf"\({number} [-+*] {number}\)"
    assert any(re.fullmatch(rf"\({pair} [-+*] {pair}\) = {number}", text) for text in texts)


@every_size
def test_operands_have_three_significant_digits_within_the_bounds(operands):
    task = BinaryTrees(operands, bounds=(0.05, 20.0))
    for examples in task.sample(500, seed=3):
        drawn = examples.numbers[:, :-1]
        assert drawn.min() >= 0.05 and drawn.max() <= 20.0
        assert (drawn == np.char.mod("%.2e", drawn).astype(float)).all()


def test_operands_are_equally_likely():
    task = BinaryTrees(2, bounds=(1.0, 1.19))
    drawn = np.concatenate([e.numbers[:, :2].ravel() for e in task.sample(10_000, seed=4)])
    values, counts = np.unique(drawn, return_counts=True)
    assert values.tolist() == task.values.tolist() == [round(1 + i / 100, 2) for i in range(20)]
    assert counts == pytest.approx(1000, rel=0.15)


@every_size
@pytest.mark.parametrize("high", [0.5, 1.5, 3.0, 30.0])
def test_the_largest_answer_is_that_of_the_largest_operands(operands, high):
    task = BinaryTrees(operands, bounds=(0.1, high))
    most = task.sample(3000, seed=5, **dict.fromkeys("abcd"[:operands], high))
    assert max(np.abs(e.column("answer")).max() for e in most) == task.largest_answer


def test_a_difference_of_equals_is_zero_without_a_sign():
    texts = {
        examples.text(0, repr)
        for a, b, c in ((0.3, 0.1, 0.2), (0.1, 0.3, 0.2))
        for examples in BinaryTrees(3).sample(500, seed=6, a=a, b=b, c=c)
    }
    assert "((0.3 - 0.1) - 0.2) = 0.0" in texts  # 5.6e-17 in float64 arithmetic
    assert "((0.1 - 0.3) + 0.2) = 0.0" in texts


@every_size
def test_a_split_of_a_small_population_takes_all_of_it(operands):
    task = BinaryTrees(operands, bounds=(1.0, 1.02))
    parts = task.split((10, task.population - 10), seed=7)
    said = [e.text(i) for part in parts for e in part for i in range(len(e))]
    assert len(set(said)) == len(said) == task.population


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"operands": 5}, "operands is a whole number, 2 to 4; got 5"),
        ({"operands": 2.0}, "operands is a whole number, 2 to 4; got 2.0"),
        ({"bounds": (0.0, 1.0)}, "low < high; got"),
        ({"bounds": (2.0, 1.0)}, "low < high; got"),
        ({"bounds": (1.001, 1.002)}, "three digits"),
        ({"operands": 4, "bounds": (1.0, 999.0)}, r"below 9.995e\+09; got 9.9"),
        ({"operands": 4, "bounds": (1e-6, 3.0)}, "three digits of every product within 13"),
    ],
    ids=str,
)
def test_settings_out_of_range_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        BinaryTrees(**settings)
