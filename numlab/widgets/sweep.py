"""A slider through the gaps of training, and what every encoder answers there."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

import ipywidgets
import numpy as np

from numlab import probes
from numlab.training import Run
from numlab.widgets.figure import sweep_figure
from numlab.widgets.numbers import answers, short_names, speller, spellings, texts_at
from numlab.widgets.plot import Plot

if TYPE_CHECKING:
    import pandas as pd

APART = 0.045  # of the axis: two words nearer than that cannot both be read


def ood_sweep(runs: list[Run], slot: str = "stepsize", n: int = 32) -> ipywidgets.VBox:
    """Drag the true number of a parameter through the gaps of training: who interpolates?

    Left: the median of each encoder's live predictions over `n` texts, their range as a bar, and
    as a line what was visited before. Right, where a run has a text encoder of fixed length:
    the words among which it chooses. What lies beyond the axis is drawn at its end.

    Parameters
    ----------
    runs : runs of one task; those that the store does not hold are left out, and named.
    slot : a parameter that the task can hold fixed, such as "stepsize" or "a0".

    Raises
    ------
    ValueError
        When the store holds none of the runs, or the task cannot hold the parameter.
    """
    trained = [run for run in runs if run.folder.is_dir()]
    tasks = {run.spec.task for run in trained}
    if len(tasks) != 1:
        raise ValueError(
            f"trained runs of one task; got {len(runs)} runs, {len(trained)} of them trained, "
            f"of {len(tasks)} tasks"
        )
    limits = getattr(trained[0].spec.task, "limits", {})
    if slot not in limits:
        raise ValueError(f"parameters that can be held are {sorted(limits)}; got {slot!r}")
    panel = _OodSweep(trained, slot, n).panel
    if missing := {str(run.spec.encoder) for run in runs if run not in trained}:
        note = ipywidgets.Label(f"Not trained yet: {', '.join(sorted(missing))}")
        panel.children = (*panel.children, note)
    return panel


class _OodSweep:
    """The panel, and what it has drawn so far."""

    def __init__(self, runs: list[Run], slot: str, n: int):
        self.runs, self.slot, self.n, self.speller = runs, slot, n, speller(runs)
        self.asked: dict[float, tuple] = {}
        self.medians: dict[str, dict[float, float]] = defaultdict(dict)
        task = runs[0].spec.task
        gaps = getattr(task, "gaps", {}).get(slot, ())
        low, high, step = _extent(gaps, task.limits[slot])
        self.axis = low - 2 * step, high + 2 * step
        self.span = self.axis[1] - self.axis[0]
        self.slider = ipywidgets.FloatSlider(
            value=sum(gaps[-1]) / 2 if gaps else low,
            min=low,
            max=high,
            step=step,
            description=f"true {slot}",
            readout_format=".3f",
            style={"description_width": "initial"},
            layout={"width": "97%"},
        )
        names = short_names(runs)
        self.figure = sweep_figure(
            list(dict.fromkeys(names.values())), names.get(self.speller), slot, self.axis, gaps
        )
        self.trace = {trace.name: trace for trace in self.figure.data}
        self.plot = Plot(self.figure)
        self.table = ipywidgets.HTML()
        self.panel = ipywidgets.VBox([self.slider, self.plot, self.table])
        self.slider.observe(lambda _: self.draw(), "value")
        self.draw()

    def draw(self) -> None:
        """Ask the runs at the slider's value, and move everything at once.

        The page sends no further move before this one is drawn, then only the last: ipywidgets
        keeps one message on its way. So it must not return before it is done.
        """
        value = round(self.slider.value, 9)
        if value not in self.asked:
            self.asked[value] = self._ask(value)
        frame, words, number = self.asked[value]
        self.trace["true"].x = [value, value]
        for i, row in enumerate(frame.itertuples()):
            aside = 0.019 * self.span * (i - (len(frame) - 1) / 2)
            self._draw_encoder(row, value, aside)
        if self.speller:
            self._draw_words(words, number)
        self.plot.show(self.figure)
        self.table.value = _readout(frame)

    def _ask(self, value: float) -> tuple:
        frame = answers(self.runs, self.slot, value, self.n)
        if self.speller is None:
            return frame, None, None
        texts = texts_at(self.speller.spec.task, self.slot, value, self.n)
        number = probes.expectation(self.speller, texts, self.slot)
        number = number.quantile(0.5, interpolation="lower")  # as the medians beside it
        return frame, spellings(self.speller, self.slot, value, self.n), number

    def _draw_encoder(self, row, value: float, aside: float) -> None:
        past = self.medians[row.encoder]
        past[value] = row.median
        x, y = np.array(sorted(past.items())).T
        far = 1 + np.flatnonzero(np.diff(x) > 0.1 * self.span)  # nobody was there: no line
        x, y = np.insert(x, far, np.nan).tolist(), np.insert(y, far, np.nan)
        self.trace[f"{row.encoder} so far"].update(x=x, y=self._inside(y))
        self.trace[row.encoder].update(
            x=[value + aside],
            y=self._inside([row.median]),
            error_y={"array": [row.high - row.median], "arrayminus": [row.median - row.low]},
            customdata=[[row.true, row.median, row.low, row.high]],
        )

    def _draw_words(self, words: pd.DataFrame, number: pd.Series) -> None:
        words = words[words.number.notna()]
        y = self._inside(words.number)
        text = _readable(words.word, y, APART * self.span)
        data = words[["word", "number"]].to_numpy().tolist()
        x = words.probability.tolist()
        self.trace["words"].update(x=x, y=y, text=text, customdata=data)
        for mark in ("argmax", "expectation"):
            self.trace[mark].update(y=self._inside([number[mark]]), customdata=[number[mark]])

    def _inside(self, numbers) -> list[float]:
        """Numbers, those beyond the axis at its ends."""
        low, high = self.axis[0] + 0.02 * self.span, self.axis[1] - 0.02 * self.span
        return np.clip(np.asarray(numbers, float), low, high).tolist()


def _readout(frame: pd.DataFrame) -> str:
    """The drawn numbers as an HTML table, a column an encoder."""
    numbers = frame[["median", "low", "high"]].map("{:.3f}".format, na_action="ignore")
    rows = {
        "median": numbers["median"],
        "range": numbers.low + " to " + numbers.high,
        "median - true": (frame["median"] - frame.true).map("{:+.3f}".format, na_action="ignore"),
        "no number": frame.invalid.map("{:.0%}".format),
    }
    table = type(frame)(rows).set_axis(frame.encoder.to_numpy()).T
    html = table.to_html(border=0, col_space=110, justify="right", na_rep="–")
    return f'<div style="text-align: right">{html}</div>'


def _readable(words: pd.Series, y: list[float], apart: float) -> list[str]:
    """The words, but none so near a likelier one that neither could be read."""
    shown: list[str] = []
    for i, word in enumerate(words):
        near = any(shown[j] and abs(y[j] - y[i]) < apart for j in range(i))
        shown.append("" if near else word)
    return shown


def _extent(gaps: tuple, limits: tuple[float, float]) -> tuple[float, float, float]:
    """A slider's ends, a little beyond the gaps, and its step: 20 to 200 positions."""
    low, high = limits
    if gaps:
        margin = 0.1 * (gaps[-1][1] - gaps[0][0])
        low, high = max(low, gaps[0][0] - margin), min(high, gaps[-1][1] + margin)
    step = 10.0 ** math.floor(math.log10(high - low)) / 20
    low, high = math.ceil(low / step - 1e-6) * step, math.floor(high / step + 1e-6) * step
    return round(low, 9), round(high, 9), round(step, 9)
