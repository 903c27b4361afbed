"""How well masked words are found: scores of many runs, as tables (float, Tables 1 and 2)."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import pandas as pd

import numlab as nl

METRICS = {"perplexity": nl.metrics.perplexity} | {
    f"top-{k}": functools.partial(nl.metrics.top_k, k=k) for k in (1, 5, 20, 100)
}
KINDS = {"thing": "thing", "size": "its size", "unit0": "unit", "unit1": "unit"}  # of slots


def scores(words: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Perplexity and top-k in percent, one row for each seed.

    Parameters
    ----------
    words : DataFrame
        Rows of `evaluation.masked_words`, with the columns of `by`.
    by : sequence of str

    Returns
    -------
    DataFrame [*by, seed, perplexity, top-1, top-5, top-20, top-100]
    """
    rows = [
        [*key, *(metric(rows) for metric in METRICS.values())]
        for key, rows in words.groupby([*by, "seed"], sort=False)
    ]
    frame = pd.DataFrame(rows, columns=[*by, "seed", *METRICS])
    shares = list(METRICS)[1:]
    return frame.assign(**{name: 100 * frame[name] for name in shares})


def with_spread(scores: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Mean ± standard deviation over the seeds, as text.

    >>> frame = pd.DataFrame({"run": "a", "seed": [0, 1], "top-1": [10.0, 12.0]})
    >>> with_spread(frame, ["run"]).values.tolist()
    [['a', '11 ± 1.4']]
    """

    def text(values: pd.Series) -> str:
        return f"{values.mean():.4g}" + (f" ± {values.std():.2g}" if len(values) > 1 else "")

    return scores.groupby(list(by), sort=False).agg(text).drop(columns="seed").reset_index()
