"""What runs answer where a parameter has one true value: the numbers behind the sweep."""

import functools

import numpy as np
import pandas as pd

from numlab import probes
from numlab.encoders import Encoder, Tokens
from numlab.evaluation import labels, predictions
from numlab.examples import Examples
from numlab.training import Run

SEED = 1  # of the texts; training uses others
TEXTS = 16  # a value: few enough to answer while the slider is dragged


def answers(runs: list[Run], slot: str, value: float, n: int = TEXTS) -> pd.DataFrame:
    """What each encoder predicts where a parameter of the task has the true value `value`.

    The runs are of one task; those that share an encoder (seeds) count together. Apart from the
    parameter, the n texts are the same at every value.

    Returns
    -------
    DataFrame [encoder, true, median, low, high, invalid]
        One row for each encoder: median and range of its valid predictions (NaN if there are
        none) and the share of invalid ones: all, where the encoder cannot hold the value. Of two
        middle predictions, the median is the lower.

    >>> spec = nl.RunSpec(nl.tasks.Lookup(1), nl.P1000(), nl.MaskedLM(), nl.GPT2(8), 64, 2, 1e-3)
    >>> nl.widgets.answers([nl.train(spec)], "answer", 1.5, n=2).encoder.tolist()
    ['P1000']
    """
    names, predicted = labels(runs), {}
    for run in runs:
        predicted.setdefault(names[run], []).append(_predictions(run, slot, value, n))
    rows = []
    for name, parts in predicted.items():
        numbers = pd.Series(np.concatenate(parts))
        summary = numbers.quantile([0.5, 0, 1], interpolation="lower")
        rows.append((name, value, *summary, numbers.isna().mean()))
    return pd.DataFrame(rows, columns=["encoder", "true", "median", "low", "high", "invalid"])


def hardly_learned(answers: pd.DataFrame, known: np.ndarray) -> list[str]:
    """Encoders whose answers (as from `answers`) at trained values are little better than a
    constant: their medians are more than half as wrong. None before all these values are asked."""
    at = answers[answers.true.isin(known)]
    if not 1 < len(known) == at.true.nunique():
        return []
    wrong = (at["median"] - at.true).abs().fillna(np.inf).groupby(at.encoder, sort=False).mean()
    return wrong.index[wrong > np.abs(known - np.median(known)).mean() / 2].tolist()


@functools.lru_cache(maxsize=4096)
def _predictions(run: Run, slot: str, value: float, n: int) -> np.ndarray:
    """(n,) what a run predicts in texts in which a parameter is `value`, NaN where invalid."""
    if not holds(run.spec.encoder, slot, value):
        return np.full(n, np.nan)
    parts = predictions(run, texts_at(run.spec.task, slot, value, n), slot)
    numbers = [np.where(part["valid"], part["predicted"], np.nan) for part in parts]
    return np.concatenate(numbers).astype(float)  # also of Python ints


def holds(encoder: Encoder, slot: str, value: float) -> bool:
    """Whether an encoder can write a value."""
    try:
        encoder.at(slot).encode([value])
    except ValueError:
        return False
    return True


def swept(
    runs: list[Run], slot: str, at: float, values: list[float], n: int = TEXTS
) -> pd.DataFrame:
    """What runs answer along a parameter, and the words among which one chooses at one value.

    Returns
    -------
    DataFrame [part, encoder, true, median, low, high, invalid, word, number, probability]
        part "answer": one row for each encoder and each of the values, as from `answers`; "word":
        one row for each word at the value `at`, the likeliest first; "argmax": what that one
        spells; "expectation": the mean of the likely answers, over all texts.

    >>> spec = nl.RunSpec(nl.tasks.Lookup(1), nl.P1000(), nl.MaskedLM(), nl.GPT2(8), 64, 2, 1e-3)
    >>> view = nl.widgets.swept([nl.train(spec)], "answer", at=1.5, values=[1.2, 1.8], n=2)
    >>> view.part.value_counts().to_dict()
    {'word': 8, 'answer': 2, 'argmax': 1, 'expectation': 1}
    """
    parts = [answers(runs, slot, value, n).assign(part="answer") for value in values]
    frame = pd.concat([*parts, words(runs, slot, at, n)], ignore_index=True)
    return frame[["part", *frame.columns.drop("part")]]


def words(runs: list[Run], slot: str, value: float, n: int) -> pd.DataFrame | None:
    """Rows of `swept`: words of the first run that has a text encoder of fixed length which can
    hold the value, and the numbers that their logits give."""
    for run in runs:
        encoder, spec = run.spec.encoder, run.spec
        fixed = encoder.fixed and not (encoder.carriers or spec.head)
        if spec.objective.fills_at_once and fixed and holds(encoder, slot, value):
            return _words(run, slot, value, n).assign(encoder=labels(runs)[run], true=value)
    return None


@functools.lru_cache(maxsize=1024)
def _words(run: Run, slot: str, value: float, n: int) -> pd.DataFrame:
    read = probes.number_logits(run, texts_at(run.spec.task, slot, value, n), slot)
    bars = spellings(read).assign(part="word")
    mean = probes.expectation(read).expectation.mean()
    marks = {"part": ["argmax", "expectation"], "number": [bars.number[0], mean]}
    return pd.concat([bars, pd.DataFrame(marks)], ignore_index=True)


def spellings(read: probes.NumberLogits) -> pd.DataFrame:
    """The 8 likeliest words of a text encoder's significand (with P10, of its first digit).

    `number` is what a word spells with the likeliest words of the other tokens (NaN: no number),
    `probability` the mean over texts in which the number has one true value.
    """
    encoder = read.encoder
    starts = [word.lstrip("+-")[:1] for word in encoder.spell(read.true[0])]
    token = [start.isdigit() for start in starts].index(True)  # neither sign nor exponent
    probability = read.logits.double().softmax(-1).mean(0).numpy()  # (L, V)
    likeliest = np.argsort(-probability[token])[:8]
    ids = np.tile(probability.argmax(-1), (len(likeliest), 1))
    ids[:, token] = likeliest
    columns = {
        "word": np.array(encoder.vocabulary)[likeliest],
        "number": encoder.decode(Tokens.of(ids)).astype(float),
        "probability": probability[token, likeliest],
    }
    return pd.DataFrame(columns)


@functools.lru_cache(maxsize=8)
def texts_at(task, slot: str, value: float, n: int) -> list[Examples]:
    """The n texts in which a parameter has a value."""
    return task.sample(n, SEED, **{slot: value})
