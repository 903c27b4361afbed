"""Does a model read a number off the length of its mask? (xval, App. D.3 and Fig. 10)"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from numlab.corpus import matches
from numlab.encoders import VariableLength
from numlab.examples import Examples, from_figures, to_figures

if TYPE_CHECKING:
    import pandas as pd

    from numlab.training import Run


def sign_and_size(numbers) -> np.ndarray:
    """(n,) what Fig. 10 asks of a number: 1, 2, 3 for |x| < 0.1, < 1 and above; -1, -2, -3 if
    x < 0. Numbers are first rounded to two significant figures, as the paper's are.

    >>> sign_and_size([0.05, -0.05, 0.0996, -2]).tolist()
    [1, -1, 2, -3]
    """
    x = from_figures(*to_figures(numbers, 2))
    return (1 + np.digitize(np.abs(x), [0.1, 1.0])) * np.where(x < 0, -1, 1)


def length_cues(run: Run, examples: list[Examples], slots: tuple[str, ...]) -> pd.DataFrame:
    """Mask numbers, all at once, and see what their lengths tell of them.

    Parameters
    ----------
    run : of a masked LM.
    slots : patterns of the numbers that are asked for.

    Returns
    -------
    DataFrame
        The columns of `predict`, and true_class and predicted_class, as of `sign_and_size` (NaN
        for an invalid answer); length, of the number under `VariableLength`; exception, whether
        it is one from 0.01 to 0.1 with the length of those from 0.1 to 1, such as 0.030 = 3E-2.
    """
    from numlab.evaluation import predict

    frame = predict(run, examples, slots)
    true, answers = frame.true.to_numpy(float), frame.predicted.where(frame.valid, 0).astype(float)
    length = VariableLength().encode(true).mask.sum(1)
    true_class = sign_and_size(true)
    written = np.abs(from_figures(*to_figures(true, 2)))
    return frame.assign(
        true_class=true_class,
        predicted_class=np.where(frame.valid, sign_and_size(answers), np.nan),
        length=length,
        exception=(np.abs(true_class) == 1) & (written >= 0.01) & (length - (true < 0) == 2),
    )


def negated(examples: list[Examples], slots: tuple[str, ...]) -> list[Examples]:
    """The same texts with some numbers negated: masked, they differ in their lengths alone."""
    out = []
    for e in examples:
        sign = [-1.0 if matches(name, slots) else 1.0 for name in e.layout.number_slots]
        out.append(dataclasses.replace(e, numbers=e.numbers * sign))
    return out
