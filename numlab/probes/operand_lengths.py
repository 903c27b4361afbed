"""Exact match by the lengths of two operands (fone, Fig. 4, 9 and 10)."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from numlab.tasks.operands import draw_of_lengths

if TYPE_CHECKING:
    import pandas as pd

    from numlab.training import Run


def by_operand_lengths(
    run: Run, lengths: Sequence[int], n: int = 64, seed: int = 1
) -> pd.DataFrame:
    """Ask a run for the answers of operands of given lengths, whatever it was trained on.

    The sums are drawn anew: of the shortest most are among those of a training.

    Parameters
    ----------
    run : Run
        Of a task of two operands with Python ints, such as LongAddition; its encoder must hold
        the answers.
    lengths : digits of an operand; every pair of them is asked.
    n : texts a pair.
    seed : of the operands.

    Returns
    -------
    DataFrame [first, second, exact_match]
        A row a pair of lengths.
    """
    import pandas as pd

    from numlab.evaluation import predict

    pairs = np.repeat(list(itertools.product(lengths, lengths)), n, axis=0)  # (m n, 2)
    a, b = draw_of_lengths(pairs.T.ravel(), seed).reshape(2, -1)
    task = dataclasses.replace(run.spec.task, int_digits=max(lengths))
    answers = predict(run, task.sample(len(pairs), seed, a=a, b=b), "answer")
    frame = pd.DataFrame(pairs, columns=["first", "second"])
    frame["exact_match"] = (answers.true == answers.predicted).to_numpy(float)
    return frame.groupby(["first", "second"], as_index=False).exact_match.mean()
