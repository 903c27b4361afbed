"""The sweep's figure: `sweep.json` holds its looks, this module the numbers.

Plain dicts, because plotly's own objects validate each change: too slow for each move.
"""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import plotly.io

from numlab.plots import encoder_color
from numlab.plots.sweep import legible
from numlab.widgets.panel import TEMPLATE

__all__ = ["GAP", "SHADED", "sweep_layout", "sweep_traces"]

LOOKS = Path(__file__).with_name("sweep.json").read_text("utf-8")
TRACES, GAP = json.loads(LOOKS)["traces"], json.loads(LOOKS)["shapes"]["gap"]
SHADED = " (shaded: gaps between trained values)"  # in the title of an axis with gaps
FLOOR = 1e-3  # of the axis: smaller errors are drawn here
BELOW = {"xaxis": "x2", "yaxis": "y2"}


def sweep_layout(slot: str, axis: tuple[float, float], gaps: tuple, speller: str | None) -> dict:
    """Axes and gaps: predictions, their errors below, the words of encoder `speller` at the right.

    `axis` is the range of predicted and true numbers; without `speller` there is no right panel.
    """
    layout, shapes, _ = json.loads(LOOKS).values()
    span = axis[1] - axis[0]
    layout["template"] = plotly.io.templates[TEMPLATE].to_plotly_json()
    layout["xaxis2"] |= {"range": axis, "title": {"text": f"true {slot}{SHADED if gaps else ''}"}}
    layout["yaxis"] |= {"range": axis, "title": {"text": f"predicted {slot}"}}
    layout["yaxis2"]["range"] = [math.log10(FLOOR * span / 1.5), math.log10(1.5 * span)]
    if speller:
        layout["xaxis3"]["title"] = {"text": f"{speller}: probability of its words"}
    else:
        layout["xaxis"]["domain"] = layout["xaxis2"]["domain"] = [0, 1]
        del layout["xaxis3"], layout["yaxis3"]
    layout["shapes"] = [GAP | {"x0": low, "x1": high} for low, high in gaps]
    for edge in sorted({edge for gap in gaps for edge in gap}):
        layout["shapes"].append(shapes["upright"] | {"x0": edge, "x1": edge})
        layout["shapes"].append(shapes["level"] | {"y0": edge, "y1": edge})
    return layout


def sweep_traces(
    answers: pd.DataFrame, words: pd.DataFrame | None, at: float, axis: tuple[float, float]
) -> list[dict[str, Any]]:
    """The traces of the answers so far and the words at the true value `at`.

    Their names: "true", "true, below", "<encoder> so far", "<encoder> error", "<encoder>",
    "words", "argmax", "expectation". Numbers beyond the axis are drawn at its ends.
    """
    span = axis[1] - axis[0]
    true = TRACES["true"] | {"x": [at, at]}
    traces = [
        TRACES["diagonal"] | {"x": axis, "y": axis},
        true | {"name": "true", "y": axis},
        true | {"name": "true, below", "y": [FLOOR * span / 2, 2 * span], **BELOW},
    ]
    rows = answers[["true", "median", "low", "high"]].to_numpy()
    order, names = rows[:, 0].argsort(), answers.encoder.to_numpy()
    encoders = dict.fromkeys(names)
    for i, name in enumerate(encoders):
        aside = 0.019 * span * (i - (len(encoders) - 1) / 2)
        traces += _encoder(name, rows[order][names[order] == name], at, aside, axis)
    return traces if words is None else traces + _words(words, axis)


def _encoder(name: str, rows: np.ndarray, at: float, aside: float, axis) -> list[dict]:
    """An encoder's predictions and errors so far, and its median and range at `at`."""
    color, span = encoder_color(name), axis[1] - axis[0]
    _, median, low, high = now = rows[rows[:, 0] == at][0].tolist()
    x, y = rows[:, 0], rows[:, 1]
    far = 1 + np.flatnonzero(np.diff(x) > 0.1 * span)  # nothing was asked between: no line
    error = np.clip(np.abs(y - x), FLOOR * span, span)
    x, y, error = (np.insert(column, far, np.nan).tolist() for column in (x, y, error))
    line = {"line": {"color": color, "width": 1.5}, "legendgroup": name, "x": x}
    bars = {"array": [high - median], "arrayminus": [median - low], "thickness": 1.4, "width": 3}
    point = {
        "legendgroup": name,
        "marker": {"color": color, "size": 9, "line": {"color": "white", "width": 1}},
        "x": [at + aside],
        "y": _inside([median], axis),
        "error_y": {"type": "data", "symmetric": False, **bars},
        "customdata": [now],
    }
    return [
        TRACES["line"] | line | {"name": f"{name} so far", "y": _inside(y, axis), "opacity": 0.5},
        TRACES["line"] | line | {"name": f"{name} error", "y": error, **BELOW},
        TRACES["point"] | point | {"name": name},
    ]


def _words(words: pd.DataFrame, axis) -> list[dict]:
    """Each word at the number that it spells, and the numbers that the logits give."""
    word, number, probability = words[["word", "number", "probability"]].dropna().to_numpy().T
    y, span = _inside(number, axis), axis[1] - axis[0]
    bars = {
        "name": "words",
        "x": probability.tolist(),
        "y": y,
        "width": 0.018 * span,
        "marker": {"color": encoder_color(words.encoder.iloc[0])},
        "text": legible(word, y, span),
        "customdata": list(zip(word, number, strict=True)),
    }
    marks = zip(words.part[-2:], words.number[-2:], strict=True)
    return [TRACES["words"] | bars] + [
        TRACES[part] | {"name": part, "y": _inside([number], axis), "customdata": [number]}
        for part, number in marks
    ]


def _inside(numbers, axis: tuple[float, float]) -> list[float]:
    """Numbers, those beyond the axis a little inside its ends."""
    margin = 0.02 * (axis[1] - axis[0])
    return np.clip(np.asarray(numbers, float), axis[0] + margin, axis[1] - margin).tolist()
