"""Clouds of number embeddings that a person turns; hovering names the number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plotly.subplots import make_subplots

from numlab.widgets.plot import Plot

if TYPE_CHECKING:
    import pandas as pd


def clouds(frame: pd.DataFrame, dimensions: int = 2) -> Plot:
    """Embeddings in their first two or three principal components, side by side.

    Parameters
    ----------
    frame : DataFrame
        Columns cloud (the panel's title), number, pc1, pc2 and, for three dimensions, pc3.
    dimensions : int
        2 or 3.
    """
    if dimensions not in (2, 3):
        raise ValueError(f"clouds have 2 or 3 dimensions; got {dimensions}")
    names = list(frame.cloud.unique())
    kind = {"type": "scene" if dimensions == 3 else "xy"}
    figure = make_subplots(cols=len(names), specs=[[kind] * len(names)], subplot_titles=names)
    add = figure.add_scatter3d if dimensions == 3 else figure.add_scatter
    for i, name in enumerate(names):
        rows = frame[frame.cloud == name]
        axes = {axis: rows[f"pc{j + 1}"].tolist() for j, axis in enumerate("xyz"[:dimensions])}
        numbers, size = rows.number.tolist(), 4 if len(rows) > 20 else 9
        add(
            **axes,
            mode="markers",
            name=name,
            marker={"color": numbers, "colorscale": "Viridis", "size": size},
            customdata=numbers,
            hovertemplate="%{customdata:g}<extra></extra>",
            col=i + 1,
            row=1,
        )
    if dimensions == 3:
        titles = {f"{axis}axis_title": f"pc{j + 1}" for j, axis in enumerate("xyz")}
        figure.update_scenes(**titles)
    else:
        figure.update_xaxes(title="1st principal component")
        figure.update_yaxes(title="2nd principal component", col=1)
    margin = {"l": 50, "r": 20, "t": 40, "b": 50}
    figure.update_layout(template="simple_white", height=420, showlegend=False, margin=margin)
    return Plot(figure)
