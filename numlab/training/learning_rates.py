"""Choose a learning rate for each encoder from one grid."""

import itertools
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from numlab.examples import as_list
from numlab.training.many import train_all
from numlab.training.spec import RunSpec

GROWTH = 3  # times at most
# By how much a rate at the edge must be better than the one beside it. Where a model's loss hardly
# depends on the rate, the lowest of a grid is noise.
TIE = 0.01


def choose_learning_rates(
    specs: Sequence[RunSpec] | Mapping[str | tuple[str, ...], RunSpec],
    rates: Sequence[float],
    steps: int,
):
    """Give each spec the learning rate with the lowest validation loss after `steps` steps.

    All specs share one grid, so no encoder is favoured (xval, Appendix D). Where the best rate of
    any spec lies at an edge, the grid grows by one rate there, up to three times, unless the rate
    beside it does as well to 1 %: then that is taken. A grid of one rate trains nothing.

    Parameters
    ----------
    specs : a list; or a dict, whose keys name the specs in the record (a tuple's parts joined by
        commas).
    rates : the grid, in any order.
    steps : of each trial. With far fewer steps than a spec has itself, the search prefers rates
        that are too large for the whole training.

    Returns
    -------
    specs : list of RunSpec, or dict
        In the same order, with their own `steps`.
    record : DataFrame [encoder, learning_rate, valid_loss, chosen]
        One row per spec and rate; `encoder` is the spec's encoder, or its key.

    >>> spec = nl.RunSpec(nl.tasks.Addition(2), nl.P10(), nl.MaskedLM(), nl.GPT2(8), 64, 2, 1e-3)
    >>> nl.choose_learning_rates([spec], (2e-3,), 0)[0][0].learning_rate
    0.002
    """
    import pandas as pd

    if isinstance(specs, Mapping):
        names = [", ".join(map(str, key)) if isinstance(key, tuple) else key for key in specs]
        found, record = choose_learning_rates([*specs.values()], rates, steps)
        tried = len(record) // max(1, len(names))
        return dict(zip(specs, found, strict=True)), record.assign(encoder=np.repeat(names, tried))
    specs = as_list(specs, RunSpec, "expected a list or a dict of RunSpecs")
    if not (grid := sorted(map(float, {*rates}))):
        raise ValueError("expected a learning rate or more; got none")
    best = np.zeros(len(specs), int)
    losses = np.full((len(specs), len(grid)), np.nan)
    if len(grid) > 1:
        losses, best = _search(specs, grid, steps)
        for _ in range(GROWTH):
            if {0, len(grid) - 1} & set(best):
                grid = _grown(grid, best)
                losses, best = _search(specs, grid, steps)
        if (lost := ~np.isfinite(losses).any(1)).any():
            name = specs[lost.argmax()].name
            raise ValueError(f"{name} diverges at each of the learning rates {grid}")
    columns = {
        "encoder": np.repeat([str(s.encoder) for s in specs], len(grid)),
        "learning_rate": np.tile(grid, len(specs)),
    }
    chosen = (np.arange(len(grid)) == best[:, None]).ravel()
    record = pd.DataFrame(columns | {"valid_loss": losses.ravel(), "chosen": chosen})
    with_rates = zip(specs, np.take(grid, best).tolist(), strict=True)
    return [replace(spec, learning_rate=rate) for spec, rate in with_rates], record


def _search(specs: Sequence[RunSpec], grid: list[float], steps: int):
    """(specs, rates) validation losses, and the index of each spec's best rate."""
    pairs = itertools.product(specs, grid)
    short = [replace(spec, learning_rate=rate, steps=steps) for spec, rate in pairs]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* diverged")  # as some of the rates may
        runs = train_all(short)
    losses = np.reshape([run.valid_loss for run in runs], (len(specs), len(grid)))
    return losses, _best(losses)


def _best(losses: np.ndarray) -> np.ndarray:
    """The index of each spec's best rate, from (specs, rates) losses.

    It is not at an edge unless that is better by TIE.
    """
    losses = np.where(np.isnan(losses), np.inf, losses)
    best = losses.argmin(1)
    if losses.shape[1] < 3:
        return best
    beside = best.clip(1, losses.shape[1] - 2)
    least, inner = (losses[range(len(losses)), i] for i in (best, beside))
    alike = np.isfinite(least) & (inner <= least + TIE * abs(least))
    return np.where(alike, beside, best)


def _grown(grid: list[float], best: np.ndarray) -> list[float]:
    """The grid with another rate at each edge that is the best of a spec."""
    below = [grid[0] ** 2 / grid[1]] if 0 in best else []
    above = [grid[-1] ** 2 / grid[-2]] if len(grid) - 1 in best else []
    below, above = ([float(f"{rate:.3g}") for rate in more] for more in (below, above))
    return [*below, *grid, *above]
