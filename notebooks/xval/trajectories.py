"""The last snapshots of a planetary system, predicted at once (xval, Figure 5)."""

import numpy as np
import pandas as pd
from kepler import CIRCLE
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import numlab as nl
from figures import in_blocks
from numlab.plots import encoder_color, label_sides, styled

POSITION = r"(?P<axis>[xy])(?P<planet>\d+)\.(?P<step>\d+)$"  # a slot of nl.tasks.Planets


def trajectories(runs: list[nl.Run], examples: list[nl.Examples], n_last: int) -> pd.DataFrame:
    """Mask the positions of all planets in the last `n_last` snapshots, and predict them at once.

    `runs` are of masked LMs on planets. The columns are encoder, seed, example, planet, step, x, y,
    predicted_x, predicted_y and hidden, a row for each run, planet and snapshot. Predictions are
    NaN where nothing was masked and where the answer was invalid.
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


def distances(paths: pd.DataFrame, average: str = "mean") -> pd.DataFrame:
    """The root mean square distance of hidden from predicted positions, (seeds, encoders).

    Or the root of their "median" square, the median distance. A position with an invalid coordinate
    counts as the star's place, (0, 0).
    """
    rows, predicted = paths[paths.hidden], ["predicted_x", "predicted_y"]
    valid = rows[predicted].notna().all(axis=1)
    rows = rows.assign(**rows[predicted].where(valid, 0.0))
    square = (rows.predicted_x - rows.x) ** 2 + (rows.predicted_y - rows.y) ** 2
    found = square.groupby([rows.seed, rows.encoder], sort=False).agg(average)
    return np.sqrt(found.unstack("encoder", sort=False))


def _positions(long: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """From [*keys, slot, value] to [*keys, planet, step, x, y], without other slots."""
    long = long.join(long.slot.str.extract(POSITION)).dropna(subset="axis")
    long = long.astype({"planet": int, "step": int})
    wide = long.pivot(index=[*keys, "planet", "step"], columns="axis", values="value")
    return wide.rename_axis(columns=None).reset_index()


UNIT = "(innermost orbit: 1)"
POSITIONS = {
    "visible": {"marker": "o", "color": "#333333", "ms": 3.5, "ls": ""},
    "hidden, true": {"marker": "o", "mfc": "none", "mec": "#333333", "ms": 7, "ls": ""},
    "predicted, seed 0 (at the edge: beyond)": {
        "marker": "x",
        "color": "#333333",
        "ms": 6,
        "mew": 1.8,
        "clip_on": False,
        "ls": "",
    },
}
LINKS = {
    "joins the snapshots": {"color": "#B0B0B0", "lw": 1},
    "its error": {"color": "#333333", "lw": 0.8, "ls": ":"},
    "star": {"marker": "*", "color": "#333333", "ms": 9, "ls": ""},
}


@styled
def orbits(frame: pd.DataFrame, rms: pd.DataFrame, median: pd.Series) -> Figure:
    """True and predicted positions: a block of panels per system, a panel per encoder.

    `frame` comes from `trajectories`, of one seed; predictions outside of a panel are drawn at its
    edge. `rms` (seeds, encoders) and `median` are the root mean square and the median distances,
    for the titles. They say which are worse than Kepler's circle, if that is one of the encoders.
    """
    encoders = frame.encoder.unique()
    figure, blocks = in_blocks(frame.example.nunique(), len(encoders))
    systems = [rows for _, rows in frame.groupby("example", sort=False)]
    for i, (axes, rows) in enumerate(zip(blocks, systems, strict=True)):
        for ax, name in zip(axes, encoders, strict=True):
            _system(ax, rows[rows.encoder == name], name)
            title = name if i else f"{name}\n{_errors(rms, name)}\nmedian {median[name]:.1g}"
            ax.set_title(title, fontsize=9.5)
        label_sides(axes, f"x {UNIT}", f"system {'ABCDEFGH'[i]}\ny {UNIT}")
    looks = POSITIONS | LINKS
    handles = [Line2D([], [], label=label, **look) for label, look in looks.items()]
    words = "rms, median: distances of all hidden positions of the test, means of the seeds"
    words += " (least to greatest); no cross: no number"
    look = {"loc": "outside lower center", "ncols": 3, "title_fontsize": 10}
    figure.legend(handles=handles, title=words, **look)
    return figure


def _errors(rms: pd.DataFrame, name: str) -> str:
    """The rms of the seeds, their range, and whether they are worse than Kepler's circle."""
    seeds = rms[name]
    least, greatest = f"{seeds.min():.2g}", f"{seeds.max():.2g}"
    spread = f" ({least} to {greatest})" if least != greatest else ""
    worse = (seeds > rms[CIRCLE].max()).sum() if CIRCLE in rms else 0
    of = f" in {worse} of {len(seeds)} seeds" if worse < len(seeds) else ""
    return f"rms {seeds.mean():.2g}{spread}" + (f"\nabove the circle's{of}" if worse else "")


def _system(ax: Axes, rows: pd.DataFrame, name: str) -> None:
    """The star, the planets' paths, and a line from each hidden position to its prediction."""
    visible, hidden, cross = POSITIONS.values()
    orbit, link, star = LINKS.values()
    low = rows[["x", "y"]].min().clip(upper=0).to_numpy()  # the star at (0, 0) is in the picture
    high = rows[["x", "y"]].max().clip(lower=0).to_numpy()
    reach = 0.65 * (high - low).max()
    low, high = (low + high) / 2 - reach, (low + high) / 2 + reach
    color = encoder_color(name)
    ax.plot(0, 0, zorder=1, **star)
    for _, path in rows.groupby("planet"):
        ax.plot(path.x, path.y, zorder=1, **orbit)
        ax.plot(*path.loc[~path.hidden, ["x", "y"]].to_numpy().T, **visible)
        true = path.loc[path.hidden, ["x", "y"]].to_numpy()
        predicted = path.loc[path.hidden, ["predicted_x", "predicted_y"]].to_numpy().clip(low, high)
        ax.plot(*true.T, **hidden)
        ax.plot(*predicted.T, **cross | {"color": color})
        ax.plot(*np.stack([true, predicted]).transpose(2, 0, 1), **link | {"color": color})
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
