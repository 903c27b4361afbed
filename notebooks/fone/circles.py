"""FoNE's circles, of numbers and in the vectors that a model reads; three ways to read digits."""

import numpy as np
import pandas as pd
import torch

import numlab as nl
from numlab.encoders.fone import remainders


def circles(
    numbers, int_digits: int, frac_digits: int = 0, periods: tuple[int, ...] = (10,)
) -> np.ndarray:
    """The circles of abs(x) in float64 (fone, Algorithm 1 and Fig. 1).

    The result (n, digits, periods, 2) holds cos and sin of 2 pi abs(x) / (p 10^i), least
    significant place first.

    >>> circles([4.17], 1, 2).shape
    (1, 3, 1, 2)
    """
    features = nl.FoNE(int_digits, frac_digits).features(numbers)
    digits = torch.from_numpy(features[:, 1:].astype(np.float64)).flip(1)
    turns = torch.stack([remainders(digits, period) / period for period in periods], 2)
    angles = 2 * np.pi * turns.numpy()
    return np.stack([np.cos(angles), np.sin(angles)], 3)


def paper_readout(circles: np.ndarray) -> np.ndarray:
    """Digits by the nearest j/10 on each circle (fone, Definition 3.8); not the inverse.

    `circles` (n, D, 1, 2) are of period 10 and of any radius, least significant place first; the
    digits (n, D) are uint8, most significant first. The circle of place i is at (x mod 10^(i+1)) /
    10^(i+1). Lower digits often push that past the next j/10: only a quarter to a third of the
    numbers 0 to 999 survive.
    """
    return (np.rint(_tenths(circles)) % 10).astype(np.uint8)[:, ::-1]


def exact_readout(circles: np.ndarray) -> np.ndarray:
    """Digits off circles, the least significant first, each subtracted from the next: the inverse.

    Shapes are as in `paper_readout`.
    """
    tenths = _tenths(circles)
    digits, below = np.empty(tenths.shape, np.uint8), np.zeros(len(tenths))
    for i in range(tenths.shape[1]):
        digits[:, i] = np.rint(tenths[:, i] - below) % 10
        below = (digits[:, i] + below) / 10
    return digits[:, ::-1]


def _tenths(circles: np.ndarray) -> np.ndarray:
    """(n, D) the position of each point on its circle, in tenths of a turn: [0, 10)."""
    circles = np.asarray(circles)
    if circles.ndim != 4 or circles.shape[2:] != (1, 2):
        raise ValueError(f"circles of period 10 have shape (n, D, 1, 2); got {circles.shape}")
    turns = np.arctan2(circles[:, :, 0, 1], circles[:, :, 0, 0]) / (2 * np.pi)
    return turns % 1.0 * 10


@torch.no_grad()
def vectors(
    encoder: nl.ValueEncoder, numbers: np.ndarray, word: torch.Tensor | None = None, d: int = 64
) -> torch.Tensor:
    """(n, d) the encoder's input to the model; `word` (1, d) is [NUM], zeros by default."""
    word = torch.zeros(1, d) if word is None else word
    return encoder.embedding(d)(torch.from_numpy(encoder.features(numbers)), word)


def points(encoder: nl.FoNE, vectors: torch.Tensor) -> np.ndarray:
    """(n, D, 1, 2) cos and sin in the first entries of vectors, least significant place first."""
    return vectors[:, : 2 * encoder.n_digits].reshape(len(vectors), -1, 1, 2).numpy()


def digit_scores(encoder: nl.FoNE, number: float) -> pd.DataFrame:
    """The head's score for each digit on each circle of a number (Definition 3.8).

    `encoder` has no projection: its circles fill the first entries of a vector. The columns are
    period, remainder, cos, sin, digit, score and true, a row for each circle and digit, as
    `number_on_circles` draws them.
    """
    vector = vectors(encoder, np.array([number]))
    scores = encoder.head.build(vector.shape[1])(vector).reshape(-1, 10).tolist()
    digits = encoder.features([number])[0, :0:-1].tolist()
    drawn = points(encoder, vector)[0, :, 0].tolist()
    periods = [10.0 ** (place + 1 - encoder.frac_digits) for place in range(encoder.n_digits)]
    rows = [
        (period, round(number % period, 9), *point, digit, score, true)
        for period, point, true, row in zip(periods, drawn, digits, scores, strict=True)
        for digit, score in enumerate(row)
    ]
    columns = ["period", "remainder", "cos", "sin", "digit", "score", "true"]
    return pd.DataFrame(rows, columns=columns)
