"""Clouds of points side by side: turn them, colour them, choose some with a brush."""

import textwrap

import numpy as np
import pandas as pd
import plotly.express as px
import plotly.graph_objects as go
import traitlets
from plotly.subplots import make_subplots

from numlab.numbers import shown, to_figures
from numlab.widgets.panel import TEMPLATE, Plot, script

HOVER = "%{customdata}<extra></extra>"
APART = px.colors.qualitative.Safe[:10]


def clouds(frame: pd.DataFrame, dimensions: int = 2) -> Plot:
    """Embeddings in their first two or three principal components, side by side.

    `frame` has the columns cloud (the pane's title), number, pc1, pc2 and, for three, pc3.

    >>> found = nl.embeddings.from_encoder(nl.FoNE(int_digits=2), np.arange(9.0), 8)
    >>> frame = nl.probes.pca(found, 2).assign(cloud="FoNE")
    >>> panel = nl.widgets.clouds(frame)
    """
    if dimensions not in (2, 3):
        raise ValueError(f"clouds have 2 or 3 dimensions; got {dimensions}")
    axes, points, looks = [f"pc{i + 1}" for i in range(dimensions)], {}, []
    for title, rows in frame.groupby("cloud", sort=False):
        points[title], numbers = rows[axes].to_numpy(), rows.number.tolist()
        size = (4 if len(rows) > 20 else 9) / (3 if dimensions == 3 else 1)  # as large on the page
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
        if deep:  # plotly would cut the balls at the ends in half
            ends = np.stack([cloud.min(0), cloud.max(0)])
            ends = ends + np.outer([-0.08, 0.08], np.ptp(cloud, axis=0).clip(1e-9))
            ranges = {f"{axis}axis_range": pair for axis, pair in zip("xyz", ends.T, strict=True)}
            figure.update_scenes(ranges, row=1, col=i + 1)
    bare = {"showticklabels": False, "ticks": ""}
    if deep:
        names = zip("xyz", axes, strict=True)
        scene = {f"{axis}axis": {"title": {"text": name}, **bare} for axis, name in names}
        eye = {"x": 2.1, "y": 2.1, "z": 1.4}  # far enough for the names to fit
        figure.update_scenes(scene, aspectmode="cube", camera_eye=eye)
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


def color_columns(numbers: np.ndarray) -> pd.DataFrame:
    """Value, first digit, exponent and, of whole numbers (n,), last digit and parity."""
    values = numbers.astype(float)
    significand, exponent = to_figures(values, 12)
    first = np.floor(np.abs(significand) / 1e11)
    frame = pd.DataFrame({"value": values, "first digit": first, "exponent": exponent + 11.0})
    if (values == np.rint(values)).all():
        frame["last digit"] = (np.abs(numbers) % 10).astype(float)  # of Python ints, the exact one
        frame["parity"] = np.where(numbers % 2, "odd", "even")
    return frame


def color_axis(column: pd.Series) -> tuple[np.ndarray, dict]:
    """(n,) colours and their plotly colour axis; digits and parities have distinct colours."""
    bar = {"title": {"text": column.name}, "thickness": 12, "outlinewidth": 0}
    numeric = pd.api.types.is_numeric_dtype(column)
    if numeric and not column.name.endswith("digit"):
        return column.to_numpy(float), {"colorscale": "Viridis", "colorbar": bar}
    codes, names = (column, range(10)) if numeric else pd.factorize(column, sort=True)
    n = len(names)
    scale = [[(i + end) / n, APART[i]] for i in range(n) for end in (0, 1)]
    bar |= {"tickvals": list(range(n)), "ticktext": list(map(str, names))}
    axis = {"colorscale": scale, "colorbar": bar, "cmin": -0.5, "cmax": n - 0.5}
    return np.asarray(codes, float), axis
