"""What runs predict, as DataFrames. An answer that is not a number is a row with `valid` False."""

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from numlab.corpus import Corpus, fitting, matches
from numlab.examples import Examples
from numlab.objectives import Answers
from numlab.training import Run

__all__ = ["labels", "predict", "predictions"]


def labels(runs: Sequence[Run]) -> dict[Run, str]:
    """A short name for the encoder of each run.

    It is `encoder.label`; where two different encoders share that, the encoder in full; and
    "default" for a pretrained model that reads numbers as text.
    """
    encoders = {run.spec.encoder for run in runs} - {None}
    count = Counter(encoder.label for encoder in encoders)
    names = {e: e.label if count[e.label] == 1 else str(e) for e in encoders}
    return {run: names.get(run.spec.encoder, "default") for run in runs}


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
    import pandas as pd

    frames = []
    for run, label in labels(runs if isinstance(runs, Sequence) else [runs]).items():
        texts = run.examples(examples) if isinstance(examples, str) else examples
        frame = pd.concat(map(pd.DataFrame, predictions(run, texts, slots, batch_size)))
        frame = frame.sort_values(["example", "slot"])
        frame.insert(0, "encoder", label)
        frame.insert(1, "seed", run.spec.seed)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def predictions(
    run: Run, examples: list[Examples], slots: str | tuple[str, ...], batch_size: int = 256
) -> Iterator[dict[str, np.ndarray]]:
    """The columns of `predict` batch by batch, unsorted: a slider cannot wait for DataFrames."""
    patterns, objective = (slots,) if isinstance(slots, str) else tuple(slots), run.spec.objective
    for asked, texts in _questions(run, examples, patterns):
        corpus = run.tokenizer(texts, objective.answers)
        order = np.argsort(corpus.lengths, kind="stable")  # texts of like length together
        for i in range(0, len(corpus), batch_size):
            batch = corpus.batch(order[i : i + batch_size])
            answers = objective.fill(run.model, batch, asked)
            yield from _columns(corpus, answers, matches(asked[0], objective.answers))


def _questions(run: Run, examples: list[Examples], patterns: tuple[str, ...]):
    """Pairs of slots to fill in one pass, and the texts that have them."""
    names = [fitting(e.layout, patterns) for e in examples]
    if run.spec.objective.fills_at_once:
        return [(patterns, examples)]
    return [
        ((name,), [e for e, fit in zip(examples, names, strict=True) if name in fit])
        for name in dict.fromkeys(itertools.chain(*names))
    ]


def _columns(corpus: Corpus, answers: Answers, as_answers: bool):
    """The columns of each slot of each layout among the answers.

    `as_answers`: whether `encoder.answer` spells these slots, not the encoder itself.
    """
    tokenizer, layout = corpus.tokenizer, corpus.layout[answers.rows]
    n_features = (np.isin(answers.ids, tokenizer.answer_carriers) & answers.mask).sum(1)
    answer_of = np.repeat(np.arange(len(answers.rows)), n_features)  # the answer of each feature
    for at, j in np.unique([layout, answers.slots], axis=1).T:
        pick = (layout == at) & (answers.slots == j)
        e, row = corpus.examples[at], answers.rows[pick] - corpus.starts[at]
        slot = e.layout.slots[j]
        tokens = answers.ids[pick], answers.mask[pick], answers.features[pick[answer_of]]
        if slot.words is None:
            predicted = tokenizer.decode(*tokens, as_answers)
            valid = np.array([v is not None and v == v for v in predicted.tolist()], bool)
        else:
            predicted = _words(tokenizer, *tokens[:2])
            valid = np.isin(predicted, slot.words)
        yield {
            "example": answers.rows[pick] if e.index is None else e.index[row],
            "slot": slot.name,
            "true": e.column(slot.name)[row],
            "predicted": predicted,
            "valid": valid,
        }


def _words(tokenizer, ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """(n, L) tokens as (n,) texts."""
    words = np.array([*tokenizer.text.words, *tokenizer.encoder.vocabulary])
    return np.array(["".join(words[row[m]]) for row, m in zip(ids, mask, strict=True)])
