"""Linear probes: logistic regression on frozen vectors (xval, Table 9)."""

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def linear(
    vectors: np.ndarray, target: np.ndarray, n_train: int = 500, draws: int = 5
) -> pd.DataFrame:
    """Logistic regression of a yes-or-no target on vectors.

    Parameters
    ----------
    vectors : (n, d), or Embeddings
    target : (n,) bool
    n_train : rows to train on; the others test.
    draws : how many random splits, each with both answers in their shares on either side.

    Returns
    -------
    DataFrame [draw, n_train, n_test, roc_auc]

    >>> x = np.random.default_rng(0).normal(size=(400, 3))
    >>> bool(linear(x, x[:, 0] > 0, n_train=200).roc_auc.min() > 0.99)
    True
    """
    vectors = np.asarray(getattr(vectors, "vectors", vectors))
    target = np.asarray(target, bool)
    if len(vectors) != len(target) or not 2 <= n_train <= len(target) - 2:
        got = f"{len(target)} targets, {len(vectors)} vectors and n_train {n_train}"
        raise ValueError(f"expected n targets, n vectors and 2 <= n_train <= n - 2; got {got}")
    if not 2 <= target.sum() <= len(target) - 2:
        raise ValueError(f"each answer must occur twice; got {target.sum()} of {len(target)} True")
    n_test = len(target) - n_train
    splits = StratifiedShuffleSplit(draws, test_size=n_test, train_size=n_train, random_state=0)
    probe = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    scores = cross_val_score(probe, vectors, target, cv=splits, scoring="roc_auc")
    frame = pd.DataFrame({"draw": range(draws), "n_train": n_train, "n_test": n_test})
    return frame.assign(roc_auc=scores)
