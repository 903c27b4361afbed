"""Sweeps through values that training left out (xval, fig. 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numlab.training import Run


def interpolation(run: Run, slot: str, values: np.ndarray, n: int = 32, seed: int = 1):
    """Hold a slot at each of some true values and ask the run for it.

    Parameters
    ----------
    slot : a parameter that the run's task can hold fixed, such as "stepsize".
    values : (m,) true values, inside and outside of those in training.
    n : texts a value; the other parameters are drawn alike for every value.

    Returns
    -------
    DataFrame [example, slot, true, predicted, valid]
        As from `predict`: m n rows, of which `true` holds the m values.
    """
    import pandas as pd

    from numlab.evaluation import predict

    frames = []
    for i, value in enumerate(np.asarray(values, float)):
        frame = predict(run, run.spec.task.sample(n, seed, **{slot: value}), slot)
        frames.append(frame.assign(example=frame.example + i * n))
    return pd.concat(frames, ignore_index=True)
