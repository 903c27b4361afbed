"""What a forecaster who knows a distribution would answer, read out as text encoders are read."""

import numpy as np
from scipy.stats import norm

import numlab as nl
from numlab.encoders import Tokens

GRID = np.arange(-6.0, 6.0, 1e-3) + 5e-4  # the numbers that may be answered


def likeliest_words(encoder: nl.Encoder, mean: np.ndarray, sd: float) -> np.ndarray:
    """The numbers (n,) of which each token is the likeliest word at its place.

    The forecasts are normal distributions around `mean` (n,) with the deviation `sd`. Like a masked
    language model, this takes each token apart: of numbers near 1, it may take the exponent of 0.9
    and the significand of 1.1.

    >>> likeliest_words(nl.P1000(figures=2), np.array([0.95]), 0.2)
    array([0.11])
    """
    ids, weights = encoder.encode(GRID).ids, norm.pdf(GRID, mean[:, None], sd)
    chosen = []
    for of_place in ids.T:
        words, which = np.unique(of_place, return_inverse=True)
        share = np.stack([np.bincount(which, row) for row in weights])
        chosen.append(words[share.argmax(axis=1)])
    return encoder.decode(Tokens.of(np.column_stack(chosen)))
