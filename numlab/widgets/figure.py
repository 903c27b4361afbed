"""The still parts of the sweep's figure, and empty traces for what moves."""

from __future__ import annotations

import math

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from numlab.plots import encoder_color
from numlab.plots.sweep import GREY, PALE, SHADE

GAP = {"fillcolor": SHADE, "line_width": 0, "opacity": 1, "layer": "below"}
STILL = {"mode": "lines", "showlegend": False, "hoverinfo": "skip"}
SHADED = " (shaded: gaps between trained values)"  # of an axis with gaps
FLOOR = 1e-3  # of the axis: smaller errors are drawn there


def sweep_figure(encoders: list[str], speller: str | None, slot: str, axis, gaps) -> go.Figure:
    """Predicted against true numbers, their errors below, and beside them one encoder's words.

    Its traces are named "true", "true, below", "<encoder>", "<encoder> so far",
    "<encoder> error", "words", "argmax" and "expectation".

    Parameters
    ----------
    encoders : list of str
    speller : str, optional
        The encoder whose words stand in the right panel; without one there is no such panel.
    slot : str
    axis : (float, float)
        The ends of both axes of numbers.
    gaps : sequence of (float, float)
    """
    figure = _panels(speller)
    span = axis[1] - axis[0]
    figure.add_scatter(
        x=axis, y=axis, line={"color": GREY, "width": 1, "dash": "dash"}, row=1, col=1, **STILL
    )
    line = {"color": GREY, "width": 1, "dash": "dot"}
    figure.add_scatter(name="true", y=axis, line=line, row=1, col=1, **STILL)
    ends = [FLOOR * span / 2, 2 * span]
    figure.add_scatter(name="true, below", y=ends, line=line, row=2, col=1, **STILL)
    for name in encoders:
        _add_encoder(figure, name)
    if speller:
        _add_words(figure, speller, axis)
    _add_gaps(figure, gaps, speller)
    title = f"true {slot}{SHADED if gaps else ''}"
    figure.update_xaxes(range=axis, col=1)
    figure.update_xaxes(title=title, row=2, col=1)
    figure.update_yaxes(range=axis, row=1)
    figure.update_yaxes(title=f"predicted {slot}", row=1, col=1)
    decades = [math.log10(FLOOR * span / 1.5), math.log10(1.5 * span)]
    look = {"type": "log", "range": decades, "dtick": 1, "exponentformat": "power"}
    figure.update_yaxes(title="|median - true|", **look, row=2, col=1)
    above = {"orientation": "h", "y": 1.02, "yanchor": "bottom"}
    margin = {"l": 70, "r": 20, "t": 40, "b": 45}
    figure.update_layout(template="simple_white", height=470, margin=margin)
    figure.update_layout(legend=above, legend2=above | {"x": 0.68})
    return figure.update_layout(uirevision="kept")  # zoom and hidden traces survive a redrawing


def _panels(speller: str | None) -> go.Figure:
    cells = [[{}, {}], [{}, None]] if speller else [[{}], [{}]]
    widths = [0.66, 0.34] if speller else [1.0]
    return make_subplots(
        rows=2,
        cols=len(widths),
        specs=cells,
        column_widths=widths,
        row_heights=[0.7, 0.3],
        shared_xaxes="columns",
        shared_yaxes="rows",
        horizontal_spacing=0.03,
        vertical_spacing=0.05,
    )


def _add_gaps(figure: go.Figure, gaps, speller: str | None) -> None:
    line = {"line": {"color": PALE, "width": 1}, "layer": "below", "opacity": 1}
    for low, high in gaps:
        figure.add_vrect(low, high, **GAP, col=1)
    for edge in sorted({edge for gap in gaps for edge in gap}):
        figure.add_vline(edge, **line, col=1)
        for column in (1, 2) if speller else (1,):
            figure.add_hline(edge, **line, row=1, col=column)


def _add_encoder(figure: go.Figure, name: str) -> None:
    line = {"color": encoder_color(name), "width": 1.5}
    own = {"line": line, "legendgroup": name, **STILL}
    figure.add_scatter(name=f"{name} so far", opacity=0.5, **own, row=1, col=1)
    figure.add_scatter(name=f"{name} error", **own, row=2, col=1)
    figure.add_scatter(
        name=name,
        legendgroup=name,
        mode="markers",
        marker={"color": encoder_color(name), "size": 9, "line": {"color": "white", "width": 1}},
        error_y={"type": "data", "symmetric": False, "thickness": 1.4, "width": 3},
        hovertemplate="true %{customdata[0]:.4g}: median %{customdata[1]:.4g}, "
        "%{customdata[2]:.4g} to %{customdata[3]:.4g}",
        row=1,
        col=1,
    )


def _add_words(figure: go.Figure, name: str, axis) -> None:
    """The right panel: each word at the number that it spells, on the axis of the left panel."""
    right = {"row": 1, "col": 2}
    figure.add_bar(
        name="words",
        orientation="h",
        width=0.018 * (axis[1] - axis[0]),
        marker={"color": encoder_color(name)},
        textposition="outside",
        textfont={"size": 12},
        constraintext="none",
        cliponaxis=False,
        showlegend=False,
        hovertemplate="%{customdata[0]} spells %{customdata[1]:.4g}: %{x:.1%}<extra></extra>",
        **right,
    )
    for mark, symbol, x in (("argmax", "triangle-right", -0.06), ("expectation", "diamond", -0.16)):
        figure.add_scatter(
            name=mark,
            legend="legend2",
            x=[x],
            mode="markers",
            marker={"color": GREY, "symbol": symbol, "size": 10},
            hovertemplate="%{customdata:.4g}",
            **right,
        )
    ticks = {"tickvals": [0, 0.5, 1], "tickformat": ".0%"}
    title = f"{name}: probability of its words"
    figure.update_xaxes(title=title, range=(-0.22, 1.25), col=2, **ticks)
