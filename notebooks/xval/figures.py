"""Predicted against true numbers, and what is behind a prediction (xval, Fig. 3, 4, 6 to 9, 12)."""

import textwrap
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from numlab.metrics import invalid_rate, mse
from numlab.plots import (
    OTHERS,
    captioned,
    encoder_color,
    encoder_marker,
    label_sides,
    panels,
    styled,
)

GREY = {"color": "#777777"}
TRAINED = {"color": "#B0B0B0", "lw": 1, "zorder": 1}  # lines at values that training had
DIAGONAL = {"color": "#555555", "lw": 0.9, "ls": "--", "zorder": 1}


def cells(
    mean: pd.Series, spread: pd.Series, style: str, invalid: pd.Series | None = None
) -> pd.Series:
    """Entries of a table, such as "0.12 ± 0.03 (1.00% invalid)".

    A spread that is NaN (of one seed) and shares of invalid answers up to 0.01 % are left out.
    """
    entries = mean.map(f"{{:{style}}}".format)
    entries += spread.map(lambda x: "" if np.isnan(x) else f" ± {x:{style}}")
    if invalid is not None:
        entries += invalid.map(lambda x: f" ({x:.2%} invalid)" if x > 1e-4 else "")
    return entries


def by_seed(
    answers: pd.DataFrame, metric: Callable, by: Sequence[str] = ("slot", "encoder")
) -> pd.DataFrame:
    """A metric of the answers of each seed: one row per group, one column per seed."""
    groups = answers.groupby([*by, "seed"], sort=False)
    return groups.apply(metric, include_groups=False).unstack("seed", sort=False)


@styled
def every_seed(scores: pd.DataFrame, share: str, label: str) -> Figure:
    """A mark for each seed: a panel for each question, a row for each encoder.

    `scores` has the columns where (the question, a panel's title), encoder, seed and the one that
    `share` names, from 0 to 1; `label` says what that is. Encoders with a comma in their name, such
    as "P10, single tokens", have hollow marks.
    """
    questions, families = scores["where"].unique(), scores.encoder.map(_family).unique().tolist()
    names = sorted(scores.encoder.unique(), key=lambda name: families.index(_family(name)))
    figure, axes = panels(len(questions), len(questions), 3.0, 0.45 * len(names) + 0.6)
    for ax, question in zip(axes, questions, strict=True):
        rows = scores[scores["where"] == question]
        for y, name in enumerate(names):
            values, color = rows[share][rows.encoder == name], encoder_color(_family(name))
            look = {"facecolor": "none" if "," in name else color, "edgecolor": color}
            look |= {"marker": encoder_marker(_family(name)), "s": 20, "alpha": 0.8}
            apart = y + np.linspace(-0.3, 0.3, len(values))  # else equal seeds hide each other
            ax.scatter(100 * values, apart, clip_on=False, **look)
        ax.set(xlim=(-5, 105), xticks=(0, 50, 100), xlabel=f"{label} (%)", title=question)
    axes[0].set_yticks(range(len(names)), names)
    axes[0].set_ylim(len(names) - 0.5, -0.5)
    return captioned(figure, "mark: a seed")


def _family(name: str) -> str:
    return name.partition(",")[0]


@styled
def predicted_against_true(
    points: pd.DataFrame,
    answers: pd.DataFrame,
    labels: dict[str, str] | None = None,
    trained: dict[str, list[float]] | None = None,
) -> Figure:
    """Predicted against true numbers: a block of panels per slot, a panel per encoder.

    `points` are drawn, rows as from `predict`, or medians over the seeds (no column seed). Titles
    tell of `answers` from `predict`, of all seeds: the MSE of the valid ones, how many lie beyond
    the edges or are invalid, what R² is if it is below 0.9, and whether "persistence", if given,
    has less error. `labels` names slots, with their unit. `trained` holds the values of a slot in
    training: they are grey lines, and points get a line at their median for each true value.
    Answers outside of a panel are triangles at its edge.
    """
    labels, trained = labels or {}, trained or {}
    encoders = points.encoder.unique()
    figure, blocks = in_blocks(points.slot.nunique(), len(encoders))
    errors = by_seed(answers, mse)
    invalid = by_seed(answers, invalid_rate).mean(axis=1)
    variance = answers.groupby("slot").true.var(ddof=0)
    for axes, (slot, block) in zip(blocks, points.groupby("slot", sort=False), strict=True):
        low, high = _limits(block)
        margin, titles = 0.06 * np.ptp(block.true), []
        for ax, name in zip(axes, encoders, strict=True):
            rows = block[block.encoder == name]
            _scatter(ax, rows, name, (low, high), trained.get(slot))
            ax.plot([low, high], [low, high], **DIAGONAL)
            ax.set(xlim=(block.true.min() - margin, block.true.max() + margin), ylim=(low, high))
            ax.locator_params(nbins=5)
            every = answers.predicted[(answers.slot == slot) & (answers.encoder == name)].dropna()
            beyond = ~every.between(low, high)
            shares = {"beyond": beyond.mean(), "invalid": invalid[slot, name]}
            notes = [*_failure(errors.loc[slot], name, variance[slot]), *_shares(shares)]
            notes = textwrap.wrap(", ".join(note.replace(" ", "\N{NBSP}") for note in notes), 32)
            titles.append([name, _error(errors.loc[slot, name]), *notes])
        for ax, title in zip(axes, titles, strict=True):
            blank = [""] * (max(map(len, titles)) - len(title))  # so that the names are level
            ax.set_title("\n".join(title + blank), fontsize=9.5)
        label = labels.get(slot, slot)
        asked, *_ = label.split(",\n")  # a second line says which models answer
        label_sides(axes, f"true {asked}", f"predicted\n{label}")
    _legend(figure, points, bool(trained), answers.seed.nunique() > 1)
    return figure


def in_blocks(n_blocks: int, n: int) -> tuple[Figure, list[list[Axes]]]:
    """Blocks of n panels below each other; more than five are in two rows."""
    columns = n if n <= 5 else -(-n // 2)
    size = columns * -(-n // columns)
    figure, axes = panels(n_blocks * size, columns, 2.3, 2.7, share=False)
    figure.set_figheight(figure.get_figheight() + 0.7)  # for a legend
    for i, ax in enumerate(axes):
        if i % size >= n:
            ax.remove()
    return figure, [axes[i : i + n] for i in range(0, len(axes), size)]


def _scatter(
    ax: Axes,
    rows: pd.DataFrame,
    name: str,
    limits: tuple[float, float],
    trained: list[float] | None,
) -> None:
    color = encoder_color(name)
    ax.scatter(rows.true, rows.predicted, s=7, color=color, alpha=0.3, lw=0, zorder=2)
    edge = {"color": color, "s": 30, "ec": "#222222", "lw": 0.5, "clip_on": False, "zorder": 4}
    for limit, marker, outside in zip(
        limits, "v^", (rows.predicted < limits[0], rows.predicted > limits[1]), strict=True
    ):
        ax.scatter(rows.true[outside], [limit] * outside.sum(), marker=marker, **edge)
    if trained:
        for value in trained:
            ax.axhline(value, **TRAINED)
            ax.axvline(value, **TRAINED)
        median = rows.groupby("true").predicted.quantile(interpolation="lower")  # one that is given
        ax.plot(median.index, median, color=color, marker=encoder_marker(name), ms=4)


def _limits(rows: pd.DataFrame) -> tuple[float, float]:
    """The limits of both axes: the true numbers and 98 % of the predictions near them."""
    low, high = rows.true.min(), rows.true.max()
    reach = 0.5 * (high - low)
    least, most = rows.predicted.quantile([0.01, 0.99]).clip(low - reach, high + reach)
    low, high = min(low, least), max(high, most)
    return low - 0.06 * (high - low), high + 0.06 * (high - low)


def _shares(shares: dict[str, float]) -> list[str]:
    """The shares that round to 0.1 % or more."""
    return [f"{100 * share:.1f} % {what}" for what, share in shares.items() if share >= 0.0005]


def _failure(errors: pd.DataFrame, name: str, variance: float) -> list[str]:
    """What a title says of an encoder with an R² below 0.9, or worse than persistence."""
    error, seeds = errors.mean(axis=1), errors.loc[name].dropna()
    failed = (seeds > 0.1 * variance).sum()
    r2 = f"R² {round(1 - error[name] / variance, 2) + 0.0:.2f}".replace("-", "−")  # no −0.00
    notes = {
        r2: error[name] > 0.1 * variance,
        f"R² < 0.9 in {failed} of {len(seeds)} seeds": 0 < failed < len(seeds),
        "worse than persistence": error[name] > error.get("persistence", np.inf),
    }
    return [note for note, holds in notes.items() if holds]


def _error(errors: pd.Series) -> str:
    errors = errors.dropna()
    if not len(errors):
        return "no MSE"
    mean, least, greatest = (
        f"{error:#.2g}".rstrip(".") if error else "0"
        for error in (errors.mean(), errors.min(), errors.max())
    )
    spread = f" ({least} to {greatest})" if least != greatest else ""
    return f"MSE {mean}{spread}"


def _legend(figure: Figure, points: pd.DataFrame, trained: bool, seeds: bool) -> None:
    """One legend below all panels, with a word on what the titles say."""
    point = "a prediction"
    if seeds and "seed" in points:
        every = points.seed.unique()
        point += f" of seed {every[0]}" if len(every) == 1 else " of a seed"
    elif seeds:
        point = "median of the seeds"
    handles = [Line2D([], [], ls="", marker="o", ms=4, label=point, **GREY)]
    if trained:
        handles.append(Line2D([], [], marker="o", label="median over the texts", **GREY))
        handles.append(Line2D([], [], label="in training", **TRAINED))
    handles.append(Line2D([], [], label="predicted = true", **DIAGONAL))
    error = "MSE: mean of the seeds (least to greatest)" if seeds else "MSE"
    told = "".join(ax.get_title() for ax in figure.axes)
    notes = {
        "R²": "R² (0: as good as answering the mean) is given if below 0.9",
        "beyond": "beyond: answers outside of the panel (triangles at its edge)",
        "invalid": "invalid: no number, not in the MSE",
    }
    notes = "; ".join(note for word, note in notes.items() if word in told)
    words = f"{error}, in the axes' unit squared\n{notes}".strip()
    look = {"loc": "outside lower center", "ncols": len(handles), "title_fontsize": 9}
    figure.legend(handles=handles, title=words, **look)


LINES = {  # of the third panel
    "argmax": ("P1000, likeliest words", encoder_color("P1000"), "-"),
    "expectation": ("P1000, expectation", encoder_color("P1000"), "--"),
    "XVal": ("XVal", encoder_color("XVal"), "-"),
}


@styled
def logit_lines(
    scan: pd.DataFrame, expected: pd.DataFrame, trained: list[float], label: str
) -> Figure:
    """The likeliest words at one token of a number, and the numbers that the logits give.

    `scan` comes from `nl.probes.logit_scan`: one token of the number, one seed, in a column seed.
    `expected` comes from `nl.probes.expectation`, with the columns seed and XVal, xVal's answers to
    the same texts. `trained` are the values in training, drawn as grey lines; `label` is the
    number's name, with its unit.
    """
    figure, (logits, weights, numbers) = panels(3, 3, 3.3, 3.8, share=False)
    likeliest = scan.groupby("word").probability.max().nlargest(8)
    words = likeliest.index[likeliest > 0.01]
    for i, word in enumerate(sorted(words)):
        line = scan[scan.word == word].sort_values("true")
        style = {"color": OTHERS[i], "ls": ("-", "--")[i % 2], "label": word}
        logits.plot(line.true, line.logit, **style)
        weights.plot(line.true, line.probability, **style)
    for column, (name, color, ls) in LINES.items():
        seeds = expected.groupby(["true", "seed"])[column].median().groupby("true")
        median = seeds.median()
        if column != "expectation":  # its band would cover that of the likeliest words
            numbers.fill_between(
                median.index, seeds.min(), seeds.max(), color=color, alpha=0.2, lw=0
            )
        numbers.plot(median.index, median, color=color, ls=ls, label=name)
    ends = [expected.true.min(), expected.true.max()]
    numbers.plot(ends, ends, label="true value", **DIAGONAL | {"ls": ":"})
    for ax, ylabel in zip(
        (logits, weights, numbers), ("logit", "probability", f"predicted {label}"), strict=True
    ):
        for value in trained:
            line = ax.axvline(value, **TRAINED | {"zorder": 0, "lw": 1.6})
        ax.set(xlabel=f"true {label}", ylabel=ylabel)
    line.set_label("in training")
    words = logits.get_legend_handles_labels()
    look = {"ncols": 3, "fontsize": 9, "title_fontsize": 9}
    title = "left, middle: the significand (200 for 0.200)"
    figure.legend(*words, title=title, loc="outside lower left", **look)
    lines, title = numbers.get_legend_handles_labels(), "right: the numbers"
    figure.legend(*lines, title=title, loc="outside lower right", **look)
    told = f"P1000, seed {scan.seed.iloc[0]}, means of texts"
    logits.set_title(f"logits of significands\n{told}", fontsize=11)
    weights.set_title(f"their probabilities\n{told}", fontsize=11)
    told = "medians of the seeds; bands: their ranges"
    numbers.set_title(f"the numbers that they give\n{told} (dashed: none)", fontsize=10)
    figure.suptitle(
        "Between trained values: which words does P1000 choose, and what does xVal answer?"
    )
    return figure


ZERO = -8  # the exponent of 0, spelled 100E-8
CONFUSED = {  # numbers of the last panel of `stripes`: their significands (least, greatest), exponent
    "0.100": (100, 100, -3),
    "1.00": (100, 100, -2),
    "0.11": (105, 114, -3),
    "1.1": (105, 114, -2),
}
TENTH = 0.0895, 0.1105  # 0.09 to 0.11, rounded


@styled
def stripes(near: pd.DataFrame, counts: pd.DataFrame) -> Figure:
    """Predictions for numbers near ±1, and how often significands and exponents occur.

    `near` has the columns encoder, true, predicted and seed, answers of one seed: drawn are
    predicted numbers times the sign of the true number, so that wrong signs are below 0; below an
    encoder's name stands how many are near a tenth. `counts` has the columns significand, exponent
    and share, a row for each pair in the data; zeros, which are spelled 100E-8, are left out of the
    shares.
    """
    figure, (ax, significands, exponents, pairs) = panels(4, 2, 4.4, 3.2, share=False)
    _stripes(ax, near)
    zeros = counts.exponent == ZERO
    note = f"without the zeros ({100 * counts.share[zeros].sum():.1f} % of the numbers)"
    counts = counts[~zeros]
    shares = 100 * counts.groupby("significand").share.sum()
    significands.plot(shares.index, shares, color="#555555", lw=0.8)
    for word in shares.nlargest(3).index:
        significands.plot(word, shares[word], "o", color="#222222", ms=4)
        significands.annotate(f" {word}", (word, shares[word]), fontsize=9)
    significands.set(yscale="log", xlabel="significand", ylabel="share of the numbers (%)")
    significands.set_title(f"significands (dots: the commonest)\n{note}", fontsize=10)
    every = range(counts.exponent.min(), counts.exponent.max() + 1)
    shares = 100 * counts.groupby("exponent").share.sum().reindex(every, fill_value=0)
    _bars(exponents, shares.rename("E{:+d}".format), f"exponents\n{note}", "exponent")
    pair = {
        name: 100
        * counts.query("@low <= significand <= @high and exponent == @exponent").share.sum()
        for name, (low, high, exponent) in CONFUSED.items()
    }
    title, label = "confused with each other in the paper (100), and here (11)", "number (σ)"
    _bars(pairs, pd.Series(pair), title, f"{label}; 0.11 and 1.1 are rounded to two figures")
    figure.suptitle("Why do text encoders answer about a tenth for temperatures near ±1?")
    return figure


def _bars(ax: Axes, shares: pd.Series, title: str, label: str) -> None:
    ax.bar_label(ax.bar(shares.index, shares, color="#777777"), fmt="{:.2g}", fontsize=9)
    ax.margins(y=0.1)
    ax.set(xlabel=label, ylabel="share of the numbers (%)")
    ax.set_title(title, fontsize=10)


def _stripes(ax: Axes, near: pd.DataFrame) -> None:
    rng = np.random.default_rng(0)
    names = list(near.encoder.unique())
    tenths = near.predicted.abs().between(*TENTH).groupby(near.encoder).mean()
    for x, name in enumerate(names):
        rows = near[near.encoder == name]
        jitter = rng.uniform(-0.35, 0.35, len(rows))
        style = {"color": encoder_color(name), "marker": encoder_marker(name)}
        size = rows.predicted * np.sign(rows.true)
        ax.scatter(x + jitter, size, s=12, alpha=0.5, lw=0, **style)
    ax.axhline(1, **DIAGONAL)
    ax.axhspan(*TENTH, color="#DDDDDD", lw=0, zorder=0)
    for size, label in ((1, "true"), (0.1, "a tenth")):
        ax.text(len(names) - 0.45, size, label, va="center", fontsize=9)
    ax.set_xticks(range(len(names)), [f"{name}\n{100 * tenths[name]:.0f} %" for name in names])
    ax.set(xlim=(-0.6, len(names) - 0.5))
    seed = near.seed.iloc[0]
    ax.set_title(f"answers of seed {seed} for true temperatures near ±1σ", fontsize=10)
    ax.set_xlabel("below each name: share of answers whose size is 0.09 to 0.11", fontsize=9)
    ax.set_ylabel("predicted value × sign of the true value (σ)", fontsize=9.5)
    ax.grid(axis="x", visible=False)
