"""The best constant answer: what a model can score that has not read the question."""

from collections.abc import Callable

import numpy as np
import pandas as pd

TRIED = 100  # of each kind


def best_constant(answers: pd.DataFrame, score: Callable[[pd.DataFrame], float]) -> float:
    """The highest `score` that one answer to all questions gets.

    The commonest true answers and quantiles of them are tried, on the rows that they are scored on:
    so this bound is rather too high than too low. `answers` has the columns of `nl.predict`.
    """
    numbers = pd.to_numeric(answers.true, errors="coerce").dropna().astype(float)
    tried = {*answers.true.value_counts().index[:TRIED]}
    tried |= {*numbers.quantile(np.linspace(0, 1, TRIED))} if len(numbers) else set()
    return max(score(answers.assign(predicted=guess, valid=True)) for guess in tried)
