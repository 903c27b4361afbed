"""What a model says of a number's spread, and whether it is true."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from numlab.plots.style import encoder_color, panels, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@styled
def calibration(frame: pd.DataFrame, prior: tuple[float, float], slot: str) -> Figure:
    """Quantiles of the predicted distributions, and how often the truth lies below each level.

    Parameters
    ----------
    frame : DataFrame
        As from `probes.calibration`, with a column seed; the quantiles drawn are of the first.
    prior : (float, float)
        Ends of the uniform distribution that the true numbers come from.
    slot : str
        Its name, for the axes.
    """
    figure, (spread, levels) = panels(2, 2, 4.6, 3.6, share=False)
    first = frame[frame.seed == frame.seed.min()].sort_values("true")
    some = first.iloc[np.linspace(0, len(first) - 1, min(60, len(first))).astype(int)]
    color = encoder_color("XVal")
    wide = {"color": color, "zorder": 2}
    spread.vlines(some.true, some.q5, some.q95, lw=1.2, alpha=0.4, label="central 90 %", **wide)
    spread.vlines(some.true, some.q25, some.q75, lw=3, alpha=0.6, label="central 50 %", **wide)
    spread.plot(some.true, some.q50, "o", ms=4, color=color, label="median", zorder=3)
    spread.plot(prior, prior, color="#555555", lw=0.9, ls="--", zorder=1, label="true")
    low, high = prior
    inner = low + 0.05 * (high - low), high - 0.05 * (high - low)
    spread.axhspan(*inner, color="#E4E4E4", zorder=0, label="central 90 % of the prior")
    spread.set(xlabel=f"true {slot}", ylabel=f"predicted {slot}")
    spread.set_title(f"{len(some)} texts of trial {first.seed.iloc[0]}")
    figure.legend(
        *spread.get_legend_handles_labels(), loc="outside lower center", ncols=5, fontsize=9
    )
    for i, (seed, rows) in enumerate(frame.groupby("seed")):
        share = (np.arange(len(rows)) + 0.5) / len(rows)
        look = {"color": color, "lw": 1.5, "ls": ("-", "--", ":")[i % 3], "label": f"trial {seed}"}
        levels.plot(np.sort(rows.pit), share, **look)
    levels.plot([0, 1], [0, 1], color="#555555", lw=0.9, ls="--", label="calibrated")
    levels.set(xlabel="probability that was predicted", ylabel="share of true numbers below")
    levels.set_title("all texts")
    levels.legend(fontsize=9)
    return figure
