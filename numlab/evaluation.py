"""What runs predict, as DataFrames. An answer that is not a number is a row with `valid` False."""

import bisect
import functools
import glob
import itertools
import math
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from numlab.corpus import Corpus, fitting, offsets
from numlab.decisions import Decision
from numlab.examples import Examples, matches
from numlab.numbers import check_count
from numlab.objectives import Answers

__all__ = ["labels", "predict"]

LEVELS = np.linspace(0.02, 0.999, 50).tolist()  # of central intervals that `interval` tries
Run = Any  # a training.Run, whose module imports this one


def as_runs(runs: Run | Iterable[Run] | Mapping[Any, Run]) -> list[Run]:
    """One run, or several as `nl.train_all` gives them, as a list; ValueError for anything else."""
    runs = runs.values() if isinstance(runs, Mapping) else runs
    for run in (runs := [*runs] if isinstance(runs, Iterable) else [runs]):
        if not hasattr(run, "spec"):
            raise ValueError(f"a run is what nl.train gives; got a {type(run).__name__}")
    return runs


def labels(runs: Run | Iterable[Run] | Mapping[Any, Run]) -> dict[Run, str]:
    """A short name for the encoder of each run:

    - `encoder.label`, such as "XVal";
    - the encoder in full, where different encoders share a label: "XVal(scale=10.0)";
    - with "#2" behind it, where two different encoders of one seed share that, too;
    - "default", for a pretrained model that reads numbers as text.

    >>> spec = nl.RunSpec(nl.tasks.Addition(2), nl.P10(), nl.MaskedLM(), nl.GPT2(8), 64, 2, 1e-3)
    >>> list(nl.evaluation.labels([nl.Run(spec)]).values())
    ['P10']
    """
    runs = as_runs(runs)
    encoders = {run.spec.encoder for run in runs} - {None}
    count = Counter(encoder.label for encoder in encoders)
    names = {e: e.label if count[e.label] == 1 else str(e) for e in encoders}
    found, alike = {}, {}  # the second: encoders of one seed and one name, numbered
    for run in runs:
        name = names.get(run.spec.encoder, "default")
        own = alike.setdefault((name, run.spec.seed), {})
        place = own.setdefault(run.spec.encoder, len(own) + 1)
        found[run] = name if place == 1 else f"{name} #{place}"
    return found


def predict(
    runs: Run | Iterable[Run] | Mapping[Any, Run],
    examples: list[Examples] | str,
    slots: str | tuple[str, ...],
    batch_size: int = 256,
    decide: str | float | None = None,
    samples: int = 64,
):
    """Have runs fill in slots of some texts.

    ValueError for no text, a text without such a slot, and `decide` where a slot holds words.

    Parameters
    ----------
    examples : texts; or "test", "valid" or "train": that part of each run's own data. Runs that
        differ in their seed differ in these, too.
    slots : patterns of the slots to fill in, such as "a0" or ("x*", "y*"). A masked LM fills all of
        them in one pass, with all of them masked. A causal LM generates one slot at a time from
        the true text before it, never from its own earlier answers.
    decide : "mode", "mean", "median", "relative" or a quantile's level: which number to answer from
        the distribution that a run predicts (RAIL, 2403.04182). The mean is best for squared
        errors, the median for absolute ones, and "relative" for abs(predicted - true) / abs(true).
        None: the likeliest words, or the number that the head reads.
        Heads with a formula for their distribution use it; for all others, `samples` answers are
        drawn, word by word or bit by bit. If all of these differ, the "mode" is the answer that
        None would give.
        Where an encoder asinh-transforms a column, the mean is that of `samples` quantiles (a long
        tail counts a little too little), and the mode that of the transformed number. "relative"
        takes such quantiles, too, where there is a formula.
    samples : how many answers are drawn for each; the same ones each time.

    Returns
    -------
    DataFrame [encoder, seed, example, slot, true, predicted, valid]
        One row for each run and slot of a text. `encoder` is the run's label (see `labels`), with
        "#2" behind it for runs of that label that differ in more than the seed. `example` is the
        text's index, or its place if it has none. `predicted` is NaN (None for integers beyond
        float64) where the answer is not a number. With `decide` also `dropped`: the share of the
        samples that were not numbers; the answer is of the others.

    >>> spec = nl.RunSpec(nl.tasks.Addition(2), nl.P10(), nl.MaskedLM(), nl.GPT2(8), 64, 2, 1e-3)
    >>> nl.predict(nl.train(spec), "test", "answer").columns.tolist()
    ['encoder', 'seed', 'example', 'slot', 'true', 'predicted', 'valid']
    """
    import pandas as pd

    frames, kinds = [], {}
    if not (runs := as_runs(runs)):
        raise ValueError("expected one or more runs, as nl.train gives them; got none")
    check_count("batch_size", batch_size)
    for run, label in labels(runs).items():
        texts = run.examples(examples)
        if not sum(map(len, texts)):
            raise ValueError("expected one or more texts to fill in; got none")
        rule = None if decide is None else Decision(decide, samples)
        frame = pd.concat(map(pd.DataFrame, predictions(run, texts, slots, batch_size, rule)))
        frame = frame.sort_values(["example", "slot"])
        alike = kinds.setdefault(label, {})
        first = run.spec.seeds(1)[0]  # what runs share that differ in their seed, or encoder
        beside = (f.name for f in fields(first) if f.name not in ("encoder", "seed"))
        kind = tuple(getattr(first, name) for name in beside)
        while run.spec.seed in alike.setdefault(kind, (len(alike) + 1, set()))[1]:
            kind = kind, None  # of one seed: they differ in the seed of their start
        place, seeds = alike[kind]
        seeds.add(run.spec.seed)
        frame.insert(0, "encoder", label if place == 1 else f"{label} #{place}")
        frame.insert(1, "seed", run.spec.seed)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def interval(
    runs: Sequence[Run],
    examples: list[Examples],
    coverage: float | None = 0.8,
    level: float | None = None,
):
    """Predictions, with intervals, of runs of one task that share their validation examples.

    A prediction is the mean over the runs that answer a number. Intervals hold a share `coverage`
    of the validation examples of their slot; see `Run.predict`. `level`: of the quantile that is
    predicted; None: what the head reads.
    """
    import pandas as pd

    if coverage is not None and not 0 < coverage < 1:
        raise ValueError(f"a coverage is above 0 and below 1; got {coverage}")
    task, head = runs[0].spec.task, runs[0].tokenizer.head
    numbers = {name for layout in task.layouts() for name in layout.number_slots}

    @functools.cache
    def answers(part, decide=None):
        frames = []
        for run in runs:
            texts = examples if part == "asked" else run.examples(part)
            alone = dict.fromkeys(name for e in texts for name in e.layout.number_slots)
            for slots in map(glob.escape, alone) if task.slots == "*" else [task.slots]:
                has = [any(matches(n, (slots,)) for n in e.layout.number_slots) for e in texts]
                if any(has):
                    those = list(itertools.compress(texts, has))
                    frames.append(predict(run, those, slots, decide=decide))
        if not frames:
            raise ValueError(f"there is no text with a number to predict ({task.slots})")
        found = pd.concat(frames)
        found = found[found.slot.isin(numbers)]  # words have no interval
        found = found.astype({"predicted": float, "true": float})
        rows = found.groupby(["example", "slot"], as_index=False)
        return rows.agg({"predicted": "mean", "true": "first"})

    found, seen = answers("asked", level), answers("valid", level)
    if (lacking := found.predicted.isna().mean()) > 0:
        instead = "the median of the validation numbers stands in"
        warnings.warn(f"{lacking:.0%} of the answers are not numbers: {instead}", stacklevel=3)
    parts, closed = [], head and head.closed
    for slot, own in found.groupby("slot"):
        of_slot = seen[seen.slot == slot] if (seen.slot == slot).any() else seen
        rows, true = {"asked": own.index, "valid": of_slot.index}, of_slot.true
        parts.append(_slot_interval(answers, rows, true, coverage, closed, level))
    return pd.concat([found[["example", "slot"]], pd.concat(parts).sort_index()], axis=1)


def _slot_interval(answers, rows: dict, true, coverage, closed: bool, level=None):
    """DataFrame [predicted, low, high] of some rows, from the numbers of the validation rows."""

    def of(part, decide=None):
        """Where an answer is not a number, a quantile of the validation numbers stands in."""
        predicted = answers(part, decide).predicted[rows[part]]
        return predicted.fillna(true.quantile(decide or 0.5))

    def ends(part, level):
        return [of(part, (1 + side * level) / 2) for side in (-1, 1)]

    frame = of("asked", level).to_frame()
    if coverage is None:
        return frame
    found = f"{len(true)} validation numbers"
    if (place := coverage * (1 + 1 / len(true))) > 1:
        narrow = f"too few for intervals of {coverage:.0%}: the intervals are too narrow"
        warnings.warn(f"there are {found}, {narrow}", stacklevel=4)
        place = 1.0
    needed = math.ceil(place * len(true) - 1e-9)
    if closed:
        enough = bisect.bisect_left(
            LEVELS, needed, key=lambda level: true.between(*ends("valid", level)).sum()
        )
        if enough == len(LEVELS):
            held = f"no interval that the runs predict holds {place:.0%} of {found}"
            warnings.warn(f"{held}: the intervals are too narrow", stacklevel=4)
        low, high = ends("asked", LEVELS[min(enough, len(LEVELS) - 1)])
    else:
        errors = (of("valid", level) - true).abs().sort_values()
        width = errors.iloc[needed - 1]
        low, high = frame.predicted - width, frame.predicted + width
    return frame.assign(low=low, high=high)


def predictions(
    run: Run,
    examples: list[Examples],
    slots: str | tuple[str, ...],
    batch_size: int = 256,
    rule: Decision | None = None,
) -> Iterator[dict[str, np.ndarray]]:
    """The columns of `predict` batch by batch, unsorted: a slider cannot wait for DataFrames."""
    patterns, objective = (slots,) if isinstance(slots, str) else tuple(slots), run.spec.objective
    starts = offsets([len(e) for e in examples])
    examples = [
        e if e.index is not None else replace(e, index=start + np.arange(len(e)))
        for e, start in zip(examples, starts, strict=False)
    ]
    for asked, texts in _questions(run, examples, patterns):
        corpus = run.tokenizer(texts, objective.answers)
        order = np.argsort(corpus.lengths, kind="stable")  # texts of like length together
        for i in range(0, len(corpus), batch_size):
            batch = corpus.batch(order[i : i + batch_size])

            def fill(model, batch=batch, asked=asked) -> list[dict]:
                answers = objective.fill(model, batch, asked)
                return list(_columns(batch.corpus, answers, objective.answers))

            yield from fill(run.model) if rule is None else rule(run.model, fill, seed=i)


def _questions(run: Run, examples: list[Examples], patterns: tuple[str, ...]):
    """Pairs of patterns of the slots to fill in one pass, and the texts that have them."""
    names = [fitting(e.layout, patterns) for e in examples]
    if run.spec.objective.fills_at_once:
        return [(patterns, examples)]
    return [
        ((glob.escape(name),), [e for e, fit in zip(examples, names, strict=True) if name in fit])
        for name in dict.fromkeys(itertools.chain(*names))
    ]


def _columns(corpus: Corpus, answers: Answers, patterns: tuple[str, ...]):
    """The columns of each slot of each layout among the answers.

    `encoder.answer` spells the slots that fit `patterns`, not the encoder itself.
    """
    tokenizer, part = corpus.tokenizer, corpus.part[answers.rows]
    n_features = (np.isin(answers.ids, tokenizer.answer_carriers) & answers.mask).sum(1)
    answer_of = np.repeat(np.arange(len(answers.rows)), n_features)  # the answer of each feature
    for at, j in np.unique([part, answers.slots], axis=1).T:
        pick = (part == at) & (answers.slots == j)
        e, row = corpus.examples[at], answers.rows[pick] - corpus.starts[at]
        slot = e.layout.slots[j]
        tokens = answers.ids[pick], answers.mask[pick], answers.features[pick[answer_of]]
        if slot.words is None:
            predicted = tokenizer.decode(*tokens, matches(slot.name, patterns), slot.name)
            valid = np.array([v is not None and v == v for v in predicted.tolist()], bool)
        else:
            words = np.array([*tokenizer.text.words, *tokenizer.vocabulary])
            spelled = zip(*tokens[:2], strict=True)
            predicted = np.array(["".join(words[ids[mask]]) for ids, mask in spelled])
            valid = np.isin(predicted, slot.words)
        yield {
            "example": e.index[row],
            "slot": slot.name,
            "true": e.column(slot.name)[row],
            "predicted": predicted,
            "valid": valid,
        }
