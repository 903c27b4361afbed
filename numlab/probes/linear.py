"""What a linear reader finds in frozen vectors (Table 9, xval)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from numlab.corpus import matches
from numlab.examples import Examples
from numlab.objectives import MaskedLM

if TYPE_CHECKING:
    import pandas as pd

    from numlab.training import Run


def text_vectors(
    run: Run,
    examples: list[Examples],
    slots: str | tuple[str, ...] = "*",
    layer: int | None = None,
    batch_size: int = 256,
) -> np.ndarray:
    """A vector for each text: the mean hidden state over the tokens of some slots.

    Parameters
    ----------
    run : a run of a masked LM; nothing is masked.
    slots : patterns of the slots that are read. Every text has one that fits.
    layer : the output of this block; default: of the last.

    Returns
    -------
    array of shape (n, d_model), float32
        In the order of the texts' index, where they have one.
    """
    import torch

    slots = (slots,) if isinstance(slots, str) else tuple(slots)
    for e in examples:
        if not any(matches(slot.name, slots) for slot in e.layout.slots):
            raise ValueError(f"no slot fits {slots}; the layout has {e.layout.number_slots[:12]}")
    corpus, model = run.tokenizer(examples), run.model
    layer = run.spec.model.n_layer if layer is None else layer
    vectors = np.empty((len(corpus), run.spec.model.d_model), np.float32)
    for i in range(0, len(corpus), batch_size):
        batch = corpus.batch(np.arange(i, min(i + batch_size, len(corpus))))
        inputs, _ = MaskedLM().ask(batch, ())
        with torch.no_grad():
            hidden = model.hidden(inputs.to(model.device), layer=layer).float()
        read = torch.from_numpy(batch.asked(slots))[..., None].to(hidden)
        vectors[batch.rows] = ((hidden * read).sum(1) / read.sum(1)).cpu().numpy()
    if any(e.index is None for e in examples):
        return vectors
    return vectors[np.argsort(np.concatenate([e.index for e in examples]))]


def linear(
    vectors: np.ndarray, target: np.ndarray, n_train: int = 500, draws: int = 5, seed: int = 0
) -> pd.DataFrame:
    """Logistic regression of a yes or no on vectors.

    Parameters
    ----------
    vectors : array of shape (n, d), or Embeddings
    target : array of shape (n,) of bool
    n_train : how many of them it learns from; it is judged on the others.
    draws : how often these are drawn.

    Returns
    -------
    DataFrame [draw, n_train, n_test, roc_auc]

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=(400, 3))
    >>> bool(linear(x, x[:, 0] > 0, n_train=200).roc_auc.min() > 0.99)
    True
    """
    import pandas as pd
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    vectors = np.asarray(getattr(vectors, "vectors", vectors))
    target = np.asarray(target, bool)
    if len(vectors) != len(target) or not 2 <= n_train <= len(target) - 2:
        raise ValueError(
            f"n targets for n vectors, and 2 <= n_train <= n - 2; got {len(target)} targets, "
            f"{len(vectors)} vectors and n_train {n_train}"
        )
    if not 2 <= target.sum() <= len(target) - 2:
        raise ValueError(f"both answers occur twice or more; got {target.sum()} of {len(target)}")
    rows = []
    for draw in range(draws):
        order = _both_first(target, np.random.default_rng((seed, draw)))
        train, test = order[:n_train], order[n_train:]
        reader = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        reader.fit(vectors[train], target[train])
        score = roc_auc_score(target[test], reader.decision_function(vectors[test]))
        rows.append((draw, n_train, len(test), float(score)))
    return pd.DataFrame(rows, columns=["draw", "n_train", "n_test", "roc_auc"])


def _both_first(target: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random order that begins and ends with one of each answer: no side lacks one."""
    order = rng.permutation(len(target))
    yes, no = order[target[order]], order[~target[order]]
    ends = [yes[0], no[0], yes[-1], no[-1]]
    return np.concatenate([ends[:2], order[~np.isin(order, ends)], ends[2:]])
