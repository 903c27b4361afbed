"""Metrics of predictions that only xval's tables need."""

import pandas as pd

import numlab as nl
from numlab.metrics import r2


def adjusted_r2(frame: pd.DataFrame, n_inputs: int) -> float:
    """R² adjusted for the number of inputs of the problem (xval, Table 5); NaN where the valid
    answers are too few for it."""
    n = int(frame.valid.sum())
    if n <= n_inputs + 1:
        return float("nan")
    return 1 - (1 - r2(frame)) * (n - 1) / (n - n_inputs - 1)


def answers_by_task(runs: list[nl.Run], tasks: dict[str, nl.tasks.Task]) -> pd.DataFrame:
    """The answers of runs to the test texts of their own task, with its name in a column task."""
    of_task = {name: [r for r in runs if r.spec.task == task] for name, task in tasks.items()}
    return pd.concat(
        nl.predict(part, "test", "answer", batch_size=1024).assign(task=name)
        for name, part in of_task.items()
    )


def median_over_seeds(frame: pd.DataFrame) -> pd.DataFrame:
    """The median of the seeds' valid predictions of each number (xval, 3.1).

    Of an even number of seeds it is the lower of the middle two, which a model has answered: their
    mean can be a value that no text encoder ever gives.

    `frame` has rows of `predict`, of texts that all seeds share. They come back without seed, and a
    row is invalid only where every seed's is.
    """
    keys = [c for c in frame if c not in ("seed", "true", "predicted", "valid")]
    valid = frame.assign(predicted=frame.predicted.where(frame.valid))
    grouped = valid.groupby(keys, sort=False, dropna=False)
    middle = grouped.predicted.quantile(interpolation="lower")
    median = grouped.agg(true=("true", "first")).assign(predicted=middle).reset_index()
    return median.assign(valid=median.predicted.notna())
