"""Clouds of number embeddings that a person turns; hovering names the number."""

import pandas as pd

from numlab.examples import shown
from numlab.widgets.brush import panes
from numlab.widgets.panel import Plot

__all__ = ["clouds"]


def clouds(frame: pd.DataFrame, dimensions: int = 2) -> Plot:
    """Embeddings in their first two or three principal components, side by side.

    Parameters
    ----------
    frame : DataFrame
        Columns cloud (the pane's title), number, pc1, pc2 and, for three dimensions, pc3.
    dimensions : int
        2 or 3.
    """
    if dimensions not in (2, 3):
        raise ValueError(f"clouds have 2 or 3 dimensions; got {dimensions}")
    axes = ("pc1", "pc2", "pc3")[:dimensions]
    points, markers = {}, []
    for name, rows in frame.groupby("cloud", sort=False):
        points[name] = rows[list(axes)].to_numpy()
        look = {"color": rows.number.tolist(), "colorscale": "Viridis"}
        size = 4 if len(rows) > 20 else 9
        markers.append(look | {"size": size, "names": list(map(shown, rows.number.tolist()))})
    return Plot(panes(points, axes, markers))
