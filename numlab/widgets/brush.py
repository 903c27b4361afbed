"""Panes of points that a person brushes: what is chosen in one is chosen in all, at once."""

from __future__ import annotations

import textwrap

import numpy as np
import plotly.graph_objects as go
import traitlets
from plotly.subplots import make_subplots

from numlab.widgets.plot import Plot, script


class Brush(Plot):
    """A figure whose traces with the meta "pane" are points of the same numbers.

    Attributes
    ----------
    chosen : str
        Places of the chosen points, "3,17,42"; set from here or by the brush. One text is sent
        and checked at once, a list of 100,000 integers is not.
    hovered : int
        Place of the point under the mouse; -1: none yet.
    answered : int
        Counts the answers to choices: the page takes the time until it changes.
    """

    _esm = script("load", "brush")
    chosen = traitlets.Unicode().tag(sync=True)
    hovered = traitlets.Int(-1).tag(sync=True)
    answered = traitlets.Int(0).tag(sync=True)

    @property
    def places(self) -> np.ndarray:
        """(m,) places of the chosen points."""
        return np.fromstring(self.chosen, np.int64, sep=",")


def panes(
    clouds: list[np.ndarray],
    titles: list[str],
    axes: tuple[str, ...],
    names: np.ndarray,
    paint: dict,
    chosen: np.ndarray,
) -> go.Figure:
    """Side by side, one set of points under several projections.

    Parameters
    ----------
    clouds : list of arrays of shape (n, 2) or (n, 3)
    titles : the panes'
    axes : their names, two or three
    names : array of shape (n,)
        What hovering shows.
    paint : of the markers, such as color and colorbar.
    chosen : array of shape (m,)
        Places of points that are ringed, in three dimensions.
    """
    deep = len(axes) == 3
    kind = {"type": "scene" if deep else "xy"}
    figure = make_subplots(
        cols=len(clouds),
        specs=[[kind] * len(clouds)],
        subplot_titles=["<br>".join(textwrap.wrap(title, 46)) for title in titles],
        horizontal_spacing=0.05,
    )
    add = figure.add_scatter3d if deep else figure.add_scattergl
    size = max(2.5, min(9.0, 300 / len(names) ** 0.5)) / (4 if deep else 1)
    for i, cloud in enumerate(clouds):
        points = dict(zip("xyz", cloud.T.astype(np.float32), strict=False))
        add(
            **points,
            mode="markers",
            meta="pane",
            marker={"size": size, "coloraxis": "coloraxis", "color": paint["color"]},
            customdata=names,
            hovertemplate="%{customdata}<extra></extra>",
            row=1,
            col=i + 1,
        )
        if deep:
            ringed = {key: values[chosen] for key, values in points.items()}
            ring = {"size": 2.5 * size, "symbol": "circle-open", "color": "#D55E00"}
            add(**ringed, mode="markers", marker=ring, hoverinfo="skip", row=1, col=i + 1)
    figure.update_annotations(font_size=12)
    axis = {key: value for key, value in paint.items() if key != "color"}
    figure.update_layout(coloraxis=axis, template="simple_white", height=430, showlegend=False)
    if deep:
        named = zip("xyz", axes, strict=True)
        bare = {"showticklabels": False, "ticks": ""}
        figure.update_scenes(
            {f"{axis}axis": {"title": {"text": name}, **bare} for axis, name in named}
        )
        figure.update_scenes(camera_eye={"x": 1.8, "y": 1.8, "z": 1.2})  # the axes' names fit, too
    else:
        figure.update_xaxes(title=axes[0], showticklabels=False, ticks="")
        figure.update_yaxes(showticklabels=False, ticks="")
        figure.update_yaxes(title=axes[1], col=1)
    figure.update_layout(dragmode="turntable" if deep else "select")
    figure.update_layout(uirevision=f"{axes} {titles}")  # a zoom is kept where the points are
    return figure.update_layout(margin={"l": 30, "r": 20, "t": 60, "b": 30})
