"""A view of the sweep as a figure of its own, and the cell that makes it again."""

from __future__ import annotations

import hashlib
import json
import re
from html import escape
from typing import TYPE_CHECKING

from numlab import probes, store
from numlab.figures import filing
from numlab.training import Run
from numlab.widgets.numbers import TEXTS, answers, marks, short_names, speller, spellings, texts_at

if TYPE_CHECKING:
    import pandas as pd

CELL = """import numlab as nl

nl.begin({notebook!r}, {profile!r}, {{{profile!r}: {{}}}})
digests = {digests}
runs = [nl.widgets.stored(digest) for digest in digests]
view = nl.widgets.swept(
    runs,
    {slot!r},
    at={at!r},
    values={values},
    n={n},
)
figure = nl.plots.sweep(view, gaps={gaps!r})
nl.save_figure({id!r}, figure, view)
"""


def keep(runs: list[Run], slot: str, at: float, n: int, values: list[float], gaps: tuple) -> str:
    """File a view as png, svg, csv and provenance, and say how to make it again, as HTML.

    The cell that is shown is what has been run: what it makes is what was kept.
    """
    if not runs:
        return "Nothing to keep: no encoder is chosen."
    notebook, profile = filing.session() or ("explore/kept", "quick")
    digests = [run.digest for run in runs]
    view = hashlib.sha256(repr((digests, slot, at, n)).encode()).hexdigest()[:6]
    where = re.sub(r"[^a-z0-9]+", "-", f"{slot}-{at}-{view}".lower()).strip("-")
    cell = CELL.format(
        notebook=notebook,
        profile=profile,
        digests=_listed(digests, indent=0),
        slot=slot,
        at=at,
        values=_listed(sorted({*values, at})),
        n=n,
        gaps=gaps,
        id=f"explore/{where}",
    )
    exec(cell, {})
    place = f"figures/{profile}/explore/{where}"
    head = (
        f"<p role='status'>Kept as {place}.png, .svg, .csv and .json. This cell makes it again:</p>"
    )
    look = "white-space: pre; overflow-x: auto; line-height: 1.35; user-select: all"
    return f'{head}<pre style="{look}">{escape(cell)}</pre>'


def swept(
    runs: list[Run], slot: str, at: float, values: list[float], n: int = TEXTS
) -> pd.DataFrame:
    """What runs answer along the values of a parameter, and among which words they choose at one.

    Parameters
    ----------
    runs : runs of one task.
    slot : a parameter that the task can hold fixed.
    at : the value at which words are shown.
    values : of the curves.
    n : texts a value.

    Returns
    -------
    DataFrame [part, encoder, true, median, low, high, invalid, word, number, probability]
        part "answer": a row an encoder and value, as from `answers`; "word": a row a word at
        `at`, as from `spellings`; "argmax" and "expectation": the number that the words come to.
    """
    import pandas as pd

    parts = [answers(runs, slot, value, n).assign(part="answer") for value in values]
    run = speller(runs)
    if run is not None:
        name = short_names(runs)[run]
        same = {"encoder": name, "true": at}
        read = probes.number_logits(run, texts_at(run.spec.task, slot, at, n), slot)
        parts.append(spellings(read).assign(part="word", **same))
        number = marks(read)
        parts.append(pd.DataFrame({"part": number.keys(), "number": number.values(), **same}))
    frame = pd.concat(parts, ignore_index=True)
    return frame[["part", *frame.columns.drop("part")]]


def stored(digest: str) -> Run:
    """The run that the store holds under a digest.

    Raises
    ------
    ValueError
        Where it holds none, or one of an older version: it has to be trained again from its spec.
    """
    path = store.runs_dir() / digest / "spec.json"
    if not path.is_file():
        raise ValueError(f"the store holds no run {digest}: train it again from its spec")
    run = Run(store.restore(json.loads(path.read_text("utf-8"))))
    if run.digest != digest:
        raise ValueError(f"run {digest} is of an older version: train it again from its spec")
    return run


def _listed(values: list, indent: int = 4) -> str:
    """A list as it stands in a cell, in lines of at most about 90 characters."""
    lines, line = [], ""
    for value in values:
        piece = f"{value!r}, "
        if line and len(line) + len(piece) > 84:
            lines.append(line)
            line = ""
        line += piece
    body = "".join(f"{' ' * indent}    {part.rstrip()}\n" for part in [*lines, line])
    return f"[\n{body}{' ' * indent}]"
