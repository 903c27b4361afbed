"""One difference between two settings at a time: what it does to errors."""

import itertools

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator

from numlab.plots import encoder_color, panels, styled

GREY = "#555555"
HOLLOW = "in distribution"
PARTS = {HOLLOW: ":", "in the gap": "--"}  # the lines of the first setting


@styled
def differences(errors: pd.DataFrame, mean_answer: pd.Series, labels: dict[str, str]) -> Figure:
    """A row of panels for each number, a panel for each encoder, a line for each setting.

    `errors` has the columns slot, encoder, setting, part ("in distribution", hollow, or "in the
    gap", full), seed and error. The first setting is the one that the others differ from: its
    errors go on as dotted and dashed lines. `mean_answer` holds for each slot that setting's error
    of answering the mean, a solid line: errors below a 3,000th of it, or above five times it,
    stand at the edge. `labels` are the names of the slots. A setting that an encoder has no rows of
    does not differ from the first one for it.
    """
    slots, encoders = errors.slot.unique(), errors.encoder.unique()
    settings = list(errors.setting.unique())
    shape = {"columns": len(encoders), "width": 3.1, "height": 0.33 * len(settings) + 0.9}
    figure, axes = panels(len(slots) * len(encoders), share=False, **shape)
    for ax, (slot, name) in zip(axes, itertools.product(slots, encoders), strict=True):
        of_slot, middle = errors[errors.slot == slot], mean_answer[slot]
        most = max(of_slot.error.max(), middle)
        limits = max(of_slot.error.min() / 1.3, middle / 3000), min(1.3 * most, 5 * middle)
        _settings(ax, of_slot[of_slot.encoder == name], settings, limits)
        ax.axvline(middle, color=GREY, lw=1, zorder=0)
        ticks = (1,) if limits[1] > 100 * limits[0] else (1, 2, 5)
        ax.set(xscale="log", xlim=limits, title=name, xlabel=f"RMS error of {labels[slot]}")
        ax.xaxis.set(major_locator=LogLocator(subs=ticks), major_formatter="{x:g}")
        ax.tick_params(which="minor", labelbottom=False)
        ax.set_yticks(range(len(settings)), settings if name == encoders[0] else [])
        ax.set_ylim(len(settings) - 0.5, -0.5)
    handles = [Line2D([], [], color=GREY, lw=1, label=f"{settings[0]}, answering the mean")]
    for part, dash in PARTS.items():
        fill = "white" if part == HOLLOW else GREY
        dot = {"marker": "o", "markerfacecolor": fill, "markeredgecolor": GREY}
        handles.append(Line2D([], [], ls="", label=part, **dot))
        handles.append(Line2D([], [], color=GREY, lw=1, ls=dash, label=f"{settings[0]}, {part}"))
    dots = "large: mean of the seeds; small: each seed; at the left edge: almost no error; paper, code: of xVal's authors"
    place = {"loc": "outside lower center", "ncols": len(handles)}
    figure.legend(handles=handles, title=dots, title_fontsize=9, **place)
    figure.suptitle("One thing changed at a time: what it does to the error in and out of the gap")
    return figure


def _settings(ax: Axes, rows: pd.DataFrame, settings: list[str], limits: tuple) -> None:
    """A line for each setting, from its error in distribution to that in the gap."""
    color = encoder_color(rows.encoder.iloc[0])
    mean = rows.groupby(["setting", "part"]).error.mean().clip(*limits).unstack()
    for part, dash in PARTS.items():
        ax.axvline(mean[part][settings[0]], color=GREY, ls=dash, lw=1, zorder=0)
    for y, setting in enumerate(settings):
        if setting not in mean.index:
            look = {"fc": "white", "ec": "none", "pad": 0.5}
            text = f" same as {settings[0]}"
            ax.text(limits[0], y, text, va="center", color=GREY, fontsize=8.5, bbox=look)
            continue
        ax.hlines(y, *mean.loc[setting].sort_values(), color=color, alpha=0.5)
        for part in PARTS:
            fill = "white" if part == HOLLOW else color
            look = {"facecolor": fill, "edgecolor": color, "zorder": 3, "clip_on": False}
            ax.scatter(mean[part][setting], y, 46, **look)
            seeds = rows.error[(rows.setting == setting) & (rows.part == part)].clip(*limits)
            ax.scatter(seeds, np.full(len(seeds), y), 8, color=color, alpha=0.6, lw=0)
