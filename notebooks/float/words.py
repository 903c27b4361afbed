"""Models cut short, and how well runs find masked words (float, Tables 1 and 2)."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import rankdata

import numlab as nl
from numlab.pretrained.source import load

METRICS = {"perplexity": nl.metrics.perplexity} | {
    f"top-{k}": functools.partial(nl.metrics.top_k, k=k) for k in (1, 5, 20, 100)
}
KINDS = {"thing": "thing", "size": "its size", "unit0": "unit", "unit1": "unit"}  # of slots


def cut(name: str, layers: int, folder: Path) -> str:
    """A copy of a pretrained model with its first blocks only, in a folder; its path."""
    from transformers import AutoModel, AutoTokenizer
    from transformers.utils import logging

    if not (folder / "model.safetensors").exists():
        before = logging.get_verbosity()
        logging.set_verbosity_error()  # it warns of the weights that are left out
        logging.disable_progress_bar()
        model = load(AutoModel, name, num_hidden_layers=layers)
        logging.set_verbosity(before)
        load(AutoTokenizer, name).save_pretrained(folder)
        model.save_pretrained(folder)
        logging.enable_progress_bar()
    return str(folder)


def by_frequency(run: nl.Run, words: pd.DataFrame) -> pd.DataFrame:
    """The trivial answer: every word is as likely as it is frequent in training.

    Parameters
    ----------
    run : Run
    words : DataFrame
        Rows of `evaluation.masked_words` of that run.

    Returns
    -------
    DataFrame
        The same rows, with other ranks and log-probabilities.
    """
    corpus = run.tokenizer(run.examples("train"))
    batch = corpus.batch(np.arange(len(corpus)))
    seen = batch.ids[run.spec.objective.words(batch)]
    count = 1 + np.bincount(seen, minlength=run.tokenizer.offset)
    rank = 1 + len(count) - rankdata(count, method="max").astype(int)
    log_probability = np.log(count / count.sum())
    return words.assign(rank=rank[words.token], log_probability=log_probability[words.token])


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
