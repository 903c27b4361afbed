"""What only the FoNE notebooks measure."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

import numlab as nl
from numlab.examples import NUMBER
from numlab.tasks.arithmetic import join_digits


def by_operand_lengths(
    runs: Sequence[nl.Run], lengths: Sequence[int], n: int = 64, seed: int = 1
) -> pd.DataFrame:
    """Exact match by the lengths of two operands, in training or beyond (Fig. 4, 9 and 10).

    The sums are drawn anew, so most of the shortest ones were in the training set.

    Parameters
    ----------
    runs : list of Run
        Of one task on two Python ints, such as LongAddition. Their encoders must hold the answers.
    lengths : digits of an operand; all pairs of lengths are asked.
    n : texts per pair of lengths.
    seed : of the operands.

    Returns
    -------
    DataFrame [encoder, seed, first, second, exact_match]
        One row per run and pair of lengths.
    """
    pairs = np.repeat(list(itertools.product(lengths, lengths)), n, axis=0)  # (texts, 2)
    a, b = draw_of_lengths(pairs.T.ravel(), seed).reshape(2, -1)
    task = dataclasses.replace(runs[0].spec.task, int_digits=max(lengths))
    answers = nl.predict(runs, task.sample(len(pairs), seed, a=a, b=b), "answer")
    answers["first"], answers["second"] = pairs[answers.example].T
    answers["exact_match"] = (answers.true == answers.predicted).astype(float)
    by = ["encoder", "seed", "first", "second"]
    return answers.groupby(by, sort=False, as_index=False).exact_match.mean()


def draw_of_lengths(lengths: np.ndarray, seed: int) -> np.ndarray:
    """(n,) Python ints, each uniform over the numbers of the given length."""
    firsts, others = np.random.default_rng(seed).spawn(2)
    first = firsts.integers(np.where(lengths > 1, 1, 0), 10)  # only 0 begins with 0
    rest = others.integers(0, 10, (len(lengths), max(lengths)), np.uint8)
    return join_digits(lengths, first, rest)


def read_digits(answers: pd.DataFrame, encoder: nl.FoNE) -> tuple[np.ndarray, np.ndarray]:
    """(n, places) digits of the valid answers, predicted and true, most significant first."""
    valid = answers[answers.valid]
    read, true = (encoder.features(valid[c].to_numpy(float))[:, 1:] for c in ("predicted", "true"))
    return read.astype(int), true.astype(int)


def token_counts(table: pd.DataFrame, encoders: Mapping[str, nl.Encoder]) -> pd.DataFrame:
    """Count the tokens of the numbers in each column of a table (Section 4.2).

    Parameters
    ----------
    table : DataFrame
        In a column of text, the numbers within the texts count.
    encoders : dict of str to Encoder

    Returns
    -------
    DataFrame [column, encoder, numbers, tokens]
        One row per encoder and column that holds a number.

    Raises
    ------
    ValueError
        When an encoder cannot hold a number; the message names the column.
    """
    rows = []
    for column in table.columns:
        numbers = _numbers(table[column])
        for name, encoder in encoders.items() if len(numbers) else ():
            try:
                tokens = int(encoder.encode(numbers).mask.sum())
            except ValueError as error:
                raise ValueError(f"column {column!r}: {error}") from None
            rows.append((column, name, len(numbers), tokens))
    return pd.DataFrame(rows, columns=["column", "encoder", "numbers", "tokens"])


def _numbers(column: pd.Series) -> np.ndarray:
    """(m,) all numbers of a column; booleans and missing cells are none."""
    column = column.dropna()
    if is_bool_dtype(column):
        return np.zeros(0)
    if is_numeric_dtype(column):
        return column.to_numpy()
    texts = [text for text in column.astype(str) if NUMBER.search(text)]
    parsed = [examples.numbers.ravel() for examples in nl.parse(texts)]
    return np.concatenate(parsed) if parsed else np.zeros(0)
