"""What a run predicts, and how good that is.

A prediction is a row of a DataFrame. An answer that is no number is a row with `valid` False, and
every metric says how it counts it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import torch

from numlab.examples import Examples, to_figures
from numlab.objectives import Answers, MaskedLM
from numlab.tokenizer import Corpus, matches
from numlab.training import Run
from numlab.training.run import has_bf16


def predict(
    run: Run, examples: list[Examples], slots: str | tuple[str, ...], batch_size: int = 256
):
    """Ask a run for slots of some texts.

    Parameters
    ----------
    slots : patterns of the asked slots, such as "a0" or ("x*", "y*"). A masked LM fills all of
        them in one pass, each text with all of them masked; a causal LM generates the slot from
        the text before it, so it is asked for one at a time.

    Returns
    -------
    DataFrame [example, slot, true, predicted, valid]
        A row a number asked for. `example` is the text's index; `predicted` is NaN (None for
        integers beyond float64) where the answer is no number.
    """
    import pandas as pd

    frames = map(pd.DataFrame, predictions(run, examples, slots, batch_size))
    frame = pd.concat(frames, ignore_index=True)
    return frame.sort_values(["example", "slot"], ignore_index=True)


def predictions(
    run: Run, examples: list[Examples], slots: str | tuple[str, ...], batch_size: int = 256
) -> Iterator[dict[str, np.ndarray]]:
    """The columns of `predict` part by part, unsorted: who drags a slider waits for each frame."""
    slots, objective = (slots,) if isinstance(slots, str) else tuple(slots), run.spec.objective
    if not hasattr(objective, "fill"):
        raise ValueError(f"{objective} fills no slots; `masked_words` asks for words")
    for asked, texts in _questions(run, examples, slots):
        corpus = run.tokenizer(texts, objective.answers)
        order = np.argsort(corpus.lengths, kind="stable")  # texts of like length together
        for i in range(0, len(corpus), batch_size):
            batch = corpus.batch(order[i : i + batch_size])
            answers = objective.fill(run.model, batch, asked)
            yield from _columns(corpus, answers, matches(asked[0], objective.answers))


def _questions(run: Run, examples: list[Examples], patterns: tuple[str, ...]):
    """Pairs of slots to ask for at once, and the texts that have them."""
    names = [[s.name for s in e.layout.slots if matches(s.name, patterns)] for e in examples]
    if not all(names):
        layout = examples[names.index([])].layout
        slots = ", ".join(slot.name for slot in layout.slots[:12])
        raise ValueError(f"no slot fits {patterns}; the layout has {slots}")
    if isinstance(run.spec.objective, MaskedLM):
        return [(patterns, examples)]
    return [
        ((name,), [e for e, own in zip(examples, names, strict=True) if name in own])
        for name in dict.fromkeys(itertools.chain(*names))
    ]


def _columns(corpus: Corpus, answers: Answers, spelled_apart: bool):
    """The columns of each slot of each layout among the answers.

    `spelled_apart`: they are spelled as answers are, not as the encoder spells other numbers.
    """
    tokenizer, layout = corpus.tokenizer, corpus.layout[answers.rows]
    carriers = tokenizer.offset + np.asarray(tokenizer.encoder.answer.carriers, int)
    n_features = (np.isin(answers.ids, carriers) & answers.mask).sum(1)
    owner = np.repeat(np.arange(len(answers.rows)), n_features)  # of each row of the features
    for at in np.unique(layout):
        e = corpus.examples[at]
        for j in np.unique(answers.slots[layout == at]):
            pick = (layout == at) & (answers.slots == j)
            row = answers.rows[pick] - corpus.first[at]
            slot = e.layout.slots[j]
            index = e.index[row] if e.index is not None else answers.rows[pick]
            part = answers.ids[pick], answers.mask[pick], answers.features[pick[owner]]
            if slot.words is None:
                true, predicted = e.column(slot.name)[row], tokenizer.decode(*part, spelled_apart)
                valid = np.array([v is not None and v == v for v in predicted.tolist()], bool)
            else:
                true, predicted = e.column(slot.name)[row], _spoken(tokenizer, *part[:2])
                valid = np.isin(predicted, slot.words)
            columns = {"example": index, "slot": slot.name, "true": true}
            yield columns | {"predicted": predicted, "valid": valid}


def masked_words(run: Run, examples: list[Examples], batch_size: int = 256):
    """What a run of MaskedWords makes of each word of some texts, one masked at a time.

    Returns
    -------
    DataFrame [example, slot, token, rank, log_probability]
        A row a word. `slot` is the name of the slot that it belongs to, "" in a literal; `token`
        its id; `rank` counts from 1, the likeliest.
    """
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
            inputs, targets = objective.ask(batch, at[1])
            scores = _scores(run, inputs.to(device), targets.to(device))
            frames.append(_asked_words(corpus, batch.rows, texts.slot[at]).assign(**scores))
    columns = ["example", "slot", "token", "rank", "log_probability"]
    return pd.concat(frames, ignore_index=True)[columns].sort_values("example", kind="stable")


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


def perplexity(frame) -> float:
    """exp of the mean surprise over masked words, of `masked_words`."""
    return float(np.exp(-frame.log_probability.mean()))


def top_k(frame, k: int) -> float:
    """The share of masked words that are among the k likeliest, of `masked_words`."""
    return float((frame["rank"] <= k).mean())


def _spoken(tokenizer, ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
    words = np.array([*tokenizer.text.words, *tokenizer.encoder.vocabulary])
    return np.array(["".join(words[row[m]]) for row, m in zip(ids, mask, strict=True)])


def invalid_rate(frame) -> float:
    """The share of answers that are no number."""
    return float(1 - frame.valid.mean())


def exact_match(frame, tolerance: float = 0.0) -> float:
    """The share of answers within `tolerance` of the true number; an invalid one is wrong.

    Words, and integers beyond float64, match exactly or not at all.
    """
    from pandas.api.types import is_numeric_dtype

    if not is_numeric_dtype(frame.true):  # words, and integers beyond float64
        return float((frame.true == frame.predicted).mean())
    gap = np.abs(frame.predicted.to_numpy(float) - frame.true.to_numpy(float))
    return float((gap <= tolerance).mean())  # NaN compares False


def match_to_figures(frame, n: int) -> float:
    """The share of answers that round to the same n significant figures as the true number; an
    invalid one is wrong (xval, Tables 12 and 13).

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"true": [1.53, 1.53], "predicted": [1.5312, 1.54], "valid": True})
    >>> match_to_figures(frame, 3), match_to_figures(frame, 2)
    (0.5, 1.0)
    """
    valid = frame[frame.valid]
    pairs = zip(to_figures(valid.true, n), to_figures(valid.predicted, n), strict=True)
    alike = np.logical_and(*(true == predicted for true, predicted in pairs))
    return float(alike.sum() / len(frame)) if len(frame) else float("nan")


def character_error_rate(frame) -> float:
    """Mean of edit distance over the length of the true number, both as decimals (digits, 5).

    1 is 100 %, and there may be more (our choice: an answer that is no number costs 1, as an empty
    one would).

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"true": [321, 321, 321.5], "predicted": [320, 32, None]})
    >>> round(character_error_rate(frame.assign(valid=[True, True, False])), 3)
    0.556
    """
    from rapidfuzz import process
    from rapidfuzz.distance import Levenshtein

    if not len(frame):
        return float("nan")
    true = [_decimal(x) for x in frame.true]
    said = [_decimal(x) if v else "" for x, v in zip(frame.predicted, frame.valid, strict=True)]
    edits = process.cpdist(true, said, scorer=Levenshtein.distance)
    return float((edits / np.char.str_len(true)).mean())


def _decimal(x) -> str:
    return str(x) if isinstance(x, int) else np.format_float_positional(x, trim="-")


def mse(frame) -> float:
    """Mean squared error over the valid answers; read it beside `invalid_rate`."""
    valid = frame[frame.valid]
    gap = valid.predicted.to_numpy(float) - valid.true.to_numpy(float)
    return float(np.mean(gap**2)) if len(gap) else float("nan")


def r2(frame) -> float:
    """R² over the valid answers, 1 - MSE / variance of the true numbers (fone, Appendix I); NaN
    where they do not vary."""
    valid = frame[frame.valid]
    variance = float(valid.true.to_numpy(float).var()) if len(valid) else 0.0
    return 1 - mse(valid) / variance if variance else float("nan")


def adjusted_r2(frame, n_inputs: int) -> float:
    """R² adjusted for the number of inputs of the problem (xval, Table 5); NaN where the valid
    answers are too few for it."""
    n = int(frame.valid.sum())
    if n <= n_inputs + 1:
        return float("nan")
    return 1 - (1 - r2(frame)) * (n - 1) / (n - n_inputs - 1)


def median_over_runs(frames: list):
    """One frame from several runs' on the same examples: the median of the valid predictions
    of each asked number (xval, 3.1); invalid only where every run was."""
    import pandas as pd

    every = pd.concat([f.assign(predicted=f.predicted.where(f.valid)) for f in frames])
    grouped = every.groupby(["example", "slot"], sort=True)
    out = grouped.agg(true=("true", "first"), predicted=("predicted", "median")).reset_index()
    return out.assign(valid=out.predicted.notna())
