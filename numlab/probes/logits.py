"""The logits of a number's tokens, as the true number moves (xval, fig. 12)."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import torch

from numlab.encoders import Tokens
from numlab.examples import Examples
from numlab.objectives import MaskedLM
from numlab.probes.masked import masked_states

if TYPE_CHECKING:
    from numlab.training import Run

_MAX_SPELLINGS = 4096  # of a number, for the expectation over the logits
_NUCLEUS = 0.99  # an exponent of 9 at a probability of 1e-6 would outweigh all the rest


def logit_scan(run: Run, examples: list[Examples], slot: str, top: int = 8):
    """The heaviest logits at each token of a masked number.

    Parameters
    ----------
    run : a run of a text encoder under a masked LM.
    slot : name of the slot to mask.
    top : words a place: those with the largest probability, averaged over the texts of one true
        number, for at least one true number.

    Returns
    -------
    DataFrame [true, place, word, logit, probability]
        Means over the texts of each true number. `place` counts the number's tokens from 1.
    """
    import pandas as pd

    sums: dict[float, list] = {}  # of logits and probabilities (L, V), and the texts, a true value
    for true, logits in _masked_logits(run, examples, slot):
        for value in np.unique(true):
            rows = logits[torch.from_numpy(true == value)].double()
            sums.setdefault(value, [0.0, 0.0, 0])
            for i, part in enumerate((rows.sum(0), rows.softmax(-1).sum(0), len(rows))):
                sums[value][i] += part
    words = np.array(run.spec.encoder.vocabulary)
    frame = pd.concat(
        pd.DataFrame({"word": words, "logit": logit / n, "probability": probability / n}).assign(
            true=value, place=place + 1
        )
        for value, (logits, probabilities, n) in sums.items()
        for place, (logit, probability) in enumerate(
            zip(logits.numpy(), probabilities.numpy(), strict=True)
        )
    )
    best = frame.sort_values("probability", ascending=False).groupby(["true", "place"]).head(top)
    keep = best[["place", "word"]].drop_duplicates()
    return frame.merge(keep, on=["place", "word"]).sort_values(
        ["place", "word", "true"], ignore_index=True
    )


def expectation(run: Run, examples: list[Examples], slot: str):
    """The mean of the numbers that the logits spell, beside the number of the likeliest tokens.

    The tokens of a number are taken as independent, as the model predicts them; the mean is over
    the likeliest spellings of a number that together hold 99 % of the probability.

    Returns
    -------
    DataFrame [true, argmax, expectation]
        A row a text; NaN where no spelling is a number.
    """
    import pandas as pd

    frames = []
    for true, logits in _masked_logits(run, examples, slot):
        length = logits.shape[1]
        k = min(logits.shape[2], int(_MAX_SPELLINGS ** (1 / length)))
        probability, word = logits.softmax(-1).topk(k, -1)  # (n, L, k), likeliest first
        choice = np.array(list(itertools.product(range(k), repeat=length)))  # (S, L)
        place = np.arange(length)
        ids, weight = word.numpy()[:, place, choice], probability.numpy()[:, place, choice].prod(-1)
        flat = ids.reshape(-1, length)
        none = np.zeros((0, 0), np.float32)
        numbers = run.spec.encoder.decode(Tokens(flat, np.ones(flat.shape, bool), none))
        numbers = numbers.astype(float).reshape(weight.shape)
        weight = np.where(np.isnan(numbers), 0.0, weight)
        weight = np.where(_nucleus(weight), weight, 0.0)
        total = weight.sum(1)
        mean = np.full(len(total), np.nan)
        np.divide((weight * np.nan_to_num(numbers)).sum(1), total, out=mean, where=total > 0)
        frames.append(pd.DataFrame({"true": true, "argmax": numbers[:, 0], "expectation": mean}))
    return pd.concat(frames, ignore_index=True)


def _nucleus(weight: np.ndarray) -> np.ndarray:
    """(n, S) bool: the fewest of S spellings that hold 99 % of the weight of all."""
    order = np.argsort(-weight, axis=1, kind="stable")
    heavy = np.take_along_axis(weight, order, 1)
    before = heavy.cumsum(1) - heavy
    inside = np.zeros(weight.shape, bool)
    np.put_along_axis(inside, order, before < _NUCLEUS * weight.sum(1, keepdims=True), 1)
    return inside


@torch.no_grad()
def _masked_logits(run: Run, examples: list[Examples], slot: str):
    """Pairs (n,) true numbers, (n, L, V) logits over the encoder's words."""
    encoder = run.spec.encoder
    if not isinstance(run.spec.objective, MaskedLM):
        raise ValueError(f"a logit scan reads a masked LM; got {run.spec.objective}")
    if encoder.carriers or not encoder.fixed:
        raise ValueError(f"a logit scan reads a text encoder of fixed length; got {encoder}")
    for true, hidden in masked_states(run, examples, slot):
        words = run.model.logits(hidden)[:, run.tokenizer.offset :].float().cpu()
        yield true, words.view(len(true), encoder.length, -1)
