"""Predictions for values that training left out (xval, Figure 7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numlab.training import Run

__all__ = ["interpolation"]


def interpolation(
    runs: Run | Sequence[Run], slot: str, values: np.ndarray, n: int = 32, seed: int = 1
):
    """Set a parameter of the task to each of some values, and have runs predict it.

    Parameters
    ----------
    runs : Run or sequence of Run
        Of one task.
    slot : str
        A parameter that `task.sample` can hold, such as "stepsize".
    values : array of shape (m,)
        True values, inside and outside of the range of training.
    n : int
        Texts for each value. All other parameters are the same for every value.
    seed : int
        Of these parameters.

    Returns
    -------
    DataFrame [encoder, seed, example, slot, true, predicted, valid]
        m n rows for each run, as from `predict`; `example` counts from 0 to m n - 1.
    """
    import dataclasses

    from numlab.evaluation import predict
    from numlab.training import Run

    runs = [runs] if isinstance(runs, Run) else list(runs)
    task = runs[0].spec.task
    examples = [
        dataclasses.replace(e, index=e.index + i * n)
        for i, value in enumerate(np.asarray(values, float))
        for e in task.sample(n, seed, **{slot: value})
    ]
    return predict(runs, examples, slot)
