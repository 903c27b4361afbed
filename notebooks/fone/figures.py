"""The drawings that only the FoNE notebooks use."""

import itertools

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, LogLocator, MaxNLocator, NullFormatter

from numlab.plots import (
    captioned,
    encoder_color,
    label_sides,
    legend,
    line_of_means,
    panels,
    styled,
)
from numlab.plots.comparisons import PERIODS

MISREAD = "#000000"
POSITIONS = {
    "XVal": "XVal, absolute\npositions",
    "XVal, rotary positions": "XVal, rotary\npositions",
}
RANGES = "marker: mean of the seeds; small dots: each seed; bar: their range; encoders side by side"


@styled
def number_on_circles(frame: pd.DataFrame) -> Figure:
    """A number on its circles, and below each circle the scores of the ten digits (Fig. 1).

    `frame` has a row for each circle and digit, and the columns period, remainder (the number
    modulo the period), cos and sin (its point on the circle), digit, score, and true (the number's
    digit at this place).
    """
    periods = frame.period.unique()
    figure, axes = panels(2 * len(periods), len(periods), 2.0, 2.2, share=False)
    for i, period in enumerate(periods):
        rows = frame[frame.period == period]
        _circle(axes[i], rows)
        _scores(axes[len(periods) + i], rows)
    axes[len(periods)].set_ylabel("score of each digit")
    number = frame.sort_values("period").remainder.iloc[-1]
    figure.suptitle(
        f"x = {number:g}: each digit read off its circle as the nearest tenth of a turn"
    )
    return captioned(figure, "bold: the digit of x; coloured: the best score, black if it is wrong")


def _circle(ax: Axes, rows: pd.DataFrame) -> None:
    point, color = rows.iloc[0], encoder_color("FoNE")
    turn = np.linspace(0, 2 * np.pi, 200)
    ax.plot(np.cos(turn), np.sin(turn), color="#B0B0B0", lw=1)
    for digit in range(10):
        x, y = np.cos(np.pi * digit / 5), np.sin(np.pi * digit / 5)
        ax.plot([0.94 * x, 1.06 * x], [0.94 * y, 1.06 * y], color="#808080", lw=1)
        weight = "bold" if digit == point.true else "normal"
        ax.text(1.24 * x, 1.24 * y, str(digit), ha="center", va="center", weight=weight)
    ax.plot([0, point.cos], [0, point["sin"]], color=color, marker="o", markevery=[1])
    ax.set_title(f"x mod {point.period:g} = {point.remainder:g}")
    ax.set(aspect="equal", xlim=(-1.45, 1.45), ylim=(-1.45, 1.45))
    ax.axis("off")


def _scores(ax: Axes, rows: pd.DataFrame) -> None:
    read, true = int(rows.digit[rows.score.idxmax()]), int(rows.true.iloc[0])
    color = encoder_color("FoNE") if read == true else MISREAD
    ax.bar(rows.digit, rows.score, color=np.where(rows.digit == read, color, "#C8C8C8"))
    ax.axhline(0, color="#808080", lw=0.8)
    ax.set(xticks=range(10), ylim=(-1.1, 1.1))
    ax.grid(axis="x", visible=False)
    ax.set_xlabel(f"digit: read {read}" + ("" if read == true else f", is {true}"), color=color)
    ax.get_xticklabels()[true].set_fontweight("bold")


@styled
def survivors(frame: pd.DataFrame) -> Figure:
    """The share of numbers that each read-out gets right, by their last two digits.

    `frame` has a row for each number and read-out, and the columns readout, number, tens and units
    (its digits) and survives.
    """
    names = frame.readout.unique()
    figure, axes = panels(len(names), len(names), 3.2, 3.2)
    for ax, name in zip(axes, names, strict=True):
        rows = frame[frame.readout == name]
        share = 100 * rows.pivot_table(values="survives", index="tens", columns="units")
        image = ax.imshow(share, vmin=0, vmax=100, cmap="Blues", origin="lower")
        ax.set(title=f"{name}:\n{100 * rows.survives.mean():.1f} % right", xlabel="units digit")
        ax.set(xticks=range(10), yticks=range(10))
        ax.grid(visible=False)
    axes[0].set_ylabel("tens digit")
    figure.colorbar(image, ax=axes, label="read back right (%)", shrink=0.8)
    numbers = f"Numbers {frame.number.min()} to {frame.number.max()}"
    figure.suptitle(f"{numbers} read back right, by their last two digits", fontsize=11)
    return figure


def by_size(scores: pd.DataFrame, model: tuple[int, ...], n_train: int) -> pd.DataFrame:
    """The rows that `scaling` draws: of one model over its samples, of one `n_train` over models.

    `scores` has a row for each run, and the columns task, encoder, seed, n_train (the samples asked
    for), samples (those there were), model and parameters (its shape and size). The result also has
    over, the name of the axis, and size, where on it the run stands.
    """
    samples, models = scores[scores.model == model], scores[scores.n_train == n_train]
    parts = [
        samples.assign(
            over=f"training samples ({_count(samples.parameters.max())} parameters)",
            size=samples.samples,
        ),
        models.assign(over=f"parameters (up to {_count(n_train)} samples)", size=models.parameters),
    ]
    frame = pd.concat(parts)  # sets that ask for more samples than there are coincide
    return frame.drop_duplicates(["task", "over", "size", "encoder", "seed"])


@styled
def scaling(frame: pd.DataFrame) -> Figure:
    """Exact match in percent over the training samples and over the model's size, on log axes.

    `frame` has the columns task (a row of panels each), over (the two panels of a row), size,
    encoder and exact_match.
    """
    shares = frame.assign(exact_match=100 * frame.exact_match)
    highest = shares.groupby(["task", "encoder", "size"]).exact_match.mean().groupby("task").max()
    none = highest[highest < 1]  # all their lines would lie on the axis
    shares = shares[~shares.task.isin(none.index)] if len(none) < len(highest) else shares
    figure, axes = _panels_of_sizes(shares, "exact_match")
    for ax in axes:
        ax.set_ylim(-3, 103)
        for line in ax.lines:
            line.set_clip_on(False)  # markers at 100 %
    _labelled(figure, axes, "exact match (%)")
    lines = [
        f"{task}: learned by none, means up to {np.ceil(10 * best) / 10:g} %"
        for task, best in none.items()
    ]
    return captioned(figure, "\n".join([RANGES, *lines]))


@styled
def wrong_answers(frame: pd.DataFrame, majority: float) -> Figure:
    """Wrong answers in percent, on a log axis, over samples and over the model's size (Fig. 5, 6).

    `frame` is as in `scaling`; `majority` is the share of the more frequent answer.
    """
    wrong = frame.assign(wrong=100 * (1 - frame.exact_match))
    figure, axes = _panels_of_sizes(wrong, "wrong")
    guess = {"color": "#555555", "lw": 1.2, "ls": "--", "label": "always the more\nfrequent answer"}
    for ax in axes:
        ax.axhline(100 * (1 - majority), **guess)
        ax.set_yscale("log", nonpositive="clip")
        ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.yaxis.set_major_formatter("{x:g}")
        ax.yaxis.set_minor_formatter(NullFormatter())
    _labelled(figure, axes, "wrong answers (%)\nlow is good")
    return captioned(figure, RANGES)


@styled
def unexplained_variance(frame: pd.DataFrame) -> Figure:
    """1 - R² over the training samples and over the model's size, on log axes (Fig. 12 and 13).

    `frame` is as in `scaling`, with the column unexplained. The mean of the seeds is geometric, as
    in the claims. The caption says in which tasks an encoder makes no error.
    """
    logs = frame.assign(unexplained=np.log10(frame.unexplained))
    figure, axes = _panels_of_sizes(logs, "unexplained")
    for ax in axes:
        ax.axhline(0, color="#555555", lw=1.2, ls="--", label="always the mean answer")
        ax.yaxis.set_major_locator(MaxNLocator(6, integer=True))
        ax.yaxis.set_major_formatter(lambda power, _: f"$10^{{{power:g}}}$")
    _labelled(figure, axes, "1 − R² (low is good)")
    words = RANGES.replace("mean", "geometric mean")
    best = frame.groupby("task", sort=False).exact_match.max()
    if any(perfect := best == 1):
        where = "" if all(perfect) else f" of {', '.join(best.index[perfect])}"
        words += f"\nseeds without a wrong answer{where}: drawn as if one were off by a unit"
    if min(len(best), frame.over.nunique()) > 1:
        words += "\neach row has its own y axis"
    return captioned(figure, words)


def _panels_of_sizes(frame: pd.DataFrame, y: str) -> tuple[Figure, list[Axes]]:
    """A panel for each task and each size that it is drawn over.

    A task that was trained with one size gets one panel, at the end. Panels over the same sizes
    have one x axis. A single task is in the title of the figure.
    """
    tasks, sizes = frame.task.unique(), frame.over.unique()
    most = frame.groupby(["task", "over"])["size"].nunique().groupby("task").max()
    several = [task for task in tasks if most[task] > 1 or len(sizes) == 1]
    groups = [*itertools.product(several, sizes)]
    groups += [(task, sizes[0]) for task in tasks if task not in several]
    figure, axes = panels(len(groups), 2, 4.6, 2.8, share=False)
    for ax, (task, over) in zip(axes, groups, strict=True):
        rows = frame[(frame.task == task) & (frame.over == over)]
        ticks = sorted((frame[frame.over == over] if len(sizes) == 1 else rows)["size"].unique())
        names = rows.encoder.unique()
        share = 0.012 if len(ticks) > 1 else 0.12  # of the axis, which is log
        apart = share * (np.arange(len(names)) - (len(names) - 1) / 2)
        span = ticks[-1] / ticks[0] if len(ticks) > 1 else 8
        for shift, name in zip(span**apart, names, strict=True):
            line = rows[rows.encoder == name]
            line_of_means(ax, line.groupby(shift * line["size"])[y], name, bars=True)
        ax.set(xscale="log", xlabel=over, title=task if len(tasks) > 1 else "")
        ax.set_xticks(ticks, [_count(tick) for tick in ticks])
        ax.margins(x=0.06)
        if len(ticks) == 1:
            ax.set_xlim(ticks[0] / np.sqrt(span), ticks[0] * np.sqrt(span))
        ax.minorticks_off()
    if max(len(ax.get_xticks()) for ax in axes) > 5:
        for ax in axes:
            ax.tick_params(axis="x", labelsize=8, labelrotation=30)
    if len(tasks) == 1:
        figure.suptitle(tasks[0])
    return figure, axes


def _labelled(figure: Figure, axes: list[Axes], label: str) -> None:
    """Panels of a row get the same y axis, named at its left, and the figure a legend."""
    columns = axes[0].get_gridspec().ncols
    for i in range(0, len(axes), columns):
        axes[i].set_ylabel(label)
        _same_limits(axes[i : i + columns], "y")
    if len({ax.get_xlabel() for ax in axes}) == 1:
        _same_limits(axes, "x")
        _same_limits(axes, "y")
    legend(figure, axes)
    for text in figure.legends[0].get_texts():
        text.set_text(POSITIONS.get(text.get_text(), text.get_text()))


def _same_limits(axes: list[Axes], axis: str) -> None:
    lows, highs = zip(*(getattr(ax, f"get_{axis}lim")() for ax in axes), strict=True)
    for ax in axes:
        ax.set(**{f"{axis}lim": (min(lows), max(highs))})


def mistakes(answers: pd.DataFrame, frac_digits: int) -> pd.DataFrame:
    """The first five wrong numbers, written with all their decimals as the task writes them.

    `answers` has the columns true, predicted, valid and right.
    """
    wrong = answers[answers.valid & ~answers.right][["predicted", "true"]].head(5)
    return wrong.map(f"{{:.{frac_digits}f}}".format).reset_index(drop=True)


def _count(n: float) -> str:
    """A count as an axis writes it: 400, 1.6k, 37.6M."""
    return EngFormatter(sep="")(float(f"{n:.3g}"))


@styled
def length_maps(frame: pd.DataFrame, trained: int, columns: int = 3) -> Figure:
    """Exact match by the lengths of both operands, one map per run (Fig. 9 and 10).

    `frame` has the columns run (the title of a map) and first, second and exact_match, from
    `by_operand_lengths`. A line encloses the lengths up to `trained`, the longest operand in
    training; `columns` is how many maps stand in a row.
    """
    runs = list(frame.groupby("run", sort=False))
    lengths = sorted(frame["first"].unique())
    lowest = 10 * (10 * frame.exact_match.min() // 1)  # colours begin at the tens below it
    figure, axes = panels(len(runs), columns, 2.9, 2.9)
    for ax, (name, rows) in zip(axes, runs, strict=True):
        share = rows.pivot(index="second", columns="first", values="exact_match")
        image = ax.imshow(100 * share, vmin=lowest, vmax=100, cmap="Blues", origin="lower")
        _length_axes(ax, lengths)
        ax.set_title(f"{name}\nmean {100 * rows.exact_match.mean():.1f} %")
    label_sides(axes, "digits of the first operand", "digits of the second operand")
    if trained < lengths[-1]:
        edge = sum(length <= trained for length in lengths) - 0.5
        for ax in axes:
            ax.plot([-0.5, edge, edge], [edge, edge, -0.5], color=MISREAD, lw=2)
    framed = "; framed: the lengths of training" if trained < lengths[-1] else ""
    words = "each map: one seed; each row and column: an operand length that was tried"
    captioned(figure, words + framed)
    figure.colorbar(image, ax=axes, label="exact match (%)", shrink=0.8)
    return figure


def _length_axes(ax: Axes, lengths: list[int]) -> None:
    ticks = range(0, len(lengths), -(-len(lengths) // 12))
    ax.set_xticks(ticks, [lengths[i] for i in ticks])
    ax.set_yticks(ticks, [lengths[i] for i in ticks])
    ax.tick_params(labelsize=8.5)
    ax.grid(visible=False)


@styled
def spectrum_maps(frame: pd.DataFrame, columns: int = 3) -> Figure:
    """The spectrum at each checkpoint, a map for each run: steps upwards, frequency rightwards.

    `frame` has the columns run (the title of a map), steps, and frequency and power from
    `probes.spectrum`; `columns` is how many maps stand in a row.
    """
    runs = list(frame.groupby("run", sort=False))
    steps = sorted(frame.steps.unique())
    figure, axes = panels(len(runs), columns, 3.4, 0.9 + 0.25 * len(steps))
    norm = LogNorm(*frame.power.quantile([0.05, 0.999]))
    for ax, (name, rows) in zip(axes, runs, strict=True):
        power = rows.pivot(index="steps", columns="frequency", values="power")
        edges = power.columns.to_numpy() - power.columns[0] / 2
        edges = np.append(edges, edges[-1] + power.columns[0])
        rungs = np.arange(len(steps) + 1) - 0.5
        image = ax.pcolormesh(edges, rungs, power, norm=norm, cmap="magma_r")
        ax.set_title(name)
        ax.set_yticks(range(len(steps)), [f"{n:,}" for n in steps])
        ax.set_xticks([1 / period for period in PERIODS], PERIODS.values())
        ax.minorticks_off()
        ax.grid(visible=False)
    label_sides(axes, "period, in numbers", "steps of training")
    figure.colorbar(image, ax=axes, label="power (mean: 1)", shrink=0.8, extend="both")
    return captioned(
        figure, "a map is one seed; each row is a run of its own length; axis even in frequency"
    )


@styled
def bars(frame: pd.DataFrame, x: str, y: str) -> Figure:
    """A group of bars for each x and a bar for each encoder, labelled with its height.

    x and y are columns of the frame, y of numbers. Rows with the same x and encoder (seeds) are
    drawn as their mean and, as a line, their range. Groups and bars keep the order of the frame.
    """
    groups, names = list(frame[x].unique()), list(frame.encoder.unique())
    figure, (ax,) = panels(1, 1, min(14.0, max(4.0, 0.5 * len(groups) * (len(names) + 1))), 3.4)
    by_bar = frame.groupby(["encoder", x])[y].agg(["mean", "min", "max"])
    width = 0.85 / len(names)
    for i, name in enumerate(names):
        at = np.arange(len(groups)) + width * (i - (len(names) - 1) / 2)
        mean, low, high = by_bar.loc[name].loc[groups].to_numpy().T
        ax.bar(at, mean, width, color=encoder_color(name), label=name)
        ax.errorbar(at, mean, (mean - low, high - mean), ls="", color="#333333", lw=1, alpha=0.7)
        behind = {"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.8}
        ends = ["< 0.1" if m < 0.1 else "> 99.9" if 99.9 < m < 100 else f"{m:.3g}" for m in mean]
        for middle, top, end in zip(at, high, ends, strict=True):
            place = {"textcoords": "offset points", "ha": "center", "va": "bottom"}
            ax.annotate(end, (middle, top), (0, 2), fontsize=8.5, bbox=behind, **place)
    ax.set_xticks(range(len(groups)), groups)
    ax.set(xlabel=x, ylabel=y.replace("_", " "))
    ax.grid(axis="x", visible=False)
    legend(figure, [ax])
    return figure
