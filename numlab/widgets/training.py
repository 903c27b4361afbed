"""Training that goes on in the background, its curves live; stopped and resumed by buttons."""

from __future__ import annotations

import threading
from html import escape

import ipywidgets
import plotly.graph_objects as go

from numlab.plots import encoder_color
from numlab.training import Run, RunSpec
from numlab.training.fit import fit_in_store
from numlab.widgets.note import KernelNote
from numlab.widgets.plot import Plot


def training(runs: list[Run | RunSpec]) -> ipywidgets.VBox:
    """Train runs one after the other while the notebook stays usable, and watch their losses.

    What the store holds is drawn at once. "Stop" leaves the run that is in training at its last
    checkpoint (one every 20 s), from which "Train" goes on, here or anywhere: it ends to the bit
    where an uninterrupted training ends.

    Parameters
    ----------
    runs : list of Run or RunSpec
    """
    return _Training([run if isinstance(run, Run) else Run(run) for run in runs]).panel


class _Stopped(Exception):
    pass


class _Training:
    """The panel, what was heard so far, and the thread that trains."""

    def __init__(self, runs: list[Run]):
        self.runs = runs
        self.heard: dict[Run, list[tuple[int, float]]] = {run: [] for run in runs}
        self.thread: threading.Thread | None = None
        self.stopping = threading.Event()
        self.start = ipywidgets.Button(description="Train", icon="play")
        self.stop = ipywidgets.Button(description="Stop", icon="stop", disabled=True)
        self.said = ipywidgets.HTML()
        self.plot = Plot(self.figure())
        buttons = ipywidgets.HBox([self.start, self.stop, self.said])
        self.panel = ipywidgets.VBox([buttons, self.plot, KernelNote()])
        self.start.on_click(lambda _: self.train())
        self.stop.on_click(lambda _: self.stopping.set())
        self.say("")

    @property
    def missing(self) -> list[Run]:
        return [run for run in self.runs if not run.folder.is_dir()]

    def train(self) -> None:
        """Begin, or go on, in a thread of its own."""
        if self.thread and self.thread.is_alive():
            return
        self.stopping.clear()
        self.start.disabled, self.stop.disabled = True, False
        self.thread = threading.Thread(target=self._train, daemon=True)
        self.thread.start()

    def _train(self) -> None:
        said = ""
        try:
            for run in self.missing:
                self.heard[run].clear()
                self.say(f"training {run.spec.name} …")
                fit_in_store(run.spec, lambda step, loss, run=run: self.hear(run, step, loss))
                self.plot.show(self.figure())
        except _Stopped:
            said = "stopped; Train goes on from the last checkpoint"
        except Exception as error:  # nobody sees what a thread raises
            said = f"not trained: {error}"
        self.start.disabled, self.stop.disabled = False, True
        self.say(said)

    def hear(self, run: Run, step: int, loss: float) -> None:
        """Draw where a training stands; end it here if that was asked for."""
        self.heard[run].append((step, loss))
        self.plot.show(self.figure())
        if self.stopping.is_set():
            raise _Stopped

    def say(self, what: str) -> None:
        done = len(self.runs) - len(self.missing)
        state = f"{done} of {len(self.runs)} runs are in the store"
        self.start.disabled = self.start.disabled or not self.missing
        self.said.value = (
            f'<span role="status">{escape(" · ".join(filter(None, [state, what])))}</span>'
        )

    def figure(self) -> go.Figure:
        """Training losses as they are heard; of a finished run those of its history."""
        figure = go.Figure()
        for run in self.runs:
            line = {"color": encoder_color(str(run.spec.encoder))}
            if run.folder.is_dir():
                for part, dash in (("train", "solid"), ("valid", "dot")):
                    rows = run.history[run.history.part == part]
                    name = f"{run.spec.name}, {part}"
                    own = line | {"dash": dash}
                    figure.add_scatter(x=rows.step, y=rows.loss, name=name, line=own)
            elif self.heard[run]:
                steps, losses = zip(*self.heard[run], strict=True)
                figure.add_scatter(x=steps, y=losses, name=f"{run.spec.name}, now", line=line)
        figure.update_traces(mode="lines+markers", marker={"size": 5})
        last = max((run.spec.steps for run in self.runs), default=1)
        figure.update_xaxes(title="step", range=(0, 1.02 * last))
        figure.update_yaxes(title="loss", type="log")
        above = {"orientation": "h", "y": 1.02, "yanchor": "bottom"}
        margin = {"l": 70, "r": 20, "t": 40, "b": 45}
        figure.update_layout(template="simple_white", height=340, margin=margin, legend=above)
        return figure.update_layout(showlegend=True, uirevision="kept")
