"""Tables, claims and pages as Markdown and HTML, from the templates in this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jinja2
import numpy as np

from numlab.figures.catalogue import FOLDER

if TYPE_CHECKING:
    import pandas as pd

VERDICTS = {True: "held", False: "not held", None: "not tested"}
_TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(FOLDER / "templates"),
    autoescape=jinja2.select_autoescape(["html"]),
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_TEMPLATES.globals["VERDICTS"] = VERDICTS
template = _TEMPLATES.get_template


def markdown(frame: pd.DataFrame) -> str:
    """A table as Markdown."""
    rows = [list(map(_cell, row)) for row in flat(frame).itertuples(index=False)]
    return template("macros.md").module.table([*flat(frame).columns], rows)


def flat(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with a named index as its first columns."""
    return frame if set(frame.index.names) == {None} else frame.reset_index()


def _cell(value: Any) -> str:
    """Floats with four digits, and nothing for a missing value."""
    if str(value) in ("nan", "None", "<NA>", "NaT"):
        return ""
    return f"{value:.4g}" if isinstance(value, (float, np.floating)) else str(value)
