"""Lines over a number or over steps, spectra, and errors in a gap."""

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from numlab.plots.style import encoder_color, encoder_marker, legend, panels, styled

GREY = "#555555"
PERIODS = {10: "10", 5: "5", 10 / 3: "3⅓", 2.5: "2.5", 2: "2"}  # of spectra, labelled


@styled
def curves(frame: pd.DataFrame, x: str, y: str, hue: str, panel: str | None = None) -> Figure:
    """Mean of y over x: one line per `hue`, one panel per `panel`.

    All four are columns of the frame: x and y hold numbers and name the axes, hue holds names of
    encoders or aggregates, panel holds titles. Each point is the mean of the rows (seeds) that
    share x, hue and panel; the rows are dots and their range is a band. Lines and panels keep the
    order of the frame.
    """
    groups = [("", frame)] if panel is None else list(frame.groupby(panel, sort=False))
    figure, axes = panels(len(groups), 2 if len(groups) == 4 else 3)
    for ax, (title, rows) in zip(axes, groups, strict=True):
        for name, line in rows.groupby(hue, sort=False):
            line_with_band(ax, line.groupby(x)[y], str(name))
        ax.set_title(str(title))
        ax.set_xlabel(x.replace("_", " "))
        if ax.get_subplotspec().is_first_col():
            ax.set_ylabel(y.replace("_", " "))
    legend(figure, axes)
    return figure


def line_with_band(ax: Axes, values: pd.core.groupby.SeriesGroupBy, name: str) -> None:
    """Draw the mean of each group as a line, its range as a band, its values as dots."""
    mean, n = values.mean(), values.size()
    color = encoder_color(name)
    ax.fill_between(mean.index, values.min(), values.max(), color=color, alpha=0.2, lw=0)
    if n.max() > 1:  # seeds may have two outcomes and none between: a band would hide that
        every = np.concatenate([group for _, group in values])
        ax.scatter(np.repeat(mean.index, n), every, 18, color=color, alpha=0.6, lw=0)
    ax.plot(mean.index, mean, color=color, marker=encoder_marker(name), label=name)


@styled
def spectra(frame: pd.DataFrame) -> Figure:
    """Power over frequency with the peaks marked (fone, Appendix D, Fig. 7 and 8).

    `frame` comes from `probes.spectrum`, with two more columns: source, one panel each, and stage,
    one line each. Dashed lines are the thresholds. Lines darken in the order of the frame.
    """

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


@styled
def gap_errors(errors: pd.DataFrame, baseline: str) -> Figure:
    """A row for each model: its error in the gap (filled) and elsewhere (hollow), the best on top.

    The errors are those of `compare.gap_errors`: what is 0 or infinite stands at the edge. Those of
    the encoder `baseline`, which a model must beat, are lines.
    """

    table = errors.pivot(index="encoder", columns="part", values="error")
    models = table.drop(index=baseline).sort_values("gap")
    figure, (ax,) = panels(1, 1, 8.2, 0.34 * len(models) + 0.9)
    shown = table.where((table > 0) & (table < np.inf)).stack()
    limits = shown.min() / 2, 2 * shown.max()  # of a log axis: 0 and infinity are at its ends
    for row, (name, ends) in enumerate(models.clip(*limits).iterrows()):
        color, look = encoder_color(name), {"marker": encoder_marker(name), "s": 42}
        look |= {"edgecolor": color, "zorder": 3, "clip_on": False}
        ax.hlines(row, ends.min(), ends.max(), color=color, lw=1.5, alpha=0.5)
        ax.scatter(ends["seen"], row, facecolor="white", **look)
        ax.scatter(ends["gap"], row, facecolor=color, **look)
    looks = (("gap", "in the gap", GREY, "--"), ("seen", "elsewhere", "white", ":"))
    for part, where, fill, dash in looks:
        ax.scatter([], [], facecolor=fill, edgecolor=GREY, marker="o", label=where)
        line = {"color": GREY, "ls": dash, "lw": 1, "zorder": 0}
        ax.axvline(table.loc[baseline, part], label=f"{baseline}, {where}", **line)
    ax.set_yticks(range(len(models)), models.index)
    ax.tick_params(which="minor", labelbottom=False)
    ax.set(xscale="log", xlim=limits, ylim=(len(models) - 0.4, -0.6))
    ax.xaxis.set(major_locator=LogLocator(subs=(1, 2, 5)), major_formatter="{x:g}")
    edge = "; at the right edge: no number" if np.isinf(models).any(axis=None) else ""
    ax.set_xlabel(f"median error (interquartile ranges{edge})")
    legend(figure, [ax])
    return figure


@styled
def learning_curves(frame: pd.DataFrame) -> Figure:
    """A panel for each task, a line for each run in the colour of its encoder.

    Parameters
    ----------
    frame : DataFrame [task, encoder, run, step, loss]
    """
    tasks = list(frame.groupby("task", sort=False))
    figure, axes = panels(len(tasks), columns=3, width=4.4, height=3.0, share=False)
    for (task, rows), ax in zip(tasks, axes, strict=True):
        for (encoder, _), run in rows.groupby(["encoder", "run"], sort=False):
            ax.plot(run.step, run.loss, color=encoder_color(encoder), lw=0.9, label=encoder)
        ax.set(yscale="log", xlabel="step", ylabel="validation loss")
        ax.set_title(task if len(task) < 60 else f"{task[:57]}…", fontsize=8.5)
    legend(figure, axes)
    return figure
