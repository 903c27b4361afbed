"""The still parts of the sweep's figure, and empty traces for what moves."""

from __future__ import annotations

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from numlab.plots import encoder_color

GREY, PALE = "#555555", "#C8C8C8"
SHADE = {"fillcolor": "#F7F5EE", "line_width": 0, "opacity": 1}
STILL = {"mode": "lines", "showlegend": False, "hoverinfo": "skip"}


def sweep_figure(encoders: list[str], speller: str | None, slot: str, axis, gaps) -> go.Figure:
    """Predicted against true numbers, and beside them the words of one text encoder.

    Its traces are named "true", "<encoder>", "<encoder> so far", "words", "argmax" and
    "expectation".

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
    panels = {"cols": 2, "column_widths": [0.66, 0.34]} if speller else {"cols": 1}
    figure = make_subplots(shared_yaxes=True, horizontal_spacing=0.03, **panels)
    figure.add_scatter(x=axis, y=axis, line={"color": GREY, "width": 1, "dash": "dash"}, **STILL)
    line = {"color": GREY, "width": 1, "dash": "dot"}
    figure.add_scatter(name="true", y=axis, line=line, **STILL)
    for name in encoders:
        _add_encoder(figure, name)
    if speller:
        _add_words(figure, speller, axis)
    line = {"line": {"color": PALE, "width": 1}, "layer": "below", "opacity": 1}
    for low, high in gaps:
        figure.add_vrect(low, high, **SHADE, layer="below", col=1)
    for edge in {edge for gap in gaps for edge in gap}:
        figure.add_hline(edge, **line)
        figure.add_vline(edge, **line, col=1)
    title = f"true {slot}" + (" (shaded: gaps between trained values)" if gaps else "")
    figure.update_xaxes(title=title, range=axis, col=1)
    figure.update_yaxes(range=axis)
    figure.update_yaxes(title=f"predicted {slot}", col=1)
    above = {"orientation": "h", "y": 1.02, "yanchor": "bottom"}
    margin = {"l": 60, "r": 20, "t": 40, "b": 50}
    figure.update_layout(template="simple_white", height=400, margin=margin)
    figure.update_layout(legend=above, legend2=above | {"x": 0.68})
    return figure.update_layout(uirevision="kept")  # zoom and hidden traces survive a redrawing


def _add_encoder(figure: go.Figure, name: str) -> None:
    line = {"color": encoder_color(name), "width": 1.5}
    figure.add_scatter(name=f"{name} so far", line=line, legendgroup=name, opacity=0.5, **STILL)
    figure.add_scatter(
        name=name,
        legendgroup=name,
        mode="markers",
        marker={"color": encoder_color(name), "size": 9, "line": {"color": "white", "width": 1}},
        error_y={"type": "data", "symmetric": False, "thickness": 1.4, "width": 3},
        hovertemplate="true %{customdata[0]:.4g}: median %{customdata[1]:.4g}, "
        "%{customdata[2]:.4g} to %{customdata[3]:.4g}",
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
    title = f"{name}: probability of the significand"
    figure.update_xaxes(title=title, range=(-0.22, 1.25), col=2, **ticks)
