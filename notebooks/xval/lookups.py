"""Numbers looked up in a dictionary: how well, by question, encoder and seed."""

import functools
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd
from judging import filled

import numlab as nl
from numlab.metrics import invalid_rate, mse, same_digits

METRICS = {
    "MSE": lambda answers: mse(filled(answers, 0.0)),
    "3 figures": functools.partial(same_digits, digits=3),
    "2 figures": functools.partial(same_digits, digits=2),
    "invalid": invalid_rate,
}


def scored(
    runs: Sequence[nl.Run],
    questions: Mapping[str, list[nl.Examples]],
    arms: Mapping[str, nl.MaskedLM],
) -> pd.DataFrame:
    """Every metric, a column each, of each question (where), encoder and seed.

    `questions` are texts by the name of the question. `arms` are the objectives of the runs, by
    what the encoder's name gets behind it.
    """
    answers = pd.concat(
        nl.predict(of_arm, texts, "answer", batch_size=1024).assign(
            where=where, encoder=lambda rows, arm=arm: rows.encoder + arm
        )
        for arm, objective in arms.items()
        if (of_arm := [run for run in runs if run.spec.objective == objective])
        for where, texts in questions.items()
    )
    groups = answers.groupby(["where", "encoder", "seed"], sort=False)
    of_each = {name: groups.apply(f, include_groups=False) for name, f in METRICS.items()}
    return pd.DataFrame(of_each)


def looks_up(run: nl.Run, most: float) -> bool:
    """Whether a model's squared error on the validation texts is less than `most`."""
    return mse(filled(nl.predict(run, "valid", "answer", batch_size=1024), 0.0)) < most


def of_seeds(scores: pd.DataFrame, seeds: Iterable[int]) -> pd.DataFrame:
    """The rows of some seeds."""
    return scores[scores.index.get_level_values("seed").isin(seeds)]
