"""Choose a learning rate for each encoder from one grid."""

from __future__ import annotations

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

    columns = ["encoder", "learning_rate", "valid_loss", "chosen"]
    if len(rates) == 1:
        chosen = [dataclasses.replace(s, learning_rate=rates[0]) for s in specs]
        return chosen, pd.DataFrame(
            [(str(s.encoder), *rates, None, True) for s in specs], columns=columns
        )
    grid = [[dataclasses.replace(s, learning_rate=r, steps=steps) for r in rates] for s in specs]
    runs = iter(train_all([trial for row in grid for trial in row]))
    chosen, record = [], []
    for spec in specs:
        losses = [next(runs).valid_loss for _ in rates]
        best = int(np.nanargmin(losses))
        chosen.append(dataclasses.replace(spec, learning_rate=rates[best]))
        record += [
            (str(spec.encoder), rate, loss, i == best)
            for i, (rate, loss) in enumerate(zip(rates, losses, strict=True))
        ]
    return chosen, pd.DataFrame(record, columns=columns)
