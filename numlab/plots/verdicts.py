"""A forest plot of the claims: how far the statistic of each lies on the claimed side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numlab.plots.style import styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FAR = 30  # standard deviations: effects beyond are drawn at the edge
TICKS = [-10, -3, -1, 0, 1, 3, 10]


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
    if not papers:
        figure = Figure(figsize=(6, 1))
        figure.text(0.5, 0.5, "No claim has been judged by samples yet.", ha="center")
        return figure
    columns = papers[:1], papers[1:]  # the first paper has half of the claims
    rows = max(sum(len(part) + 3 for _, part in column) for column in columns)
    figure = Figure(figsize=(14, 1.2 + 0.17 * rows))
    for column, place in zip(columns, figure.subfigures(1, 2), strict=True):
        if column:
            heights = [len(part) + 1 for _, part in column]
            axes = place.subplots(len(column), 1, sharex=True, squeeze=False, height_ratios=heights)
            for (paper, part), ax in zip(column, axes[:, 0], strict=True):
                _rows(ax, paper, part.sort_values("effect", ignore_index=True), colors)
            ax.set_xlabel("effect in standard deviations (right of 0: as claimed)")
    known = [v for v in colors if v in set(frame.verdict)]
    handles = [figure.axes[0].errorbar([], [], fmt="o", ms=4, color=colors[v]) for v in known]
    figure.legend(handles, known, loc="outside upper center", ncols=len(known))
    return figure


def _rows(ax: Axes, paper: str, frame: pd.DataFrame, colors: dict[str, str]) -> None:
    """The claims of one paper, from the least effect at the bottom to the greatest."""
    for verdict, part in frame.groupby("verdict"):
        look = {"color": colors[verdict], "fmt": "o", "ms": 4, "lw": 1.2}
        ax.errorbar(part.effect.clip(-FAR, FAR), part.index, xerr=part.half, **look)
    ax.axvline(0, color="0.4", lw=0.8)
    ax.set_yticks(frame.index, frame.claim.str.partition("/")[2], fontsize=7.5)
    ax.set(xscale="symlog", xlim=(-1.3 * FAR, 1.3 * FAR), ylim=(-1, len(frame)))
    ax.set_xticks(TICKS, map(str, TICKS))
    ax.set_title(paper, loc="left", fontsize=10)
