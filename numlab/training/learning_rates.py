"""Choose a learning rate for each encoder from one grid."""

import dataclasses

import numpy as np

from numlab.training.cluster import train_all
from numlab.training.spec import RunSpec


def choose_learning_rates(specs: list[RunSpec], rates: tuple[float, ...], steps: int):
    """Give each spec the learning rate with the lowest validation loss after `steps` steps.

    All specs share one grid, so no encoder is favoured (xval, Appendix D). A grid of one rate
    trains nothing.

    Returns
    -------
    specs : list of RunSpec
        In the same order, with their own `steps`.
    record : DataFrame [encoder, learning_rate, valid_loss, chosen]
        One row per spec and rate.
    """
    import pandas as pd

    grid = [(spec, rate) for spec in specs for rate in rates]
    record = pd.DataFrame(
        {"encoder": str(spec.encoder), "learning_rate": rate, "valid_loss": np.nan}
        for spec, rate in grid
    )
    best = np.zeros(len(specs), int)
    if len(rates) > 1:
        short = [dataclasses.replace(s, learning_rate=rate, steps=steps) for s, rate in grid]
        record["valid_loss"] = [run.valid_loss for run in train_all(short)]
        best = np.nanargmin(record.valid_loss.to_numpy().reshape(-1, len(rates)), axis=1)
    record["chosen"] = (np.arange(len(rates)) == best[:, None]).ravel()
    chosen = zip(specs, best, strict=True)
    return [dataclasses.replace(s, learning_rate=rates[i]) for s, i in chosen], record
