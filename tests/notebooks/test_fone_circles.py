"""The circles in FoNE's vectors are those of the paper; its head scores them; two ways back."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from torch.nn import functional as F

import numlab as nl
from notebooks.conftest import load

module = load("fone/circles")
circles, exact_readout, paper_readout = module.circles, module.exact_readout, module.paper_readout
FONE = nl.FoNE(3, 2, signed=False, project=False)
NUMBERS = np.array([0.0, 4.17, 604.17])


@pytest.mark.parametrize("periods", [(10,), (7, 3)])
@pytest.mark.parametrize(
    ("literal", "int_digits", "frac_digits"), [("-123456789.123", 9, 3), ("1234567890" * 6, 60, 0)]
)
def test_circles_are_the_cosine_and_sine_of_the_number(literal, int_digits, frac_digits, periods):
    number = int(literal) if int_digits > 15 else float(literal)
    x, places = abs(Fraction(literal)), range(-frac_digits, int_digits)
    turns = [[float(x / (p * Fraction(10) ** i) % 1) for p in periods] for i in places]
    angles = 2 * np.pi * np.array(turns)
    drawn = circles([number], int_digits, frac_digits, periods)[0]
    np.testing.assert_allclose(drawn, np.stack([np.cos(angles), np.sin(angles)], 2), atol=1e-12)


def test_the_circles_of_a_vector_are_those_of_its_number():
    vectors = module.vectors(FONE, NUMBERS)
    assert vectors.shape == (3, 64)
    found = module.points(FONE, vectors)
    np.testing.assert_allclose(found, circles(NUMBERS, 3, 2), atol=1e-6)


def test_a_vector_of_xval_is_its_word_times_the_number():
    word = torch.eye(64)[[3]]
    assert module.vectors(nl.XVal(), NUMBERS, word)[:, 3].tolist() == np.float32(NUMBERS).tolist()


def test_each_circle_has_its_remainder_and_its_nearest_digit_scores_highest():
    frame = module.digit_scores(FONE, 604.17)
    circle = frame.groupby("period").first()
    assert circle.remainder.tolist() == [0.07, 0.17, 4.17, 4.17, 604.17]
    assert circle.true.tolist() == [7, 1, 4, 0, 6]
    best = frame.loc[frame.groupby("period").score.idxmax()].digit.tolist()
    assert best == [7, 2, 4, 0, 6]  # 0.17 stands nearer to 0.2


@pytest.mark.parametrize("norm", [F.layer_norm, F.rms_norm])
def test_a_norm_leaves_the_number_in_fone_and_takes_it_from_xval(norm):
    """Lemma C.2 of fone, which assumes a mean of 0; and what 3.1 says of xVal."""
    drawn = torch.from_numpy(circles([37, 502], 3)).flatten(1)
    vectors = torch.cat([drawn, -drawn], 1)
    kept = norm(vectors, vectors.shape[1:])[:, :6]
    assert exact_readout(kept.reshape(2, 3, 1, 2).numpy()).tolist() == [[0, 3, 7], [5, 0, 2]]
    vectors = torch.tensor([[37.0], [502.0]]) * torch.randn(1, 12)  # xVal
    one, other = norm(vectors, vectors.shape[1:])
    torch.testing.assert_close(one, other)


def test_one_large_period_cannot_tell_neighbours_apart():
    """Lemma 3.5 of fone."""
    one, other = circles([417, 418], 6)[:, :, 0]
    distance = np.linalg.norm(one - other, axis=1)
    assert distance[5] < 1e-5 < 0.5 < distance[0]


def test_the_papers_readout_is_not_the_inverse_and_the_exact_one_is():
    numbers = np.arange(1000)
    digits = numbers[:, None] // [100, 10, 1] % 10
    drawn = circles(numbers, 3)
    assert 0.25 <= (paper_readout(drawn) == digits).all(1).mean() <= 0.31
    assert (exact_readout(drawn) == digits).all()
    assert (exact_readout(7.5 * drawn) == digits).all()


def test_the_exact_readout_holds_for_sixty_digits():
    number = 123456789012345678901234567890123456789012345678901234567890
    assert "".join(map(str, exact_readout(circles([number], 60))[0])) == str(number)


def test_a_readout_takes_circles_of_period_ten_alone():
    with pytest.raises(ValueError, match=r"\(n, D, 1, 2\); got \(1, 3, 2, 2\)"):
        exact_readout(circles([1], 3, 0, (5, 10)))
