"""The token that aggregates digits."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from numlab.encoders import Aggregate
from numlab.encoders.aggregate import weighted_sum


def embedded(encoder: Aggregate, number: float, words: torch.Tensor) -> torch.Tensor:
    features = torch.from_numpy(encoder.encode([number]).features)
    return encoder.embedding(words.shape[1])(features, words)[0]


@pytest.mark.parametrize(("number", "digits"), [(602, [6, 0, 2]), (-77, [7, 7]), (0, [0])])
def test_its_vector_is_the_weighted_sum_of_the_digits(number, digits):
    words = torch.randn(15, 8, dtype=torch.float64)
    expected = weighted_sum(np.array([digits]), words[:10].numpy(), base=3.0)[0]
    ours = embedded(Aggregate(base=3.0), number, words)
    np.testing.assert_allclose(ours, expected, rtol=1e-5, atol=1e-6)


def test_the_point_is_left_out_of_the_weights():
    encoder = Aggregate(3, 2)
    features = encoder.encode([12.5, 125]).features
    assert np.array_equal(*features)


def test_answers_are_spelled_without_it():
    assert Aggregate().answer.spell(602) == ["[F]", "6", "0", "2", "[/F]"]


def test_a_pause_carries_nothing():
    encoder = Aggregate(base=None)
    assert encoder.carriers == () and encoder.embedding(8) is None
    assert encoder.spell(7) == ["[F]", "[PAUSE]", "7", "[/F]"]


def test_it_spells_a_number_only_in_its_place():
    encoder = Aggregate(3)
    tokens = encoder.encode([7])
    tokens.ids[0, tokens.mask[0]] = [12, 7, encoder.token, 13]  # [F] 7 [AGG] [/F]
    assert np.isnan(encoder.decode(tokens)).all()


@pytest.mark.parametrize("base", [0, -1.0, np.inf])
def test_a_base_is_positive_and_finite(base):
    with pytest.raises(ValueError, match="positive, finite base"):
        Aggregate(base=base)
