"""The logits of a number's tokens, as the true number moves (xval, fig. 12)."""

from __future__ import annotations

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
    values = np.array(sorted(sums))
    logits, probabilities = (
        np.stack([sums[value][i].numpy() / sums[value][2] for value in values]) for i in (0, 1)
    )  # (m, L, V)
    vocabulary = np.array(run.spec.encoder.vocabulary)
    frames = []
    for place in range(logits.shape[1]):
        best = np.unique(np.argsort(-probabilities[:, place])[:, :top])
        words = best[np.argsort(vocabulary[best])]
        columns = {
            "true": np.tile(values, len(words)),
            "place": place + 1,
            "word": np.repeat(vocabulary[words], len(values)),
            "logit": logits[:, place, words].T.ravel(),
            "probability": probabilities[:, place, words].T.ravel(),
        }
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def expectation(run: Run, examples: list[Examples], slot: str):
    """The mean of the numbers that the logits spell, beside the number of the likeliest tokens.

    The tokens of a number are taken as independent, as the model predicts them; of the spellings
    in the likeliest words of each place (up to 4,096) the mean is over the likeliest that hold
    99 % of the probability of these, and are numbers.

    Returns
    -------
    DataFrame [true, argmax, expectation]
        A row a text; NaN where no such spelling is a number.
    """
    import pandas as pd

    frames = []
    for true, logits in _masked_logits(run, examples, slot):
        length = logits.shape[1]
        k = min(logits.shape[2], int(_MAX_SPELLINGS ** (1 / length)))
        probability, word = logits.softmax(-1).topk(k, -1)  # (n, L, k), likeliest first
        choice = np.indices((k,) * length).reshape(length, -1).T  # (S, L)
        place = np.arange(length)
        ids, weight = word.numpy()[:, place, choice], probability.numpy()[:, place, choice].prod(-1)
        text, spelling = np.nonzero(_nucleus(weight))
        ids, weight = ids[text, spelling], weight[text, spelling]  # (m, L), (m,)
        none = np.zeros((0, 0), np.float32)
        numbers = run.spec.encoder.decode(Tokens(ids, np.ones(ids.shape, bool), none)).astype(float)
        valid = ~np.isnan(numbers)
        total = np.bincount(text, weight * valid, len(true))
        mean = np.full(len(true), np.nan)
        sums = np.bincount(text[valid], weight[valid] * numbers[valid], len(true))
        np.divide(sums, total, out=mean, where=total > 0)
        likeliest = numbers[spelling == 0]
        frames.append(pd.DataFrame({"true": true, "argmax": likeliest, "expectation": mean}))
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
