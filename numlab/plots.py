"""Figures from DataFrames, in one house style. Column names are the interface.

Each function takes a DataFrame and returns a `matplotlib.figure.Figure`; nothing here knows
pyplot, keeps state or draws on import. `styled` puts a function of a notebook in the same style.
"""

from __future__ import annotations

import functools
import itertools
import re
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLE = {
    "figure.constrained_layout.use": True,
    "figure.dpi": 110,
    "figure.facecolor": "white",
    "font.size": 11,
    "axes.titlesize": 11.5,
    "axes.labelsize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.8,
    "lines.linewidth": 1.8,
    "lines.markersize": 6,
    "legend.frameon": False,
    "legend.fontsize": 10,
    "svg.fonttype": "none",
}

# Okabe and Ito's colours, which the colour-blind can tell apart; their yellow is too pale on white.
_COLORS = {
    "XVal": "#D55E00",
    "FoNE": "#0072B2",
    "P10": "#E69F00",
    "P1000": "#56B4E9",
    "B1999": "#8A8A8A",
    "FP15": "#000000",
    "Digits": "#009E73",
    "Subword": "#CC79A7",
    "weighted sum": "#D55E00",
    "sum": "#0072B2",
    "mean": "#E69F00",
    "median": "#56B4E9",
    "max": "#009E73",
    "min": "#CC79A7",
}
_MARKERS = {
    "XVal": "o",
    "FoNE": "D",
    "P10": "s",
    "P1000": "v",
    "B1999": "^",
    "FP15": "X",
    "Digits": "P",
    "Subword": "p",
    "weighted sum": "o",
    "sum": "D",
    "mean": "s",
    "median": "X",
    "max": "^",
    "min": "v",
}
_SCALES = ("#D55E00", "#B63655", "#84206B", "#4B1D70", "#210C4A")  # XVal with k = 0 to 4, darkening
_OTHERS = ("#332288", "#88CCEE", "#117733", "#999933", "#882255", "#44AA99", "#AA4499", "#DDCC77")


def encoder_color(name: str) -> str:
    """The colour of an encoder or an aggregate, the same in every figure.

    Parameters
    ----------
    name : str
        As an encoder prints itself, "FoNE(int_digits=6, ...)", or its family, "FoNE". XVal has
        a colour for each k from 0 to 4. A family that has no colour here gets one by its name.

    Examples
    --------
    >>> encoder_color("FoNE(int_digits=3)") == encoder_color("FoNE")
    True
    >>> encoder_color("XVal(k=2, scale=1.0)") == encoder_color("XVal")
    False
    """
    family = _family(name)
    scales = re.search(r"\bk=(\d+)", name) if family == "XVal" else None
    if scales:
        return _SCALES[min(int(scales[1]), len(_SCALES) - 1)]
    return _COLORS.get(family) or _OTHERS[zlib.crc32(family.encode()) % len(_OTHERS)]


def encoder_marker(name: str) -> str:
    """The marker of an encoder or an aggregate, the same in every figure."""
    family = _family(name)
    return _MARKERS.get(family) or "<>*hH"[zlib.crc32(family.encode()) % 5]


def _family(name: str) -> str:
    return name.split("(")[0].strip()


def style():
    """A context in which figures are drawn in the house style: `with style(): ...`."""
    import matplotlib as mpl

    return mpl.rc_context(STYLE)


def styled(draw: Callable[..., Figure]) -> Callable[..., Figure]:
    """Decorate a function that returns a figure: it draws in the house style."""

    @functools.wraps(draw)
    def in_style(*args, **kwargs) -> Figure:
        with style():
            figure = draw(*args, **kwargs)
            figure.draw_without_rendering()  # labels of ticks are made, and styled, on drawing
            return figure

    return in_style


def panels(
    n: int, columns: int = 3, width: float = 3.6, height: float = 3.2, share: bool = True
) -> tuple[Figure, list[Axes]]:
    """A figure of n panels in rows of at most `columns`, each of width x height inches.

    `share`: all panels have the limits of both axes in common.
    """
    from matplotlib.figure import Figure

    columns = min(n, columns)
    rows = -(-n // columns)
    figure = Figure(figsize=(width * columns + 1.4, height * rows + 0.3))
    grid = figure.subplots(rows, columns, sharex=share, sharey=share, squeeze=False).ravel()
    for unused in grid[n:]:
        unused.remove()
    return figure, list(grid[:n])


@styled
def curves(frame: pd.DataFrame, x: str, y: str, hue: str, panel: str | None = None) -> Figure:
    """Mean of y over x, a line a `hue`, a panel a `panel`, with the spread as a band.

    Rows that share x, hue and panel (seeds) make one point: its mean, and a band from the least
    to the greatest. Lines and panels come in the order in which the frame names them.

    Parameters
    ----------
    frame : DataFrame
        Columns x and y, numbers; hue, the name of an encoder or aggregate; panel, any.
    x, y, hue, panel : str
        Columns; x and y name the axes, "_" as a space.

    Returns
    -------
    Figure
        Its axes can be changed further: a log scale, limits, other labels.
    """
    groups = [("", frame)] if panel is None else list(frame.groupby(panel, sort=False))
    figure, axes = panels(len(groups))
    for ax, (title, rows) in zip(axes, groups, strict=True):
        for name, line in rows.groupby(hue, sort=False):
            _line_with_band(ax, line.groupby(x)[y], str(name))
        ax.set_title(str(title))
        ax.set_xlabel(x.replace("_", " "))
    for ax in axes:
        if ax.get_subplotspec().is_first_col():
            ax.set_ylabel(y.replace("_", " "))
    _legend(figure, axes)
    return figure


@styled
def neighbour_curves(
    frame: pd.DataFrame, paper: float | None = None, below: float | None = None
) -> Figure:
    """kNN-F1 over the number of digits, a line an aggregate (digits, Fig. 2 and 3).

    Parameters
    ----------
    frame : DataFrame
        Columns digits, f1 (mean over the numbers of that many digits), aggregate, pool (a panel
        each), and a row a seed: the band is their spread.
    paper : float, optional
        The paper's value for the weighted sum, drawn as a dashed line.
    below : float, optional
        What the paper's other functions stay below, drawn as a dotted line, on a scale that
        spreads the small values: logarithmic from 0.1 % up, linear below, so that 0 is seen.
    """
    figure = curves(frame, "digits", "f1", "aggregate", "pool")
    for ax in figure.axes:
        ax.set(xlabel="number of digits", xticks=sorted(frame.digits.unique()))
        if below is not None:
            ax.set_yscale("symlog", linthresh=1e-3, linscale=0.4)
            ax.set_yticks([0, 0.001, 0.01, 0.1, 1], ["0", "0.1 %", "1 %", "10 %", "100 %"])
            ax.axhline(
                below, color="#555555", lw=1.2, ls=":", label=f"paper: below {below * 100:.0f} %"
            )
        else:
            ax.set_yticks(np.linspace(0, 1, 6), [f"{p} %" for p in range(0, 101, 20)])
        if paper is not None:
            ax.axhline(paper, color="#555555", lw=1.2, ls="--", label=f"paper: {paper * 100:.0f} %")
        ax.set_ylim(-1e-4 if below is not None else -0.02, 1.05)
    figure.axes[0].set_ylabel("kNN-F1")
    _legend(figure, figure.axes)
    return figure


def _line_with_band(ax: Axes, values: pd.core.groupby.SeriesGroupBy, name: str) -> None:
    mean = values.mean()
    color = encoder_color(name)
    ax.fill_between(mean.index, values.min(), values.max(), color=color, alpha=0.2, lw=0)
    ax.plot(mean.index, mean, color=color, marker=encoder_marker(name), label=name)


def _legend(figure: Figure, axes: list[Axes]) -> None:
    """One legend for all panels, to their right; it takes the place of an earlier one."""
    for old in figure.legends:
        old.remove()
    entries: dict[str, object] = {}
    for ax in axes:
        entries.update(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    figure.legend(entries.values(), entries.keys(), loc="outside right center")


@styled
def predicted_against_true(
    frame: pd.DataFrame, scores: pd.DataFrame, trained: dict[str, list[float]] | None = None
) -> Figure:
    """Predicted over true numbers, a row a slot, a column an encoder (xval, Fig. 6 to 9).

    Parameters
    ----------
    frame : DataFrame
        Columns slot, encoder, true, predicted, a row a text. Invalid predictions (NaN) are not
        drawn: their share stands in the panel.
    scores : DataFrame
        Columns slot, encoder, mse, a row a seed: their mean and range stand in the panel.
    trained : dict of str to list of float, optional
        The values of a slot that training had around its gaps, as grey lines. With them, the
        median of the predictions at each true value is drawn as a line.
    """
    slots, encoders = frame.slot.unique(), frame.encoder.unique()
    figure, axes = panels(len(slots) * len(encoders), len(encoders), 2.1, 2.1, share=False)
    for ax, (slot, name) in zip(axes, itertools.product(slots, encoders), strict=True):
        every = frame[frame.slot == slot]
        rows = every[every.encoder == name]
        low, high = _limits(every)
        color = encoder_color(str(name))
        ax.plot([low, high], [low, high], color="#555555", lw=0.9, ls="--", zorder=1)
        for value in (trained or {}).get(slot, ()):
            ax.axhline(value, color="#B0B0B0", lw=1, zorder=1)
            ax.axvline(value, color="#B0B0B0", lw=1, zorder=1)
        ax.scatter(rows.true, rows.predicted, s=7, color=color, alpha=0.3, lw=0, zorder=2)
        if trained:
            median = rows.groupby("true").predicted.median()
            ax.plot(median.index, median, color=color, marker=encoder_marker(str(name)), ms=4)
        ax.set(xlim=(low, high), ylim=(low, high), xlabel=f"true {slot}")
        ax.set_title(f"{name}\n{_score(scores, slot, name)}", fontsize=10)
        if ax.get_subplotspec().is_first_col():
            ax.set_ylabel(f"predicted {slot}")
        else:
            ax.tick_params(labelleft=False)
    return figure


def _limits(rows: pd.DataFrame) -> tuple[float, float]:
    """What both axes show of a slot: the true numbers and the bulk of the predictions."""
    low, high = rows.true.min(), rows.true.max()
    inner = rows.predicted.quantile([0.01, 0.99])
    margin = 0.5 * (high - low)
    low, high = (
        min(low, max(inner.iloc[0], low - margin)),
        max(high, min(inner.iloc[1], high + margin)),
    )
    return low - 0.06 * (high - low), high + 0.06 * (high - low)


def _score(scores: pd.DataFrame, slot: str, name: str) -> str:
    mse = scores[(scores.slot == slot) & (scores.encoder == name)].mse
    spread = f" ({mse.min():.1e} to {mse.max():.1e})" if len(mse) > 1 else ""
    return f"MSE {mse.mean():.1e}" + spread.replace(" (", "\n(")


@styled
def logit_lines(scan: pd.DataFrame, expected: pd.DataFrame, trained: list[float]) -> Figure:
    """The heaviest words of a number over its true value, and the number that they give
    (xval, Fig. 12).

    Parameters
    ----------
    scan : DataFrame
        Columns true, word, logit, probability, as from `probes.logit_scan`, of one place.
    expected : DataFrame
        Columns true, argmax, expectation, as from `probes.expectation`, and seed.
    trained : list of float
        The values that training had, as grey lines.
    """
    figure, (logits, weights, numbers) = panels(3, 3, 4.0, 3.6, share=False)
    words = scan.groupby("word").probability.max().nlargest(8).index
    for i, word in enumerate(sorted(words)):
        line = scan[scan.word == word].sort_values("true")
        look = {"color": _OTHERS[i], "ls": ("-", "--")[i % 2], "label": word}
        logits.plot(line.true, line.logit, **look)
        weights.plot(line.true, line.probability, **look)
    for way, color, ls in (("argmax", "#56B4E9", "-"), ("expectation", "#0B4F7D", "--")):
        grouped = expected.groupby("true")[way]
        by_seed = expected.groupby(["true", "seed"])[way].mean().groupby("true")
        numbers.fill_between(
            by_seed.min().index, by_seed.min(), by_seed.max(), color=color, alpha=0.2, lw=0
        )
        numbers.plot(grouped.mean().index, grouped.mean(), color=color, ls=ls, label=f"mean {way}")
    ends = [expected.true.min(), expected.true.max()]
    numbers.plot(ends, ends, color="#555555", lw=0.9, ls=":", label="true value")
    for ax, ylabel in zip(
        (logits, weights, numbers), ("logit", "probability", "predicted step size"), strict=True
    ):
        for value in trained:
            ax.axvline(value, color="#B0B0B0", lw=1, zorder=0)
        ax.set(xlabel="true step size", ylabel=ylabel)
    logits.legend(title="significand", ncols=2, fontsize=9)
    numbers.legend()
    return figure
