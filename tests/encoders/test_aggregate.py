"""Digit aggregates against plain loops, the properties that section 3 of digits asks, and [AGG]."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from numlab.encoders import (
    Aggregate,
    DigitMax,
    DigitMean,
    DigitMedian,
    DigitMin,
    DigitSum,
    WeightedSum,
)

TABLE = np.random.default_rng(0).normal(size=(10, 7))
PLAIN = {
    WeightedSum(): lambda e: (WeightedSum().weights(len(e))[:, None] * e).sum(0),
    DigitSum(): lambda e: e.sum(0),
    DigitMean(): lambda e: e.mean(0),
    DigitMax(): lambda e: e.max(0),
    DigitMin(): lambda e: e.min(0),
    DigitMedian(): lambda e: np.median(e, 0),
}
every_aggregation = pytest.mark.parametrize("how", PLAIN, ids=repr)
digit_arrays = st.tuples(st.integers(1, 22), st.integers(1, 5), st.integers(0, 2**32)).map(
    lambda s: np.random.default_rng(s[2]).integers(0, 10, (s[1], s[0]))
)


@every_aggregation
@given(digits=digit_arrays)
def test_an_aggregate_is_what_a_plain_loop_computes(how, digits):
    expected = np.array([PLAIN[how](TABLE[row]) for row in digits])
    np.testing.assert_allclose(how(digits, TABLE), expected, rtol=1e-9, atol=1e-9)


@every_aggregation
def test_a_single_digit_keeps_its_embedding(how):
    np.testing.assert_array_equal(how(np.arange(10)[:, None], TABLE), TABLE)


@every_aggregation
def test_the_embeddings_type_is_kept(how):
    assert how(np.array([[1, 2]]), TABLE.astype(np.float32)).dtype == np.float32


@every_aggregation
def test_an_aggregation_says_whether_it_sees_the_order(how):
    ours, turned = how(np.array([[8, 5, 1], [1, 8, 5]]), TABLE)
    assert (np.abs(ours - turned).max() > 0.1) == how.sees_order
    assert how.sees_order or (ours == turned).all()


@given(st.integers(1, 30))
def test_weights_are_normalised_triangular_numbers_times_powers_of_the_base(n):
    triangular = WeightedSum().weights(n) / 10.0 ** np.arange(n - 1, -1, -1)
    assert triangular.sum() == pytest.approx(1)
    steps = np.diff(triangular[::-1])
    np.testing.assert_allclose(np.diff(steps), steps[0] / 2 if n > 2 else 0, rtol=1e-6)


def test_weights_are_not_normalised_and_fall_from_left_to_right():
    weights = WeightedSum().weights(6)
    assert weights.sum() > 1
    assert (np.diff(weights) < 0).all()


def test_the_base_of_the_weights_is_a_parameter():
    np.testing.assert_allclose(WeightedSum(base=2).weights(3), [2.4, 0.6, 0.1])


@pytest.mark.parametrize("base", [0, -1.0, np.inf])
def test_a_base_is_positive_and_finite(base):
    with pytest.raises(ValueError, match="positive, finite base"):
        WeightedSum(base)


@pytest.mark.parametrize(
    ("digits", "table", "message"),
    [
        (np.array([[1.0, 2.0]]), TABLE, r"integers of shape \(n, N >= 1\); got float64"),
        (np.array([1, 2]), TABLE, r"got int64 of shape \(2,\)"),
        (np.array([[1, 10]]), TABLE, "0 to 9; got 1 to 10"),
        (np.array([[1, 2]]), TABLE[:9], r"shape \(10, d\).*got float64 of shape \(9, 7\)"),
    ],
)
def test_what_is_no_digit_or_no_table_is_refused(digits, table, message):
    with pytest.raises(ValueError, match=message):
        DigitMax()(digits, table)


def embedded(encoder: Aggregate, number: float, words: torch.Tensor) -> torch.Tensor:
    features = torch.from_numpy(encoder.encode([number]).features)
    return encoder.embedding(words.shape[1])(features, words)[0]


@every_aggregation
@pytest.mark.parametrize(("number", "digits"), [(602, [6, 0, 2]), (-77, [7, 7]), (0, [0])])
def test_the_tokens_vector_is_the_aggregate_of_the_digits(how, number, digits):
    words = torch.randn(15, 8, dtype=torch.float64)
    expected = how(np.array([digits]), words[:10].numpy())[0]
    np.testing.assert_allclose(
        embedded(Aggregate(how=how), number, words), expected, rtol=1e-5, atol=1e-6
    )


def test_the_point_is_left_out_of_the_weights():
    features = Aggregate(3, 2).encode([12.5, 125]).features
    assert np.array_equal(*features)


def test_answers_are_spelled_without_it():
    assert Aggregate().answer.spell(602) == ["[F]", "6", "0", "2", "[/F]"]


def test_a_pause_carries_nothing():
    encoder = Aggregate(how=None)
    assert encoder.carriers == () and encoder.embedding(8) is None
    assert encoder.spell(7) == ["[F]", "[PAUSE]", "7", "[/F]"]


def test_it_spells_a_number_only_in_its_place():
    encoder = Aggregate(3)
    tokens = encoder.encode([7])
    tokens.ids[0, tokens.mask[0]] = [12, 7, encoder.token, 13]  # [F] 7 [AGG] [/F]
    assert np.isnan(encoder.decode(tokens)).all()


def test_digits_whose_squared_sum_float32_cannot_hold_are_refused():
    tally = torch.from_numpy(Aggregate(20).encode([10**20 - 1]).features)
    normed = torch.nn.functional.layer_norm(tally @ torch.randn(10, 8), (8,))
    assert normed.isfinite().all()
    for n in (21, 400):
        with pytest.raises(
            ValueError, match=f"square of their sum .*; got {n} digits for WeightedSum"
        ):
            Aggregate(n)
    Aggregate(400, how=None), Aggregate(400, how=DigitMean())
