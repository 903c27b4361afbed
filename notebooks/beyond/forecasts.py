"""A forecast whose true distribution is known, and how well heads say it: for intervals."""

import numpy as np
import pandas as pd
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import numlab as nl
from numlab.heads import Normals
from numlab.plots import OTHERS, panels, styled
from numlab.plots.comparisons import DASHES
from numlab.tasks import climate

LEVELS = np.arange(1, 20) / 20  # nominal shares of central intervals
TRUE, TRUE_COLOR = "the true one", "#333333"
LABELS = {
    "HLGauss": "histogram, smoothed targets",
    "bars": "histogram, equal counts",
    "mixture": "mixture of five normals",
    "bits, drawn": "bits, drawn one by one",
    "digits, drawn": "digits, drawn one by one",
}
WORST = 1.4  # times the true distribution's CRPS: bits drawn one by one can be 1e38


def weather(degrees: float = 15.0) -> nl.tasks.Temperature:
    """One station, its temperature now, and that of eight hours later.

    Land and sea are alike, so the text tells everything but the weather of the next hours.
    """
    source = nl.tasks.Climate(degrees=degrees, contrast=0.0)
    return nl.tasks.Temperature(source, stations=(1, 1), times=(2, 2))


def truth(task: nl.tasks.Temperature, examples: nl.Examples) -> Normals:
    """The distribution of the next temperature, given what the text tells.

    Weather is a stationary process of normal variables, so the next anomaly is normal around the
    present one times their correlation (see `climate.weather`, and `Climate.field` for the means).
    The text tells the day of the year, not the year, so that leap days move the season by less
    than a day.
    """
    names = ("lat0", "lon0.sin", "lon0.cos", "hour.sin", "hour.cos", "day.sin", "day.cos", "T0.0")
    sine, *others, now = (examples.column(name) for name in names)
    turns = [
        np.arctan2(s, c) / (2 * np.pi) % 1 for s, c in zip(others[::2], others[1::2], strict=True)
    ]
    east, hour, day = 360 * turns[0], 24 * turns[1], 365 * turns[2] - 1

    def usual(hour: np.ndarray) -> np.ndarray:
        year = 2 * np.pi * ((24 * day + hour) / climate.HOURS_A_YEAR - 220 / 365)
        local = 2 * np.pi * (hour + east / 15 - 15) / 24
        return 300 - 45 * sine**2 + 12 * sine * np.cos(year) + 2.75 * np.cos(local)

    field, kept = task.field(), _correlation(task.step)
    spread = 3.0 * (0.4 + 0.6 * np.abs(sine))
    anomaly = now * field.std + field.mean - usual(hour)
    mean = (usual(hour + task.step) + kept * anomaly - field.mean) / field.std
    width = spread * np.sqrt(1 - kept**2) / field.std
    return Normals(torch.ones(len(sine), 1), *(torch.from_numpy(x[:, None]) for x in (mean, width)))


def _correlation(hours: float) -> float:
    """Of the weather at one place, that many hours apart."""
    width = np.radians(climate.WEATHER)
    wave = np.arange(int(4 / width))
    power = np.exp(-((wave * width) ** 2) / 2) * np.where(wave, 2, 1)
    moved = np.cos(wave * np.radians(climate.DRIFT) * hours / 24)
    return climate.MEMORY ** (hours / 24) * (power * moved).sum() / power.sum()


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """[head, seed, nominal, held, crps, log_density]: the share of true numbers within each central
    interval, and the mean scores.

    `frame` has the columns head, seed, pit, crps and log_density, from `probes.calibration`.
    """
    runs = frame.groupby(["head", "seed"], sort=False)
    rows = [
        (head, seed, level, float(((rows.pit - 0.5).abs() <= level / 2).mean()))
        for (head, seed), rows in runs
        for level in LEVELS
    ]
    held = pd.DataFrame(rows, columns=["head", "seed", "nominal", "held"])
    return held.join(runs[["crps", "log_density"]].mean(), on=["head", "seed"])


@styled
def calibrated(frame: pd.DataFrame) -> Figure:
    """Coverage over the nominal level, the CRPS, and the log density, by head.

    `frame` is a `summary`; TRUE is one of the heads. Lines and markers are means over the seeds,
    bands and small dots the seeds.
    """
    frame = frame.replace({"head": LABELS})
    heads = [head for head in frame["head"].unique() if head != TRUE]
    colors = dict(zip(heads, OTHERS, strict=False)) | {TRUE: TRUE_COLOR}
    figure, (lines, crps, density) = panels(3, 3, 3.9, 3.6, share=False)
    dashes = dict(zip(heads, DASHES, strict=False)) | {TRUE: "--"}
    for head, rows in frame.groupby("head", sort=False):
        held = 100 * rows.groupby("nominal").held.agg(["mean", "min", "max"])
        held = held.sub(100 * LEVELS, axis=0)
        look = {"ls": dashes[head], "zorder": 3 if head == TRUE else 2}
        lines.plot(100 * LEVELS, held["mean"], color=colors[head], label=head, **look)
        band = {"color": colors[head], "alpha": 0.2, "lw": 0}
        lines.fill_between(100 * LEVELS, held["min"], held["max"], **band)
    lines.set(xlabel="nominal share of the interval (%)", xlim=(0, 100))
    lines.set(ylabel="true numbers inside − nominal\n(percentage points; 0 is right)")
    means = frame.groupby(["head", "seed"], sort=False)[["crps", "log_density"]].first()
    least = means.crps[TRUE].mean()
    _dots(crps, means.crps, heads, colors, most=WORST * least)
    crps.set(xlim=(0.95 * least, 1.03 * WORST * least))
    crps.set_xlabel(f"CRPS (σ), less is better\n▶ more than {WORST} times the true one's")
    _dots(density, means.log_density, heads, colors)
    density.set(xlabel="log density (nats), more is better")
    density.locator_params("x", nbins=5)
    density.tick_params(labelleft=False)
    figure.suptitle(
        "Forecasts by head: do intervals hold what they promise? And how good are they?"
    )
    words = "grey, dashed: the true distribution; lines, large dots: means of the seeds; "
    words += "bands: their range; small dots: each seed"
    look = {"loc": "outside lower center", "ncols": 3, "title_fontsize": 9}
    figure.legend(*lines.get_legend_handles_labels(), title=words, **look)
    return figure


def _dots(
    ax: Axes, values: pd.Series, heads: list[str], colors: dict[str, str], most: float = np.inf
) -> None:
    """A row for each head, a line at the true distribution; ▶ where the mean is above `most`."""
    ax.axvline(values[TRUE].mean(), color=TRUE_COLOR, ls="--", lw=1)
    for row, head in enumerate(heads):
        seeds = values[head]
        if seeds.mean() > most:
            ax.scatter(most, row, 64, color=colors[head], marker=">")
            look = {"textcoords": "offset points", "ha": "right", "va": "center"}
            ax.annotate(f"mean {seeds.mean():.0e}", (most, row), (-8, 0), **look)
            continue
        ax.scatter(seeds, [row] * len(seeds), 14, color=colors[head], alpha=0.6, lw=0)
        ax.scatter(seeds.mean(), row, 48, color=colors[head])
    ax.set_yticks(range(len(heads)), heads)
    ax.set_ylim(len(heads) - 0.5, -0.5)
