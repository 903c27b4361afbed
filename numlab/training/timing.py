"""What a training step costs under each encoder."""

import dataclasses
import time

import numpy as np

from numlab import store
from numlab.corpus import KEPT
from numlab.examples import as_list
from numlab.numbers import check_count
from numlab.training.fit import Fit, as_trained, threads
from numlab.training.spec import RunSpec


def step_costs(specs: list[RunSpec], rounds: int = 20):
    """Seconds and tokens of a training step of each spec, measured once and stored.

    One process runs a step of each spec in turn, so other load on the machine slows all alike and
    ratios can be trusted. The medians over the rounds are stored in `data/timings`: step counts
    derived from them stay the same.

    Returns
    -------
    DataFrame [encoder, seconds, tokens]
        One row for each spec: the median seconds of a step, and the mean number of tokens in its
        batch.

    >>> spec = nl.RunSpec(nl.tasks.Addition(2), nl.P10(), nl.MaskedLM(), nl.GPT2(8), 64, 2, 1e-3)
    >>> nl.step_costs([spec], rounds=1).columns.tolist()
    ['encoder', 'seconds', 'tokens']
    """
    check_count("rounds", rounds)
    if not (specs := as_list(specs, RunSpec, "expected a list of RunSpecs")):
        raise ValueError("step_costs measures one RunSpec or more; got none")
    return store.table("timings", (*specs, rounds), lambda: _measure(specs, rounds))


def _measure(specs: list[RunSpec], rounds: int):
    import pandas as pd

    few = [dataclasses.replace(s, n_train=min(s.n_train, 64 * s.batch_size)) for s in specs]
    with as_trained(specs[0].threads):
        fits = [Fit(spec, f"timing-{store.digest(spec)}") for spec in few]
        for fit, spec in zip(fits, specs, strict=True):  # few texts cost as much as many, but for:
            if fit.corpus.size / len(fit.corpus) * spec.n_train > KEPT:
                vars(fit.corpus)["_kept"] = None  # so many are tokenized batch by batch
        seconds = np.zeros((rounds + 2, len(fits)))
        for i, j in np.ndindex(seconds.shape):
            with threads(specs[j].threads):
                began = time.perf_counter()
                float(sum(fits[j]._update(i).values()))  # waits for the device
                seconds[i, j] = time.perf_counter() - began
    columns = {"encoder": [str(spec.encoder) for spec in specs]}
    columns["seconds"] = np.median(seconds[2:], axis=0)  # the first two warm up
    texts = [min(fit.spec.batch_size, len(fit.corpus)) for fit in fits]
    columns["tokens"] = [n * fit.corpus.lengths.mean() for n, fit in zip(texts, fits, strict=True)]
    return pd.DataFrame(columns)
