"""Tables as text: for the .md beside a saved table, and for the gallery."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


def flat(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with an index that says something as its first columns."""
    return frame if set(frame.index.names) == {None} else frame.reset_index()


def markdown(columns: Sequence[Any], rows: Iterable[Sequence[Any]]) -> str:
    """A Markdown table.

    Examples
    --------
    >>> print(markdown(["encoder", "MSE"], [["P10", 0.123456], ["xVal", None]]), end="")
    | encoder | MSE |
    | --- | --- |
    | P10 | 0.1235 |
    | xVal |  |
    """
    lines = [list(map(str, columns)), ["---"] * len(columns)]
    lines += [[cell(value) for value in row] for row in rows]
    return "".join(f"| {' | '.join(v.replace('|', '&#124;') for v in line)} |\n" for line in lines)


def cell(value: Any) -> str:
    """A value as a person reads it: floats to four digits, and nothing for a missing one."""
    if str(value) in ("nan", "None", "<NA>", "NaT"):
        return ""
    return f"{value:.4g}" if isinstance(value, (float, np.floating)) else str(value)
