"""The logits at a number's tokens, as the true number changes (xval, Figure 12)."""

import glob
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch

from numlab.encoders import Encoder, Tokens
from numlab.examples import Examples, by_index
from numlab.training import Run

MAX_SPELLINGS = 4096  # of a number, for `expectation`
BATCH = 256  # texts in memory at once
NUCLEUS = 0.99  # without it, an exponent of 9 at a probability of 1e-6 would outweigh the rest


@torch.no_grad()
def answer_states(
    run: Run, examples: list[Examples], slot: str
) -> Iterator[tuple[np.ndarray, torch.Tensor]]:
    """Ask for one number of each text, and read the hidden states that predict its tokens.

    A masked LM reads the text around it, a causal LM the true text before each token; ValueError
    where there is none, and where the slot holds words.

    Yields
    ------
    true : (n,) numbers of a batch of texts.
    hidden : (t, d_model) hidden states for all of their tokens, text by text.
    """
    model, corpus = run.model, run.tokenizer(examples, run.spec.objective.answers)
    for e, first in zip(examples, corpus.starts, strict=False):
        if slot in e.layout.word_slots:
            raise ValueError(f"expected a slot of numbers; {slot} holds words")
        for i in range(0, len(e), BATCH):
            rows = np.arange(i, min(i + BATCH, len(e)))
            batch = corpus.batch(first + rows)
            inputs, targets = run.spec.objective.ask(batch, (glob.escape(slot),))
            if inputs.causal and batch.in_slots((glob.escape(slot),))[:, 0].any():
                raise ValueError(f"{slot} begins a text: there is nothing to predict it from")
            hidden = model.hidden(inputs.to(model.device), targets.reads.to(model.device))
            yield e.column(slot)[rows], hidden


@dataclass(frozen=True, eq=False)
class NumberLogits:
    """The logits at the L tokens of a masked number in each of n texts.

    Parameters
    ----------
    encoder : a text encoder of fixed length, with V words.
    true : (n,) true numbers.
    logits : (n, L, V) over the encoder's words.

    >>> import torch
    >>> encoder = nl.P1000()
    >>> words = torch.from_numpy(encoder.encode([1.5]).ids).long()
    >>> sure = 50.0 * torch.nn.functional.one_hot(words, len(encoder.vocabulary))
    >>> read = nl.probes.NumberLogits(encoder, np.array([1.5]), sure)
    >>> nl.probes.expectation(read).expectation.tolist()
    [1.5]
    """

    encoder: Encoder
    true: np.ndarray  # (n,)
    logits: torch.Tensor  # (n, L, V) over the encoder's words


@torch.no_grad()
def number_logits(run: Run, examples: list[Examples] | str, slot: str) -> NumberLogits:
    """Mask one number of each text, and read the logits at its tokens.

    `examples` are texts, or a part of the run's data, such as "test". The run is of a text encoder
    of fixed length under a masked LM; else a ValueError.

    >>> spec = nl.RunSpec(nl.tasks.Lookup(1), nl.P1000(), nl.MaskedLM(), nl.GPT2(8), 64, 2, 1e-3)
    >>> nl.probes.number_logits(nl.train(spec), "valid", "answer").logits.shape[:2]
    torch.Size([512, 3])
    """
    encoder, objective = run.spec.encoder, run.spec.objective
    if not objective.fills_at_once:
        raise ValueError(f"only a masked LM predicts a number's tokens at once; got {objective}")
    if encoder is None or encoder.carriers or not encoder.fixed or run.spec.head:
        got = f"{encoder} with the head {run.spec.head}"
        raise ValueError(f"number_logits takes a text encoder of fixed length, no head; got {got}")
    encoder, true, logits, examples = encoder.at(slot), [], [], run.examples(examples)
    for batch, hidden in answer_states(run, examples, slot):
        words = run.model.logits(hidden)[:, run.tokenizer.offset :].float().cpu()
        true.append(batch)
        logits.append(words.view(len(batch), encoder.length, -1))
    order = by_index(examples)
    return NumberLogits(encoder, np.concatenate(true)[order], torch.cat(logits)[order])


def logit_scan(read: NumberLogits, top: int = 8) -> pd.DataFrame:
    """The likeliest words at each token: those among the `top` likeliest for some true number.

    Returns
    -------
    DataFrame [true, within, word, logit, probability]
        Means over the texts of each true number. `within` counts the number's tokens from 1.

    >>> spec = nl.RunSpec(nl.tasks.Lookup(1), nl.P1000(), nl.MaskedLM(), nl.GPT2(8), 64, 2, 1e-3)
    >>> read = nl.probes.number_logits(nl.train(spec), spec.task.sample(2, 1), "answer")
    >>> nl.probes.logit_scan(read, top=1).columns.tolist()
    ['true', 'within', 'word', 'logit', 'probability']
    """
    values = np.unique(read.true)
    groups = [read.logits[torch.from_numpy(read.true == value)].double() for value in values]
    logits = torch.stack([rows.mean(0) for rows in groups])  # (m, L, V)
    probability = torch.stack([rows.softmax(-1).mean(0) for rows in groups])
    index = pd.MultiIndex.from_product(
        [values, range(1, logits.shape[1] + 1), read.encoder.vocabulary],
        names=["true", "within", "word"],
    )
    columns = {"logit": logits.flatten(), "probability": probability.flatten()}
    frame = pd.DataFrame(columns, index).reset_index()
    by_token = frame.groupby(["true", "within"]).probability
    likeliest = frame[by_token.rank(ascending=False, method="first") <= top]
    frame = frame.merge(likeliest[["within", "word"]].drop_duplicates())
    return frame.sort_values(["within", "word", "true"], ignore_index=True)


def expectation(read: NumberLogits) -> pd.DataFrame:
    """The number that the likeliest tokens spell, and the mean of those that the logits predict.

    The model predicts a number's tokens independently. The mean is over spellings by the likeliest
    words at each token (at most 4,096 spellings): the likeliest of these, up to 99 % of their
    probability, without those that are not numbers.

    Returns
    -------
    DataFrame [true, argmax, expectation]
        One row for each text; NaN where no such spelling is a number.

    >>> spec = nl.RunSpec(nl.tasks.Lookup(1), nl.P1000(), nl.MaskedLM(), nl.GPT2(8), 64, 2, 1e-3)
    >>> read = nl.probes.number_logits(nl.train(spec), spec.task.sample(2, 1), "answer")
    >>> nl.probes.expectation(read).columns.tolist()
    ['true', 'argmax', 'expectation']
    """
    batches = [_expected(read.encoder, logits) for logits in read.logits.split(BATCH)]
    argmax, mean = np.concatenate(batches, axis=1)
    return pd.DataFrame({"true": read.true, "argmax": argmax, "expectation": mean})


def _expected(encoder: Encoder, logits: torch.Tensor) -> tuple[np.ndarray, np.ndarray]:
    """(n, L, V) logits to (n,) numbers of the likeliest tokens and (n,) means."""
    n, length, n_words = logits.shape
    k = min(n_words, int(MAX_SPELLINGS ** (1 / length) + 1e-9))  # 4096 ** (1 / 3) is below 16
    probability, word = (x.numpy() for x in logits.softmax(-1).topk(k, -1))  # (n, L, k), sorted
    choices = np.indices((k,) * length).reshape(length, -1)  # (L, S): which word at each token
    weight = math.prod(probability[:, i, choice] for i, choice in enumerate(choices))  # (n, S)
    ranked = -np.sort(-weight, axis=1)
    before = ranked.cumsum(1) - ranked
    most = (before < NUCLEUS * weight.sum(1, keepdims=True)).sum(1, keepdims=True)
    inside = weight >= np.take_along_axis(ranked, most - 1, 1)  # the likeliest, up to NUCLEUS
    ids = [word[:, i, choice][inside] for i, choice in enumerate(choices)]
    numbers = encoder.decode(Tokens.of(np.stack(ids, axis=1))).astype(float)
    text, spelling = np.nonzero(inside)
    valid, weight = ~np.isnan(numbers), weight[inside]
    total = np.bincount(text, weight * valid, n)
    sums = np.bincount(text[valid], weight[valid] * numbers[valid], n)
    mean = np.divide(sums, total, out=np.full(n, np.nan), where=total > 0)
    argmax = np.full(n, np.nan)  # of logits that are NaN no spelling is likely
    argmax[text[spelling == 0]] = numbers[spelling == 0]
    return argmax, mean
