"""What a training step costs, encoder beside encoder."""

from __future__ import annotations

import dataclasses
import shutil
import time
from pathlib import Path

import numpy as np

from numlab import store
from numlab.training.fit import Fit, threads
from numlab.training.spec import RunSpec


def step_costs(specs: list[RunSpec], rounds: int = 20):
    """Seconds and tokens of a training step of each spec, measured side by side and kept.

    All are measured in one process, a step of each in turn, so what else the machine does falls
    on all alike and ratios can be trusted; the medians are kept under `data/timings`, so that who
    derives a number of steps from them gets the same number again.

    Returns
    -------
    DataFrame [encoder, seconds, tokens]
        A row a spec.
    """
    import pandas as pd

    key = store.digest((*specs, rounds))
    entry = store.home() / "data" / "timings" / key
    with store.lock(entry):
        if not store.intact(entry):
            frame = _measured(specs, rounds)
            store.write(entry, lambda folder: _save(frame, folder))
    return pd.read_csv(entry / "timings.csv")


def _save(frame, folder: Path) -> None:
    frame.to_csv(folder / "timings.csv", index=False)


def _measured(specs: list[RunSpec], rounds: int):
    import pandas as pd

    # a few texts cost as much a step as many
    few = [dataclasses.replace(s, n_train=min(s.n_train, 64 * s.batch_size)) for s in specs]
    with threads(specs[0].threads):
        fits = [Fit(spec, f"timing-{store.digest(spec)}") for spec in few]
        seconds = np.array([[_seconds(fit, i) for fit in fits] for i in range(rounds + 2)])
    for fit in fits:
        shutil.rmtree(fit.folder, ignore_errors=True)
    columns = {
        "encoder": [str(spec.encoder) for spec in specs],
        "seconds": np.median(seconds[2:], axis=0),  # the first two warm up
        "tokens": [fit.spec.batch_size * fit.corpus.lengths.mean() for fit in fits],
    }
    return pd.DataFrame(columns)


def _seconds(fit: Fit, step: int) -> float:
    began = time.perf_counter()
    float(sum(fit._update(step).values()))  # waits for the device
    return time.perf_counter() - began
