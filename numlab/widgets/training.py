"""Train runs in the background, with live loss curves and buttons to stop and go on."""

import functools
import threading

import ipywidgets
import pandas as pd
import plotly.express as px

from numlab.plots import encoder_color
from numlab.training import Run, RunSpec
from numlab.training.fit import fit_in_store
from numlab.widgets.panel import TEMPLATE, Panel, Plot, note, row


def training(specs: list[RunSpec]) -> ipywidgets.VBox:
    """Train runs one after the other while the notebook stays usable, and watch their losses.

    Curves of stored runs are drawn at once. "Stop" interrupts the training at its last checkpoint
    (one every 20 s); "Train" goes on from there, and the run ends with the same weights, to the
    bit, as without the interruption.

    >>> task, model = nl.tasks.Addition(2), nl.GPT2(8, 1, 1)
    >>> spec = nl.RunSpec(task, nl.P10(), nl.MaskedLM(), model, 64, 2, 1e-3)
    >>> panel = nl.widgets.training([spec])
    """
    return _Training([Run(spec) for spec in specs])


class _Training(Panel):
    """The panel, the losses reported so far, and the thread that trains."""

    def __init__(self, runs: list[Run]):
        self.runs, self.thread, self.stopping = runs, None, threading.Event()
        self.losses: dict[Run, list[tuple[int, float]]] = {run: [] for run in runs}
        self.start = ipywidgets.Button(description="Train", icon="play")
        self.stop = ipywidgets.Button(description="Stop", icon="stop", disabled=True)
        self.message, self.plot = ipywidgets.HTML(), Plot()
        super().__init__(row(self.start, self.stop, self.message), self.plot)
        self.start.on_click(lambda _: self.train())
        self.stop.on_click(lambda _: self.stopping.set())
        self.rest()

    def train(self) -> None:
        """Start or continue the training in a thread."""
        if self.thread and self.thread.is_alive():
            return
        self.stopping.clear()
        self.start.disabled, self.stop.disabled = True, False
        self.thread = threading.Thread(target=self._train, daemon=True)
        self.thread.start()

    def _train(self) -> None:
        try:
            for run in self.missing:
                self.losses[run].clear()
                self.show(f"training {run.spec.name} …")
                fit_in_store(run.spec, functools.partial(self.follow, run))
            self.rest()
        except KeyboardInterrupt:
            self.rest("stopped; Train goes on from the last checkpoint")
        except Exception as error:  # nobody sees an exception of a thread
            self.rest(f"not trained: {error}")

    def follow(self, run: Run, step: int, loss: float) -> None:
        """Draw a loss, and end the training here if "Stop" was pressed."""
        self.losses[run].append((step, loss))
        self.show(f"training {run.spec.name} …")
        if self.stopping.is_set():
            raise KeyboardInterrupt

    def rest(self, text: str = "") -> None:
        """Wait for "Train", if something is left to be trained."""
        self.start.disabled, self.stop.disabled = not self.missing, True
        self.show(text)

    @property
    def missing(self) -> list[Run]:
        """The runs that are not in the store."""
        return [run for run in self.runs if not run.folder.is_dir()]

    def show(self, text: str) -> None:
        """Show how many runs are trained, a text, and the losses: those of finished runs from
        their histories, of others as reported so far."""
        done = len(self.runs) - len(self.missing)
        state = f"{done} of {len(self.runs)} runs are in the store"
        self.message.value = note(f"{state} · {text}" if text else state)
        losses, colors = {}, {}
        for run in self.runs:
            now = pd.DataFrame(self.losses[run], columns=["step", "loss"]).assign(part="now")
            name = run.spec.name
            if sum(other.spec.name == name for other in self.runs) > 1:  # another model or rate
                name += f" · {run.digest[:6]}"
            losses[name] = run.history if run.folder.is_dir() else now
            colors[name] = encoder_color(str(run.spec.encoder))
        frame = pd.concat(losses, names=["run"]).reset_index()
        lines = {"color": "run", "line_dash": "part", "color_discrete_map": colors}
        lines["line_dash_map"] = {"train": "solid", "valid": "dot", "now": "solid"}
        look = {"markers": True, "height": 340, "template": TEMPLATE}
        look["log_y"] = bool((frame.loss > 0).all())  # that of a likelihood can be below 0
        figure = px.line(frame, x="step", y="loss", **lines, **look)
        figure.update_traces(marker_size=5)
        figure.update_xaxes(range=(0, 1.02 * max(run.spec.steps for run in self.runs)))
        self.plot.show(figure.update_layout(showlegend=True, uirevision="kept"))
