"""Tables, claims and pages as Markdown and HTML, from the templates in this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jinja2
import numpy as np

from numlab.figures.catalogue import FOLDER

if TYPE_CHECKING:
    import pandas as pd

    from numlab.claims import Claim

PARTS = 3  # of a statistic that are written out: those nearest to the other side
COLORS = {"held": "#009E73", "exact": "#0072B2", "contradicted": "#D55E00", "open": "#8A8A8A"}
_TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(FOLDER / "templates"),
    autoescape=jinja2.select_autoescape(["html"]),
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
template = _TEMPLATES.get_template


def summary(claim: Claim, verdict: dict[str, Any]) -> str:
    """What decided a claim, or what left it open: `0.12 [0.05, 0.19], 3 seeds, claimed: > 0`."""
    parts = [
        f"{part['name']} {part['mean']:.3g} [{part['low']:.3g}, {part['high']:.3g}]".strip()
        for part in verdict["parts"][:PARTS]
    ]
    if more := len(verdict["parts"]) - len(parts):
        parts.append(f"and {more} more")
    if parts and claim.over != "nothing":
        parts.append(f"{verdict['parts'][0]['n']} {claim.over}")
    facts = [verdict["why"], ", ".join(parts), f"claimed: {claim.side}", verdict["ours"]]
    return "; ".join(filter(None, facts))


_TEMPLATES.globals |= {"COLORS": COLORS, "summary": summary}


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
