"""The circles in FoNE's vectors are those of the paper, and its head scores them."""

import numpy as np
import torch

import numlab as nl
from notebooks.conftest import load
from numlab.encoders.fourier import circles

module = load("fone/circles")
FONE = nl.FoNE(3, 2, signed=False, project=False)
NUMBERS = np.array([0.0, 4.17, 604.17])


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
