"""Metrics of predictions, and their spread over seeds.

A metric is a function from rows of `predict` to a float, and says how it counts answers that are
not numbers.
"""

from collections.abc import Callable, Sequence

import numpy as np

__all__ = ["character_error_rate", "exact_match", "invalid_rate", "mse", "r2", "score"]

RESAMPLES = 200  # of the bootstrap, where there is one seed


def invalid_rate(frame) -> float:
    """The share of answers that are not numbers."""
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


def character_error_rate(frame) -> float:
    """Mean of edit distance over the length of the true number, both as decimals (digits, 5).

    1 is 100 %, and more is possible (our choice: an answer that is not a number costs 1, as an
    empty one does).

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
    answers = zip(frame.predicted, frame.valid, strict=True)
    predicted = [_decimal(x) if valid else "" for x, valid in answers]
    edits = process.cpdist(true, predicted, scorer=Levenshtein.distance)
    return float((edits / np.char.str_len(true)).mean())


def _decimal(x: float | int) -> str:
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


def score(frame, metric: Callable, by: Sequence[str] = ("encoder", "slot")):
    """A metric of predictions, with its spread and 95 % interval over the seeds.

    Parameters
    ----------
    frame : DataFrame
        Rows of `predict`, with the columns `seed`, `example` and those of `by`.
    metric : callable
        From a DataFrame to a float, such as `mse` or `exact_match`. It sees one seed at a time.
    by : sequence of str
        Columns whose values are told apart.

    Returns
    -------
    DataFrame [*by, value, spread, low, high, least, greatest, seeds]
        `value`, `spread`, `least` and `greatest`: mean, standard deviation, minimum and maximum
        over the seeds; `low` to `high`: 95 % interval, by Student's t over the seeds; with one
        seed by a bootstrap over the examples.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = {"seed": [0, 0, 1, 1], "example": [0, 1] * 2, "true": 1.0, "predicted": [1, 2, 1, 1]}
    >>> score(pd.DataFrame(rows).assign(valid=True), mse, by=()).value.tolist()
    [0.25]
    """
    import pandas as pd

    groups = frame.groupby(list(by), sort=False) if by else [((), frame)]
    rows = [
        [*key, *_spread([rows for _, rows in group.groupby("seed")], metric)]
        for key, group in groups
    ]
    columns = ["value", "spread", "low", "high", "least", "greatest", "seeds"]
    return pd.DataFrame(rows, columns=[*by, *columns])


def _spread(seeds: list, metric: Callable) -> tuple:
    from scipy.stats import t

    values = np.array([metric(rows) for rows in seeds])
    n, mean = len(values), values.mean()
    if n > 1:
        spread = values.std(ddof=1)
        half = t.ppf(0.975, n - 1) * spread / n**0.5
        low, high = mean - half, mean + half
    else:
        spread = np.nan
        low, high = np.nanpercentile(_bootstrap(seeds[0], metric), [2.5, 97.5])
    return mean, spread, low, high, values.min(), values.max(), n


def _bootstrap(frame, metric: Callable) -> np.ndarray:
    """The metric of examples drawn again and again, with all rows of each."""
    rng = np.random.default_rng(0)
    rows = list(frame.groupby("example").indices.values())
    draws = (rng.integers(len(rows), size=len(rows)) for _ in range(RESAMPLES))
    return np.array([metric(frame.iloc[np.concatenate([rows[i] for i in d])]) for d in draws])
