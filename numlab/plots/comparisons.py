"""Lines over a number or over steps, spectra, and errors in a gap."""

import textwrap
from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from numlab.plots.style import (
    GREY,
    captioned,
    encoder_color,
    encoder_marker,
    label_sides,
    legend,
    panels,
    styled,
)

DASHES = ("-", (0, (5, 2)), (0, (1, 1)), (0, (5, 2, 1, 2)), (0, (10, 2)), (0, (3, 1, 1, 1, 1, 1)))
DIVERGED = 1e4  # of the greatest loss over the median one
PERIODS = {20: "20", 10: "10", 5: "5", 10 / 3: "3⅓", 2.5: "2.5", 2: "2"}  # of spectra, labelled


@styled
def curves(frame: pd.DataFrame, x: str, y: str, hue: str, panel: str | None = None) -> Figure:
    """Mean of y over x: one line per `hue`, one panel per `panel`.

    All four are columns of the frame: x and y hold numbers and name the axes, hue holds names of
    encoders or aggregates, panel holds titles. Each point is the mean of the rows (seeds) that
    share x, hue and panel; the rows are dots and their range is a band. Lines and panels keep the
    order of the frame.

    >>> frame = pd.DataFrame({"x": [1, 2] * 2, "y": 1.0, "encoder": ["P10", "P10", "XVal", "XVal"]})
    >>> figure = nl.plots.curves(frame, "x", "y", "encoder")
    """
    groups = [("", frame)] if panel is None else list(frame.groupby(panel, sort=False))
    figure, axes = panels(len(groups), 2 if len(groups) == 4 else 3)
    for ax, (title, rows) in zip(axes, groups, strict=True):
        for name, line in rows.groupby(hue, sort=False):
            line_of_means(ax, line.groupby(x)[y], str(name))
        ax.set_title(str(title))
    label_sides(axes, x.replace("_", " "), y.replace("_", " "))
    legend(figure, axes)
    several = frame.duplicated([x, hue, *([] if panel is None else [panel])]).any()
    return captioned(figure) if several else figure


def line_of_means(
    ax: Axes, values: pd.core.groupby.SeriesGroupBy, name: str, bars: bool = False
) -> None:
    """Draw the mean of each group as a line, its range as a band, its values as dots.

    With `bars` the range is a bar: the bands of many lines would blend. Shift the groups of each
    line, and bars stand side by side.

    >>> errors = pd.DataFrame({"digits": [1, 1, 2, 2], "error": [0.25, 0.75, 0.5, 1.0]})
    >>> figure, (ax,) = nl.plots.panels(1)
    >>> nl.plots.line_of_means(ax, errors.groupby("digits").error, "XVal")
    >>> ax.lines[0].get_ydata().tolist()
    [0.5, 0.75]
    """
    mean, n, color = values.mean(), values.size(), encoder_color(name)
    ax.plot(mean.index, mean, color=color, marker=encoder_marker(name), label=name)
    if bars:
        look = {"color": color, "lw": 1.5, "alpha": 0.45, "marker": ".", "ms": 5, "zorder": 1.9}
        for x, group in values:
            ax.plot([x] * len(group), group, **look)
        return
    ax.fill_between(mean.index, values.min(), values.max(), color=color, alpha=0.2, lw=0)
    if n.max() > 1:  # seeds may have two outcomes and none between: a band would hide that
        every = np.concatenate([group for _, group in values])
        ax.scatter(np.repeat(mean.index, n), every, 18, color=color, alpha=0.6, lw=0)


@styled
def spectra(frame: pd.DataFrame) -> Figure:
    """Power over frequency with the peaks marked (fone, Appendix D, Fig. 7 and 8).

    `frame` comes from `probes.spectrum`, with two more columns: source, one panel each, and stage,
    one line each. Dashed lines are the thresholds. Lines darken in the order of the frame.

    >>> turns = np.arange(100) * 2 * np.pi / 10
    >>> vectors = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    >>> circle = nl.Embeddings(np.arange(100), vectors, "a circle")
    >>> frame = nl.probes.spectrum(circle).assign(source="a circle", stage="period 10")
    >>> nl.plots.spectra(frame).axes[0].get_title()
    'a circle'
    """
    groups = list(frame.groupby("source", sort=False))
    figure, axes = panels(len(groups), 2, 5.2, 3.4)
    stages = frame.stage.unique()
    lightest = 0.1 if len(stages) > 1 else 0.75
    colors = colormaps["viridis_r"](np.linspace(lightest, 0.95, len(stages)))
    shades = dict(zip(stages, colors, strict=True))
    for ax, (source, rows) in zip(axes, groups, strict=True):
        for stage, line in rows.groupby("stage", sort=False):
            shade = shades[stage]
            ax.plot(line.frequency, line.power, color=shade, lw=1.2, label=stage)
            peaks = line[line.peak]
            (dots,) = ax.plot(peaks.frequency, peaks.power, "o", color=shade, ms=5)
            threshold = ax.axhline(line.threshold.iloc[0], color=shade, lw=1, ls="--")
        dots.set_label("peak")
        threshold.set_label("threshold: 1 % of the\nshuffles exceed it")
        ax.set(yscale="log", xlim=(-0.01, 0.51), title=source)
        ax.set_xlabel("period, in numbers (axis even in frequency)")
        ax.set_xticks([1 / period for period in PERIODS], PERIODS.values())
        if ax.get_subplotspec().is_first_col():
            ax.set_ylabel("power (mean: 1)")
    legend(figure, axes)
    return figure


@styled
def gap_errors(errors: pd.DataFrame, baselines: Sequence[str] = ()) -> Figure:
    """A row for each model: its errors as in training, in a gap and beyond, the best on top.

    `errors` has the columns encoder, part, error, low and high (of the thick line, the 90 %
    interval as in training), relative to a constant's, which stands at 1. Baselines are grey. An
    error of 0 is drawn left of all others.

    >>> rows = {"encoder": ["XVal", "P10"] * 2, "part": ["as in training"] * 2 + ["in a gap"] * 2}
    >>> frame = pd.DataFrame(rows | {"error": [0.2, 0.1, 0.3, 0.9]})
    >>> figure = nl.plots.gap_errors(frame.assign(low=frame.error / 2, high=2 * frame.error))
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['P10', 'XVal']
    """
    table = errors.pivot(index="encoder", columns="part", values="error")
    parts = [part for part in ("as in training", "in a gap", "beyond") if part in table]
    table = table[parts].sort_values(parts[0])
    least = errors.error[errors.error > 0].min() / 2  # a log axis has no 0
    table = table.clip(lower=0.1 if np.isnan(least) else least)
    ends = errors[errors.part == parts[0]].set_index("encoder")[["low", "high"]]
    figure, (ax,) = panels(1, 1, 8.2, 0.34 * len(table) + 0.9)
    fills = {"in a gap": "white", "beyond": "#D9D9D9"}
    markers = {"as in training": "o", "in a gap": "o", "beyond": ">"}
    for row, (name, own) in enumerate(table.iterrows()):
        color = GREY if name in baselines else encoder_color(name)
        ax.hlines(row, *ends.loc[name], color=color, lw=5, alpha=0.3)
        for part in reversed(parts):
            look = {"facecolor": fills.get(part, color), "edgecolor": color, "s": 42, "zorder": 3}
            ax.scatter(own[part], row, marker=markers[part], **look)
    for part in parts:
        look = {"facecolor": fills.get(part, GREY), "edgecolor": GREY, "marker": markers[part]}
        ax.scatter([], [], label=part, **look)
    words = "90 % interval over seeds,\nas in training"
    ax.plot([], [], color=GREY, lw=5, alpha=0.3, label=words)
    ax.axvline(1, color=GREY, lw=1, ls="--", zorder=0, label="the best constant")
    ax.set_yticks(range(len(table)), table.index)
    ax.tick_params(which="minor", labelbottom=False)
    ax.set(xscale="log", ylim=(len(table) - 0.4, -0.6))
    ax.set_xlabel("error relative to the best constant")
    low, high = ax.get_xlim()
    subs = (1, 2, 5) if high < 1000 * low else (1,)  # of many decades, not every tick has room
    ax.xaxis.set(major_locator=LogLocator(subs=subs), major_formatter="{x:g}")
    legend(figure, [ax])
    return figure


@styled
def intervals(frame: pd.DataFrame, name: str) -> Figure:
    """Predicted over true numbers: a dot and its interval each; red where it misses the number.

    `frame` has the columns true, predicted, low and high; `name` is what is predicted.

    >>> rows = {"true": [1, 5], "predicted": [1.5, 2], "low": [0, 1], "high": [2, 3]}
    >>> nl.plots.intervals(pd.DataFrame(rows), "mass").axes[0].get_ylabel()
    'predicted mass'
    """
    figure, (ax,) = panels(1, 1, 5.0, 4.6)
    held = frame.true.between(frame.low, frame.high)
    for rows, color, label in (
        (frame[held], GREY, "the interval holds it"),
        (frame[~held], "#C1272D", "the interval misses it"),
    ):
        ax.vlines(rows.true, rows.low, rows.high, color=color, lw=1, alpha=0.35)
        ax.scatter(rows.true, rows.predicted, 14, color=color, zorder=3, label=label)
    ax.axline((frame.true.mean(),) * 2, slope=1, color=GREY, lw=1, ls="--", label="exact")
    name = name.replace("$", r"\$")  # no mathematics
    ax.set(xlabel=f"true {name}", ylabel=f"predicted {name}")
    legend(figure, [ax])
    return figure


@styled
def learning_curves(frame: pd.DataFrame) -> Figure:
    """A line for each run in its encoder's colour; an encoder's shorter runs (a search) are pale.

    Encoders of one colour differ in their dashes. `frame` has the columns panel, encoder, run, step
    and loss. Encoders whose least losses are below a 30th of another's have a panel of their own.
    A density's loss may be negative: such a panel has a linear scale, and where some runs diverge
    one that is logarithmic far from 0.

    >>> rows = {"run": [0, 0, 1, 1], "step": [0, 50] * 2, "loss": [2.0, 0.5, 2.1, 0.4]}
    >>> frame = pd.DataFrame(rows).assign(panel="Addition", encoder="FoNE")
    >>> len(nl.plots.learning_curves(frame).axes[0].lines)
    2
    """
    least = frame.groupby(["panel", "encoder"]).loss.transform("min")
    low = least < least.groupby(frame.panel).transform("max") / 30
    titles = frame.panel + low.map({True: ": lower losses", False: ""})
    parts = list(frame.groupby(titles, sort=False))
    names = pd.Series(frame.encoder.unique())
    dashes = dict(zip(names, names.groupby(names.map(encoder_color)).cumcount(), strict=True))
    figure, axes = panels(len(parts), columns=3, width=4.4, height=3.0, share=False)
    for (title, rows), ax in zip(parts, axes, strict=True):
        runs = rows.groupby(["encoder", "run"], sort=False)
        longest = rows.groupby("encoder").step.max()
        for (encoder, _), run in sorted(runs, key=lambda item: item[1].step.max()):
            pale = 1.0 if run.step.max() == longest[encoder] else 0.3
            look = {"color": encoder_color(encoder), "ls": DASHES[dashes[encoder] % len(DASHES)]}
            ax.plot(run.step, run.loss, lw=0.9, alpha=pale, label=encoder, **look)
        if rows.loss.max() > 10 * rows.loss.min() > 0:
            ax.set_yscale("log")
            ax.yaxis.set_major_formatter("{x:g}")
            ax.yaxis.set_minor_locator(LogLocator(subs=(2, 5)))
            few = rows.loss.max() < 1000 * rows.loss.min()
            ax.yaxis.set_minor_formatter("{x:g}" if few else NullFormatter())
        elif rows.loss.abs().max() > DIVERGED * rows.loss.abs().median():
            ax.set_yscale("symlog")
        ax.set(xlabel="step", ylabel="validation loss")
        ax.locator_params(axis="x", nbins=5)
        ax.xaxis.set_major_formatter("{x:,.0f}")
        if longest.nunique() == 1:
            ax.axvspan(0.8 * rows.step.max(), rows.step.max(), color="#F1F1F1", lw=0, zorder=0)
        ax.set_title("\n".join(textwrap.wrap(title, 54)), fontsize=9.5)
    legend(figure, axes)
    words = "line: a run; losses of different encoders cannot be compared; pale: a shorter run\n"
    words += 'shaded, if all runs are equally long: the last fifth, which the gate "plateau" judges'
    return captioned(figure, words)
