"""What the colour of a number can show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from numlab.examples import to_figures

if TYPE_CHECKING:
    import pandas as pd

DIGITS = (  # Paul Tol's muted colours
    "#332288",
    "#88CCEE",
    "#44AA99",
    "#117733",
    "#999933",
    "#DDCC77",
    "#CC6677",
    "#882255",
    "#AA4499",
    "#777777",
)


def columns(numbers: np.ndarray) -> dict[str, np.ndarray]:
    """Columns of numbers (n,): value, first digit and exponent; of whole ones the last digit and
    parity, too."""
    numbers = numbers.astype(float)
    significand, exponent = to_figures(numbers, 12)
    found = {
        "value": numbers,
        "first digit": np.floor(np.abs(significand) / 1e11),
        "exponent": (exponent + 11).astype(float),
    }
    if (numbers == np.rint(numbers)).all():
        found["last digit"] = np.abs(numbers) % 10
        found["parity"] = numbers % 2
    return found


def paint(name: str, column: np.ndarray) -> dict:
    """A plotly colour axis for a column, and its colours: digits and words have ten, apart."""
    if column.dtype.kind not in "fiub":
        return _apart(name, *np.unique(column.astype(str), return_inverse=True))
    column = column.astype(float)
    if name == "parity":
        return _apart(name, np.array(["even", "odd"]), column)
    if name.endswith("digit"):
        return _apart(name, np.arange(10), column)
    return {"color": column, "colorscale": "Viridis", "colorbar": _bar(name)}


def joined(numbers: np.ndarray, frame: pd.DataFrame | None) -> dict[str, np.ndarray]:
    """The columns of numbers, and those of a frame that has a row for each number.

    Raises
    ------
    ValueError
        For a frame without the column "number", or with none for some of the numbers.
    """
    own = columns(numbers)
    if frame is None:
        return own
    if "number" not in frame or not np.isin(numbers, frame.number).all():
        raise ValueError("columns have one named 'number', with every number of the embeddings")
    rows = frame.drop_duplicates("number").set_index("number").loc[numbers]
    return own | {name: rows[name].to_numpy() for name in rows}


def _apart(name: str, labels: np.ndarray, codes: np.ndarray) -> dict:
    """Colours for labels 0, 1, ...; more than ten share theirs."""
    n = min(len(labels), len(DIGITS))
    edges = np.repeat(np.arange(n + 1) / n, 2)[1:-1].tolist()
    scale = list(map(list, zip(edges, np.repeat(DIGITS[:n], 2).tolist(), strict=True)))
    ticks = {"tickvals": list(range(n)), "ticktext": [str(label) for label in labels[:n]]}
    limits = {"cmin": -0.5, "cmax": n - 0.5}
    return {"color": codes % n, "colorscale": scale, "colorbar": _bar(name) | ticks, **limits}


def _bar(name: str) -> dict:
    return {"title": {"text": name}, "thickness": 12, "outlinewidth": 0}
