"""Answers to questions about planets that need no training: Kepler's laws (for xval, Sec. 3.2)."""

import dataclasses

import numpy as np
import pandas as pd

import numlab as nl
from numlab.claims import Gate
from numlab.numbers import rounded

FIGURES = 3  # as a text encoder reads
PERSISTENCE, CIRCLE, KEPLER = "persistence", "Kepler's circle", "Kepler"


def ellipse(examples: list[nl.Examples], slot: str) -> pd.DataFrame:
    """What a text says of its first planet's orbit or of the step size, by Kepler's laws.

    `examples` are of `nl.tasks.Planets`, and `slot` is "a0", "e0" or "stepsize"; the rows are as
    from `nl.predict`. It reads the first planet's other elements and its first two positions at
    three figures, as a text encoder does. The other planets pull too little to matter; the
    pericentre lies on the x axis in all texts.
    """
    laws = {"a0": _semimajor_axis, "e0": _eccentricity, "stepsize": _step_size}
    frames = []
    for e in examples:
        read = dataclasses.replace(e, numbers=rounded(e.numbers, FIGURES))
        columns = {"example": e.index, "slot": slot, "true": e.column(slot)}
        frames.append(pd.DataFrame(columns).assign(predicted=laws[slot](read)))
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
    before, after = (_mean_anomaly(_place(e, step)[1], e.column("e0") / 20) for step in (0, 1))
    return (after - before) % (2 * np.pi) * e.column("a0") ** 1.5


def _mean_anomaly(longitude: np.ndarray, e: np.ndarray) -> np.ndarray:
    """How far a planet is on its way, as an angle that grows evenly from the pericentre."""
    shrink = np.sqrt((1 - e) / (1 + e))
    angle = 2 * np.arctan2(shrink * np.sin(longitude / 2), np.cos(longitude / 2))
    return angle - e * np.sin(angle)


def _on_ellipse(mean: np.ndarray, a: np.ndarray, e: np.ndarray) -> np.ndarray:
    """Positions x + iy at a mean anomaly: Kepler's equation, solved by iteration (e <= 0.1)."""
    angle = mean
    for _ in range(15):
        angle = mean + e * np.sin(angle)
    return a * (np.cos(angle) - e + 1j * np.sqrt(1 - e**2) * np.sin(angle))


def forecasts(paths: pd.DataFrame, examples: list[nl.Examples]) -> pd.DataFrame:
    """The last positions by three rules, from numbers of three figures, as a text encoder reads.

    `paths` comes from `trajectories.trajectories` of the same texts; its columns come back with
    seed 0 and the encoders "persistence", "Kepler's circle" and "Kepler". A planet stays where it
    was. Or it turns on the circle around the star through its last visible position: Kepler's third
    law gives the speed, from the semimajor axis and the step size in the text. Or it follows its
    ellipse, with the eccentricity in the text.
    """
    one = paths[(paths.encoder == paths.encoder.iloc[0]) & (paths.seed == paths.seed.iloc[0])]
    step = one.step[~one.hidden].max()
    last = one[one.step == step].set_index(["example", "planet"])
    at = pd.MultiIndex.from_frame(one[["example", "planet"]])
    x, y = (rounded(last[axis].reindex(at).to_numpy(), FIGURES) for axis in "xy")
    start, elements = x + 1j * y, _elements(examples).reindex(at)
    a, e = elements.a.to_numpy(), elements.e.to_numpy() / 20
    turned = (elements.stepsize / elements.a**1.5).to_numpy() * (one.step - step).to_numpy()
    rules = {
        PERSISTENCE: start,
        CIRCLE: start * np.exp(1j * turned),
        KEPLER: _on_ellipse(_mean_anomaly(np.angle(start), e) + turned, a, e),
    }
    frames = []
    for name, position in rules.items():
        position = np.where(one.hidden, position, np.nan)
        moved = {"predicted_x": position.real, "predicted_y": position.imag}
        frames.append(one.assign(encoder=name, seed=0, **moved))
    return pd.concat(frames, ignore_index=True)


def _elements(examples: list[nl.Examples]) -> pd.DataFrame:
    """a, e and the step size of each planet, of three figures, by (example, planet)."""
    frames = []
    for examples_of_k in examples:
        column = examples_of_k.column
        for planet in range(sum(s.startswith("a") for s in examples_of_k.layout.number_slots)):
            slots = {"a": f"a{planet}", "e": f"e{planet}", "stepsize": "stepsize"}
            columns = {name: rounded(column(slot), FIGURES) for name, slot in slots.items()}
            frames.append(pd.DataFrame(columns).assign(example=examples_of_k.index, planet=planet))
    return pd.concat(frames).set_index(["example", "planet"])


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


def learned(errors: pd.DataFrame, slot: str, bound: float) -> Gate:
    """The gate "<slot> is learned": with each seed an MSE below a bound.

    `errors` is the MSE of the slot in distribution, (seeds, encoders). `bound` is a tenth of the
    prior's variance.
    """
    worst = errors.max(skipna=False)
    evidence = ", ".join(f"{name} {error:.2g}" for name, error in worst.items())
    return Gate(f"{slot} is learned", (worst < bound).all(), f"greatest MSE: {evidence}")


def learned_e0(answers: pd.DataFrame) -> Gate:
    """The gate "e0 is learned": with each seed a median error far below that of the prior's median.

    `answers` are rows of `nl.predict` for e0 where the models were trained, without invalid ones.
    The square of a seed's median absolute error has to be below 5.5 % of the squared median
    distance of the true values from their median, 0.5 for 20 e0. So it is for normal errors with an
    MSE below 0.03 (0.6745² * 0.03 / 0.5² = 0.055); the worst of the paper's encoders has 0.033
    (Table 4). A few wild answers move no median.
    """
    by = [answers.encoder, answers.seed]
    middle = answers.groupby(by).true.transform("median")
    error, prior = (
        (answers.true - other).abs().groupby(by, sort=False).agg(lambda x: x.median(skipna=False))
        for other in (answers.predicted, middle)
    )
    share = (error**2 / prior**2).groupby("encoder", sort=False).agg(lambda x: x.max(skipna=False))
    shown = ", ".join(f"{name} {worst:.2g}" for name, worst in share.items())
    evidence = f"greatest share of the squared error of the prior's median: {shown}"
    return Gate("e0 is learned", (share < 0.055).all(), evidence)
