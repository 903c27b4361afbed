"""A table whose target is a sum of four functions, one of each column; and what models made of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator
from scipy.special import ndtri
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV

import numlab as nl
from numlab.numbers import rounded
from numlab.plots import captioned, encoder_color, encoder_marker, panels, styled
from numlab.tasks.base import Columns, IndependentTask

LEVELS = np.array([1.0, -1.0, 0.5, 1.5, -1.5, -0.5, 1.0, -1.0])  # of the steps
WAVE = 2.5  # the length of a wave
FUNCTIONS = {  # each has a mean of 0 and a deviation of about 1
    "line": lambda x: x / np.sqrt(3.0),
    "steps": lambda x: LEVELS[np.minimum(x * len(LEVELS) / 100.0, len(LEVELS) - 1).astype(int)],
    "waves": lambda x: np.sqrt(2.0) * np.sin(2 * np.pi * x / WAVE),
    "decades": lambda x: np.log10(x) / np.sqrt(3.0),
}
GRID = {  # of gradient boosting; scikit-learn's own settings are among them
    "max_iter": [100, 400],
    "max_leaf_nodes": [8, 31],
    "interaction_cst": [None, "no_interactions"],
}
BASELINES = {
    "a linear model": LinearRegression,
    "gradient boosting": lambda: GridSearchCV(
        HistGradientBoostingRegressor(early_stopping=False, random_state=0), GRID, cv=3
    ),
}


@dataclass(frozen=True)
class Shapes(IndependentTask):
    """Rows such as ``line=0.74 steps=81.2 waves=3.01 decades=0.0153 y=-1.8``.

    y is the sum of a function of each column and of normal noise. Numbers have three significant
    figures. `sample` can hold each column but y.

    Parameters
    ----------
    noise : its standard deviation.
    """

    noise: float = 0.3

    n_uniforms: ClassVar[int] = 5
    limits: ClassVar[Mapping[str, tuple[float, float]]] = {
        "line": (-3.0, 3.0),
        "steps": (0.0, 100.0),
        "waves": (0.0, 10.0),
        "decades": (1e-3, 1e3),
    }

    def layouts(self) -> list[nl.Layout]:
        return [nl.Layout.of(" ".join(f"{name}={{{name}}}" for name in (*self.limits, "y")))]

    def _fill(self, i: int, u: np.ndarray, held: Columns) -> tuple:
        drawn = zip(self.limits, u[:, 1:].T, strict=True)
        columns = {name: rounded(self.spread(name, own), 3) for name, own in drawn} | held
        y = self.truth(columns) + self.noise * ndtri(np.clip(u[:, 0], 1e-12, 1.0))
        return np.column_stack([*columns.values(), rounded(y, 3)]), None

    def spread(self, name: str, share: np.ndarray) -> np.ndarray:
        """The numbers of a column below which these shares of its numbers lie."""
        low, high = self.limits[name]
        if name == "decades":
            return low * (high / low) ** share
        return low + (high - low) * share

    @staticmethod
    def truth(columns: Mapping[str, np.ndarray]) -> np.ndarray:
        """(n,) y without its noise."""
        return sum(function(columns[name]) for name, function in FUNCTIONS.items())


def as_table(examples: list[nl.Examples]) -> pd.DataFrame:
    """The numbers of texts, a column for each slot."""
    (only,) = examples
    return pd.DataFrame(only.numbers, columns=only.layout.number_slots)


def answers(runs: list[nl.Run], examples: list[nl.Examples]) -> pd.DataFrame:
    """Each answer for y, and `truth`, which is y without its noise."""
    found = nl.predict(runs, examples, "y", batch_size=1024)
    truth = Shapes.truth(as_table(examples))
    return found.assign(truth=truth.loc[found.example].to_numpy())


def baselines(runs: list[nl.Run], examples: list[nl.Examples]) -> pd.DataFrame:
    """The answers of a linear model and of gradient boosting, as `answers` gives them.

    They learn from the training texts of each seed; `runs` are those of one encoder.
    """
    asked = as_table(examples)
    truth = Shapes.truth(asked)
    parts = []
    for run in runs:
        known = as_table(run.examples("train"))
        for name, regressor in BASELINES.items():
            model = regressor().fit(known.drop(columns="y"), known.y)
            found = asked.assign(predicted=model.predict(asked.drop(columns="y")), truth=truth)
            parts.append(found.assign(encoder=name, seed=run.spec.seed))
    return pd.concat(parts)


def responses(
    runs: list[nl.Run], task: Shapes, points: int, texts: int, seed: int = 2
) -> pd.DataFrame:
    """What runs answer along each column, on average over the others (partial dependence).

    Returns
    -------
    DataFrame [encoder, seed, column, x, share, learned, true]
        `points` numbers x for each column, with even shares of its numbers between them; learned:
        the mean answer over `texts` rows, the same at each x; true: the column's function. Both
        have a mean of 0.
    """
    share, parts = (np.arange(points) + 0.5) / points, []
    others = as_table(task.sample(texts, seed)).drop(columns="y")
    rows = {other: np.repeat(numbers, points) for other, numbers in others.items()}
    for name, function in FUNCTIONS.items():
        x = rounded(task.spread(name, share), 3)
        examples = task.sample(points * texts, seed, **rows | {name: np.tile(x, texts)})
        found = nl.predict(runs, examples, "y", batch_size=1024)
        found["point"] = found.example % points
        mean = (
            found.groupby(["encoder", "seed", "point"], sort=False).predicted.mean().reset_index()
        )
        level = mean.groupby(["encoder", "seed"]).predicted.transform("mean")
        true = function(x) - function(x).mean()
        parts.append(
            mean[["encoder", "seed"]].assign(
                column=name,
                x=x[mean.point],
                share=share[mean.point],
                learned=mean.predicted - level,
                true=true[mean.point],
            )
        )
    return pd.concat(parts, ignore_index=True)


@styled
def multiples(curves: pd.DataFrame, names: Mapping[str, str]) -> Figure:
    """A row of panels for each column of the table, a panel for each encoder: what it learned.

    `curves` comes from `responses`, of one seed; `names` has a title for each encoder, in order.
    """
    columns = list(FUNCTIONS)
    figure, axes = panels(len(columns) * len(names), len(names), 1.35, 1.35)
    grouped = curves.groupby(["column", "encoder"])
    for k, ax in enumerate(axes):
        column, encoder = columns[k // len(names)], [*names][k % len(names)]
        own = grouped.get_group((column, encoder))
        ax.plot(own.share, own.true, color="#BBBBBB", lw=3.5, solid_capstyle="butt")
        ax.plot(own.share, own.learned, color=encoder_color(encoder), lw=1.3)
        ax.set(xticks=(0, 0.5, 1), yticks=(-1, 0, 1), ylim=(-2.1, 2.1))
        ax.tick_params(
            labelleft=k % len(names) == 0, labelbottom=k // len(names) == len(columns) - 1
        )
        if k < len(names):
            ax.set_title(
                names[encoder].replace(" ", "\n"), fontsize=9.5, color=encoder_color(encoder)
            )
        if k % len(names) == 0:
            ax.set_ylabel(column, rotation=0, ha="right", va="center")
    figure.supylabel("part of y", fontsize=10)
    figure.suptitle("What a model learns of each column of a table")
    words = "across: the share of the column's numbers that are smaller"
    return captioned(figure, f"{words}\ngrey: the true part; coloured: the model's, of one seed")


@styled
def errors(frame: pd.DataFrame, names: Mapping[str, str], baselines: pd.Series) -> Figure:
    """A row for each encoder, a mark for each seed: the distance from the true function.

    `frame` has the columns encoder, seed and error, `baselines` an error for each baseline.
    """
    figure, (ax,) = panels(1, 1, 5.2, 0.36 * len(names) + 0.9)
    middle = frame.groupby("encoder").error.mean()
    order = sorted(names, key=middle.get, reverse=True)
    for row, encoder in enumerate(order):
        own = frame[frame.encoder == encoder].error
        look = {"color": encoder_color(encoder), "marker": encoder_marker(encoder)}
        ax.scatter(own, np.full(len(own), row), 26, alpha=0.5, lw=0, **look)
        ax.scatter(own.mean(), row, 70, edgecolor="white", lw=0.7, **look)
    for name, error in baselines.items():
        ax.axvline(error, color="#555555", lw=1, ls="--")
        ax.text(error, len(order) - 0.45, name, ha="center", va="bottom", fontsize=9)
    ax.set_yticks(range(len(order)), [names[encoder] for encoder in order])
    ax.set(xscale="log", ylim=(-0.6, len(order) - 0.5))
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter("")
    ax.set_xlabel("distance from the true function, in standard deviations of the noise")
    figure.suptitle("Seven ways to read the numbers of a table")
    return captioned(
        figure, "small marks: seeds; large: their mean; dashed: without a language model"
    )
