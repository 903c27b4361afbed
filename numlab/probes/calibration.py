"""Is the distribution that a model predicts for a number true? (ours; xval, Section 4)"""

import numpy as np
import pandas as pd
import torch

from numlab.codes import as_column
from numlab.examples import Examples, by_index
from numlab.heads import Distribution
from numlab.probes.logits import answer_states
from numlab.training import Run

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@torch.no_grad()
def calibration(run: Run, examples: list[Examples] | str, slot: str) -> pd.DataFrame:
    """Where the true number of a slot lies in the distribution that a run predicts.

    The run's head predicts distributions, such as XVal(mixture=5)'s or any of nl.heads but those of
    single numbers. ValueError for a run without one: of words, of digits one by one, or of an
    encoder that standardises. `examples` are texts, or a part of the run's data, such as "test".

    Returns
    -------
    DataFrame [seed, and the columns of `scores`]
        One row per text, in the order of the texts' index, if they have one.

    >>> task, encoder = nl.tasks.Addition(2), nl.XVal(mixture=2)
    >>> spec = nl.RunSpec(task, encoder, nl.MaskedLM(), nl.GPT2(8, 1, 1), 64, 2, 1e-3)
    >>> found = nl.probes.calibration(nl.train(spec), task.sample(3, seed=1), "answer")
    >>> (found.q5 < found.q95).tolist(), bool(found.pit.between(0, 1).all())
    ([True, True, True], True)
    """
    encoder, head = run.spec.encoder, run.tokenizer.head
    own_units = run.spec.head or (encoder and encoder.at(slot) is encoder)
    if head is None or run.tokenizer.answer_length > 1 or not own_units:
        wanted = "a head that predicts a number at once, in its own units"
        raise ValueError(f"calibration takes a run with {wanted}; got {encoder}")
    examples, module, frames = run.examples(examples), run.model.value_head, []
    rng = np.random.default_rng(0)
    for true, hidden in answer_states(run, examples, slot):
        frames.append(scores(head.distribution(module(hidden).cpu()), true, rng))
    frame = pd.concat(frames).iloc[by_index(examples)].reset_index(drop=True)
    frame.insert(0, "seed", run.spec.seed)
    return frame


def scores(
    predicted: Distribution, true: np.ndarray, seed: int | np.random.Generator = 0
) -> pd.DataFrame:
    """What m distributions say of m true numbers.

    Returns
    -------
    DataFrame [true, pit, crps, log_density, q5, q25, q50, q75, q95]
        `pit` is the predicted probability of a number up to the true one, where that one itself
        counts by a random share, drawn from `seed`; it is uniform between 0 and 1 where
        predictions are calibrated.
        `crps` is least, on average, for the true distribution; `log_density` is then greatest, and
        NaN for samples that have no density. q5 to q95 are quantiles.

    >>> import torch
    >>> ones = torch.ones(2, 1)
    >>> normal = nl.heads.Normals(ones, 0 * ones, ones)
    >>> nl.probes.scores(normal, np.array([0.0, 1.96])).pit.round(3).tolist()
    [0.5, 0.975]
    """
    true, m = as_column(true), predicted.mean.shape[-1]
    if len(true) != m:
        raise ValueError(f"{m} distributions take as many true numbers; got {len(true)}")
    x = torch.from_numpy(true.astype(float))
    below, share = predicted.left_cdf(x).numpy(), np.random.default_rng(seed).random(len(true))
    pit = below + share * (predicted.cdf(x).numpy() - below)
    columns = {"true": true, "pit": pit, "crps": predicted.crps(x).numpy()}
    try:
        columns["log_density"] = predicted.log_density(x).numpy()
    except ValueError:  # samples
        columns["log_density"] = np.nan
    levels = torch.tensor(QUANTILES, dtype=torch.float64)[:, None].expand(-1, len(true))
    levels = predicted.quantile(levels).numpy()
    columns |= {f"q{100 * q:.0f}": row for q, row in zip(QUANTILES, levels, strict=True)}
    return pd.DataFrame(columns)
