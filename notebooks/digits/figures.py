"""Neighbours on the number line and in embeddings of digits (digits, Figures 1 to 3)."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, NullLocator

from numlab.plots import captioned, curves, encoder_color, encoder_marker, legend, panels, styled

STATES = {"color": ("#BBBBBB", "#777777", "#111111"), "marker": "oDs"}  # not colours of encoders
TABLES = "line: mean of the tables of digits; dots: each random table; band: their range"
PAPER = {"color": "#555555", "lw": 1.2}


@styled
def number_lines(frame: pd.DataFrame, number: float) -> Figure:
    """The nearest neighbours of one number, a line for each way to find them (digits, Fig. 1).

    `frame` has the columns line (the name of a row; the first is the number line itself), neighbour
    and chance (the probability that a tied neighbour is drawn: the smaller, the paler the mark).
    """
    names = list(frame.line.unique())
    figure, (ax,) = panels(1, 1, 8.6, 0.5 * len(names) + 0.6)
    for row, name in enumerate(names):
        near = frame[frame.line == name]
        color = encoder_color(name) if row else "#333333"
        look = {"color": color, "marker": encoder_marker(name), "edgecolor": "white", "lw": 0.6}
        ax.scatter(near.neighbour, np.full(len(near), row), 66, alpha=near.chance**0.5, **look)
    ax.axvline(number, color="#333333", lw=1)
    first = frame[frame.line == names[0]].neighbour
    ax.axvspan(first.min() - 0.5, first.max() + 0.5, color="#E9E9E9", lw=0, zorder=0)
    ax.set_yticks(range(len(names)), names)
    ax.set(xlabel="number (paler: tied for the last places)", ylim=(len(names) - 0.4, -0.6))
    ax.set_title(f"The {len(first)} nearest of 0 to 99 to {number:g}; grey: on the number line")
    return figure


@styled
def f1_by_length(
    frame: pd.DataFrame,
    paper: float | None = None,
    below: float | None = None,
    chance: Mapping[str, Mapping[int, float]] | None = None,
) -> Figure:
    """kNN-F1 over the number of digits, a line for each aggregate (digits, Fig. 2 and 3).

    `frame` has the columns pool, table, aggregate, digits, seed and f1, the mean over the numbers
    of that many digits: one panel for each pool of numbers and table of digits. `paper` is the
    paper's value for the weighted sum (dashed), `below` its bound for the other functions (dotted);
    with `below`, the axis is logarithmic from 0.1 % up and linear below, so that 0 is seen, and the
    marks stand side by side. `chance` holds, for some pools, what neighbours drawn at random score,
    by the number of digits.
    """
    pools = list(frame.pool.unique())
    shift = dict(zip(names := frame["aggregate"].unique(), _beside(len(names)), strict=True))
    x = frame.digits + (frame["aggregate"].map(shift) if below is not None else 0)
    panelled = frame.assign(panel="among " + frame.pool + ", " + frame.table, digits=x)
    panelled = panelled.sort_values("pool", key=lambda pool: pool.map(pools.index), kind="stable")
    figure = curves(panelled, "digits", "f1", "aggregate", "panel")
    for ax in figure.axes:
        ticks = sorted(frame.digits.unique())
        ax.set(xlabel="number of digits", ylabel="neighbours found (kNN-F1)", xticks=ticks)
        ax.label_outer()
        if below is None:
            ax.set_yticks(np.linspace(0, 1, 6), [f"{p} %" for p in range(0, 101, 20)])
        else:
            ax.set_yscale("symlog", linthresh=1e-3, linscale=0.4)
            ax.set_yticks([0, 0.001, 0.01, 0.1, 1], ["0", "0.1 %", "1 %", "10 %", "100 %"])
            ax.axhline(below, ls=":", label=f"paper: below {below * 100:.0f} %", **PAPER)
        for pool, scores in (chance or {}).items():
            if pool in ax.get_title():
                ax.plot(list(scores), list(scores.values()), "k--", lw=1, label="chance")
        if paper is not None:
            ax.axhline(paper, ls="--", label=f"paper: {paper * 100:.0f} %", **PAPER)
        ax.set_ylim(*((-0.02, 1.05) if below is None else (-3e-4, 1.4)))
    figure.suptitle("How many of the 10 nearest numbers are among the 10 nearest vectors?")
    legend(figure, figure.axes)
    beside = "" if below is None else "\nmarks stand side by side; the axis is linear below 0.1 %"
    return captioned(figure, TABLES + beside)


def _beside(n: int) -> np.ndarray:
    """(n,) distances from the middle, so that n marks stand beside one another."""
    return 0.09 * (np.arange(n) - (n - 1) / 2)


@styled
def f1_by_base(frame: pd.DataFrame, base: float, paper: float) -> Figure:
    """kNN-F1 of the weighted sum over the base of its weights, a line for each length.

    `frame` has the columns table (a panel each), seed, base, digits and f1. A vertical line marks
    `base`, which is used elsewhere; `paper` is the paper's value from two digits on.
    """
    figure, axes = panels(frame.table.nunique(), 2)
    lengths = sorted(frame.digits.unique())
    colors = colormaps["viridis"](np.linspace(0, 0.92, len(lengths)))  # longer: brighter
    shades = dict(zip(lengths, colors, strict=True))
    for ax, (table, rows) in zip(axes, frame.groupby("table", sort=False), strict=True):
        for n, line in rows.groupby("digits"):
            mean, color = line.groupby("base").f1.mean(), shades[n]
            label = f"{n} digit{'s' if n > 1 else ''}"
            width = 1.2 + 0.5 * (len(lengths) - lengths.index(n))  # lines lie on each other
            ax.plot(mean.index, mean, color=color, lw=width, label=label)
            ax.scatter(line.base, line.f1, 14, color=color, alpha=0.5, lw=0)
        ax.axhline(paper, ls="--", label=f"paper: {paper * 100:.0f} % from 2 digits on", **PAPER)
        ax.axvline(base, ls=":", label=f"base {base:g}, as used here", **PAPER)
        ticks = [1.5, 2, 3, 4, 6, 10, 20, 30]
        ax.set(title=table, xlabel="base of the weights", xscale="log", ylim=(-0.02, 1.05))
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks], minor=False)
        ax.xaxis.set_minor_locator(NullLocator())
        ax.set_yticks(np.linspace(0, 1, 6), [f"{p} %" for p in range(0, 101, 20)])
    axes[0].set_ylabel("neighbours found (kNN-F1)")
    figure.suptitle("The weighted sum: the 10 nearest among numbers of all lengths, by its base")
    legend(figure, axes)
    return captioned(figure, "line: mean of the tables of digits; dots: each random table")


@styled
def norm_by_length(frame: pd.DataFrame) -> Figure:
    """The length of vectors over the number of digits, a line for each aggregate.

    `frame` has the columns table (a panel each), aggregate, digits, seed and norm, in lengths of a
    digit's vector.
    """
    shift = dict(zip(names := frame["aggregate"].unique(), _beside(len(names)), strict=True))
    beside = frame.assign(digits=frame.digits + frame["aggregate"].map(shift))
    figure = curves(beside, "digits", "norm", "aggregate", "table")
    for ax in figure.axes:
        ax.set(xlabel="number of digits", xticks=sorted(frame.digits.unique()), yscale="log")
        ax.yaxis.set(major_locator=LogLocator(), minor_formatter=NullFormatter())
        ax.label_outer()
    figure.axes[0].set_ylabel("vector length (a digit's: 1)")
    figure.suptitle("How long the vectors of longer numbers are")
    return captioned(figure, f"{TABLES}\nmarks stand side by side")


@styled
def f1_over_k(frame: pd.DataFrame, title: str) -> Figure:
    """kNN-F1 over k: the first embedding as a line, the others as marks, one for each seed.

    `frame` has the columns embedding, seed, k and f1.
    """
    figure, (ax,) = panels(1, 1, 6.6, 3.4)
    colors = ("black", encoder_color("weighted sum"), encoder_color("weighted sum"))
    for i, (name, rows) in enumerate(frame.groupby("embedding", sort=False)):
        look = {"lw": 0, "marker": "o", "ms": 6, "alpha": 0.7} if i else {"lw": 1.5}
        if i > 1:
            look["mfc"] = "none"
        ax.plot(rows.k, 100 * rows.f1, color=colors[i], label=name, **look)
    ax.axvline(10, color="#777777", lw=1.2, ls=":", label="k = 10, as elsewhere")
    ax.set_xscale("log")
    ax.set_xticks([1, 3, 10, 30, 100, 300], ["1", "3", "10", "30", "100", "300"])
    ax.set(xlabel="neighbours k", ylabel="neighbours found (kNN-F1, %)", ylim=(0, 100), title=title)
    ax.legend()
    return figure


@styled
def dots(frame: pd.DataFrame, title: str, chance: float) -> Figure:
    """kNN-F1 in percent, a row for each encoder: the mean of the seeds and their range.

    `frame` has the columns encoder, state, seed and f1. States come in the order of the frame,
    encoders by their score in the last one. `chance` is what neighbours drawn at random score, in
    percent.
    """
    states = list(frame.state.unique())
    last = frame[frame.state == states[-1]].groupby("encoder", sort=False).f1.mean()
    names = list(last.sort_values(ascending=False, kind="stable").index)
    figure, (ax,) = panels(1, 1, 6.4, 0.34 * len(names) + 0.8)
    for i, state in enumerate(states):
        color, marker = STATES["color"][i], STATES["marker"][i]
        rows = frame[frame.state == state].groupby("encoder").f1
        f1 = 100 * rows.agg(["mean", "min", "max"])
        y = np.array([names.index(name) for name in f1.index]) + 0.22 * (i - 1)
        ax.hlines(y, f1["min"], f1["max"], color=color, lw=2, alpha=0.5)
        ax.scatter(f1["mean"], y, 34, color=color, marker=marker, label=state, zorder=3)
    ax.axvline(chance, color="#555555", lw=1.2, ls=":", label="chance")
    ax.set_yticks(range(len(names)), names)
    ax.set(
        xlabel="neighbours found (kNN-F1, %)",
        ylim=(len(names) - 0.4, -0.6),
        xlim=(-3, 103),
        title=title,
    )
    legend(figure, [ax])
    return figure
