"""Number embeddings: where they lie in two dimensions, and which periods they have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from numlab.plots.style import legend, panels, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

FEW = 20  # up to so many numbers are labelled, and joined by a line
PERIODS = {10: "10", 5: "5", 10 / 3: "3⅓", 2.5: "2.5", 2: "2"}


@styled
def clouds(frame: pd.DataFrame, label: str = "significand") -> Figure:
    """The first two principal components of embeddings, one panel for each cloud (xval, Fig. 11).

    `frame` has the columns cloud (the panel's title), number (brighter is greater), pc1 and pc2;
    `label` says what the numbers of large clouds are.
    """
    names = frame.cloud.unique()
    figure, axes = panels(len(names), len(names), 3.9, 3.6, share=False)
    for ax, name in zip(axes, names, strict=True):
        rows = frame[frame.cloud == name].sort_values("number")
        few = len(rows) <= FEW
        look = {"c": rows.number, "cmap": "viridis", "lw": 0}
        image = ax.scatter(rows.pc1, rows.pc2, s=150 if few else 9, zorder=2, **look)
        if few:
            ax.plot(rows.pc1, rows.pc2, color="#B0B0B0", lw=1, zorder=1)
            middle = rows.number.mean()
            for row in rows.itertuples():
                color = "white" if row.number < middle else "black"
                text = {"ha": "center", "va": "center", "fontsize": 9, "color": color}
                ax.text(row.pc1, row.pc2, f"{row.number:g}", **text)
        ax.set(title=str(name))
        ax.set(xlabel="1st principal component", ylabel="2nd principal component")
        ax.locator_params(axis="x", nbins=5)
        ax.margins(0.1)
        figure.colorbar(image, ax=ax, label="digit" if few else label)
    return figure


@styled
def spectra(frame: pd.DataFrame) -> Figure:
    """Power over frequency with the peaks marked (fone, Appendix D, Fig. 7 and 8).

    `frame` comes from `probes.spectrum`, with two more columns: source, one panel each, and stage,
    one line each. Dashed lines are the thresholds. Lines darken in the order of the frame.
    """
    from matplotlib import colormaps

    groups = list(frame.groupby("source", sort=False))
    figure, axes = panels(len(groups), 2, 5.2, 3.4)
    stages = frame.stage.unique()
    lightest = 0.1 if len(stages) > 1 else 0.75
    shades = colormaps["viridis_r"](np.linspace(lightest, 0.95, len(stages)))
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
