"""Neighbours on the number line, and how well embeddings keep them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from numlab.plots.style import encoder_color, encoder_marker, legend, panels, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@styled
def neighbour_lines(frame: pd.DataFrame, number: float) -> Figure:
    """Neighbours of one number, a number line for each way to find them (digits, Fig. 1).

    Parameters
    ----------
    frame : DataFrame
        Columns line, the name of a row, top to bottom as the frame names them, the first of
        which is the number line itself; number, a neighbour; chance, to be drawn among those
        that are tied: the paler, the smaller.
    number : float
        Whose neighbours they are.
    """
    names = list(frame.line.unique())
    figure, (ax,) = panels(1, 1, 8.6, 0.5 * len(names) + 0.6)
    for row, name in enumerate(names):
        found = frame[frame.line == name]
        color = encoder_color(name) if row else "#333333"
        look = {"color": color, "marker": encoder_marker(name), "edgecolor": "white", "lw": 0.6}
        ax.scatter(found.number, np.full(len(found), row), 66, alpha=found.chance**0.5, **look)
    ax.axvline(number, color="#333333", lw=1)
    first = frame[frame.line == names[0]].number
    ax.axvspan(first.min() - 0.5, first.max() + 0.5, color="#E9E9E9", lw=0, zorder=0)
    ax.set_yticks(range(len(names)), names)
    ax.set(xlabel="number (paler: tied for the last places)", ylim=(len(names) - 0.4, -0.6))
    ax.set_title(f"the nearest neighbours of {number:g}")
    return figure


@styled
def dots(frame: pd.DataFrame, y: str, x: str, hue: str) -> Figure:
    """A row a name, a dot a state: its mean over the rows that share both, and their range.

    Parameters
    ----------
    frame : DataFrame
        Columns y, names, top to bottom as the frame names them; x, a share, drawn in percent;
        hue, states.
    """
    names, states = list(frame[y].unique()), list(frame[hue].unique())
    figure, (ax,) = panels(1, 1, 6.4, 0.34 * len(names) + 0.8)
    colors = ("#BBBBBB", "#777777", "#111111")  # states, not encoders
    for i, (state, color) in enumerate(zip(states, colors[: len(states)], strict=True)):
        values = 100 * frame[frame[hue] == state].groupby(y)[x].agg(["mean", "min", "max"])
        at = np.array([names.index(name) for name in values.index]) + 0.22 * (i - 1)
        ax.hlines(at, values["min"], values["max"], color=color, lw=2, alpha=0.5)
        ax.scatter(values["mean"], at, 34, color=color, marker="oDs"[i], label=state, zorder=3)
    ax.set_yticks(range(len(names)), names)
    ax.set(xlabel=f"{x} (%)", ylim=(len(names) - 0.4, -0.6), xlim=(-3, 103))
    legend(figure, [ax])
    return figure
