"""How the number that a run puts out moves with one that it reads (xval, 2.2 and Fig. 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from numlab.examples import Examples

if TYPE_CHECKING:
    import pandas as pd

    from numlab.training import Run


def response(run: Run, text: Examples, slot: str, values: np.ndarray, ask: str) -> pd.DataFrame:
    """Move one number of a text, leave the rest, and ask the run for another.

    Parameters
    ----------
    text : the one text, as Examples of length 1.
    slot : the number that is moved.
    values : (n,) numbers to put there.
    ask : the number that is asked for.

    Returns
    -------
    DataFrame [input, predicted, valid]
        A row a value, in their order.
    """
    import pandas as pd

    from numlab.evaluation import predict

    if len(text) != 1 or slot == ask:
        raise ValueError(
            f"one text, and a slot to move besides the asked one; got {len(text)} texts, "
            f"{slot!r} moved and {ask!r} asked"
        )
    values = np.asarray(values, np.float64)
    rows = np.zeros(len(values), int)
    numbers = text.numbers[rows].astype(np.float64)
    numbers[:, text.layout.column(slot)] = values
    words = None if text.words is None else text.words[rows]
    moved = Examples(text.layout, numbers, words, np.arange(len(values)))
    answers = predict(run, [moved], ask)
    return pd.DataFrame(
        {"input": values, "predicted": answers.predicted.astype(float), "valid": answers.valid}
    )


def largest_jumps(response: pd.DataFrame) -> pd.DataFrame:
    """The largest step between neighbouring outputs, on finer and finer sweeps of the input.

    If the output is a continuous function of the input, the jump falls to zero as the sweep gets
    finer; in inverse proportion to the number of points where the function is Lipschitz. If the
    function is a staircase, it stays at the height of the highest stair.

    Parameters
    ----------
    response : DataFrame [input, predicted, valid]
        2^m + 1 points, evenly spaced. The coarser sweeps are every second, fourth, ... of them.

    Returns
    -------
    DataFrame [points, jump]
        Jumps are relative to the range of the output over the whole sweep, and run between
        neighbouring valid outputs.

    Examples
    --------
    >>> import pandas as pd
    >>> line = pd.DataFrame({"input": range(9), "predicted": range(9), "valid": True})
    >>> largest_jumps(line).jump.tolist()
    [1.0, 0.5, 0.25, 0.125]
    """
    import pandas as pd

    n = len(response) - 1
    if n < 1 or n & (n - 1):
        raise ValueError(f"a sweep has 2^m + 1 points; got {n + 1}")
    predicted = response.predicted.where(response.valid).to_numpy(float)
    extent = np.nanmax(predicted) - np.nanmin(predicted)
    rows = []
    for halvings in range(n.bit_length() - 1, -1, -1):
        coarse = predicted[:: 2**halvings]
        coarse = coarse[~np.isnan(coarse)]
        jump = np.abs(np.diff(coarse)).max(initial=0.0)
        rows.append((n // 2**halvings + 1, jump / extent if extent > 0 else 0.0))
    return pd.DataFrame(rows, columns=["points", "jump"])
