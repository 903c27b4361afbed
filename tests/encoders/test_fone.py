"""Circles, and the head that compares with them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import torch

from numlab.encoders import FoNE
from numlab.encoders.base import Embedding
from numlab.heads import CircleHead

TENTHS = np.arange(10) * (2 * np.pi / 10)
TICKS = torch.from_numpy(np.stack([np.cos(TENTHS), np.sin(TENTHS)], 1)).float()  # phi(j, 10)


def direct_circles(literal: str, int_digits: int, frac_digits: int, periods) -> np.ndarray:
    """Definition 3.2 of fone in exact arithmetic: (D, P, 2)."""
    x = abs(Fraction(literal))
    angles = [
        [2 * np.pi * float(x / (p * Fraction(10) ** i) % 1) for p in periods]
        for i in range(-frac_digits, int_digits)
    ]
    return np.stack([np.cos(angles), np.sin(angles)], 2)


@pytest.mark.parametrize("periods", [(10,), (7, 3)])
@pytest.mark.parametrize(
    ("literal", "int_digits", "frac_digits"),
    [
        ("4.17", 1, 2),
        ("0", 3, 0),
        ("-123456789.123", 9, 3),
        ("999999", 6, 0),
        ("123456789012345678901234567890123456789012345678901234567890", 60, 0),
    ],
)
def test_circles_are_the_cosine_and_sine_of_the_number(literal, int_digits, frac_digits, periods):
    number = int(literal) if int_digits > 15 else float(literal)
    expected = direct_circles(literal, int_digits, frac_digits, periods)
    encoder = FoNE(int_digits, frac_digits, periods=periods)
    features = torch.from_numpy(encoder.features([number])).float()
    embedded = encoder.embedding(8).circles(features)[0]
    np.testing.assert_allclose(embedded[:-1], expected.ravel(), atol=2e-6)
    assert embedded[-1] == (-1 if number < 0 else 1)


@pytest.mark.parametrize("period", [10, 7])
def test_a_chunk_sees_its_own_digits_only(period):
    encoder = FoNE(10, periods=(period,), chunk=5, signed=False)
    features = torch.from_numpy(encoder.features([1234567890])).float()
    entries = encoder.embedding(32).circles(features)[0].reshape(10, 1, 2)
    chunks = [direct_circles(chunk, 5, 0, (period,)) for chunk in ("67890", "12345")]
    np.testing.assert_allclose(entries, np.concatenate(chunks), atol=1e-6)


def test_the_circles_are_added_to_the_word():
    encoder = FoNE(2, project=False)
    word = torch.randn(1, 8)
    features = torch.from_numpy(encoder.features([42]))
    added = encoder.embedding(8)(features, word) - word
    torch.testing.assert_close(added[:, :5], encoder.embedding(8).circles(features.float()))
    assert (added[:, 5:].abs() < 1e-6).all()


def test_a_perfect_hidden_state_is_read_as_its_digits():
    encoder = FoNE(4, 2, project=False)
    features = torch.from_numpy(encoder.features([1234.56, -9870.01, 0]))
    h = torch.zeros(3, 16)
    h[:, :12] = TICKS[features[:, 1:].flip(1).long()].flatten(1)
    h[:, 12] = features[:, 0] * 2.0 - 1
    head = encoder.head.build(16)
    assert encoder.number(encoder.head.read(head(h)).numpy()).tolist() == [1234.56, -9870.01, 0]
    assert not list(head.parameters())


def test_the_logits_are_those_of_algorithm_2():
    encoder = FoNE(2, signed=False)
    h = torch.randn(1, 6)
    logits = encoder.head.build(6)(h).reshape(2, 10)
    for i in range(2):
        np.testing.assert_allclose(logits[i], TICKS @ h[0, 2 * i : 2 * i + 2], atol=1e-6)


def test_the_loss_is_the_mean_cross_entropy_of_the_digits():
    encoder = FoNE(2, signed=False)
    head, h = encoder.head.build(6), torch.randn(1, 6)
    units, tens = head(h).reshape(2, 10).log_softmax(1)
    expected = -(units[7] + tens[3]) / 2
    loss = encoder.head.loss(head(h), torch.from_numpy(encoder.features([37])))
    torch.testing.assert_close(loss, expected[None])


def test_with_period_five_a_digit_and_the_one_five_above_are_one():
    logits = FoNE(1, periods=(5,), signed=False).head.build(4)(torch.randn(3, 4))
    assert torch.equal(logits[:, :5], logits[:, 5:])


@pytest.mark.parametrize("encoder", [FoNE(6, 3, project=False), FoNE(6, 3)], ids=repr)
def test_a_model_that_is_too_narrow_is_an_error(encoder):
    with pytest.raises(ValueError, match="takes d_model >= 19; got 18"):
        encoder.head.build(18)
    encoder.head.build(19)
    if not encoder.project:
        with pytest.raises(ValueError, match="takes d_model >= 19; got 18"):
            encoder.embedding(18)


@pytest.mark.parametrize("periods", [(), (10, 0), (2.5,)])
@pytest.mark.parametrize("kind", [FoNE, CircleHead])
def test_periods_are_whole_numbers(kind, periods):
    with pytest.raises(ValueError, match="periods of whole numbers > 1; got"):
        kind(periods=periods)


def test_a_digit_above_nine_is_no_number():
    features = np.array([[0, 1, 10], [1, 2, 3]], np.uint8)
    np.testing.assert_equal(FoNE(2).number(features), [np.nan, -23.0])
    long = np.ones((2, 21), np.uint8)
    long[0, 5] = 10
    assert FoNE(20).number(long).tolist() == [None, -11111111111111111111]


def test_an_embedding_of_one_vector_for_all_numbers_is_refused():
    constant = Embedding(lambda features, words: features.mean() + words[0])
    with pytest.raises(ValueError, match=r"vectors of numbers are \(3, 4\); got \(4,\)"):
        constant(torch.zeros(3, 2), torch.zeros(5, 4))
