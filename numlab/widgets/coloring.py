"""The columns by which numbers are coloured, and their colour axes."""

import numpy as np
import pandas as pd
import plotly.express as px

from numlab.examples import to_figures

__all__ = ["color_axis", "color_columns"]

APART = px.colors.qualitative.Safe[:10]


def color_columns(numbers: np.ndarray, columns: pd.DataFrame | None = None) -> pd.DataFrame:
    """Value, first digit, exponent and, of whole numbers (n,), last digit and parity; then the
    rows of `columns` that have these numbers in the column "number"."""
    values = numbers.astype(float)
    significand, exponent = to_figures(values, 12)
    first = np.floor(np.abs(significand) / 1e11)
    frame = pd.DataFrame({"value": values, "first digit": first, "exponent": exponent + 11.0})
    if (values == np.rint(values)).all():
        frame["last digit"] = np.abs(values) % 10
        frame["parity"] = np.where(values % 2, "odd", "even")
    if columns is None:
        return frame
    if "number" not in columns or not np.isin(numbers, columns.number).all():
        raise ValueError('columns need "number", with every number of the embeddings')
    rows = columns.drop_duplicates("number").set_index("number").loc[numbers]
    return frame.assign(**rows.reset_index(drop=True))


def color_axis(column: pd.Series) -> tuple[np.ndarray, dict]:
    """(n,) colours and their plotly colour axis; words and digits have ten distinct colours."""
    bar = {"title": {"text": column.name}, "thickness": 12, "outlinewidth": 0}
    numeric = pd.api.types.is_numeric_dtype(column)
    if numeric and not column.name.endswith("digit"):
        return column.to_numpy(float), {"colorscale": "Viridis", "colorbar": bar}
    codes, names = (column, range(10)) if numeric else pd.factorize(column.astype(str), sort=True)
    n = min(len(names), len(APART))
    scale = [[(i + end) / n, APART[i]] for i in range(n) for end in (0, 1)]
    bar |= {"tickvals": list(range(n)), "ticktext": list(map(str, names[:n]))}
    limits = {"cmin": -0.5, "cmax": n - 0.5}
    return np.asarray(codes, float) % n, {"colorscale": scale, "colorbar": bar, **limits}
