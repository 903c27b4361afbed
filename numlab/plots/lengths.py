"""Exact match by the lengths of two operands, as heat maps (fone, Fig. 9 and 10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numlab.plots.style import panels, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@styled
def length_maps(frame: pd.DataFrame, trained: int, columns: int = 3) -> Figure:
    """Exact match over the length of the first and the second operand, a panel a run.

    Parameters
    ----------
    frame : DataFrame
        Columns first, second, exact_match (0 to 1), as from `probes.by_operand_lengths`; run, the
        name of a panel.
    trained : int
        The longest operand in training: what lies inside is framed where there are longer ones.
    columns : int
        Panels a row.
    """
    groups = list(frame.groupby("run", sort=False))
    figure, axes = panels(len(groups), columns, 2.9, 2.9)
    lengths = sorted(frame["first"].unique())
    inside = sum(length <= trained for length in lengths) - 0.5
    for ax, (name, rows) in zip(axes, groups, strict=True):
        share = rows.pivot(index="second", columns="first", values="exact_match")
        image = ax.imshow(100 * share, vmin=0, vmax=100, cmap="Blues", origin="lower")
        if trained < lengths[-1]:
            edge = {"color": "#D55E00", "lw": 1.5}
            ax.plot([-0.5, inside, inside], [inside, inside, -0.5], **edge)
        ax.set(title=f"{name}\nmean {rows.exact_match.mean():.1%}", xlabel="digits of the first")
        every = range(0, len(lengths), -(-len(lengths) // 12))
        ax.set_xticks(every, [lengths[i] for i in every])
        ax.set_yticks(every, [lengths[i] for i in every])
        ax.tick_params(labelsize=8.5)
        ax.grid(visible=False)
        if ax.get_subplotspec().is_first_col():
            ax.set_ylabel("digits of the second")
    if trained < lengths[-1]:
        figure.supxlabel("framed: the lengths of training", fontsize=10, color="#D55E00")
    figure.colorbar(image, ax=axes, label="exact match (%)", shrink=0.8)
    return figure
