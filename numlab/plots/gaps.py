"""What a value costs that training did not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from numlab.plots.style import encoder_color, encoder_marker, legend, panels, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@styled
def gap_errors(errors: pd.DataFrame, baseline: str) -> Figure:
    """A row a model, its error in the gap (filled) and elsewhere (hollow), the best on top.

    Parameters
    ----------
    errors : DataFrame [encoder, part, error, ...]
        As from `compare.gap_errors`; part is gap or seen. What is 0 or infinite stands at the edge.
    baseline : str
        The encoder whose errors are drawn as lines: what a model must beat.
    """
    from matplotlib.ticker import LogLocator

    table = errors.pivot(index="encoder", columns="part", values="error")
    models = table.drop(index=baseline).sort_values("gap")
    figure, (ax,) = panels(1, 1, 8.2, 0.34 * len(models) + 0.9)
    shown = table.where((table > 0) & (table < np.inf)).stack()
    limits = shown.min() / 2, 2 * shown.max()  # of a log axis: beyond lie 0, and no number at all
    for row, (name, ends) in enumerate(models.clip(*limits).iterrows()):
        color, look = encoder_color(name), {"marker": encoder_marker(name), "s": 42}
        look |= {"zorder": 3, "clip_on": False}
        ax.hlines(row, ends.min(), ends.max(), color=color, lw=1.5, alpha=0.5)
        ax.scatter(ends["seen"], row, facecolor="white", edgecolor=color, **look)
        ax.scatter(ends["gap"], row, color=color, **look)
    grey = {"marker": "o", "edgecolor": "#555555"}
    ax.scatter([], [], facecolor="#555555", label="in the gap", **grey)
    ax.scatter([], [], facecolor="white", label="elsewhere", **grey)
    for part, dash in (("gap", "--"), ("seen", ":")):
        where = "in the gap" if part == "gap" else "elsewhere"
        ax.axvline(table.loc[baseline, part], color="#555555", ls=dash, lw=1, zorder=0)
        ax.plot([], [], color="#555555", ls=dash, lw=1, label=f"{baseline}, {where}")
    ax.set_yticks(range(len(models)), models.index)
    ax.tick_params(which="minor", labelbottom=False)
    ax.set(xscale="log", xlim=limits, ylim=(len(models) - 0.4, -0.6))
    ax.xaxis.set(major_locator=LogLocator(subs=(1, 2, 5)), major_formatter="{x:g}")
    edge = "; at the right edge: no number" if np.isinf(models).any(axis=None) else ""
    ax.set_xlabel(f"median error (interquartile ranges{edge})")
    legend(figure, [ax])
    return figure
