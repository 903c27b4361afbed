"""What the length of a mask tells: classes, exceptions, and texts that lie about it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import numlab as nl
from numlab import evaluation
from numlab.examples import Examples, Layout

NUMBERS = [0.23, -0.34, 0.034, -0.034, 0.03, -0.03, 0.0996, 0.005, 0.0, 2.3, -40.0, 0.0101]


@pytest.fixture
def frame(monkeypatch):
    answers = pd.DataFrame(
        {"example": range(12), "slot": "x", "true": NUMBERS, "predicted": np.roll(NUMBERS, 1)}
    )
    answers = answers.assign(valid=answers.index != 4)
    monkeypatch.setattr(evaluation, "predict", lambda run, examples, slots: answers)
    return nl.probes.length_cues(None, [], ("x",))


def test_a_number_has_the_class_of_its_sign_and_size(frame):
    assert frame.true_class.tolist() == [2, -2, 1, -1, 1, -1, 2, 1, 1, 3, -3, 1]


def test_an_answer_has_a_class_unless_it_is_no_number(frame):
    expected = np.roll(frame.true_class.to_numpy(float), 1)
    expected[4] = np.nan
    assert np.array_equal(frame.predicted_class, expected, equal_nan=True)


def test_exceptions_are_small_numbers_with_the_length_of_larger_ones(frame):
    assert frame[frame.exception].true.tolist() == [0.03, -0.03, 0.0101]


def test_negated_texts_differ_in_the_numbers_asked_for():
    e = Examples(Layout.of("{x0} {y0} {x1}"), [[1.0, 2.0, 3.0]])
    (lie,) = nl.probes.negated([e], ("x*",))
    assert lie.numbers.tolist() == [[-1.0, 2.0, -3.0]]
    assert lie.layout == e.layout
