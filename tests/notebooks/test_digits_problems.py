"""Word problems by set: drawn, answered by runs, and scored."""

import functools

import numpy as np
import pandas as pd
import pytest

import numlab as nl
from notebooks.conftest import load
from numlab.examples import Layout
from numlab.tasks import DigitLengths, WordProblems
from numlab.tasks.word_problems import TEMPLATES

problems = load("digits/problems")

TASK = WordProblems((DigitLengths(1, 1), DigitLengths(2, 2)), TEMPLATES[-12:])
OPERATIONS = {
    Layout.of(text): problems.operation_of(expression) for text, expression in TASK.templates
}
KINDS = {"short": DigitLengths(1, 1), "long": DigitLengths(5, 5)}
ANSWERS = pd.DataFrame(
    [
        ("a", seed, kind, 1.0, predicted, True)
        for seed, right in ((0, 1), (1, 3))
        for kind, factor in (("x", 1), ("y", 0))
        for predicted in [1.0] * (right * factor) + [2.0] * (4 - right * factor)
    ],
    columns=["setting", "seed", "set", "true", "predicted", "valid"],
)


def rows(examples):
    return {(e.layout, *row) for e in examples for row in e.numbers.tolist()}


def test_sets_hold_problems_of_their_kind_that_training_has_not():
    training = TASK.sample(400, seed=0)
    examples, about = problems.question_sets(TASK, KINDS, 60, training)
    assert not rows(examples) & rows(training)
    index = np.concatenate([e.index for e in examples])
    np.testing.assert_array_equal(np.sort(index), np.arange(len(about)))
    sizes = about["set"].value_counts()
    assert sizes["long"] == 60 and 0 < sizes["short"] < 60
    for e in examples:
        assert about.operation[e.index].fillna("").eq(OPERATIONS[e.layout] or "").all()
        long = (about["set"][e.index] == "long").to_numpy()
        assert (e.numbers[long, :-1] >= 10_000).all() and (e.numbers[~long, :-1] < 10).all()


def test_scores_are_percent_for_each_run_and_tables_their_mean_and_spread():
    scores = problems.by_run(ANSWERS, nl.metrics.exact_match, "set")
    assert scores.loc["a"].to_dict("list") == {"x": [25, 75], "y": [0, 0]}
    assert problems.table(scores).loc["a"].to_dict() == {
        "x": "50.0 ± 35.4",
        "y": "0.0 ± 0.0",
        "mean": "25.0 ± 17.7",
    }
    one = problems.table(scores.loc[[("a", 0)]])
    assert one.loc["a"].tolist() == ["25.0", "0.0", "12.5"]


def test_the_commonest_answer_of_a_set_is_one_more_setting():
    true = [5.0, 5.0, 7.0, 7.0, 7.0, 5.0]
    frame = pd.DataFrame({"setting": "a", "seed": 0, "set": [*"xxxyyy"], "true": true})
    frame = problems.with_commonest(frame.assign(predicted=np.nan, valid=False))
    trivial = frame[frame.setting == "commonest answer"]
    assert trivial.predicted.tolist() == [5, 5, 5, 7, 7, 7] and trivial.valid.all()
    assert len(frame) == 12 and trivial.true.tolist() == true


def test_a_tolerance_counts_near_answers():
    near = functools.partial(nl.metrics.exact_match, tolerance=1)
    assert problems.by_run(ANSWERS, near, "set").to_numpy().min() == 100


def test_a_run_says_its_settings(home):
    spec = nl.RunSpec(
        TASK,
        nl.Digits(13, 2),
        nl.CausalLM(only=("answer",)),
        nl.Llama(16, 1, 2, 2, 8),
        n_train=64,
        n_valid=8,
        n_test=1,
        steps=4,
        batch_size=32,
        learning_rate=1e-3,
        losses=(nl.AggregateLoss(0.8),),
    )
    run = nl.train(spec)
    ran = problems.as_ran("mine", run)
    assert (ran["setting"], ran["epochs"], ran["lambda"]) == ("mine", 2, 0.8)
    lengths = run.tokenizer(run.examples("train"), ("answer",)).lengths
    assert ran["tokens a problem"] == pytest.approx(lengths.mean()) and ran["parameters"] > 1000


def test_the_character_error_rate_is_over_the_length_of_the_true_number():
    def rate(true, predicted, valid=True):
        columns = {"true": [true], "predicted": [predicted], "valid": [valid]}
        return problems.character_error_rate(pd.DataFrame(columns))

    assert rate(321.0, 321.0) == 0
    assert rate(321.0, 320.0) == pytest.approx(1 / 3)  # the paper's example, 4.2
    assert rate(321.0, 32.0) == pytest.approx(1 / 3)
    assert rate(12.5, -12.5) == pytest.approx(1 / 4)
    assert rate(5.0, 12345.0) == 4
    assert rate(1e21, 1e22) == pytest.approx(1 / 22)  # in full, not as 1e+21
    assert rate(10**30, 10**30 + 1) == pytest.approx(1 / 31)
    assert rate(321.0, np.nan, valid=False) == 1
    assert np.isnan(problems.character_error_rate(ANSWERS[:0]))
