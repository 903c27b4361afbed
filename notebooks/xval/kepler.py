"""Answers to questions about planets that need no training: Kepler's laws (for xval, Sec. 3.2)."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd

import numlab as nl
from numlab.claims import Gate
from numlab.examples import from_figures, to_figures

PERSISTENCE, CIRCLE, KEPLER = "persistence", "Kepler's circle", "Kepler"
LEARNED = 0.03  # MSE of 20 e0: the worst of the paper's encoders has 0.033 (Table 4)


def ellipse(examples: list[nl.Examples], slot: str) -> pd.DataFrame:
    """What a text says of its first planet's orbit or of the step size, by Kepler's laws.

    It reads the first planet's other elements and its first two positions at three figures, as a
    text encoder does. The other planets pull too little to matter; the pericentre lies on the x
    axis in all texts.

    Parameters
    ----------
    examples : list of Examples
        Of `nl.tasks.Planets`.
    slot : {"a0", "e0", "stepsize"}

    Returns
    -------
    DataFrame [encoder, seed, example, slot, true, predicted, valid]
        As from `nl.predict`.
    """
    laws = {"a0": _semimajor_axis, "e0": _eccentricity, "stepsize": _step_size}
    frames = []
    for e in examples:
        rounded = dataclasses.replace(e, numbers=from_figures(*to_figures(e.numbers, 3)))
        columns = {"example": e.index, "slot": slot, "true": e.column(slot)}
        frames.append(pd.DataFrame(columns).assign(predicted=laws[slot](rounded)))
    frame = pd.concat(frames, ignore_index=True).assign(encoder=KEPLER, seed=0)
    return frame.assign(valid=frame.predicted.notna())


def _place(e: nl.Examples, step: int) -> tuple[np.ndarray, np.ndarray]:
    """Distance and longitude of the first planet."""
    x, y = e.column(f"x0.{step}"), e.column(f"y0.{step}")
    return np.hypot(x, y), np.arctan2(y, x)


def _semimajor_axis(e: nl.Examples) -> np.ndarray:
    r, angle = _place(e, 0)
    eccentricity = e.column("e0") / 20
    return r * (1 + eccentricity * np.cos(angle)) / (1 - eccentricity**2)


def _eccentricity(e: nl.Examples) -> np.ndarray:
    """The root of a e² + (r cos) e + r - a = 0: r = a (1 - e²) / (1 + e cos)."""
    (r, angle), a = _place(e, 0), e.column("a0")
    b = r * np.cos(angle)
    root = np.sqrt(np.maximum(b**2 - 4 * a * (r - a), 0))
    return 20 * np.clip((root - b) / (2 * a), 0, 0.1)


def _step_size(e: nl.Examples) -> np.ndarray:
    """By the mean anomaly, which grows evenly."""
    eccentricity, mean = e.column("e0") / 20, []
    for step in (0, 1):
        half = _place(e, step)[1] / 2
        shrink = np.sqrt((1 - eccentricity) / (1 + eccentricity))
        angle = 2 * np.arctan2(shrink * np.sin(half), np.cos(half))
        mean.append(angle - eccentricity * np.sin(angle))
    return (mean[1] - mean[0]) % (2 * np.pi) * e.column("a0") ** 1.5


def forecasts(paths: pd.DataFrame, examples: list[nl.Examples]) -> pd.DataFrame:
    """The last positions by two rules: a planet stays where it was, or turns on a circle.

    The circle is around the star through the last visible position; Kepler's third law gives the
    speed, from the semimajor axis and the step size in the text.

    Parameters
    ----------
    paths : DataFrame
        From `trajectories.trajectories`.
    examples : list of Examples
        The same texts.

    Returns
    -------
    DataFrame
        The columns of `paths`, with seed 0; encoder: "persistence" and "Kepler's circle".
    """
    one = paths[(paths.encoder == paths.encoder.iloc[0]) & (paths.seed == paths.seed.iloc[0])]
    step = one.step[~one.hidden].max()
    last = one[one.step == step].set_index(["example", "planet"])
    at = pd.MultiIndex.from_frame(one[["example", "planet"]])
    start = last.x.reindex(at).to_numpy() + 1j * last.y.reindex(at).to_numpy()
    angle = _turn(examples).reindex(at).to_numpy() * (one.step - step).to_numpy()
    frames = []
    for name, position in ((PERSISTENCE, start), (CIRCLE, start * np.exp(1j * angle))):
        position = np.where(one.hidden, position, np.nan)
        moved = {"predicted_x": position.real, "predicted_y": position.imag}
        frames.append(one.assign(encoder=name, seed=0, **moved))
    return pd.concat(frames, ignore_index=True)


def _turn(examples: list[nl.Examples]) -> pd.Series:
    """The angle by which each planet turns in a step, by (example, planet)."""
    turns = {}
    for e in examples:
        for planet in range(sum(name.startswith("a") for name in e.layout.number_slots)):
            angle = e.column("stepsize") / e.column(f"a{planet}") ** 1.5
            turns |= {(i, planet): x for i, x in zip(e.index, angle, strict=True)}
    return pd.Series(turns).rename_axis(["example", "planet"])


def swept(task: nl.tasks.Planets, slot: str, values: np.ndarray, n: int) -> list[nl.Examples]:
    """The same n texts for each value of a parameter; text i at value j has the index j n + i."""
    return [
        dataclasses.replace(e, index=e.index + j * n)
        for j, value in enumerate(np.asarray(values, float))
        for e in task.sample(n, 1, **{slot: value})
    ]


def gap_values(task: nl.tasks.Planets, slot: str, n: int) -> np.ndarray:
    """About n values inside the gaps of a parameter, and the trained ones at their edges."""
    gaps, highest = task.gaps[slot], task.limits[slot][1]
    n_each = -(-n // len(gaps)) + 2
    inner = [np.linspace(low, min(high, highest), n_each)[1:-1] for low, high in gaps]
    edges = [edge for edge in np.ravel(gaps) if edge <= highest]
    return np.unique(np.concatenate([*inner, edges]).round(4))


def learned(errors: pd.DataFrame) -> Gate:
    """The gate "e0 is learned": with each seed an MSE of 20 e0 below 0.03; the mean has 0.33.

    Parameters
    ----------
    errors : DataFrame
        The MSE of e0, (seeds, encoders).
    """
    worst = errors.max(skipna=False)
    evidence = ", ".join(f"{name} {error:.2g}" for name, error in worst.items())
    return Gate("e0 is learned", (worst < LEARNED).all(), f"greatest MSE: {evidence}")
