"""Predictions for values that training left out (xval, Figure 7)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from numlab.evaluation import predict
from numlab.training import Run

__all__ = ["interpolation"]


def interpolation(
    runs: Run | Sequence[Run], slot: str, values: np.ndarray, n: int = 32, seed: int = 1
):
    """Set a parameter of the task to each of m true values, and have runs predict it.

    Parameters
    ----------
    runs : of one task.
    slot : a parameter that `task.sample` can hold, such as "stepsize".
    values : inside and outside of the range of training.
    n : texts for each value. All other parameters are the same for every value.

    Returns
    -------
    DataFrame [encoder, seed, example, slot, true, predicted, valid]
        m n rows for each run, as from `predict`; `example` counts from 0 to m n - 1.
    """
    task = (runs[0] if isinstance(runs, Sequence) else runs).spec.task
    examples = [
        dataclasses.replace(e, index=e.index + i * n)
        for i, value in enumerate(np.asarray(values, float))
        for e in task.sample(n, seed, **{slot: value})
    ]
    return predict(runs, examples, slot)
