"""The numbers behind the widgets: what runs answer where a parameter has one true value."""

from __future__ import annotations

import functools
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from numlab import evaluation, probes
from numlab.encoders import P1000, Tokens
from numlab.examples import Examples
from numlab.objectives import MaskedLM
from numlab.training import Run

if TYPE_CHECKING:
    import pandas as pd

SEED = 1  # of the texts, other than those of training
TEXTS = 16  # a value: as many as a person who drags need not wait for


class Answer(NamedTuple):
    """What an encoder answers where the true number of a parameter has one value."""

    encoder: str
    true: float
    median: float  # of the valid predictions, NaN if there are none
    low: float
    high: float
    invalid: float  # the share of the others


def answers(runs: list[Run], slot: str, value: float, n: int = TEXTS) -> pd.DataFrame:
    """What each encoder answers where the true number of a parameter is `value`.

    Parameters
    ----------
    runs : runs of one task; those that share an encoder (seeds) count together.
    slot : a parameter that the task can hold fixed, such as "stepsize".
    n : texts; whatever else stands in them is the same at every value.

    Returns
    -------
    DataFrame [encoder, true, median, low, high, invalid]
        A row an encoder: median and range of its valid predictions (NaN if there are none), and
        the share of the others. The median is one of the predictions: of two middle ones, the
        lower.
    """
    import pandas as pd

    asked = {run: predictions(run, slot, value, n) for run in runs}
    return pd.DataFrame(summary(asked, short_names(runs), value))


def predictions(run: Run, slot: str, value: float, n: int) -> np.ndarray:
    """(n,) what a run predicts for a parameter in texts in which it has a value, or NaN."""
    texts = texts_at(run.spec.task, slot, value, n)
    parts = evaluation.predictions(run, texts, slot)
    numbers = [np.where(part["valid"], part["predicted"], np.nan) for part in parts]
    return np.concatenate(numbers).astype(float)  # also what was a Python int


def summary(asked: dict[Run, np.ndarray], names: dict[Run, str], value: float) -> list[Answer]:
    """The predictions of some runs at one value: seeds of an encoder together."""
    answered: dict[str, list[np.ndarray]] = {}
    for run, predicted in asked.items():
        answered.setdefault(names[run], []).append(predicted)
    return [Answer(name, value, *spread(np.concatenate(p))) for name, p in answered.items()]


def spread(predicted: np.ndarray) -> tuple[float, float, float, float]:
    """Lower median, least and greatest of the numbers, and the share of NaN."""
    numbers = np.sort(predicted[~np.isnan(predicted)])
    if not len(numbers):
        return np.nan, np.nan, np.nan, 1.0
    middle = numbers[(len(numbers) - 1) // 2]
    return middle, numbers[0], numbers[-1], 1 - len(numbers) / len(predicted)


def spellings(read: probes.NumberLogits, top: int = 8) -> pd.DataFrame:
    """The likeliest words of a text encoder's significand (its first digit, under P10).

    Parameters
    ----------
    read : of texts in which the number has one true value.

    Returns
    -------
    DataFrame [word, number, probability]
        The likeliest first; probabilities are means over the texts. `number` is what the word
        spells beside the likeliest words of the other places, NaN where that is no number.
    """
    import pandas as pd

    encoder = read.encoder
    starts = [word.lstrip("+-")[:1] for word in encoder.spell(read.true[0])]
    place = [start.isdigit() for start in starts].index(True)  # neither sign nor exponent
    probability = read.logits.double().softmax(-1).mean(0).numpy()  # (L, V)
    words = np.argsort(-probability[place])[:top]
    ids = np.tile(probability.argmax(-1), (len(words), 1))
    ids[:, place] = words
    columns = {
        "word": np.array(encoder.vocabulary)[words],
        "number": encoder.decode(Tokens.of(ids)).astype(float),
        "probability": probability[place, words],
    }
    return pd.DataFrame(columns)


def marks(read: probes.NumberLogits) -> dict[str, float]:
    """The "argmax" and the "expectation" of the logits: lower medians over the texts."""
    frame = probes.expectation(read)
    return {mark: spread(frame[mark].to_numpy())[0] for mark in ("argmax", "expectation")}


@functools.lru_cache(maxsize=8)
def texts_at(task, slot: str, value: float, n: int) -> list[Examples]:
    """The n texts in which a parameter has a value."""
    return task.sample(n, SEED, **{slot: value})


def short_names(runs: list[Run]) -> dict[Run, str]:
    """Each run's encoder; one that prints long as its family, if no other here is of it."""
    families = Counter(type(encoder).__name__ for encoder in {run.spec.encoder for run in runs})

    def name(encoder) -> str:
        family = type(encoder).__name__
        return family if families[family] == 1 and len(str(encoder)) > 12 else str(encoder)

    return {run: name(run.spec.encoder) for run in runs}


def speller(runs: list[Run]) -> Run | None:
    """The run whose words are shown: P1000's, else that of any text encoder of fixed length."""

    def spells(run: Run) -> bool:
        encoder = run.spec.encoder
        return isinstance(run.spec.objective, MaskedLM) and encoder.fixed and not encoder.carriers

    fitting = [run for run in runs if spells(run)]
    return min(fitting, key=lambda run: not isinstance(run.spec.encoder, P1000), default=None)
