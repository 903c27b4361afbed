"""Tables, claims and pages as Markdown and HTML, from the templates in this folder."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import jinja2
import numpy as np

from numlab.figures.catalogue import FOLDER

if TYPE_CHECKING:
    import pandas as pd

VERDICTS = {True: "held", False: "not held", None: "not tested"}


@functools.cache
def templates() -> jinja2.Environment:
    """The templates; those that end in .html escape what they show."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER / "templates"),
        autoescape=jinja2.select_autoescape(["html"]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals["VERDICTS"] = VERDICTS
    return environment


def flat(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with a named index as its first columns."""
    return frame if set(frame.index.names) == {None} else frame.reset_index()


def cell(value: Any) -> str:
    """A value of a table: floats with four digits, a missing one empty."""
    if str(value) in ("nan", "None", "<NA>", "NaT"):
        return ""
    return f"{value:.4g}" if isinstance(value, (float, np.floating)) else str(value)


def markdown(frame: pd.DataFrame) -> str:
    """A table as Markdown."""
    rows = [list(map(cell, row)) for row in flat(frame).itertuples(index=False)]
    return templates().get_template("macros.md").module.table([*flat(frame).columns], rows)
