"""The metrics of the nine tasks, against a plain slow reference and the published oracles."""

import itertools
import math
from decimal import Context, Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numlab import metrics

finite = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-99, 99).map(float)
close = st.tuples(finite, st.integers(-40, 40)).map(lambda p: (p[0], p[0] * (1 + p[1] * 2.0**-53)))
pairs = st.lists(st.tuples(finite, finite | st.just(math.nan)) | close, min_size=1, max_size=20)


def frame(*values):
    true, predicted = zip(*values, strict=True)
    rows = {"true": true, "predicted": predicted}
    return pd.DataFrame(rows).assign(valid=[p == p for p in predicted])


def slow_log_smape(y, p):
    if not math.isfinite(p):
        return 0.0
    wide = Context(prec=400)
    y, p = Decimal(y), Decimal(p)
    size = wide.add(wide.add(abs(y), abs(p)), Decimal("1e-100"))
    error = wide.divide(abs(wide.subtract(p, y)), size)
    return min(1.0, float(-Context(prec=40).add(error, Decimal("1e-100")).log10()) / 15)


def slow_exact_number(y, p):
    k = 14 if y == 0 else min(14, max(0, 14 - math.ceil(math.log10(abs(y)))))
    return abs(p - y) < 10.0**-k


def slow_same_digits(y, p, digits):
    if not math.isfinite(p):
        return False
    narrow = Context(prec=digits, Emin=-999, Emax=999)
    return narrow.plus(Decimal(y)) == narrow.plus(Decimal(p))


def test_columns_of_pandas_own_integers_may_lack_answers():
    own = pd.DataFrame({"true": [1, 2], "predicted": [1, None]}, dtype="Int64")
    assert metrics.exact_match(own.assign(valid=[True, False])) == 0.5


def test_digits_are_counted_from_one():
    with pytest.raises(ValueError, match="digits is a whole number, 1 or more; got -3"):
        metrics.log_smape(frame((1.0, 1.0)), digits=-3)


@settings(max_examples=200, deadline=None)
@given(pairs)
def test_each_metric_is_the_mean_of_a_plain_slow_reference(values):
    def mean(of):
        return sum(of(*pair) for pair in values) / len(values)

    f = frame(*values)
    assert metrics.log_smape(f) == pytest.approx(mean(slow_log_smape), abs=1e-12)
    exact = metrics.each_answer(f)["exact number"]
    assert exact.mean() == pytest.approx(mean(slow_exact_number))
    for digits in (1, 6, 15):
        same = mean(lambda y, p, digits=digits: slow_same_digits(y, p, digits))
        assert metrics.same_digits(f, digits) == pytest.approx(same)


@pytest.mark.parametrize(
    ("predicted", "true", "score"),
    [
        (7.5, 7.5, 1),
        (100, 101, 0.153546),
        (1, -1, 0),
        (0, 5, 0),
        (1e-14, 2e-14, 0.031808),
        (0, 0, 1),
        (3.14159265358980, 3.14159265358979, 0.985932),
        (math.nan, 1, 0),
        (math.inf, 1, 0),
    ],
)
def test_log_smape_is_as_published(predicted, true, score):
    value = metrics.log_smape(frame((float(true), float(predicted))))
    assert value == pytest.approx(score, abs=1e-6)


def test_exact_match_has_a_tolerance_for_floats_beside_words_and_long_integers():
    f = frame((1.0, 1.1), (2.0, 2.6), (3.0, math.nan), ("x", "x"), ("x", "y"), (10**30, 10**30 + 1))
    assert metrics.exact_match(f) == 1 / 6
    assert metrics.exact_match(f, tolerance=0.5) == 2 / 6


def test_exact_match_has_a_tolerance_for_integers_beside_words():
    assert metrics.exact_match(frame((1, 1.05), (2, 2.05), ("B", "B")), 0.1) == 1
    assert metrics.exact_match(frame((10**17, 10**17 + 1), ("B", "B")), 2) == 0.5


@pytest.mark.parametrize("metric", [metrics.mse, metrics.r2])
def test_words_have_no_distances(metric):
    with pytest.raises(ValueError, match="take exact_match"):
        metric(frame((1.0, 1.0), ("B", "B")))


def test_of_float32_fewer_digits_are_asked_for():
    f = frame((101.0, 100.0))
    assert metrics.log_smape(f, 6) == pytest.approx(0.153546 * 15 / 6, abs=1e-5)


@pytest.mark.parametrize(
    ("true", "predicted"),
    [(0.0, 5e-15), (1e-14, 1.5e-14), (123456789012345.0, 123456789012345.9)],
)
def test_what_the_published_rule_takes_as_exact_need_not_have_the_same_digits(true, predicted):
    f = frame((true, predicted))
    assert metrics.each_answer(f)["exact number"].tolist() == [1]
    assert metrics.same_digits(f) == 0


def test_the_same_digits_are_those_after_rounding():
    assert metrics.same_digits(frame((0.3, 0.1 + 0.2))) == 1
    assert metrics.same_digits(frame((2.0, 2.00000000000001))) == 0
    assert metrics.same_digits(frame((999999.6, 1000000.0)), 6) == 1


def test_long_integers_are_numbers_and_none_is_no_answer():
    f = frame((10**30, 10**30)).astype({"true": object, "predicted": object})
    assert metrics.log_smape(f) == metrics.same_digits(f) == 1
    f = pd.DataFrame({"true": [10**30], "predicted": [None]}, dtype=object)
    assert (metrics.each_answer(f) == 0).all(axis=None)


def test_words_that_look_like_numbers_and_integers_beyond_float64_match_or_not():
    big = 10**400
    pairs = ("12", "13"), ("12", "12"), (12.0, "12"), (big, big + 1), (big, big), (1.0, big)
    words = metrics.each_answer(frame(*pairs))
    assert words.to_numpy().tolist() == [[0] * 3, [1] * 3, [0] * 3, [0] * 3, [1] * 3, [0] * 3]


def test_each_answer_has_what_the_metrics_average_and_words_match_or_not():
    numbers = frame((1.0, 1.0), (0.1, 0.1 + 1e-9), (2.0, math.nan))
    every = metrics.each_answer(numbers, digits=6)
    assert every["log-sMAPE"].mean() == pytest.approx(metrics.log_smape(numbers, 6))
    assert every["same digits"].tolist() == [1, 1, 0] and every["exact number"].tolist() == [
        1,
        0,
        0,
    ]
    words = metrics.each_answer(frame(("A", "A"), ("B", "C"), (2.0, "A")))
    assert words.to_numpy().tolist() == [[1] * 3, [0] * 3, [0] * 3]


@pytest.mark.parametrize("size", [1e-200, 1e160])
def test_r2_does_not_depend_on_the_unit(size):
    scaled = frame(*[(true * size, (true + (true == 3) / 10) * size) for true in (1, 2, 3)])
    assert metrics.r2(scaled) == pytest.approx(0.995)


@pytest.mark.parametrize("offset", [1e9, 1e15, 2**60])
def test_r2_does_not_depend_on_an_offset_of_all_numbers(offset):
    shifted = frame(*[(offset + 2 * i, offset + 2 * i + 1) for i in range(3)])
    assert metrics.r2(shifted) == pytest.approx(0.625, rel=1e-12)


def test_distances_beyond_float64_are_infinite():
    far = frame((10**400, 10**399), (1, 1))
    assert metrics.mse(far) == math.inf
    assert metrics.r2(far) == pytest.approx(1 - 0.9**2 * 2)
    assert metrics.r2(frame((1, 10**400), (2, 2))) == -math.inf
    assert metrics.mse(frame((10**400, 1.5), (3, 3.0))) == math.inf


def test_a_metric_that_gives_many_numbers_is_refused():
    rows = frame((1, 1), (2, 3)).assign(seed=[0, 1], example=[0, 0])
    with pytest.raises(ValueError, match="a metric gives one number of a DataFrame"):
        metrics.score(rows, lambda rows: (rows.predicted.mean(), 1.0), by=())


def test_a_word_that_no_slot_has_counts_as_invalid():
    words = pd.DataFrame({"true": ["yes", "no"], "predicted": ["yes", "999"]})
    assert metrics.invalid_rate(words.assign(valid=[True, False])) == 0.5


def test_numbers_far_apart_in_their_last_digit_may_have_the_same_digits():
    assert metrics.same_digits(frame((1.0051, 1.0149)), digits=3) == 1  # both 1.01
    assert metrics.same_digits(frame((0.96, 1.44)), digits=1) == 1


def of_one_seed(values, **columns):
    rows = frame(*((0.0, x) for x in values)).assign(seed=0, example=range(len(values)))
    return rows.assign(**columns)


def test_the_interval_of_one_seed_is_the_same_each_time_and_holds_95_percent(monkeypatch):
    rows = of_one_seed([1.0, 2.0, 3.0, 9.0])
    assert metrics.score(rows, metrics.mse, by=()).equals(metrics.score(rows, metrics.mse, by=()))
    draws = np.arange(1001.0)
    monkeypatch.setattr(metrics, "_bootstrap", lambda *_: draws)
    found = metrics.score(rows, metrics.mse, by=())
    assert (found.low[0], found.high[0]) == pytest.approx((25, 975))


def test_an_example_is_drawn_with_all_of_its_rows_however_few_fit_in_memory(monkeypatch):
    rows = of_one_seed([1.0, 2.0, 3.0, 9.0, 5.0]).assign(example=[0, 1, 0, 2, 1])
    at_once = metrics._bootstrap(rows, metrics.mse)
    assert len(at_once) == metrics.RESAMPLES
    assert {*at_once} <= {
        np.square(np.concatenate(draw)).mean()
        for draw in itertools.product(([1.0, 3.0], [2.0, 5.0], [9.0]), repeat=3)
    }
    monkeypatch.setattr(metrics, "MOST_ROWS", 1)
    assert (metrics._bootstrap(rows, metrics.mse) == at_once).all()


def test_draws_without_a_valid_answer_do_not_hide_the_interval():
    found = metrics.score(of_one_seed([1.0, math.nan, math.nan]), metrics.mse, by=())
    assert (found.low[0], found.high[0]) == (1, 1)


def test_a_score_of_no_prediction_is_refused():
    with pytest.raises(ValueError, match="expected rows of nl.predict; got an empty frame"):
        metrics.score(of_one_seed([1.0])[:0], metrics.mse, by="seed")


def test_scores_stand_in_the_order_of_the_predictions():
    rows = pd.concat([of_one_seed([1.0], encoder=name) for name in ("XVal", "P10", "FoNE")])
    assert metrics.score(rows, metrics.mse, by="encoder").encoder.tolist() == [
        "XVal",
        "P10",
        "FoNE",
    ]
