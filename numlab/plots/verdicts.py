"""A forest plot of the claims: how far the statistic of each lies on the claimed side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numlab.plots.style import styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

FAR = 30.0  # standard deviations: effects beyond are drawn at the edge


@styled
def verdicts(frame: pd.DataFrame, colors: dict[str, str]) -> Figure:
    """A row for each claim, grouped by paper: its effect with the 95 % interval.

    Parameters
    ----------
    frame : DataFrame [paper, claim, verdict, effect, half]
        `effect` in standard deviations of the samples, positive on the claimed side, plus or minus
        `half`.
    colors : of the verdicts.
    """
    from matplotlib.figure import Figure

    papers = list(frame.groupby("paper", sort=False))
    figure = Figure(figsize=(10, 1.0 + 0.19 * len(frame) + 0.4 * len(papers)))
    if not papers:
        figure.text(0.5, 0.5, "No claim has been judged by samples yet.", ha="center")
        return figure
    heights = [len(rows) + 1 for _, rows in papers]
    grid = figure.subplots(len(papers), 1, sharex=True, squeeze=False, height_ratios=heights)
    for (paper, rows), ax in zip(papers, grid[:, 0], strict=True):
        rows = rows.sort_values("effect", ignore_index=True)
        for verdict, part in rows.groupby("verdict"):
            x, look = part.effect.clip(-FAR, FAR), {"color": colors[verdict], "fmt": "o", "ms": 4}
            ax.errorbar(x, part.index, xerr=part.half, label=verdict, lw=1.2, **look)
        ax.set_yticks(rows.index, rows.claim.str.partition("/")[2], fontsize=7.5)
        ax.set(xscale="symlog", xlim=(-1.2 * FAR, 1.2 * FAR), ylim=(-1, len(rows)))
        ax.set_title(paper, loc="left", fontsize=10)
        ax.axvline(0, color="0.4", lw=0.8)
    ax.set_xlabel("effect in standard deviations of the samples (right of 0: as claimed)")
    handles = {h.get_label(): h for a in grid[:, 0] for h in a.get_legend_handles_labels()[0]}
    figure.legend(handles.values(), handles, loc="outside upper right", ncols=len(handles))
    return figure
