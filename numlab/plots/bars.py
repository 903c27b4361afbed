"""A count a group, a bar an encoder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from numlab.plots.style import encoder_color, legend, panels, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@styled
def bars(frame: pd.DataFrame, x: str, y: str, hue: str = "encoder") -> Figure:
    """A group of bars for each x, a bar for each hue, with its height written on it.

    Parameters
    ----------
    frame : DataFrame
        Columns x, names; hue, names of encoders; y, a number for each pair of them. Groups and
        bars come in the order in which the frame names them.
    """
    groups, names = list(frame[x].unique()), list(frame[hue].unique())
    figure, (ax,) = panels(1, 1, max(4.0, 0.5 * len(groups) * (len(names) + 1)), 3.4)
    heights = frame.pivot(index=hue, columns=x, values=y)
    width = 0.85 / len(names)
    for i, name in enumerate(names):
        at = np.arange(len(groups)) + width * (i - (len(names) - 1) / 2)
        drawn = ax.bar(at, heights.loc[name, groups], width, label=name, color=encoder_color(name))
        ax.bar_label(drawn, fmt="{:.3g}", fontsize=8.5, padding=1)
    ax.set_xticks(range(len(groups)), groups)
    ax.set_ylabel(y.replace("_", " "))
    ax.grid(axis="x", visible=False)
    legend(figure, [ax])
    return figure
