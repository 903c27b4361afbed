"""A metric over a size: a line an encoder or aggregate, the seeds as dots in a band."""

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
    """Mean of y over x, a line a `hue`, a panel a `panel`, with the spread as a band.

    Rows that share x, hue and panel (seeds) make one point: its mean, a dot for each, and a
    band from the least to the greatest. Lines and panels come in the order in which the frame
    names them.

    Parameters
    ----------
    frame : DataFrame
        Columns x and y, numbers; hue, the name of an encoder or aggregate; panel, any.
    x, y, hue, panel : str
        Columns; x and y name the axes, "_" as a space.

    Returns
    -------
    Figure
        Its axes can be changed further: a log scale, limits, other labels.
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
    """The mean of each group as a line, its range as a band, and what is in it as dots: seeds can
    have two outcomes and none between."""
    mean, n = values.mean(), values.size()
    color = encoder_color(name)
    ax.fill_between(mean.index, values.min(), values.max(), color=color, alpha=0.2, lw=0)
    if n.max() > 1:
        every = np.concatenate([group for _, group in values])
        ax.scatter(np.repeat(mean.index, n), every, 18, color=color, alpha=0.6, lw=0)
    ax.plot(mean.index, mean, color=color, marker=encoder_marker(name), label=name)


@styled
def scaling(frame: pd.DataFrame, y: str = "exact_match", hue: str = "encoder") -> Figure:
    """A metric over the training samples and over the model's size, each on its own log axis.

    Parameters
    ----------
    frame : DataFrame
        Columns over, the panel and the name of its axis ("training samples"); size, a number;
        hue; y, a share, drawn in percent. Rows that share all of these but y (seeds) make one
        point: its mean, a dot for each, and a band from the least to the greatest.
    """
    groups = list(frame.assign(**{y: 100 * frame[y]}).groupby("over", sort=False))
    figure, axes = panels(len(groups), 2, 4.2, 3.6, share=False)
    for ax, (over, rows) in zip(axes, groups, strict=True):
        for name, line in rows.groupby(hue, sort=False):
            line_with_band(ax, line.groupby("size")[y], str(name))
        ticks = sorted(rows["size"].unique())
        ax.set(xscale="log", xlabel=over, ylim=(-3, 103))
        ax.set_xticks(ticks, [_count(tick) for tick in ticks], minor=False)
        ax.minorticks_off()
        if ax.get_subplotspec().is_first_col():
            ax.set_ylabel(f"{y.replace('_', ' ')} (%)")
    legend(figure, axes)
    return figure


def _count(n: float) -> str:
    """A count on an axis: 400, 1.6k, 37.6M."""
    for unit, name in ((1e6, "M"), (1e3, "k")):
        if n >= unit:
            return f"{n / unit:.3g}{name}"
    return f"{n:g}"
