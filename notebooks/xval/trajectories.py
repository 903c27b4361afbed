"""The last snapshots of a planetary system, predicted at once (xval, Figure 5)."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
from kepler import CIRCLE
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import numlab as nl
from numlab.plots import encoder_color, panels, styled

POSITION = r"(?P<axis>[xy])(?P<planet>\d+)\.(?P<step>\d+)$"  # a slot of nl.tasks.Planets


def trajectories(runs: list[nl.Run], examples: list[nl.Examples], n_last: int) -> pd.DataFrame:
    """Mask the positions of all planets in the last snapshots, and predict them at once.

    Parameters
    ----------
    runs : list of Run
        Of masked LMs on planets.
    examples : list of Examples
        Planetary systems.
    n_last : int
        Snapshots to mask.

    Returns
    -------
    DataFrame [encoder, seed, example, planet, step, x, y, predicted_x, predicted_y, hidden]
        One row per run, planet and snapshot. Predictions are NaN where nothing was masked and
        where the answer was invalid.
    """
    long = [
        pd.DataFrame(e.numbers, e.index, e.layout.number_slots)
        .rename_axis("example")
        .reset_index()
        .melt("example", var_name="slot")
        for e in examples
    ]
    true = _positions(pd.concat(long, ignore_index=True), ["example"])
    n_steps = 1 + true.step.max()
    if not 0 < n_last < n_steps:
        raise ValueError(f"of {n_steps} snapshots, 1 to {n_steps - 1} can be hidden; got {n_last}")
    hidden = range(n_steps - n_last, n_steps)
    answers = nl.predict(runs, examples, tuple(f"{axis}*.{s}" for axis in "xy" for s in hidden))
    answers["value"] = answers.predicted.where(answers.valid).astype(float)
    predicted = _positions(answers, ["encoder", "seed", "example"])
    predicted = predicted.rename(columns={"x": "predicted_x", "y": "predicted_y"})
    frame = answers[["encoder", "seed"]].drop_duplicates().merge(true, how="cross")
    frame = frame.merge(predicted, how="left", on=["encoder", "seed", "example", "planet", "step"])
    return frame.assign(hidden=frame.step.isin(hidden))


def distances(paths: pd.DataFrame) -> pd.DataFrame:
    """The root mean square distance of hidden from predicted positions, (seeds, encoders).

    An invalid answer counts as the star's place, (0, 0).
    """
    rows = paths[paths.hidden].fillna({"predicted_x": 0.0, "predicted_y": 0.0})
    square = (rows.predicted_x - rows.x) ** 2 + (rows.predicted_y - rows.y) ** 2
    mean = square.groupby([rows.seed, rows.encoder], sort=False).mean()
    return np.sqrt(mean.unstack("encoder", sort=False))


def _positions(long: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """From [*keys, slot, value] to [*keys, planet, step, x, y], without other slots."""
    long = long.join(long.slot.str.extract(POSITION)).dropna(subset="axis")
    long = long.astype({"planet": int, "step": int})
    wide = long.pivot(index=[*keys, "planet", "step"], columns="axis", values="value")
    return wide.rename_axis(columns=None).reset_index()


UNIT = "(innermost orbit: 1)"
POSITIONS = {
    "visible": {"marker": "o", "color": "#333333", "ms": 3.5},
    "true, hidden": {"marker": "o", "mfc": "none", "mec": "#333333", "ms": 7},
    "predicted, seed 0 (at the edge: beyond)": {
        "marker": "x",
        "color": "#333333",
        "ms": 6,
        "mew": 1.8,
    },
}


@styled
def orbits(frame: pd.DataFrame, rms: pd.Series) -> Figure:
    """True and predicted positions: a row of panels per system, a column per encoder.

    Parameters
    ----------
    frame : DataFrame
        From `trajectories`, of one seed. Predictions outside of a panel are
        drawn at its edge.
    rms : Series
        The root mean square distance of each encoder, for the titles. They say which is worse than
        Kepler's circle, if that is one of them.
    """
    worse = (rms > rms.get(CIRCLE, np.inf)).map({True: "\nworse than the circle", False: ""})
    systems, encoders = frame.example.unique(), frame.encoder.unique()
    figure, axes = panels(len(systems) * len(encoders), len(encoders), 2.4, 2.4, share=False)
    for ax, (system, name) in zip(axes, itertools.product(systems, encoders), strict=True):
        _system(ax, frame[(frame.example == system) & (frame.encoder == name)], name)
        if system == systems[0]:
            ax.set_title(f"{name}\nrms distance {rms[name]:.2f}{worse[name]}", fontsize=10)
        else:
            ax.set_xlabel(f"x {UNIT}")
        ax.tick_params(labelleft=ax.get_subplotspec().is_first_col())
        if ax.get_subplotspec().is_first_col():
            ax.set_ylabel(f"y {UNIT}")
    handles = [Line2D([], [], ls="", label=label, **style) for label, style in POSITIONS.items()]
    handles.append(Line2D([], [], ls="", label="rms distance: all test texts, mean of the seeds"))
    figure.legend(handles=handles, loc="outside lower center", ncols=4)
    return figure


def _system(ax: Axes, rows: pd.DataFrame, name: str) -> None:
    """The star, the planets' paths, and a line from each hidden position to its prediction."""
    visible, hidden, cross = POSITIONS.values()
    low = rows[["x", "y"]].min().clip(upper=0).to_numpy()  # the star at (0, 0) is in the picture
    high = rows[["x", "y"]].max().clip(lower=0).to_numpy()
    reach = 0.65 * (high - low).max()
    low, high = (low + high) / 2 - reach, (low + high) / 2 + reach
    color = encoder_color(name)
    ax.plot(0, 0, marker="*", color="#333333", ms=9, zorder=1)
    for _, path in rows.groupby("planet"):
        ax.plot(path.x, path.y, color="#B0B0B0", lw=1, zorder=1)
        ax.plot(*path.loc[~path.hidden, ["x", "y"]].to_numpy().T, ls="", **visible)
        true = path.loc[path.hidden, ["x", "y"]].to_numpy()
        predicted = path.loc[path.hidden, ["predicted_x", "predicted_y"]].to_numpy().clip(low, high)
        ax.plot(*true.T, ls="", **hidden)
        ax.plot(*predicted.T, ls="", **cross | {"color": color})
        ax.plot(*np.stack([true, predicted]).transpose(2, 0, 1), color=color, lw=0.8, alpha=0.6)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
