"""FoNE's circles: where a number stands on them, and what is read off (fone, Fig. 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from numlab.plots.style import encoder_color, panels, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MISREAD = "#D55E00"


@styled
def number_on_circles(frame: pd.DataFrame) -> Figure:
    """A number on its circles, and below each circle the read-out of its digit (fone, Fig. 1).

    Parameters
    ----------
    frame : DataFrame
        A row a period and candidate digit. Columns period; remainder, the number modulo the
        period; cos, sin, where it stands; digit, the candidate; score, of that candidate; true,
        the digit that the number has there.
    """
    periods = frame.period.unique()
    figure, axes = panels(2 * len(periods), len(periods), 2.3, 2.3, share=False)
    for i, period in enumerate(periods):
        rows = frame[frame.period == period]
        _circle(axes[i], rows)
        _scores(axes[len(periods) + i], rows)
    axes[len(periods)].set_ylabel("score of each digit")
    return figure


def _circle(ax: Axes, rows: pd.DataFrame) -> None:
    at = rows.iloc[0]
    turn = np.linspace(0, 2 * np.pi, 200)
    ax.plot(np.cos(turn), np.sin(turn), color="#B0B0B0", lw=1)
    for digit in range(10):
        x, y = np.cos(np.pi * digit / 5), np.sin(np.pi * digit / 5)
        ax.plot([0.94 * x, 1.06 * x], [0.94 * y, 1.06 * y], color="#808080", lw=1)
        weight = "bold" if digit == at.true else "normal"
        ax.text(1.24 * x, 1.24 * y, str(digit), ha="center", va="center", weight=weight)
    color = encoder_color("FoNE")
    ax.plot([0, at.cos], [0, at["sin"]], color=color, marker="o", markevery=[1])
    ax.set_title(f"x mod {at.period:g} = {at.remainder:g}")
    ax.set(aspect="equal", xlim=(-1.45, 1.45), ylim=(-1.45, 1.45))
    ax.axis("off")


def _scores(ax: Axes, rows: pd.DataFrame) -> None:
    read, true = int(rows.digit[rows.score.idxmax()]), int(rows.true.iloc[0])
    taken = encoder_color("FoNE") if read == true else MISREAD
    ax.bar(rows.digit, rows.score, color=np.where(rows.digit == read, taken, "#C8C8C8"))
    ax.axhline(0, color="#808080", lw=0.8)
    ax.set(xticks=range(10), ylim=(-1.1, 1.1))
    ax.grid(axis="x", visible=False)
    ax.set_xlabel(f"read {read}" + ("" if read == true else f", is {true}"), color=taken)
    for label in ax.get_xticklabels():
        label.set_fontweight("bold" if label.get_text() == str(true) else "normal")


@styled
def survivors(frame: pd.DataFrame) -> Figure:
    """Which numbers survive a read-out, by their last two digits; a panel a read-out.

    Parameters
    ----------
    frame : DataFrame
        Columns readout, tens, units, and survives, 0 to 1, of which the mean is drawn.
    """
    names = frame.readout.unique()
    figure, axes = panels(len(names), len(names), 3.2, 3.2)
    for ax, name in zip(axes, names, strict=True):
        rows = frame[frame.readout == name]
        share = rows.pivot_table(values="survives", index="tens", columns="units")
        image = ax.imshow(share, vmin=0, vmax=1, cmap="Blues", origin="lower")
        ax.set(title=f"{name}:\n{rows.survives.mean():.1%} survive", xlabel="units")
        ax.set(xticks=range(10), yticks=range(10))
        ax.grid(visible=False)
    axes[0].set_ylabel("tens")
    figure.colorbar(image, ax=axes, label="share of the numbers that survive", shrink=0.8)
    return figure
