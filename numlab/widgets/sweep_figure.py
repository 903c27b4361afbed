"""The sweep's figure: `sweep_figure.jinja` holds its looks, this module the numbers.

No objects of plotly's own, because they validate each change: too slow for each move.
"""

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import plotly.io

from numlab.plots import encoder_color
from numlab.plots.sweep import FLOOR, legible
from numlab.widgets.panel import TEMPLATE, page

LOOK = plotly.io.templates[TEMPLATE].to_plotly_json()  # once: it takes 30 ms


def sweep_figure(
    answers: pd.DataFrame, words: pd.DataFrame | None, axis: tuple[float, float], at: float, **about
) -> dict[str, Any]:
    """The answers so far, their errors below, and at the right, if there are any, the words.

    Its traces: "true", "true, below", "right", "<encoder> so far", "<encoder> error", "<encoder>",
    "words", "argmax", "expectation". Numbers beyond the axis are drawn at its ends. `at` is the
    true value now, `about` what else the template needs: name, gaps and model_ms.
    """
    span = axis[1] - axis[0]
    about |= {"axis": axis, "at": at, "span": span, "least": FLOOR * span}
    about["decades"] = [math.log10(FLOOR * span / 1.5), math.log10(1.5 * span)]
    about["encoders"] = [
        {"name": name, "color": encoder_color(name), **_line(rows.to_numpy(), at, axis)}
        for name, rows in answers.groupby("encoder", sort=False)[["true", "median", "low", "high"]]
    ]
    about["spelled"] = None if words is None else _spelled(words, axis)
    figure = json.loads(page("sweep_figure.jinja").render(about))
    figure["layout"]["template"] = LOOK
    return figure


def _line(rows: np.ndarray, at: float, axis: tuple[float, float]) -> dict[str, Any]:
    """An encoder's predictions and errors so far, and what it answers now."""
    rows, span = rows[rows[:, 0].argsort()], axis[1] - axis[0]
    true, median = rows[:, 0], rows[:, 1]
    (now,) = rows[true == at].tolist()
    far = 1 + np.flatnonzero(np.diff(true) > 0.1 * span)  # nothing was asked between: no line
    error = np.clip(np.abs(median - true), FLOOR * span, span)
    columns = {"x": true, "y": _inside(median, axis), "error": error}
    lines = {name: np.insert(column, far, np.nan).tolist() for name, column in columns.items()}
    return lines | {"now": now, "drawn": _inside(now[1:], axis).tolist()}


def _spelled(words: pd.DataFrame, axis: tuple[float, float]) -> dict[str, Any]:
    """Each word at the number that it spells, and the numbers that the logits give."""
    encoder, span = words.encoder.iloc[0], axis[1] - axis[0]
    word, number, probability = words[["word", "number", "probability"]].dropna().to_numpy().T
    y = _inside(number, axis).tolist()
    return {
        "encoder": encoder,
        "color": encoder_color(encoder),
        "probability": probability.tolist(),
        "y": y,
        "text": legible(word, y, span),
        "customdata": list(zip(word, number, strict=True)),
        "marks": list(zip(words.number[-2:], _inside(words.number[-2:], axis), strict=True)),
    }


def _inside(numbers, axis: tuple[float, float]) -> np.ndarray:
    """Numbers, those beyond the axis a little inside its ends."""
    margin = 0.02 * (axis[1] - axis[0])
    return np.clip(np.asarray(numbers, float), axis[0] + margin, axis[1] - margin)
