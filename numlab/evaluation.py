"""What runs predict, as DataFrames. An answer that is not a number is a row with `valid` False."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch

from numlab.corpus import Corpus, matches
from numlab.examples import Examples
from numlab.metrics import *  # noqa: F403
from numlab.objectives import Answers
from numlab.training import Run
from numlab.training.run import has_bf16

__all__ = ["labels", "masked_words", "predict", "predictions"]


def labels(runs: Sequence[Run]) -> dict[Run, str]:
    """A short name for the encoder of each run.

    It is `encoder.label`; where two different encoders share that, the encoder in full.

    Parameters
    ----------
    runs : sequence of Run

    Returns
    -------
    dict of Run to str
    """
    count = Counter(
        encoder.label for encoder in {run.spec.encoder for run in runs if run.spec.encoder}
    )

    def label(encoder) -> str:
        if encoder is None:  # a pretrained model that reads numbers as text
            return "default"
        return encoder.label if count[encoder.label] == 1 else str(encoder)

    return {run: label(run.spec.encoder) for run in runs}


def predict(
    runs: Run | Sequence[Run],
    examples: list[Examples] | str,
    slots: str | tuple[str, ...],
    batch_size: int = 256,
):
    """Have runs fill in slots of some texts.

    Parameters
    ----------
    runs : Run or sequence of Run
    examples : list of Examples, or str
        "test", "valid" or "train": that part of each run's own data. Runs that differ in their
        seed differ in these, too.
    slots : str or tuple of str
        Patterns of the slots to fill in, such as "a0" or ("x*", "y*"). A masked LM fills all of
        them in one pass, with all of them masked. A causal LM generates one slot at a time from
        the text before it.
    batch_size : int

    Returns
    -------
    DataFrame [encoder, seed, example, slot, true, predicted, valid]
        One row for each run and slot of a text. `encoder` is the run's label (see `labels`),
        `example` the text's index, `predicted` NaN (None for integers beyond float64) where the
        answer is not a number.

    Examples
    --------
    >>> import numlab as nl
    >>> task, model = nl.tasks.Addition(2), nl.GPT2(8, 1, 1)
    >>> spec = nl.RunSpec(task, nl.P10(), nl.MaskedLM(), model, 64, 2, learning_rate=1e-3)
    >>> nl.predict(nl.train(spec), "test", "answer").columns.tolist()
    ['encoder', 'seed', 'example', 'slot', 'true', 'predicted', 'valid']
    """
    return _frame(runs, lambda run: _predicted(run, examples, slots, batch_size))


def _frame(runs: Run | Sequence[Run], rows: Callable):
    """The rows of each run, with the columns `encoder` and `seed` in front."""
    import pandas as pd

    runs = list(runs) if isinstance(runs, Sequence) else [runs]
    frames = [rows(run) for run in runs]
    for (run, label), frame in zip(labels(runs).items(), frames, strict=True):
        frame.insert(0, "encoder", label)
        frame.insert(1, "seed", run.spec.seed)
    return pd.concat(frames, ignore_index=True)


def _predicted(run: Run, examples: list[Examples] | str, slots, batch_size: int):
    import pandas as pd

    examples = run.examples(examples) if isinstance(examples, str) else examples
    frame = pd.concat(
        map(pd.DataFrame, predictions(run, examples, slots, batch_size)), ignore_index=True
    )
    return frame.sort_values(["example", "slot"], ignore_index=True)


def predictions(
    run: Run, examples: list[Examples], slots: str | tuple[str, ...], batch_size: int = 256
) -> Iterator[dict[str, np.ndarray]]:
    """The columns of `predict` batch by batch, unsorted: a slider cannot wait for DataFrames."""
    slots, objective = (slots,) if isinstance(slots, str) else tuple(slots), run.spec.objective
    for patterns, texts in _questions(run, examples, slots):
        corpus = run.tokenizer(texts, objective.answers)
        order = np.argsort(corpus.lengths, kind="stable")  # texts of like length together
        for i in range(0, len(corpus), batch_size):
            batch = corpus.batch(order[i : i + batch_size])
            answers = objective.fill(run.model, batch, patterns)
            yield from _columns(corpus, answers, matches(patterns[0], objective.answers))


def _questions(run: Run, examples: list[Examples], patterns: tuple[str, ...]):
    """Pairs of slots to fill in one pass, and the texts that have them."""
    names = [[s.name for s in e.layout.slots if matches(s.name, patterns)] for e in examples]
    if not all(names):
        layout = examples[names.index([])].layout
        slots = ", ".join(slot.name for slot in layout.slots[:12])
        raise ValueError(f"no slot fits {patterns}; the layout has {slots}")
    if run.spec.objective.fills_at_once:
        return [(patterns, examples)]
    return [
        ((name,), [e for e, fitting in zip(examples, names, strict=True) if name in fitting])
        for name in dict.fromkeys(itertools.chain(*names))
    ]


def _columns(corpus: Corpus, answers: Answers, as_answers: bool):
    """The columns of each slot of each layout among the answers.

    `as_answers`: whether `encoder.answer` spells these slots, not the encoder itself.
    """
    tokenizer, layout = corpus.tokenizer, corpus.layout[answers.rows]
    carriers = tokenizer.offset + np.asarray(tokenizer.encoder.answer.carriers, int)
    n_features = (np.isin(answers.ids, carriers) & answers.mask).sum(1)
    owner = np.repeat(np.arange(len(answers.rows)), n_features)  # the answer of each feature row
    for at in np.unique(layout):
        e = corpus.examples[at]
        for j in np.unique(answers.slots[layout == at]):
            pick = (layout == at) & (answers.slots == j)
            row = answers.rows[pick] - corpus.first[at]
            slot = e.layout.slots[j]
            index = e.index[row] if e.index is not None else answers.rows[pick]
            tokens = answers.ids[pick], answers.mask[pick], answers.features[pick[owner]]
            true = e.column(slot.name)[row]
            if slot.words is None:
                predicted = tokenizer.decode(*tokens, as_answers)
                valid = np.array([v is not None and v == v for v in predicted.tolist()], bool)
            else:
                predicted = _words(tokenizer, *tokens[:2])
                valid = np.isin(predicted, slot.words)
            columns = {"example": index, "slot": slot.name, "true": true}
            yield columns | {"predicted": predicted, "valid": valid}


def _words(tokenizer, ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """(n, L) tokens as (n,) texts."""
    words = np.array([*tokenizer.text.words, *tokenizer.encoder.vocabulary])
    return np.array(["".join(words[row[m]]) for row, m in zip(ids, mask, strict=True)])


def masked_words(runs: Run | Sequence[Run], examples: list[Examples], batch_size: int = 256):
    """How likely runs of MaskedWords find each word of some texts, with one word masked at a time.

    Returns
    -------
    DataFrame [encoder, seed, example, slot, token, rank, log_probability]
        One row for each run and word. `slot` is the name of the word's slot, "" in a literal;
        `token` its id; `rank` 1 for the likeliest word.
    """
    return _frame(runs, lambda run: _masked_words(run, examples, batch_size))


def _masked_words(run: Run, examples: list[Examples], batch_size: int):
    import pandas as pd

    corpus, objective, device = run.tokenizer(examples), run.spec.objective, run.model.device
    order = np.argsort(corpus.lengths, kind="stable")
    frames = []
    for i in range(0, len(corpus), batch_size):
        texts = corpus.batch(order[i : i + batch_size])
        row, column = np.nonzero(objective.words(texts))
        for j in range(0, len(row), batch_size):
            at = row[j : j + batch_size], column[j : j + batch_size]
            batch = corpus.batch(texts.rows[at[0]])
            inputs, targets = objective.hide_one(batch, at[1])
            scores = _scores(run, inputs.to(device), targets.to(device))
            frames.append(_asked_words(corpus, batch.rows, texts.slot[at]).assign(**scores))
    columns = ["example", "slot", "token", "rank", "log_probability"]
    return pd.concat(frames)[columns].sort_values("example", kind="stable", ignore_index=True)


@torch.no_grad()
def _scores(run: Run, inputs, targets) -> dict[str, np.ndarray]:
    device = run.model.device
    bf16 = run.spec.bf16 and has_bf16(device)
    with torch.autocast(device.type, torch.bfloat16, enabled=bf16):
        logits = run.model.logits(run.model.hidden(inputs, targets.reads))
    true = logits.gather(1, targets.ids[:, None])
    rank = 1 + (logits > true).sum(1)
    log_probability = true[:, 0] - logits.logsumexp(1)
    found = {"token": targets.ids, "rank": rank, "log_probability": log_probability}
    return {name: value.cpu().numpy() for name, value in found.items()}


def _asked_words(corpus: Corpus, rows: np.ndarray, slot: np.ndarray):
    """DataFrame [example, slot] of words in texts."""
    import pandas as pd

    layout = corpus.layout[rows]
    example, name = rows.copy(), np.full(len(rows), "", object)
    for at in np.unique(layout):
        e, own = corpus.examples[at], layout == at
        if e.index is not None:
            example[own] = e.index[rows[own] - corpus.first[at]]
        names = np.array([*(s.name for s in e.layout.slots), ""], object)  # the last: slot -1
        name[own] = names[slot[own]]
    return pd.DataFrame({"example": example, "slot": name})
