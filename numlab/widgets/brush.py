"""Points side by side in one figure; a person chooses some with a brush."""

import textwrap

import numpy as np
import plotly.graph_objects as go
import traitlets
from plotly.subplots import make_subplots

from numlab.widgets.panel import TEMPLATE, Plot, script

__all__ = ["Brush", "panes"]


class Brush(Plot):
    """A figure of `panes` that show the same numbers: a choice in one is a choice in all.

    Attributes
    ----------
    chosen : str
        Indices of the chosen points, "3,17,42"; the brush and Python can both set it. Text,
        because a list of 100,000 integers takes long to send and to validate.
    hovered : int
        Index of the point under the mouse, at first -1.
    answered : int
        How many choices were answered; the page measures the time until it changes.
    """

    _esm = script("load_plotly", "brush")
    chosen = traitlets.Unicode().tag(sync=True)
    hovered = traitlets.Int(-1).tag(sync=True)
    answered = traitlets.Int(0).tag(sync=True)

    @property
    def indices(self) -> np.ndarray:
        """(m,) indices of the chosen points."""
        return np.fromstring(self.chosen, np.int64, sep=",")


def panes(points: dict[str, np.ndarray], axes: tuple[str, ...], markers: list[dict]) -> go.Figure:
    """Scatter plots side by side.

    Parameters
    ----------
    points : dict of str to array of shape (n, 2) or (n, 3)
        A title and the points of each pane.
    axes : tuple of str
        Names of the two or three axes.
    markers : list of dict
        Of each pane, plotly's marker, and "names" (n,), shown on hovering.
    """
    deep = len(axes) == 3
    figure = make_subplots(
        cols=len(points),
        specs=[[{"type": "scene" if deep else "xy"}] * len(points)],
        subplot_titles=["<br>".join(textwrap.wrap(title, 46)) for title in points],
        horizontal_spacing=0.05,
    )
    add = figure.add_scatter3d if deep else figure.add_scattergl
    for i, (cloud, marker) in enumerate(zip(points.values(), markers, strict=True)):
        names = marker.pop("names")
        look = {"mode": "markers", "meta": "pane", "hovertemplate": "%{customdata}<extra></extra>"}
        coordinates = dict(zip("xyz", cloud.T.astype(np.float32), strict=False))
        add(**coordinates, **look, marker=marker, customdata=names, row=1, col=i + 1)
    bare = {"showticklabels": False, "ticks": ""}
    if deep:
        named = zip("xyz", axes, strict=True)
        titles = {f"{axis}axis": {"title": {"text": name}, **bare} for axis, name in named}
        figure.update_scenes(titles, camera_eye={"x": 1.8, "y": 1.8, "z": 1.2})  # names fit, too
    else:
        figure.update_xaxes(title=axes[0], **bare)
        figure.update_yaxes(**bare).update_yaxes(title=axes[1], col=1)
    figure.update_annotations(font_size=12)
    margin = {"l": 30, "t": 60, "b": 30}
    figure.update_layout(template=TEMPLATE, height=430, showlegend=False, margin=margin)
    figure.update_layout(dragmode="turntable" if deep else "select")
    return figure.update_layout(uirevision=f"{axes} {list(points)}")  # a zoom outlives new colours
