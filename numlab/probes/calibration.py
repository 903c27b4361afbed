"""Is what a mixture head says of a number's spread true? (beyond xval; its Section 4)"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from numlab.examples import Examples
from numlab.objectives import MaskedLM
from numlab.probes.masked import masked_states

if TYPE_CHECKING:
    import pandas as pd

    from numlab.training import Run

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def calibration(run: Run, examples: list[Examples], slot: str) -> pd.DataFrame:
    """Where the true number of a masked slot lies in the distribution that a run predicts.

    Parameters
    ----------
    run : of XVal with a mixture, under a masked LM.
    slot : name of the slot to mask.

    Returns
    -------
    DataFrame [true, pit, q5, q25, q50, q75, q95]
        A row a text. `pit` is the probability of a number up to the true one: uniform between 0
        and 1 where the predictions are calibrated. The others are quantiles of the distribution.
    """
    import pandas as pd

    names = [f"q{100 * p:.0f}" for p in QUANTILES]
    frames = []
    for true, said in _distributions(run, examples, slot):
        features = torch.from_numpy(run.spec.encoder.features(true)[:, 0])
        found = quantiles(said, QUANTILES).numpy()
        columns = {"true": true, "pit": said.cdf(features).numpy()}
        spread = [run.spec.encoder.number(column[:, None]) for column in found]
        frames.append(pd.DataFrame(columns | dict(zip(names, spread, strict=True))))
    return pd.concat(frames, ignore_index=True)


def quantiles(said: torch.distributions.MixtureSameFamily, levels) -> torch.Tensor:
    """(levels, n) the numbers below which a mixture of normals has so much, by bisection."""
    parts = said.component_distribution
    low = (parts.mean - 10 * parts.stddev).amin(1)
    high = (parts.mean + 10 * parts.stddev).amax(1)
    level = torch.tensor(levels)[:, None]
    low, high = low.repeat(len(level), 1), high.repeat(len(level), 1)
    for _ in range(40):
        middle = (low + high) / 2
        below = said.cdf(middle) < level
        low, high = torch.where(below, middle, low), torch.where(below, high, middle)
    return (low + high) / 2


@torch.no_grad()
def _distributions(run: Run, examples: list[Examples], slot: str):
    """Pairs (n,) true numbers, what the head says of them, in units of the encoder's scale."""
    head = run.model.value_head
    if not hasattr(head, "distribution") or not isinstance(run.spec.objective, MaskedLM):
        raise ValueError(
            "calibration is of a head that puts out distributions, XVal(mixture=n), under a "
            f"masked LM; got {run.spec.encoder} and {run.spec.objective}"
        )
    for true, hidden in masked_states(run, examples, slot):
        yield true, head.distribution(head(hidden).cpu())
