"""Which signs and sizes of numbers a model tells apart (xval, Fig. 10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from numlab.plots.style import encoder_color, panels, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CLASSES = {
    -3: "≤ −1",
    -2: "−1 to −0.1",
    -1: "−0.1 to 0",
    1: "0 to 0.1",
    2: "0.1 to 1",
    3: "≥ 1",
}
INVALID = 0
SAID = {INVALID: "no number", **CLASSES}
EXCEPTION = "#D6006C"  # the paper's orange is P10's here


@styled
def length_cues(frame: pd.DataFrame) -> Figure:
    """Above, predicted over true numbers, the exceptions marked; below, the share of each
    class of true numbers that is predicted to be of each, or is no number; a column an encoder
    (xval, Fig. 10).

    Parameters
    ----------
    frame : DataFrame
        As from `probes.length_cues`, with a column encoder.
    """
    names = frame.encoder.unique()
    figure, axes = panels(2 * len(names), len(names), 3.9, 3.6, share=False)
    for i, name in enumerate(names):
        rows = frame[frame.encoder == name]
        _scatter(axes[i], rows, str(name))
        image = _confusions(axes[len(names) + i], rows)
        if i:
            axes[len(names) + i].tick_params(labelleft=False)
    axes[0].set_ylabel("predicted number")
    axes[len(names)].set_ylabel("predicted number")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper left")
    label = "share of the true class"
    figure.colorbar(image, ax=axes[len(names) :], label=label, shrink=0.85)
    return figure


def _scatter(ax: Axes, rows: pd.DataFrame, name: str) -> None:
    """On axes that are linear up to 0.1 and logarithmic beyond."""
    look = {"lw": 0, "zorder": 2, "rasterized": True}  # 40,000 points
    shown = rows[~rows.exception]
    ax.scatter(shown.true, shown.predicted, s=5, color=encoder_color(name), alpha=0.3, **look)
    odd = rows[rows.exception]
    label = "0.01 ≤ |x| < 0.1, as short as 0.1 to 1"
    ax.scatter(odd.true, odd.predicted, s=16, color=EXCEPTION, label=label, **look)
    for edge in (-1, -0.1, 0.1, 1):
        ax.axhline(edge, color="#B0B0B0", lw=0.8, zorder=1)
        ax.axvline(edge, color="#B0B0B0", lw=0.8, zorder=1)
    most = 1.3 * rows.true.abs().max()
    ax.set_xscale("symlog", linthresh=0.1, linscale=0.7)
    ax.set_yscale("symlog", linthresh=0.1, linscale=0.7)
    ticks = [t for t in (-1, -0.1, 0, 0.1, 1) if abs(t) < most]
    ax.set_xticks(ticks, [f"{t:g}" for t in ticks])
    ax.set_yticks(ticks, [f"{t:g}" for t in ticks])
    ax.set(xlim=(-most, most), ylim=(-most, most), title=name, xlabel="true number")
    ax.grid(visible=False)


def _confusions(ax: Axes, rows: pd.DataFrame):
    said = rows.predicted_class.where(rows.predicted.notna(), INVALID)
    counts = np.array(
        [[((rows.true_class == t) & (said == p)).sum() for t in CLASSES] for p in SAID]
    )
    share = counts / np.maximum([(rows.true_class == t).sum() for t in CLASSES], 1)
    image = ax.imshow(share, vmin=0, vmax=1, cmap="Blues", origin="lower")
    for (y, x), value in np.ndenumerate(share):
        if value >= 0.005:
            color = "white" if value > 0.6 else "#333333"
            ax.text(x, y, f"{value:.0%}", ha="center", va="center", fontsize=8, color=color)
    labels = list(CLASSES.values())
    ax.set_xticks(range(6), labels, rotation=45, ha="right")
    ax.set_yticks(range(7), SAID.values())
    ax.set_xlabel("true number")
    ax.grid(visible=False)
    return image
