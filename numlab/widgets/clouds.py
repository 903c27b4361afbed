"""Clouds of points side by side: turn them, hover to read a number, choose some with a brush."""

import textwrap

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import traitlets
from plotly.subplots import make_subplots

from numlab.examples import shown
from numlab.widgets.panel import TEMPLATE, Plot, script

__all__ = ["Brush", "clouds", "panes"]

HOVER = "%{customdata}<extra></extra>"


def clouds(frame: pd.DataFrame, dimensions: int = 2) -> Plot:
    """Embeddings in their first two or three principal components, side by side.

    Parameters
    ----------
    frame : DataFrame [cloud, number, pc1, pc2, pc3]
        cloud: the pane's title; pc3: for three dimensions.
    dimensions : 2 or 3.
    """
    if dimensions not in (2, 3):
        raise ValueError(f"clouds have 2 or 3 dimensions; got {dimensions}")
    axes, points, looks = [f"pc{i + 1}" for i in range(dimensions)], {}, []
    for title, rows in frame.groupby("cloud", sort=False):
        points[title], numbers = rows[axes].to_numpy(), rows.number.tolist()
        size = 4 if len(rows) > 20 else 9
        marker = {"color": numbers, "colorscale": "Viridis", "size": size}
        looks.append({"marker": marker, "customdata": list(map(shown, numbers))})
    return Plot(panes(points, axes, looks))


def panes(points: dict[str, np.ndarray], axes: list[str], looks: list[dict]) -> go.Figure:
    """Titled clouds (n, 2 or 3) under the names of the axes; the `customdata` are the names of
    their points."""
    deep = len(axes) == 3
    figure = make_subplots(
        cols=len(points),
        specs=[[{"type": "scene" if deep else "xy"}] * len(points)],
        subplot_titles=["<br>".join(textwrap.wrap(title, 46)) for title in points],
        horizontal_spacing=0.05,
    )
    add = figure.add_scatter3d if deep else figure.add_scattergl
    for i, (title, cloud) in enumerate(points.items()):
        at = dict(zip("xyz", cloud.T.astype(np.float32), strict=False)) | {"row": 1, "col": i + 1}
        add(name=title, mode="markers", hovertemplate=HOVER, meta="pane", **looks[i], **at)
    bare = {"showticklabels": False, "ticks": ""}
    if deep:
        names = zip("xyz", axes, strict=True)
        scene = {f"{axis}axis": {"title": {"text": name}, **bare} for axis, name in names}
        figure.update_scenes(scene, camera_eye={"x": 1.8, "y": 1.8, "z": 1.2})  # names fit, too
    else:
        figure.update_xaxes(title=axes[0], **bare).update_yaxes(**bare)
        figure.update_yaxes(title=axes[1], col=1)
    figure.update_annotations(font_size=12)
    figure.update_layout(dragmode="turntable" if deep else "select", showlegend=False, height=430)
    figure.update_layout(uirevision=f"{axes} {list(points)}")  # a zoom outlives new colours
    return figure.update_layout(template=TEMPLATE, margin={"l": 30, "t": 60, "b": 30})


class Brush(Plot):
    """A figure of `panes` that show the same numbers: a choice in one is a choice in all.

    The brush and Python set `chosen`, indices of points as text, "3,17,42": 100,000 integers would
    take long to validate. `hovered` is the index of the point under the mouse, at first -1;
    `answered` counts answered choices, for the page to measure how long an answer takes.
    """

    _esm = script("load_plotly", "brush")
    chosen = traitlets.Unicode().tag(sync=True)
    hovered = traitlets.Int(-1).tag(sync=True)
    answered = traitlets.Int(0).tag(sync=True)

    @property
    def indices(self) -> np.ndarray:
        """(m,) indices of the chosen points."""
        return np.fromstring(self.chosen, np.int64, sep=",")
