"""A slider through the gaps of training, and what every encoder answers there."""

import asyncio
import contextlib
import functools
import hashlib
import json
import math
import pprint
import re
import threading
import time

import ipywidgets
import numpy as np
import pandas as pd

from numlab import plots
from numlab.described import describe
from numlab.evaluation import labels
from numlab.examples import matches
from numlab.figures import filing
from numlab.training import Run
from numlab.widgets.panel import FIT, Panel, Plot, menu, note, on_change, page, row
from numlab.widgets.sweep_answers import TEXTS, answers, hardly_learned, holds, swept, words
from numlab.widgets.sweep_figure import sweep_figure

IDLE = 0.4  # seconds without a move, after which another value is added to the lines
REST = 0.05  # seconds between the answers of two runs, for what the page asks
CURVE = 25  # values that are added in this way
ALL = "all"
HARDLY = (
    "Hardly learned: {}. Even at values of the training, the median answers are more than half as "
    "wrong as always answering the middle value."
)
OUTSIDE = "Out of range, so without an answer here: {}."


def ood_sweep(runs: list[Run], slot: str = "stepsize", n: int = TEXTS) -> ipywidgets.VBox:
    """Drag the true value of a parameter through the gaps of training: which encoder interpolates?

    Left: each encoder's median prediction over `n` texts, a bar for the range, a line through
    the values asked so far, and below the error of the median. While nobody drags, the lines are
    filled in. Right, if a run has a text encoder of fixed length: the word probabilities of the
    first such run. Numbers beyond an axis are drawn at its end. Menus and boxes choose the
    parameter, the seed and the encoders. "Keep this view" saves the view as a figure and shows
    the code that makes it again. A note names encoders that hardly learned.

    The runs are of one task; a note names those that are not in the store. `slot` is a parameter
    that the task can hold fixed, such as "stepsize" or "a0". ValueError if the store holds none of
    the runs, or the task cannot hold the parameter.

    >>> spec = nl.RunSpec(nl.tasks.Lookup(1), nl.P1000(), nl.MaskedLM(), nl.GPT2(8), 64, 2, 1e-3)
    >>> panel = nl.widgets.ood_sweep([nl.train(spec)], "answer", n=2)
    """
    trained = [run for run in runs if run.folder.is_dir()]
    tasks = {run.spec.task for run in trained}
    if len(tasks) != 1:
        got = f"{len(runs)} runs, {len(trained)} of them trained, of {len(tasks)} tasks"
        raise ValueError(f"expected trained runs of one task; got {got}")
    limits = trained[0].spec.task.limits
    if slot not in limits:
        known = ", ".join(sorted(limits)) or "none"
        raise ValueError(f"parameters that can be held: {known}; got {slot!r}")
    panel = _Sweep(trained, slot, n)
    if missing := {str(run.spec.encoder) for run in runs if run not in trained}:
        panel.hint = panel.message.value = note(f"Not trained yet: {', '.join(sorted(missing))}")
    return panel


def _one_at_a_time(method):
    """JupyterLab handles what the page sends in one thread, and cells, whose loop fills in the
    lines, in another."""

    @functools.wraps(method)
    def locked(self: "_Sweep", *args) -> None:
        with self.drawing:
            method(self, *args)

    return locked


class _Sweep(Panel):
    """The panel, and the answers of the chosen runs so far."""

    def __init__(self, runs: list[Run], slot: str, n: int):
        self.runs, self.n, self.task, self.labels = runs, n, runs[0].spec.task, labels(runs)
        self.filling: asyncio.Task | None = None
        self.drawing = threading.RLock()
        self.hint = ""  # below, until something is kept
        seeds = sorted({run.spec.seed for run in runs})
        asked = [run.spec.objective.only for run in runs]
        slots = {s for s in self.task.limits if any(matches(s, only) for only in asked)} | {slot}
        names = [(self.task.names.get(s, s), s) for s in sorted(slots)]
        self.parameter = menu("parameter", names, value=slot)
        self.seed = menu("seed", [ALL, *seeds])
        self.seed.layout.display = None if len(seeds) > 1 else "none"
        self.boxes = [
            ipywidgets.Checkbox(value=True, description=name, indent=False, layout=FIT["layout"])
            for name in dict.fromkeys(self.labels.values())
        ]
        self.slider = ipywidgets.FloatSlider(
            readout_format=".3f", layout={"width": "97%"}, style=FIT["style"]
        )
        hint = "save it as a figure, and show the code that makes it again"
        self.button = ipywidgets.Button(description="Keep this view", icon="save", tooltip=hint)
        self.plot, self.table, self.message = Plot(), ipywidgets.HTML(), ipywidgets.HTML()
        choices = row(self.parameter, self.seed, *self.boxes, self.button)
        super().__init__(self.slider, self.plot, self.table, choices, self.message)
        self.choose()
        on_change(self.choose, self.parameter, self.seed)
        on_change(self.choose_encoders, *self.boxes)
        on_change(self.move, self.slider)
        self.button.on_click(lambda _: self.keep())

    @_one_at_a_time
    def choose(self) -> None:
        """Start again with the chosen parameter, seed and encoders."""
        self.choose_runs()
        self.slot, self.answered = self.parameter.value, pd.DataFrame({"true": []})
        self.gaps = self.task.gaps.get(self.slot, ())
        least, most = limits = self.task.limits[self.slot]
        low, high, step = extent(self.gaps, limits)
        steps = np.linspace(0, round((high - low) / step), CURVE).round()
        self.curve = np.round(low + step * steps, 9)  # where the lines are filled in
        ends = np.unique(self.gaps)  # values of training
        self.known = ends[(least <= ends) & (ends <= most)]
        margin = max(2 * step, 0.06 * (high - low))  # the points of encoders stand side by side
        self.axis = low - margin, high + margin
        self.name = self.task.names.get(self.slot, self.slot)
        if self.slider.description != f"true {self.name}":
            with self.slider.hold_trait_notifications():
                self.slider.min, self.slider.max, self.slider.step = low, high, step
                self.slider.value = round(sum(self.gaps[-1]) / 2, 9) if self.gaps else low
                self.slider.description = f"true {self.name}"
        self.move()

    def choose_runs(self) -> None:
        """The runs of the chosen seed and encoders."""
        names = {box.description for box in self.boxes if box.value}
        seeds = self.seed.options if self.seed.value == ALL else [self.seed.value]
        self.chosen = [r for r in self.runs if self.labels[r] in names and r.spec.seed in seeds]
        self.button.disabled = not self.chosen

    @_one_at_a_time
    def choose_encoders(self) -> None:
        """Draw the chosen encoders along the values asked so far."""
        self.choose_runs()
        values, self.answered = self.answered.true.unique(), pd.DataFrame({"true": []})
        for value in values:
            self.ask(value)
        self.draw()

    def move(self) -> None:
        """Draw the slider's value; what was kept was another view."""
        self.message.value = self.hint
        self.draw()

    @property
    def at(self) -> float:
        """The slider's value."""
        return round(self.slider.value, 9)

    @_one_at_a_time
    def draw(self) -> None:
        """Ask the runs at the slider's value, and draw everything in one message.

        Until this returns, the page sends no further move, and then only the last one (ipywidgets
        keeps one message on its way): so it must not return before it has drawn.
        """
        at, start = self.at, time.perf_counter()  # the slider may move meanwhile
        self.ask(at)
        spelled = words(self.chosen, self.slot, at, self.n)
        view = {"at": at, "name": self.name, "axis": self.axis, "gaps": self.gaps}
        view["model_ms"] = 1000 * (time.perf_counter() - start)
        self.plot.show(sweep_figure(self.answered, spelled, **view))
        if self.chosen:
            outside = [r for r in self.chosen if not holds(r.spec.encoder, self.slot, at)]
            found = {
                HARDLY: hardly_learned(self.answered, self.known),
                OUTSIDE: dict.fromkeys(self.labels[run] for run in outside),
            }
            table = _readout(self.answered[self.answered.true == at])
            notes = [note(text.format(", ".join(names))) for text, names in found.items() if names]
            self.table.value = "".join([table, *notes])
        else:
            self.table.value = note("Choose an encoder, and a seed that it was trained with.")
        self._fill_later()

    def ask(self, value: float) -> None:
        """Ask the chosen runs at a value: their lines go through the answers from now on."""
        if value not in self.answered.true.values:
            new = answers(self.chosen, self.slot, value, self.n)
            self.answered = pd.concat([self.answered, new], ignore_index=True)

    def keep(self) -> None:
        """Save the view as a figure, and show the code that makes it again."""
        self.message.value = note("Keeping …")
        try:
            values = sorted({*self.curve.tolist(), self.at})
            self.message.value = keep(self.chosen, self.slot, self.at, values, self.n, self.gaps)
        except (ValueError, OSError) as error:  # nobody sees an exception of a button
            self.message.value = note(f"Not kept: {error}", "alert")

    def _fill_later(self) -> None:
        """Add a value to the lines when nothing else happens."""
        if self.filling:
            with contextlib.suppress(RuntimeError):  # its loop has ended, and so has it
                self.filling.get_loop().call_soon_threadsafe(self.filling.cancel)
        with contextlib.suppress(RuntimeError):  # no kernel, so nobody drags
            loop = asyncio.get_running_loop()
            self.filling = loop.create_task(self.fill())

    async def fill(self) -> None:
        """Ask at values of training, then at the value farthest from all answers, so that the
        lines soon show their shape: one run after the other, for the page waits meanwhile."""
        asked = self.answered.true.to_numpy(float)
        values = self.curve if np.isin(self.known, asked).all() else self.known
        distance = np.abs(values[:, None] - asked).min(1, initial=np.inf)
        slot, chosen = self.slot, self.chosen
        if chosen and distance.max() > 0:
            value = float(values[distance.argmax()])
            await asyncio.sleep(IDLE)
            for run in chosen:
                answers([run], slot, value, self.n)  # remembered
                await asyncio.sleep(REST)
            self.add(value, slot, chosen)

    @_one_at_a_time
    def add(self, value: float, slot: str, chosen: list[Run]) -> None:
        """Draw the lines through one more value, unless something else was chosen meanwhile."""
        if (slot, chosen) == (self.slot, self.chosen):
            self.ask(value)
            self.draw()


def keep(runs: list[Run], slot: str, at: float, values: list[float], n: int, gaps: tuple) -> str:
    """Save a view as png, svg, csv and json; returns, as HTML, the code that does the same."""
    notebook, profile = filing.session() or ("explore/kept", "quick")
    filing.begin(notebook, profile, {profile: {}})
    digests = [run.digest for run in runs]
    key = hashlib.sha256(repr((notebook, digests, slot, at, n)).encode()).hexdigest()[:6]
    id = "explore/" + re.sub(r"[^a-z0-9]+", "-", f"{slot}-{at}-{key}".lower()).strip("-")
    view = swept(runs, slot, at=at, values=values, n=n)
    name = runs[0].spec.task.names.get(slot, slot)
    filing.save_figure(id, plots.sweep(view, gaps, name), view)
    where = {"notebook": notebook, "profile": profile, "id": id}
    asked = {"digests": digests, "slot": slot, "at": at, "values": values, "n": n}
    asked |= {"gaps": gaps, "name": name}
    named = json.dumps(describe(tuple(run.spec for run in runs)))
    modules = {*re.findall(r'"class": "([\w.]+)\.\w+"', named)}
    asked["modules"] = tuple(sorted(m for m in modules if not m.startswith("numlab.")))
    return page("kept_view.html").render(where | asked, pformat=pprint.pformat)


def _readout(answers: pd.DataFrame) -> str:
    """The drawn numbers as an HTML table with a row for each encoder."""
    frame = answers.drop(columns="true").assign(error=answers["median"] - answers.true)
    frame.columns = ["", "median", "least", "greatest", "no number", "median - true"]
    formats = {"no number": "{:.0%}".format, "median - true": "{:+.3f}".format}
    look = {"border": 0, "index": False, "na_rep": "–", "float_format": "{:.3f}".format}
    return frame.to_html(formatters=formats, classes="numlab-table", **look)


def extent(gaps: tuple, limits: tuple[float, float]) -> tuple[float, float, float]:
    """A slider's ends, a little beyond the gaps, and its step: 20 to 200 positions."""
    low, high = limits
    if gaps:
        margin = 0.1 * (gaps[-1][1] - gaps[0][0])
        low, high = max(low, gaps[0][0] - margin), min(high, gaps[-1][1] + margin)
    step = 10.0 ** math.floor(math.log10(high - low)) / 20
    low, high = math.ceil(low / step - 1e-6) * step, math.floor(high / step + 1e-6) * step
    return round(low, 9), round(high, 9), round(step, 9)
