"""Grouped bars, one for each encoder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from numlab.plots.style import encoder_color, legend, panels, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@styled
def bars(frame: pd.DataFrame, x: str, y: str, hue: str = "encoder") -> Figure:
    """A group of bars for each x and a bar for each hue, labelled with its height.

    Rows with the same x and hue (seeds) are drawn as their mean and, as a line, their range.

    Parameters
    ----------
    frame : DataFrame
        Columns x, names; hue, names of encoders; y, numbers. Groups and bars keep its order.
    """
    groups, names = list(frame[x].unique()), list(frame[hue].unique())
    figure, (ax,) = panels(1, 1, min(14.0, max(4.0, 0.5 * len(groups) * (len(names) + 1))), 3.4)
    by_bar = frame.groupby([hue, x])[y]
    width = 0.85 / len(names)
    for i, name in enumerate(names):
        at = np.arange(len(groups)) + width * (i - (len(names) - 1) / 2)
        mean, low, high = (by_bar.agg(f)[name][groups].to_numpy() for f in ("mean", "min", "max"))
        look = {"color": encoder_color(name), "error_kw": {"lw": 1, "alpha": 0.7}}
        drawn = ax.bar(at, mean, width, yerr=(mean - low, high - mean), label=name, **look)
        ax.bar_label(drawn, fmt="{:.2g}", fontsize=8.5, padding=1)
    ax.set_xticks(range(len(groups)), groups)
    ax.set_ylabel(y.replace("_", " "))
    ax.grid(axis="x", visible=False)
    legend(figure, [ax])
    return figure
