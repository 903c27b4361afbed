"""Heads that find masked words, numbers beside them, and how well they do (float, Tables 1, 2)."""

import dataclasses
from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import pandas as pd
import torch
from scipy.stats import rankdata

import numlab as nl
from numlab.pretrained import Pretrained
from numlab.training.run import autocast

KINDS = {"thing": "thing", "size": "its size", "unit0": "unit", "unit1": "unit"}  # of slots
TOP = (1, 5, 20, 100)


def head(task: nl.tasks.Task, model: Pretrained, size: SimpleNamespace) -> nl.RunSpec:
    """A head that finds masked words by a frozen model, with numbers in the model's own tokens.

    `size` has the sizes of a notebook; the rate is the first of its `rates`.
    """
    return nl.RunSpec(
        task=task,
        encoder=None,
        objective=nl.MaskedWords(),
        model=model,
        n_train=size.n_train,
        n_valid=size.n_valid,
        n_test=size.n_test,
        steps=size.head_steps,
        batch_size=size.batch_size,
        learning_rate=size.rates[0],
        min_lr_ratio=0.01,
        weight_decay=0.01,
        bf16=size.bf16,
    )


def from_the_head(head: nl.RunSpec, encoder: nl.Encoder, size: SimpleNamespace) -> nl.RunSpec:
    """Beside the trained head, nothing but the vectors of the encoder is trained."""
    return dataclasses.replace(
        head,
        encoder=encoder,
        start=head,
        trainable=("embed.*",),
        steps=size.steps,
        learning_rate=size.rates[0],
        warmup=0.2,
    )


def first(examples: list[nl.Examples], n: int) -> list[nl.Examples]:
    """The first n of some texts, in the order in which they were drawn."""
    last = np.sort(np.concatenate([e.index for e in examples]))[:n][-1]
    return [e.take(e.index <= last) for e in examples if e.index.min() <= last]


@torch.no_grad()
def masked_words(run: nl.Run, examples: list[nl.Examples], batch_size: int = 256) -> pd.DataFrame:
    """How likely a run of MaskedWords finds each word of some texts, with one masked at a time.

    The columns are seed, example, slot (the name of the word's slot, "" in a literal), token (its
    id), rank (1 for the likeliest word) and log_probability, a row for each word.
    """
    corpus, objective, device = run.tokenizer(examples), run.spec.objective, run.model.device
    index = np.concatenate([e.index for e in examples])
    slots = [np.array([*(s.name for s in e.layout.slots), ""], object) for e in examples]
    order, frames = np.argsort(corpus.lengths, kind="stable"), []
    for i in range(0, len(corpus), batch_size):
        texts = corpus.batch(order[i : i + batch_size])
        row, column = np.nonzero(objective.words(texts))
        for j in range(0, len(row), batch_size):
            at = row[j : j + batch_size], column[j : j + batch_size]
            rows = texts.rows[at[0]]
            inputs, targets = objective.hide_one(corpus.batch(rows), at[1])
            inputs, targets = inputs.to(device), targets.to(device)
            with autocast(device, run.spec.bf16):
                logits = run.model.logits(run.model.hidden(inputs, targets.reads))
            true = logits.gather(1, targets.ids[:, None])
            columns = {
                "example": index[rows],
                "slot": [
                    slots[of][k] for of, k in zip(corpus.part[rows], texts.slot[at], strict=True)
                ],
                "token": targets.ids.cpu(),
                "rank": 1 + (~(logits <= true)).sum(1).cpu(),  # NaN ranks last
                "log_probability": (true[:, 0] - logits.logsumexp(1)).cpu(),
            }
            frames.append(pd.DataFrame(columns))
    frame = pd.concat(frames).sort_values("example", kind="stable", ignore_index=True)
    frame.insert(0, "seed", run.spec.seed)
    return frame


def by_frequency(run: nl.Run, words: pd.DataFrame) -> pd.DataFrame:
    """The trivial answer: every word is as likely as it is frequent in training.

    `words` are rows of `masked_words` of that run; they come back with other ranks and
    log-probabilities.
    """
    corpus = run.tokenizer(run.examples("train"))
    batch = corpus.batch(np.arange(len(corpus)))
    seen = batch.ids[run.spec.objective.words(batch)]
    count = 1 + np.bincount(seen, minlength=run.tokenizer.offset)
    rank = 1 + len(count) - rankdata(count, method="max").astype(int)
    log_probability = np.log(count / count.sum())
    return words.assign(rank=rank[words.token], log_probability=log_probability[words.token])


def scores(words: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Perplexity and top-k in percent, one row for each seed.

    `words` are rows of `masked_words`, with the columns of `by`; the result has those, seed,
    perplexity, top-1, top-5, top-20 and top-100. Perplexity is the exponential of the mean negative
    log-probability of the words; top-k the share of words that are among the k likeliest.
    """
    among = words.assign(**{f"top-{k}": 100.0 * (words["rank"] <= k) for k in TOP})
    columns = ["log_probability", *(f"top-{k}" for k in TOP)]
    frame = among.groupby([*by, "seed"], sort=False)[columns].mean().reset_index()
    perplexity = np.exp(-frame.pop("log_probability"))
    frame.insert(len(by) + 1, "perplexity", perplexity)
    return frame


def by_kinds(words: pd.DataFrame) -> pd.DataFrame:
    """`scores` for each embedding and kind of word, in the order thing, its size, unit, other."""
    kind = words["slot"].map(KINDS).fillna("other")
    frame = scores(words.assign(kind=kind), ["kind", "embedding"]).set_index("kind")
    return frame.loc[["thing", "its size", "unit", "other"]].reset_index()


def with_spread(scores: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Mean ± standard deviation over the seeds, as text.

    >>> frame = pd.DataFrame({"run": "a", "seed": [0, 1], "top-1": [10.0, 12.0]})
    >>> with_spread(frame, ["run"]).values.tolist()
    [['a', '11 ± 1.4']]
    """

    def text(values: pd.Series) -> str:
        return f"{values.mean():.4g}" + (f" ± {values.std():.2g}" if len(values) > 1 else "")

    return scores.groupby(list(by), sort=False).agg(text).drop(columns="seed").reset_index()
