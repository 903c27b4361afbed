"""Lines over a number: the mean of the seeds, each seed as a dot, their range as a band."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from numlab.plots.style import encoder_color, encoder_marker, legend, panels, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@styled
def curves(frame: pd.DataFrame, x: str, y: str, hue: str, panel: str | None = None) -> Figure:
    """Mean of y over x: one line per `hue`, one panel per `panel`.

    Each point is the mean of the rows (seeds) that share x, hue and panel; the rows are dots and
    their range is a band. Lines and panels keep the order of the frame.

    Parameters
    ----------
    frame : DataFrame
    x, y, hue, panel : str
        Columns of the frame: x and y hold numbers and name the axes, hue holds names of encoders
        or aggregates, panel holds titles.
    """
    groups = [("", frame)] if panel is None else list(frame.groupby(panel, sort=False))
    figure, axes = panels(len(groups), 2 if len(groups) == 4 else 3)
    for ax, (title, rows) in zip(axes, groups, strict=True):
        for name, line in rows.groupby(hue, sort=False):
            line_with_band(ax, line.groupby(x)[y], str(name))
        ax.set_title(str(title))
        ax.set_xlabel(x.replace("_", " "))
    for ax in axes:
        if ax.get_subplotspec().is_first_col():
            ax.set_ylabel(y.replace("_", " "))
    legend(figure, axes)
    return figure


def line_with_band(ax: Axes, values: pd.core.groupby.SeriesGroupBy, name: str) -> None:
    """Draw the mean of each group as a line, its range as a band, its values as dots."""
    mean, n = values.mean(), values.size()
    color = encoder_color(name)
    ax.fill_between(mean.index, values.min(), values.max(), color=color, alpha=0.2, lw=0)
    if n.max() > 1:  # seeds may have two outcomes and none between: a band would hide that
        every = np.concatenate([group for _, group in values])
        ax.scatter(np.repeat(mean.index, n), every, 18, color=color, alpha=0.6, lw=0)
    ax.plot(mean.index, mean, color=color, marker=encoder_marker(name), label=name)
