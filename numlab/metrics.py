"""Metrics of predictions, and their spread over seeds.

A metric is a function from rows of `predict` to a float, and says how it counts answers that are
not numbers.
"""

import itertools
import warnings
from collections.abc import Callable, Sequence
from numbers import Real

import numpy as np

from numlab.codes.base import LARGEST
from numlab.numbers import EXACT, check_count

__all__ = ["each_answer", "exact_match", "invalid_rate", "log_smape", "mse", "r2"]
__all__ += ["same_digits", "score"]

RESAMPLES = 200  # of the bootstrap, where there is one seed
MOST_ROWS = 2**18  # of resamples in memory at once


def invalid_rate(frame) -> float:
    """The share of answers that are not numbers, from 0 to 1.

    >>> frame = pd.DataFrame({"true": [1.0, 2.0], "predicted": [1.0, None]})
    >>> nl.metrics.invalid_rate(frame.assign(valid=[True, False]))
    0.5
    """
    return float(1 - frame.valid.mean())


def exact_match(frame, tolerance: float = 0.0) -> float:
    """The share of answers within `tolerance` of the true number; an invalid one is wrong.

    Words, and numbers from 2**53 on, match exactly or not at all.

    >>> frame = pd.DataFrame({"true": [1.0, 2.0], "predicted": [1.0, 2.5], "valid": True})
    >>> nl.metrics.exact_match(frame)
    0.5
    """
    true, predicted = _floats(frame.true), _floats(frame.predicted)
    near = (np.abs(predicted - true) <= tolerance) & (np.abs(true) < EXACT)  # NaN compares False
    return float((near | _same(frame)).mean())


def _same(frame) -> np.ndarray:
    """(n,) bool: which answers are the true words or numbers, integers of any size included."""
    true, predicted = (x.to_numpy(object, na_value=np.nan) for x in (frame.true, frame.predicted))
    return true == predicted


def log_smape(frame, digits: int = 15) -> float:
    """About the share of the digits that are right: the mean log-sMAPE of `each_answer`.

    >>> frame = pd.DataFrame({"true": [1.0, 2.0], "predicted": [1.0, -2.0], "valid": True})
    >>> nl.metrics.log_smape(frame)
    0.5
    """
    return float(_right(frame, _log_smape, digits=digits).mean())


def same_digits(frame, digits: int = 15) -> float:
    """The share of answers that equal the true number, both rounded to `digits` significant digits.

    An invalid answer is wrong.

    >>> frame = pd.DataFrame({"true": [1.0, 2.0], "predicted": [1.001, 2.5], "valid": True})
    >>> nl.metrics.same_digits(frame, digits=3)
    0.5
    """
    return float(_right(frame, equal_digits, digits=digits).mean())


def each_answer(frame, digits: int = 15):
    """How right each answer is, from 0 to 1 (BitTokens, 2510.06824).

    Words, also those that look like numbers, and integers beyond float64 match or not.

    Returns
    -------
    DataFrame [log-sMAPE, same digits, exact number]
        Of an answer p to a number y:
        log-sMAPE: min(1, -log10(sMAPE) / digits) with sMAPE = abs(p - y) / (abs(y) + abs(p) +
        1e-100), which takes all numbers far below 1e-100 for 0; an invalid answer has 0.
        same digits: whether p and y are equal, both rounded to `digits` significant digits.
        exact number: abs(p - y) < 10^-k with k = clip(14 - ceil(log10(abs(y))), 0, 14). It is
        loose: 1.5e-14 passes for 1e-14, and y + 0.9 for a y of 15 digits.
        For float32 numbers pass digits=6.

    >>> frame = pd.DataFrame({"true": [100.0, 1e-14, "B"], "predicted": [101.0, 1.5e-14, "B"]})
    >>> each_answer(frame).round(3).to_numpy().tolist()
    [[0.154, 0.0, 0.0], [0.047, 0.0, 1.0], [1.0, 1.0, 1.0]]
    """
    import pandas as pd

    scores = {
        "log-sMAPE": _right(frame, _log_smape, digits=digits),
        "same digits": _right(frame, equal_digits, digits=digits),
        "exact number": _right(frame, _exact),
    }
    return pd.DataFrame(scores, frame.index)


def _right(frame, score: Callable, **given: int) -> np.ndarray:
    """(n,) float64: the score of each answer; 1 or 0, a match or none, for words and for NaN."""
    true, predicted = _floats(frame.true), _floats(frame.predicted)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        scores = np.where(np.isnan(true), np.nan, score(true, predicted, **given))
    if (unknown := np.isnan(scores)).any():
        scores[unknown] = _same(frame)[unknown]
    return scores


def _log_smape(true: np.ndarray, predicted: np.ndarray, digits: int) -> np.ndarray:
    check_count("digits", digits)
    size = np.abs(true / 4) + np.abs(predicted / 4)  # so that no sum overflows
    error = np.abs(predicted / 4 - true / 4) / (size + 0.25e-100)
    scores = np.minimum(1, -np.log10(error + 1e-100) / digits) + 0.0
    return np.where(np.isfinite(predicted) & np.isfinite(true), scores, 0.0)


def _exact(true: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    k = np.clip(14 - np.ceil(np.log10(np.abs(true))), 0, 14)
    exact = np.abs(predicted - true) < 10.0**-k  # NaN compares False
    return np.where(np.abs(true) < EXACT, exact, np.nan)  # float64 rounds longer integers


def _floats(column) -> np.ndarray:
    """(n,) float64 of a column of numbers and words: NaN for what float64 does not hold."""
    from pandas.api.types import is_numeric_dtype

    if not is_numeric_dtype(column):
        held = [isinstance(x, Real) and abs(x) <= LARGEST for x in column]
        column = column.where(held)
    return column.to_numpy(float, na_value=np.nan)


def equal_digits(true: np.ndarray, predicted: np.ndarray, digits: int) -> np.ndarray:
    """(n,) bool: whether float64 numbers are equal after both are rounded to as many digits."""
    check_count("digits", digits)
    same = true == predicted
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.abs(predicted - true) <= 2 * 10.0 ** (1 - digits) * np.abs(true)
    for i in np.flatnonzero(near & ~same & np.isfinite(predicted) & np.isfinite(true)):
        a, b = (f"{x[i]:.{digits - 1}e}" for x in (true, predicted))
        same[i] = a == b
    return same


def mse(frame) -> float:
    """Mean squared error over the valid answers; read it beside `invalid_rate`.

    Infinite where float64 does not hold a distance.

    >>> frame = pd.DataFrame({"true": [1.0, 2.0], "predicted": [1.0, 2.5], "valid": True})
    >>> nl.metrics.mse(frame)
    0.125
    """
    return _mean_square(*_numbers(frame))


def r2(frame) -> float:
    """R² over the valid answers, 1 - MSE / variance of the true numbers (fone, Appendix I).

    NaN where they do not vary, or lie further apart than float64 holds.

    >>> frame = pd.DataFrame({"true": [1.0, 2.0], "predicted": [1.0, 2.5], "valid": True})
    >>> nl.metrics.r2(frame)
    0.5
    """
    predicted, true = _numbers(frame)
    if (true == true[:1]).all():  # rounding could make their variance 1e-34
        return float("nan")
    with np.errstate(over="ignore", invalid="ignore"):
        apart = true - true[0]  # else the unit would round 2**60 + 2 to 2**60
        unit = np.abs(apart).max()  # squares of 1e-200 are 0
        variance = float((apart / unit).astype(float).var())
    return 1 - _mean_square(predicted, true, unit) / variance


def _numbers(frame) -> tuple[np.ndarray, np.ndarray]:
    """Predicted and true numbers (n,) of the valid answers, integers as they are: float64 would
    round them before they are subtracted."""
    from pandas.api.types import is_float_dtype

    valid = frame[frame.valid]
    if any(isinstance(x, str) for x in valid.true):
        raise ValueError("expected numbers; got a slot of words: for it take exact_match")
    return tuple(
        x.to_numpy(float if is_float_dtype(x) else object, na_value=np.nan)
        for x in (valid.predicted, valid.true)
    )


def _mean_square(predicted: np.ndarray, true: np.ndarray, unit: float | int = 1) -> float:
    """The mean square of (n,) distances, in a unit: inf beyond float64, NaN for none."""
    if not len(true):
        return float("nan")
    try:
        with np.errstate(over="ignore"):
            return float(np.mean(((predicted - true) / unit).astype(float) ** 2))
    except OverflowError:
        return float("inf")


def score(frame, metric: Callable, by: str | Sequence[str] = ("encoder", "slot")):
    """A metric of predictions, with its spread and 95 % interval over the seeds.

    `frame` has rows of `predict`, with the columns `seed`, `example` and those of `by`, which group
    them. `metric` makes a float of a DataFrame, as `mse` and `exact_match` do; it sees one seed at
    a time.

    Returns
    -------
    DataFrame [*by, value, spread, low, high, seeds]
        `value` and `spread`: mean and standard deviation over the seeds; `low` to `high`: 95 %
        interval, by Student's t over the seeds; with one seed by a bootstrap over the examples.

    >>> rows = {"seed": [0, 0, 1, 1], "example": [0, 1] * 2, "true": 1.0, "predicted": [1, 2, 1, 1]}
    >>> score(pd.DataFrame(rows).assign(valid=True), mse, by=()).value.tolist()
    [0.25]
    """
    import pandas as pd

    if not len(frame):
        raise ValueError("expected rows of nl.predict; got an empty frame")
    by = [by] if isinstance(by, str) else list(by)
    groups = frame.groupby(by, sort=False, dropna=False) if by else [((), frame)]
    rows = [
        [*key, *_spread([rows for _, rows in group.groupby("seed", dropna=False)], metric)]
        for key, group in groups
    ]
    columns = ["value", "spread", "low", "high", "seeds"]
    return pd.DataFrame(rows, columns=[*by, *columns])


def _spread(seeds: list, metric: Callable) -> tuple:
    from scipy.special import stdtrit

    values = np.array([metric(rows) for rows in seeds])
    if values.ndim != 1:
        raise ValueError(f"a metric gives one number of a DataFrame; got {values[0]!r}")
    n, mean = len(values), values.mean()
    if 0 < (lost := int(np.isnan(values).sum())) < n:
        name, counts = getattr(metric, "__name__", metric), f"{lost} of {n} seeds"
        told = f"{name} is NaN for {counts}, and so is its mean: see invalid_rate"
        warnings.warn(told, stacklevel=4)
    if n > 1:
        spread = values.std(ddof=1)
        half = stdtrit(n - 1, 0.975) * spread / n**0.5
        low, high = mean - half, mean + half
    else:
        spread = np.nan
        draws = _bootstrap(seeds[0], metric)
        draws = draws[~np.isnan(draws)]  # of no valid answer none is left
        low, high = np.percentile(draws, [2.5, 97.5]) if len(draws) else (np.nan, np.nan)
    return mean, spread, low, high, n


def _bootstrap(frame, metric: Callable) -> np.ndarray:
    """The metric of examples drawn again and again, with all rows of each."""
    rng, values = np.random.default_rng(0), []
    example = frame.groupby("example", dropna=False).ngroup().to_numpy()
    rows, counts = np.argsort(example, kind="stable"), np.bincount(example)
    first, n = counts.cumsum() - counts, len(counts)
    at_once = max(1, MOST_ROWS // len(frame))  # a slice of many draws costs little
    for k in range(0, RESAMPLES, at_once):
        draws = rng.integers(n, size=(min(at_once, RESAMPLES - k), n)).ravel()
        ends = counts[draws].cumsum()
        within = np.arange(ends[-1]) - np.repeat(ends - counts[draws], counts[draws])
        drawn = frame.iloc[rows[np.repeat(first[draws], counts[draws]) + within]]
        stops = [0, *ends[n - 1 :: n]]
        values += [metric(drawn.iloc[a:b]) for a, b in itertools.pairwise(stops)]
    return np.array(values)
