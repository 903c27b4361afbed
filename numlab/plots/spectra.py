"""Spectra of number embeddings: which periods stand out (fone, Appendix D)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from numlab.plots.style import legend, panels, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

PERIODS = {10: "10", 5: "5", 10 / 3: "3⅓", 2.5: "2.5", 2: "2"}


@styled
def spectra(frame: pd.DataFrame) -> Figure:
    """Power over frequency with the peaks marked (fone, Fig. 7 and 8).

    Dashed lines are the thresholds. Lines darken in the order of the frame.

    Parameters
    ----------
    frame : DataFrame
        Columns: source, one panel each; stage, one line each; frequency, power, threshold and
        peak, from `probes.spectrum`.
    """
    from matplotlib import colormaps

    groups = list(frame.groupby("source", sort=False))
    figure, axes = panels(len(groups), 2, 5.2, 3.4)
    stages = list(frame.stage.unique())
    shades = colormaps["viridis_r"](
        np.linspace(0.1 if len(stages) > 1 else 0.75, 0.95, len(stages))
    )
    for ax, (source, rows) in zip(axes, groups, strict=True):
        for stage, shade in zip(stages, shades, strict=True):
            line = rows[rows.stage == stage]
            ax.plot(line.frequency, line.power, color=shade, lw=1.2, label=stage)
            peaks = line[line.peak]
            (dots,) = ax.plot(peaks.frequency, peaks.power, "o", color=shade, ms=5)
            threshold = ax.axhline(line.threshold.iloc[0], color=shade, lw=1, ls="--")
        dots.set_label("peak")
        threshold.set_label("exceeded by chance\n(1 % of shuffles)")
        ax.set(yscale="log", xlim=(0, 0.51), title=source, xlabel="period (frequency rises)")
        ax.set_xticks([1 / period for period in PERIODS], PERIODS.values())
        if ax.get_subplotspec().is_first_col():
            ax.set_ylabel("power (mean: 1)")
    legend(figure, axes)
    return figure
