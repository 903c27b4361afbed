"""One difference between two settings at a time: what it does to errors."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from numlab.plots import encoder_color, panels, styled

GREY = "#555555"
PARTS = {"in distribution": "white", "in the gap": None}  # None: the encoder's colour


@styled
def differences(errors: pd.DataFrame, mean_answer: pd.Series, labels: dict[str, str]) -> Figure:
    """A row of panels for each number, a panel for each encoder, a line for each setting.

    Parameters
    ----------
    errors : DataFrame [slot, encoder, setting, part, seed, error]
        part: "in distribution" (hollow) or "in the gap" (full). The first setting is the one that
        the others differ from: its errors go on as dotted and dashed lines.
    mean_answer : Series
        For each slot the error of answering the mean, a solid line.
    labels : the names of the slots.
    """
    slots, encoders = errors.slot.unique(), errors.encoder.unique()
    settings = list(errors.setting.unique())
    figure, axes = panels(
        len(slots) * len(encoders), len(encoders), 3.1, 0.33 * len(settings) + 0.9, share=False
    )
    mean = errors.groupby(["slot", "encoder", "setting", "part"]).error.mean()
    for i, ax in enumerate(axes):
        slot, name = slots[i // len(encoders)], encoders[i % len(encoders)]
        color, rows = encoder_color(name), errors[(errors.slot == slot) & (errors.encoder == name)]
        for y, setting in enumerate(settings):
            line = mean[slot, name, setting]
            ax.hlines(y, line.min(), line.max(), color=color, alpha=0.5)
            for part, fill in PARTS.items():
                look = {"facecolor": fill or color, "edgecolor": color, "zorder": 3}
                ax.scatter(line[part], y, 46, **look)
                seeds = rows.error[(rows.setting == setting) & (rows.part == part)]
                ax.scatter(seeds, np.full(len(seeds), y), 8, color=color, alpha=0.6, lw=0)
        for part, dash in zip(PARTS, (":", "--"), strict=True):
            ax.axvline(mean[slot, name, settings[0], part], color=GREY, ls=dash, lw=1, zorder=0)
        ax.axvline(mean_answer[slot], color=GREY, lw=1, zorder=0)
        every = [errors.error[errors.slot == slot].min(), mean_answer[slot]]
        ax.set(xscale="log", xlim=(every[0] / 1.6, every[1] * 1.6), title=name)
        ax.set(xlabel=f"error of {labels[slot]}", ylim=(len(settings) - 0.5, -0.5))
        ax.set_yticks(range(len(settings)), settings if name == encoders[0] else [])
    dot = {"marker": "o", "ls": "", "markeredgecolor": GREY}
    handles = [
        Line2D([], [], label=part, markerfacecolor=fill or GREY, **dot)
        for part, fill in PARTS.items()
    ]
    handles += [Line2D([], [], color=GREY, lw=1, label="answering the mean")]
    handles += [Line2D([], [], color=GREY, lw=1, ls=":", label="ours, in distribution")]
    handles += [Line2D([], [], color=GREY, lw=1, ls="--", label="ours, in the gap")]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure
