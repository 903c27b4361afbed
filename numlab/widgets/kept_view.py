"""Keep a view of the sweep: save it as a figure, and print the cell that makes it again."""

import hashlib
import json
import pprint
import re
from html import escape

import pandas as pd

from numlab import plots, store
from numlab.evaluation import labels
from numlab.figures import filing
from numlab.training import Run
from numlab.widgets.panel import note
from numlab.widgets.sweep_answers import TEXTS, answers, speller, words

__all__ = ["keep", "stored", "swept"]

LOOK = "white-space: pre; overflow-x: auto; line-height: 1.35; user-select: all"


def keep(runs: list[Run], slot: str, at: float, values: list[float], n: int, gaps: tuple) -> str:
    """Save a view as png, svg, csv and json; returns, as HTML, the cell that does the same."""
    notebook, profile = filing.session() or ("explore/kept", "quick")
    if not filing.session():
        filing.begin(notebook, profile, {profile: {}})
    digests = [run.digest for run in runs]
    key = hashlib.sha256(repr((digests, slot, at, n)).encode()).hexdigest()[:6]
    id = "explore/" + re.sub(r"[^a-z0-9]+", "-", f"{slot}-{at}-{key}".lower()).strip("-")
    view = swept(runs, slot, at=at, values=values, n=n)
    filing.save_figure(id, plots.sweep(view, gaps=gaps), view)
    cell = f"""import numlab as nl

nl.begin({notebook!r}, {profile!r}, {{{profile!r}: {{}}}})
digests = {_lines(digests)}
runs = [nl.widgets.stored(digest) for digest in digests]
values = {_lines(values)}
view = nl.widgets.swept(runs, {slot!r}, at={at!r}, values=values, n={n})
nl.save_figure({id!r}, nl.plots.sweep(view, gaps={gaps!r}), view)
"""
    files = f"figures/{profile}/{id}.png, .svg, .csv and .json"
    said = note(f"Kept as {files}. This cell makes it again:")
    return f'{said}<pre style="{LOOK}">{escape(cell)}</pre>'


def _lines(values: list) -> str:
    return pprint.pformat(values, width=84, compact=True)


def swept(
    runs: list[Run], slot: str, at: float, values: list[float], n: int = TEXTS
) -> pd.DataFrame:
    """What runs answer along a parameter, and the words among which one chooses at one value.

    Parameters
    ----------
    runs : list of Run
        Of one task.
    slot : str
        A parameter that the task can hold fixed.
    at : float
        The value at which words are shown.
    values : list of float
        Where the runs are asked.
    n : int
        Texts a value.

    Returns
    -------
    DataFrame [part, encoder, true, median, low, high, invalid, word, number, probability]
        part "answer": one row for each encoder and value, as from `answers`; "word": one row for
        each word at `at`; "argmax" and "expectation": the numbers that the words' logits give.
    """
    parts = [answers(runs, slot, value, n).assign(part="answer") for value in values]
    if run := speller(runs):
        parts.append(words(run, slot, at, n).assign(encoder=labels(runs)[run], true=at))
    frame = pd.concat(parts, ignore_index=True)
    return frame[["part", *frame.columns.drop("part")]]


def stored(digest: str) -> Run:
    """The run that the store holds under a digest.

    Raises
    ------
    ValueError
        If it holds none, or one made by an older version of its classes.
    """
    path = store.runs_dir() / digest / "spec.json"
    if not path.is_file():
        raise ValueError(f"the store holds no run {digest}: train it again from its spec")
    run = Run(store.restore(json.loads(path.read_text("utf-8"))))
    if run.digest != digest:
        raise ValueError(f"run {digest} is of an older version: train it again from its spec")
    return run
