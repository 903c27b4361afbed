"""FoNE's circles in the vectors that a model reads: where they are, and what the head reads there."""

from __future__ import annotations

import numpy as np
import pandas as pd
import torch

import numlab as nl


@torch.no_grad()
def vectors(
    encoder: nl.ValueEncoder, numbers: np.ndarray, word: torch.Tensor | None = None, d: int = 64
) -> torch.Tensor:
    """(n, d) the encoder's input to the model; `word` (1, d) is the token [NUM], zeros by default."""
    word = torch.zeros(1, d) if word is None else word
    return encoder.embedding(d)(torch.from_numpy(encoder.features(numbers)), word)


def points(encoder: nl.FoNE, vectors: torch.Tensor) -> np.ndarray:
    """(n, D, 1, 2) cos and sin in the first entries of vectors, least significant place first."""
    return vectors[:, : 2 * encoder.n_digits].reshape(len(vectors), -1, 1, 2).numpy()


def digit_scores(encoder: nl.FoNE, number: float) -> pd.DataFrame:
    """The head's score for each digit on each circle of a number (Definition 3.8).

    Parameters
    ----------
    encoder : FoNE
        Without projection: its circles fill the first entries of a vector.
    number : float

    Returns
    -------
    DataFrame [period, remainder, cos, sin, digit, score, true]
        One row per circle and digit, as `number_on_circles` draws them.
    """
    vector = vectors(encoder, np.array([number]))
    scores = encoder.head.build(vector.shape[1])(vector).reshape(-1, 10).tolist()
    digits = encoder.features([number])[0, :0:-1].tolist()
    circles = points(encoder, vector)[0, :, 0].tolist()
    periods = [10.0 ** (place + 1 - encoder.frac_digits) for place in range(encoder.n_digits)]
    rows = [
        (period, round(number % period, 9), *point, digit, score, true)
        for period, point, true, row in zip(periods, circles, digits, scores, strict=True)
        for digit, score in enumerate(row)
    ]
    columns = ["period", "remainder", "cos", "sin", "digit", "score", "true"]
    return pd.DataFrame(rows, columns=columns)
