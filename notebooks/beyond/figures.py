"""Scores of encoders on nine tasks, and of losses."""

import numpy as np
import pandas as pd
from baselines import best_constant
from matplotlib.figure import Figure

from numlab import RunSpec
from numlab.metrics import each_answer, score
from numlab.plots import (
    captioned,
    encoder_color,
    encoder_marker,
    label_sides,
    legend,
    line_of_means,
    panels,
    styled,
)

OF_DIGITS = ("MinMax", "Sorting")  # what is asked is a number of the text
GREY = "#555555"
EASIER = "texts, from easy to hard (%)"
PARTS = 5  # of the texts of a task, from easy to hard
SCORE = (
    "score: log-sMAPE (nearly the share of digits that are right, from the first on);\n"
    "MinMax and Sorting: all digits right; Interval: right letter, above chance"
)


def asked(spec: RunSpec) -> pd.DataFrame:
    """[seed, example, task, difficulty, text] of the test examples of a run of `Numeracy` tasks."""
    parts = []
    for e in spec.examples("test"):
        task = spec.task.task_of(e.layout)
        texts = [e.text(i) for i in range(len(e))]
        columns = {"task": task.task, "difficulty": task.difficulty(e), "text": texts}
        parts.append(pd.DataFrame({"seed": spec.seed, "example": e.index} | columns))
    return pd.concat(parts)


def scored(answers: pd.DataFrame, digits: int) -> pd.DataFrame:
    """Answers with the columns of `each_answer`, and their score as BitTokens counts it.

    `answers` are rows of `nl.predict` with a column task; `digits` is how many an answer has. The
    score is log-sMAPE; in MinMax and Sorting it is whether all digits are the same; in Interval it
    is (5 a - 1) / 4, with a whether the letter is right. A mean below 0 counts as 0 (`percent`).
    """
    frame = answers.join(each_answer(answers, digits))
    number = frame["log-sMAPE"].where(~frame.task.isin(OF_DIGITS), frame["same digits"])
    letter = (5 * frame["same digits"] - 1) / 4
    return frame.assign(score=number.where(frame.task != "Interval", letter))


def percent(scores: pd.Series) -> float:
    """The mean of scores in percent, at least 0."""
    return max(0.0, 100 * scores.mean())


def constant(answers: pd.DataFrame, digits: int) -> pd.Series:
    """The score (%) of the best constant answer to each task."""

    def points(rows: pd.DataFrame) -> float:
        return percent(scored(rows, digits).score)

    first = answers.loc[answers.encoder == answers.encoder.iloc[0], ["task", "true"]]
    tasks = first.groupby("task", sort=False)
    return pd.Series({task: best_constant(rows, points) for task, rows in tasks})


def by_difficulty(answers: pd.DataFrame) -> pd.DataFrame:
    """Mean scores (%) of each encoder and seed, over how many of a task's texts are easier (%).

    Levels that many texts share count by their middle.
    """
    texts = answers.drop_duplicates(["task", "seed", "example"])
    rank = texts.groupby("task").difficulty.rank(pct=True)
    part = np.minimum(np.floor(PARTS * rank), PARTS - 1)
    texts = texts[["task", "seed", "example"]].assign(**{EASIER: (part + 0.5) * 100 / PARTS})
    by = ["task", "encoder", EASIER, "seed"]
    frame = answers.merge(texts).groupby(by, sort=False).score.agg(percent).reset_index()
    order = {task: i for i, task in enumerate(answers.task.unique())}
    frame = frame.sort_values(
        ["task", EASIER], key=lambda x: x.map(order) if x.name == "task" else x
    )
    return frame.rename(columns={"score": "score (%)"})


@styled
def difficulty(frame: pd.DataFrame) -> Figure:
    """A panel for each task, a line for each encoder; `frame` comes from `by_difficulty`."""
    groups = list(frame.groupby("task", sort=False))
    figure, axes = panels(len(groups), 3, 2.7, 2.3, share=False)
    shift = 0.7 * (np.arange(n := frame.encoder.nunique()) - (n - 1) / 2)  # marks side by side
    for ax, (task, rows) in zip(axes, groups, strict=True):
        for apart, (encoder, line) in zip(shift, rows.groupby("encoder", sort=False), strict=True):
            line_of_means(ax, line.groupby(line[EASIER] + apart)["score (%)"], encoder, bars=True)
        ax.set(title=task, xlim=(0, 100), xticks=(10, 50, 90))
        ax.set_ylim(bottom=min(0, ax.get_ylim()[0]))
    label_sides(axes, EASIER, "score (%)")
    for ax in axes:
        ax.tick_params(labelleft=True)
    legend(figure, axes)
    caption = "mark: mean of the seeds over a fifth of the texts; bar: range of the seeds; "
    caption += "encoders side by side; each panel has its own y axis"
    return captioned(figure, f"{caption}\n{SCORE}; Exponentiation has few levels")


def board(answers: pd.DataFrame) -> pd.DataFrame:
    """The score (%) of each encoder on each task with its interval, the best encoder first."""
    table = score(answers, lambda rows: percent(rows.score), by=("encoder", "task"))
    order = table.groupby("encoder").value.mean().sort_values(ascending=False).index
    return table.set_index("encoder").loc[order].reset_index()


@styled
def leaderboard(table: pd.DataFrame, constant: pd.Series) -> Figure:
    """A row for each encoder, the best on top, and a column for each task.

    `table` comes from `board`, with the columns encoder, task, value, low and high: the number in a
    cell is the score, the small one half of its interval. `constant` holds the scores of the best
    constant answer by task; it is the lowest row.
    """
    tasks, encoders = table.task.unique(), table.encoder.unique()
    cells = table.pivot(index="encoder", columns="task", values=["value", "low", "high"])
    value, half = cells["value"], (cells["high"] - cells["low"]) / 2
    rows = [value.loc[encoder, tasks] for encoder in encoders] + [constant[tasks]]
    figure, (ax,) = panels(1, 1, 0.86 * len(tasks) + 2.2, 0.36 * len(rows) + 0.8)
    shown = np.array([[*row, row.mean()] for row in rows])
    ax.imshow(shown, cmap="Blues", vmin=0, vmax=1.2 * shown.max(), aspect="auto")
    best = shown.max(0)
    for (i, j), number in np.ndenumerate(shown):
        told = i < len(encoders) and j < len(tasks)
        around = half.loc[encoders[i], tasks[j]] if told else 0
        unsure = i < len(encoders) and number - around <= shown[-1, j]
        look = {
            "color": "white" if number > 0.7 * shown.max() else "black",
            "fontweight": "bold" if round(number) == round(best[j]) else "normal",
            "style": "italic" if unsure else "normal",
            "ha": "center",
            "va": "center",
        }
        ax.text(j, i, f"{number:.0f}" + f" ±{around:.0f}" * told, fontsize=8.5, **look)
    ax.set_xticks(range(len(tasks) + 1), [*tasks, "all nine"], rotation=30, ha="left")
    ax.set_yticks(range(len(rows)), [*encoders, "the best constant"])
    for tick, name in zip(ax.get_yticklabels(), encoders, strict=False):
        tick.set_color(encoder_color(name))
    ax.axhline(len(encoders) - 0.5, color="white", lw=4)
    ax.axvline(len(tasks) - 0.5, color="white", lw=4)
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.grid(False)
    words = "score (%), half of its 95 % interval beside it; bold: the best of a column, as rounded"
    ax.set_xlabel(f"{words}; italic: not surely better than a constant")
    figure.suptitle("Which encoder is best at nine tasks, after the same time of training?")
    captioned(figure, SCORE)
    return figure


@styled
def losses(table: pd.DataFrame, constant: float) -> Figure:
    """A panel for each encoder, a row for each loss: the score and its interval.

    `table` has the columns encoder, loss, value, low and high, in percent; the first loss is the
    one that others are compared with. `constant` is the score of the best constant answer.
    """
    groups, names = list(table.groupby("encoder", sort=False)), table.loss.unique()
    figure, axes = panels(len(groups), 4, 2.3, 0.34 * len(names) + 0.7, share=False)
    for ax, (encoder, rows) in zip(axes, groups, strict=True):
        color, at = encoder_color(encoder), [list(names).index(loss) for loss in rows.loss]
        ax.hlines(at, rows.low, rows.high, color=color, lw=2, alpha=0.5)
        ax.scatter(rows.value, at, 45, color=color, marker=encoder_marker(encoder), zorder=3)
        ax.axvline(rows.value.iloc[0], color=GREY, lw=1, ls="--", label=names[0])
        ax.axvline(constant, color=GREY, lw=1, ls=":", label="the best constant answer")
        ax.set(title=encoder, xlabel="log-sMAPE (%)\nhigh is good", ylim=(len(names) - 0.5, -0.5))
        ax.set_yticks(range(len(names)), names if ax is axes[0] else [""] * len(names))
        ax.margins(x=0.12)
        ax.locator_params(axis="x", nbins=4)
    figure.suptitle("Products: nearness of the answers, by the loss beside the cross-entropy")
    legend(figure, axes)
    words = "mark: mean of the seeds; bar: 95 % interval; no mark: not tried\n"
    words += "each panel has its own axis; at or left of the dotted line: learned nothing"
    return captioned(figure, words)


LAYOUTS = {  # in words, of the names that have colours
    "Digits": "digits",
    "Digits(reverse=True)": "digits, last first",
    "NumeroLogic": "digits after their count",
    "Subword": "threes from the left",
    "SubwordFromRight": "threes from the right",
}


@styled
def layouts(frame: pd.DataFrame) -> Figure:
    """A panel for each task, a row for each layout: the sums that are right, in percent.

    `frame` has the columns task, layout, seed and right. A small dot is a seed, a marker their mean.
    """
    groups = list(frame.groupby("task", sort=False))
    figure, axes = panels(len(groups), 2, 4.6, 2.4, share=False)
    for ax, (title, rows) in zip(axes, groups, strict=True):
        by_layout = list(rows.groupby("layout", sort=False).right)
        for y, (name, right) in enumerate(by_layout):
            color, marker = encoder_color(name), encoder_marker(name)
            apart = y + np.linspace(-0.22, 0.22, len(right))  # else the mean would hide them
            ax.plot(right, apart, ".", color=color, ms=7, alpha=0.6, zorder=4)
            ax.plot(right.mean(), y, marker, color=color, ms=9, mfc="none", mew=1.6)
        ax.set_yticks(range(len(by_layout)), [LAYOUTS.get(name, name) for name, _ in by_layout])
        ax.set(
            title=title, xlabel="sums right (%)", xlim=(-3, 103), ylim=(len(by_layout) - 0.5, -0.5)
        )
    figure.suptitle("Sums that are right, by how numbers are written")
    return captioned(figure, "marker: mean of the seeds; small dots: each seed")
