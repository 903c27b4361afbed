"""A slider through the gaps of training, and what every encoder answers there."""

from __future__ import annotations

import asyncio
import math
import time
from collections import defaultdict
from html import escape
from typing import TYPE_CHECKING

import ipywidgets
import numpy as np

from numlab import probes
from numlab.training import Run
from numlab.widgets.figure import FLOOR, sweep_figure
from numlab.widgets.keep import keep
from numlab.widgets.note import KernelNote
from numlab.widgets.numbers import (
    TEXTS,
    Answer,
    marks,
    predictions,
    short_names,
    speller,
    spellings,
    summary,
    texts_at,
)
from numlab.widgets.plot import Plot

if TYPE_CHECKING:
    import pandas as pd

APART = 0.045  # of the axis: two words nearer than that cannot both be read
IDLE = 0.4  # seconds without a move, after which the curves are filled in
CURVE = 25  # values that are asked for by and by
ALL = "all"


def ood_sweep(runs: list[Run], slot: str = "stepsize", n: int = TEXTS) -> ipywidgets.VBox:
    """Drag the true number of a parameter through the gaps of training: who interpolates?

    Left: the median of each encoder's live predictions over `n` texts, their range as a bar, and
    as a line what was asked before; below it the error of that median. While nobody drags, the
    lines are filled in. Right, where a run has a text encoder of fixed length: the words among
    which it chooses. What lies beyond an axis is drawn at its end. Above: the parameter, the seed
    and the encoders that are asked. "Keep" files the view as a figure, and prints the cell that
    makes it again.

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
    limits = trained[0].spec.task.limits
    if slot not in limits:
        raise ValueError(f"parameters that can be held are {sorted(limits)}; got {slot!r}")
    panel = _OodSweep(trained, slot, n).panel
    if missing := {str(run.spec.encoder) for run in runs if run not in trained}:
        note = ipywidgets.Label(f"Not trained yet: {', '.join(sorted(missing))}")
        panel.children = (*panel.children, note)
    return panel


class _OodSweep:
    """The panel, and what it has asked and drawn so far."""

    def __init__(self, runs: list[Run], slot: str, n: int):
        self.every, self.n, self.task = runs, n, runs[0].spec.task
        self.names = short_names(runs)
        self.asked: dict[tuple, np.ndarray] = {}  # of (run, slot, value)
        self.words: dict[tuple, tuple] = {}
        self.waiting: asyncio.TimerHandle | None = None
        fit = {"style": {"description_width": "initial"}}
        seeds = sorted({run.spec.seed for run in runs})
        short = {"width": "auto"}
        self.parameter = ipywidgets.Dropdown(
            options=sorted(self.task.limits),
            value=slot,
            description="parameter",
            layout=short,
            **fit,
        )
        self.seed = ipywidgets.Dropdown(
            options=[ALL, *seeds], description="seed", layout=short, **fit
        )
        self.seed.layout.display = None if len(seeds) > 1 else "none"
        self.boxes = [
            ipywidgets.Checkbox(value=True, description=name, indent=False, layout=short)
            for name in dict.fromkeys(self.names.values())
        ]
        wide = {"layout": {"width": "97%"}, **fit}
        self.slider = ipywidgets.FloatSlider(readout_format=".3f", **wide)
        self.button = ipywidgets.Button(
            description="Keep this view",
            icon="save",
            tooltip="file it as a figure, and print the cell that makes it again",
        )
        self.table, self.kept = ipywidgets.HTML(), ipywidgets.HTML()
        self.plot = Plot(sweep_figure([], None, slot, (0, 1), ()))
        flow = ipywidgets.Layout(flex_flow="row wrap", align_items="center")
        top = ipywidgets.HBox([self.parameter, self.seed, *self.boxes, self.button], layout=flow)
        parts = [self.slider, self.plot, self.table, top, self.kept, KernelNote()]
        self.panel = ipywidgets.VBox(parts)
        self.slide(slot)
        self.choose()
        self.parameter.observe(lambda change: self.slide(change.new) or self.choose(), "value")
        for choice in (self.seed, *self.boxes):
            choice.observe(lambda _: self.choose(), "value")
        self.slider.observe(lambda _: self.draw(), "value")
        self.button.on_click(lambda _: self.keep())

    def slide(self, slot: str) -> None:
        """Give the slider the range of a parameter."""
        self.slot, self.gaps = slot, self.task.gaps.get(slot, ())
        low, high, step = extent(self.gaps, self.task.limits[slot])
        with self.slider.hold_trait_notifications():
            self.slider.min, self.slider.max = min(low, self.slider.min), high
            self.slider.min, self.slider.step = low, step
            self.slider.value = round(sum(self.gaps[-1]) / 2, 9) if self.gaps else low
            self.slider.description = f"true {slot}"
        self.axis = low - 2 * step, high + 2 * step
        self.span = self.axis[1] - self.axis[0]

    def choose(self) -> None:
        """Begin the figure of the encoders and the seed that are chosen."""
        wanted = {box.description for box in self.boxes if box.value}
        seeds = {self.seed.value, *([] if self.seed.value != ALL else self.seed.options)}
        self.runs = [
            run for run in self.every if self.names[run] in wanted and run.spec.seed in seeds
        ]
        self.speller = speller(self.runs)
        encoders = list(dict.fromkeys(self.names[run] for run in self.runs))
        spelled = self.names.get(self.speller)
        still = sweep_figure(encoders, spelled, self.slot, self.axis, self.gaps)
        self.figure = still.to_plotly_json()  # plotly's own objects check each change, for long
        self.trace = {trace.get("name"): trace for trace in self.figure["data"]}
        self.medians: dict[str, dict[float, float]] = defaultdict(dict)
        for value in {value for _, slot, value in self.asked if slot == self.slot}:
            self.visit(value)
        self.draw()

    def draw(self) -> None:
        """Ask the runs at the slider's value, and move everything at once.

        The page sends no further move before this one is drawn, then only the last: ipywidgets
        keeps one message on its way. So it must not return before it is done.
        """
        if not self.runs:
            self.table.value = "Choose an encoder, and a seed that it was trained with."
            self.plot.show(self.figure)
            return
        began, value = time.perf_counter(), round(self.slider.value, 9)
        answers = self.visit(value)
        words = self.spell(value) if self.speller else None
        asked = time.perf_counter()
        for name in ("true", "true, below"):
            self.trace[name]["x"] = [value, value]
        for i, answer in enumerate(answers):
            aside = 0.019 * self.span * (i - (len(answers) - 1) / 2)
            self._draw_encoder(answer, aside)
        if words:
            self._draw_words(*words)
        self.figure["layout"]["meta"] = {"true": value, "model_ms": 1000 * (asked - began)}
        self.plot.show(self.figure)
        self.table.value = _readout(answers)
        self._fill_later()

    def visit(self, value: float) -> list[Answer]:
        """What the chosen runs answer at a value; its medians join the lines."""
        for run in self.runs:
            if (run, self.slot, value) not in self.asked:
                asked = predictions(run, self.slot, value, self.n)
                self.asked[run, self.slot, value] = asked
        here = {run: self.asked[run, self.slot, value] for run in self.runs}
        answers = summary(here, self.names, value)
        for answer in answers:
            self.medians[answer.encoder][value] = answer.median
        return answers

    def spell(self, value: float) -> tuple:
        """The words among which the speller chooses, and the numbers that they come to."""
        key = self.speller, self.slot, value
        if key not in self.words:
            texts = texts_at(self.task, self.slot, value, self.n)
            read = probes.number_logits(self.speller, texts, self.slot)
            self.words[key] = spellings(read), marks(read)
        return self.words[key]

    def keep(self) -> None:
        """File the view as a figure, by running the cell that is printed."""
        self.kept.value = "Keeping …"
        at, gaps = round(self.slider.value, 9), tuple(self.gaps)
        values = curve(self.slider, CURVE)
        try:
            self.kept.value = keep(self.runs, self.slot, at, self.n, values, gaps)
        except (ValueError, OSError) as error:  # nobody sees what a button raises
            self.kept.value = f'<p role="alert">Not kept: {escape(str(error))}</p>'

    def _fill_later(self) -> None:
        """Values that nobody asked for yet join the lines while nothing else is to do."""
        if self.waiting:
            self.waiting.cancel()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # no kernel, so nobody is dragging
            return
        self.waiting = loop.call_later(IDLE, self._fill)

    def _fill(self) -> None:
        if not self.runs:
            return
        seen = self.medians[self.names[self.runs[0]]]
        left = [value for value in curve(self.slider, CURVE) if value not in seen]
        if left:
            self.visit(left[0])
            self.draw()

    def _draw_encoder(self, row: Answer, aside: float) -> None:
        past = self.medians[row.encoder]
        x, y = np.array(sorted(past.items())).T
        far = 1 + np.flatnonzero(np.diff(x) > 0.1 * self.span)  # nobody was there: no line
        error = np.clip(np.abs(y - x), FLOOR * self.span, self.span)
        x, y, error = (np.insert(column, far, np.nan) for column in (x, y, error))
        self.trace[f"{row.encoder} so far"].update(x=x.tolist(), y=self._inside(y))
        self.trace[f"{row.encoder} error"].update(x=x.tolist(), y=error.tolist())
        self.trace[row.encoder].update(
            x=[row.true + aside],
            y=self._inside([row.median]),
            customdata=[[row.true, row.median, row.low, row.high]],
        )
        bar = {"array": [row.high - row.median], "arrayminus": [row.median - row.low]}
        self.trace[row.encoder]["error_y"].update(bar)

    def _draw_words(self, spelled: pd.DataFrame, number: dict[str, float]) -> None:
        word, spells, x = (c.tolist() for _, c in spelled.dropna().items())
        y = self._inside(spells)
        text = _readable(word, y, APART * self.span)
        data = list(zip(word, spells, strict=True))
        self.trace["words"].update(x=x, y=y, text=text, customdata=data)
        for mark, value in number.items():
            self.trace[mark].update(y=self._inside([value]), customdata=[value])

    def _inside(self, numbers) -> list[float]:
        """Numbers, those beyond the axis at its ends."""
        low, high = self.axis[0] + 0.02 * self.span, self.axis[1] - 0.02 * self.span
        return np.clip(np.asarray(numbers, float), low, high).tolist()


def _readout(answers: list[Answer]) -> str:
    """The drawn numbers as an HTML table, a column an encoder."""
    heads = "", "median", "range", "median - true", "no number"
    rows = ""
    for head, *cells in zip(heads, *map(_cells, answers), strict=True):
        tag = "td" if head else "th"
        rows += f"<tr><th>{head}</th>{''.join(f'<{tag}>{cell}</{tag}>' for cell in cells)}</tr>"
    look = "text-align: right; border-spacing: 24px 0"
    return f'<table style="{look}">{rows}</table>'


def _cells(answer: Answer) -> tuple[str, ...]:
    """An encoder's column."""
    encoder, true, median, low, high, invalid = answer
    numbers = "–", "–", "–"
    if not math.isnan(median):
        numbers = f"{median:.3f}", f"{low:.3f} to {high:.3f}", f"{median - true:+.3f}"
    return escape(encoder), *numbers, f"{invalid:.0%}"


def _readable(words: list[str], y: list[float], apart: float) -> list[str]:
    """The words, but none so near a likelier one that neither could be read."""
    shown: list[str] = []
    for i, word in enumerate(words):
        near = any(shown[j] and abs(y[j] - y[i]) < apart for j in range(i))
        shown.append("" if near else word)
    return shown


def extent(gaps: tuple, limits: tuple[float, float]) -> tuple[float, float, float]:
    """A slider's ends, a little beyond the gaps, and its step: 20 to 200 positions."""
    low, high = limits
    if gaps:
        margin = 0.1 * (gaps[-1][1] - gaps[0][0])
        low, high = max(low, gaps[0][0] - margin), min(high, gaps[-1][1] + margin)
    step = 10.0 ** math.floor(math.log10(high - low)) / 20
    low, high = math.ceil(low / step - 1e-6) * step, math.floor(high / step + 1e-6) * step
    return round(low, 9), round(high, 9), round(step, 9)


def curve(slider: ipywidgets.FloatSlider, n: int) -> list[float]:
    """About n of a slider's positions, coarse to fine: a line is seen long before it is whole."""
    positions = round((slider.max - slider.min) / slider.step)
    chosen = np.unique(np.linspace(0, positions, min(n, positions + 1)).round())
    order = sorted(range(len(chosen)), key=lambda i: f"{i:08b}"[::-1])
    return [round(float(slider.min + slider.step * chosen[i]), 9) for i in order]
