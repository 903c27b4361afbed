"""Can a linear classifier read n mod T off the vectors of numbers? (2604.20817)"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import cohen_kappa_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from numlab.embeddings import Embeddings

MODULI = (2, 3, 4, 5, 7, 10)
FOLDS = 5


def separability(e: Embeddings, moduli: Sequence[int] = MODULI) -> pd.DataFrame:
    """5-fold accuracy of predicting n mod T from the vector, by multinomial logistic regression.

    A peak of the `spectrum` at the period T says that the means of the classes differ; this says
    whether single numbers can be classified. `e` is of whole numbers; `moduli` are the T.
    ValueError where a class has fewer than five numbers.

    Returns
    -------
    DataFrame [modulus, accuracy, kappa]
        kappa is Cohen's, (accuracy - chance) / (1 - chance): 1 is perfect, 0 is chance.

    >>> one_hot = Embeddings(np.arange(100), np.tile(np.eye(5), (20, 1)), "n mod 5")
    >>> (separability(one_hot, (5, 3)).kappa > 0.9).tolist()
    [True, False]
    """
    parts = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    probe = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    rows = []
    for modulus in moduli:
        true = e.numbers.astype(int) % modulus
        if (fewest := np.bincount(true, minlength=modulus).min()) < FOLDS:
            wanted = f"{FOLDS} folds take as many numbers of each n mod {modulus}"
            raise ValueError(f"{wanted}; got {fewest}")
        read = cross_val_predict(probe, e.vectors, true, cv=parts)
        rows.append((modulus, float((read == true).mean()), cohen_kappa_score(true, read)))
    return pd.DataFrame(rows, columns=["modulus", "accuracy", "kappa"])
