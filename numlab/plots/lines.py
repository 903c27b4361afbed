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


@styled
def neighbour_curves(
    frame: pd.DataFrame, paper: float | None = None, below: float | None = None
) -> Figure:
    """kNN-F1 over the number of digits, a line an aggregate (digits, Fig. 2 and 3).

    Parameters
    ----------
    frame : DataFrame
        Columns digits, f1 (mean over the numbers of that many digits), aggregate, pool (a panel
        each), and a row a seed: the band is their spread.
    paper : float, optional
        The paper's value for the weighted sum, drawn as a dashed line.
    below : float, optional
        What the paper's other functions stay below, drawn as a dotted line, on a scale that
        spreads the small values: logarithmic from 0.1 % up, linear below, so that 0 is seen.
    """
    figure = curves(frame, "digits", "f1", "aggregate", "pool")
    for ax in figure.axes:
        ticks = sorted(frame.digits.unique())
        ax.set(xlabel="number of digits", ylabel="kNN-F1", xticks=ticks)
        ax.label_outer()
        if below is not None:
            ax.set_yscale("symlog", linthresh=1e-3, linscale=0.4)
            ax.set_yticks([0, 0.001, 0.01, 0.1, 1], ["0", "0.1 %", "1 %", "10 %", "100 %"])
            ax.axhline(
                below, color="#555555", lw=1.2, ls=":", label=f"paper: below {below * 100:.0f} %"
            )
        else:
            ax.set_yticks(np.linspace(0, 1, 6), [f"{p} %" for p in range(0, 101, 20)])
        if paper is not None:
            ax.axhline(paper, color="#555555", lw=1.2, ls="--", label=f"paper: {paper * 100:.0f} %")
        ax.set_ylim(*((-1e-4, 1.4) if below is not None else (-0.02, 1.05)))
    legend(figure, figure.axes)
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
