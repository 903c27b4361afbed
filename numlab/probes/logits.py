"""The logits of a number's tokens, as the true number moves (xval, fig. 12)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from numlab.encoders import Encoder, Tokens
from numlab.examples import Examples
from numlab.objectives import MaskedLM
from numlab.probes.masked import masked_states

if TYPE_CHECKING:
    from numlab.training import Run

_MAX_SPELLINGS = 4096  # of a number, for the expectation over the logits
_TEXTS = 256  # whose spellings are in memory at once
_NUCLEUS = 0.99  # an exponent of 9 at a probability of 1e-6 would outweigh all the rest


@dataclass(frozen=True, eq=False)
class NumberLogits:
    """The logits at the L tokens of a masked number in each of n texts."""

    encoder: Encoder
    true: np.ndarray  # (n,)
    logits: torch.Tensor  # (n, L, V) over the encoder's words


@torch.no_grad()
def number_logits(run: Run, examples: list[Examples], slot: str) -> NumberLogits:
    """What a masked LM thinks where a number is masked, for `logit_scan` and `expectation`.

    Parameters
    ----------
    run : a run of a text encoder of fixed length under a masked LM.
    slot : name of the slot to mask.

    Raises
    ------
    ValueError
        For a run of another kind.
    """
    encoder = run.spec.encoder
    if not isinstance(run.spec.objective, MaskedLM):
        raise ValueError(f"a logit scan reads a masked LM; got {run.spec.objective}")
    if encoder.carriers or not encoder.fixed:
        raise ValueError(f"a logit scan reads a text encoder of fixed length; got {encoder}")
    true, logits = [], []
    for part, hidden in masked_states(run, examples, slot):
        words = run.model.logits(hidden)[:, run.tokenizer.offset :].float().cpu()
        true.append(part)
        logits.append(words.view(len(part), encoder.length, -1))
    return NumberLogits(encoder, np.concatenate(true), torch.cat(logits))


def logit_scan(read: NumberLogits, top: int = 8):
    """The heaviest logits at each token of a masked number.

    Parameters
    ----------
    top : words a place: those with the largest probability, averaged over the texts of one true
        number, for at least one true number.

    Returns
    -------
    DataFrame [true, place, word, logit, probability]
        Means over the texts of each true number. `place` counts the number's tokens from 1.
    """
    import pandas as pd

    values = np.unique(read.true)
    own = [read.logits[torch.from_numpy(read.true == value)].double() for value in values]
    logits = torch.stack([rows.mean(0) for rows in own]).numpy()  # (m, L, V)
    probabilities = torch.stack([rows.softmax(-1).mean(0) for rows in own]).numpy()
    vocabulary = np.array(read.encoder.vocabulary)
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


def expectation(read: NumberLogits):
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

    blocks = [_expected(read.encoder, block) for block in read.logits.split(_TEXTS)]
    likeliest, mean = np.concatenate(blocks, axis=1)
    return pd.DataFrame({"true": read.true, "argmax": likeliest, "expectation": mean})


def _expected(encoder: Encoder, logits: torch.Tensor) -> tuple[np.ndarray, np.ndarray]:
    """Of (n, L, V) logits: (n,) numbers of the likeliest tokens, (n,) means."""
    n, length, n_words = logits.shape
    k = min(n_words, int(_MAX_SPELLINGS ** (1 / length)))
    probability, word = logits.softmax(-1).topk(k, -1)  # (n, L, k), likeliest first
    choice = np.indices((k,) * length).reshape(length, -1)  # (L, S)
    likely = probability.numpy()
    weight = math.prod(likely[:, place, own] for place, own in enumerate(choice))  # (n, S)
    inside = _nucleus(weight)
    ids = [word.numpy()[:, place, own][inside] for place, own in enumerate(choice)]
    tokens, weight = Tokens.of(np.stack(ids, axis=1)), weight[inside]
    text, spelling = np.nonzero(inside)
    numbers = encoder.decode(tokens).astype(float)
    valid = ~np.isnan(numbers)
    total = np.bincount(text, weight * valid, n)
    sums = np.bincount(text[valid], weight[valid] * numbers[valid], n)
    mean = np.divide(sums, total, out=np.full(n, np.nan), where=total > 0)
    return numbers[spelling == 0], mean


def _nucleus(weight: np.ndarray) -> np.ndarray:
    """(n, S) bool: the likeliest of S spellings, until they hold 99 % of the weight of all."""
    heavy = -np.sort(-weight, axis=1)
    before = heavy.cumsum(1) - heavy
    n_inside = (before < _NUCLEUS * weight.sum(1, keepdims=True)).sum(1, keepdims=True)
    return weight >= np.take_along_axis(heavy, n_inside - 1, 1)
