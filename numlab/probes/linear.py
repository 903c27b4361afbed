"""Linear probes: logistic regression on frozen vectors (xval, Table 9)."""

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def linear(
    vectors: np.ndarray, target: np.ndarray, n_train: int = 500, draws: int = 5, seed: int = 0
) -> pd.DataFrame:
    """Logistic regression of a yes-or-no target on vectors.

    Parameters
    ----------
    vectors : (n, d), or Embeddings
    target : (n,) bool
    n_train : rows to train on; the others test.
    draws : how many random splits.

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
        raise ValueError(
            "expected n targets, n vectors and 2 <= n_train <= n - 2; "
            f"got {len(target)} targets, {len(vectors)} vectors and n_train {n_train}"
        )
    if not 2 <= target.sum() <= len(target) - 2:
        raise ValueError(f"each answer must occur twice; got {target.sum()} of {len(target)} True")
    rows = []
    for draw in range(draws):
        order = _both_answers(target, np.random.default_rng((seed, draw)))
        train, test = order[:n_train], order[n_train:]
        probe = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        probe.fit(vectors[train], target[train])
        score = roc_auc_score(target[test], probe.decision_function(vectors[test]))
        rows.append((draw, n_train, len(test), float(score)))
    return pd.DataFrame(rows, columns=["draw", "n_train", "n_test", "roc_auc"])


def _both_answers(target: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random order with both answers at its beginning and at its end."""
    order = rng.permutation(len(target))
    yes, no = order[target[order]], order[~target[order]]
    ends = [yes[0], no[0], yes[-1], no[-1]]
    return np.concatenate([ends[:2], order[~np.isin(order, ends)], ends[2:]])
