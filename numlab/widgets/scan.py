"""The words among which a text encoder chooses, as the true number moves (xval, Fig. 12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ipywidgets
import plotly.express as px
import plotly.graph_objects as go

from numlab import probes
from numlab.training import Run
from numlab.widgets.figure import GAP, SHADED
from numlab.widgets.note import KernelNote
from numlab.widgets.numbers import texts_at
from numlab.widgets.plot import Plot
from numlab.widgets.sweep import extent

if TYPE_CHECKING:
    import pandas as pd

VALUES = 25  # of the true number
MEASURES = ("probability", "logit")


def logit_scan(run: Run, slot: str | None = None, n: int = 16) -> ipywidgets.VBox:
    """Follow the likeliest words at each token of a masked number through the gaps.

    Parameters
    ----------
    run : a trained run of a text encoder of fixed length under a masked LM.
    slot : a parameter that its task can hold fixed; default: the first.
    n : texts a value.

    Raises
    ------
    ValueError
        For a run of another kind, a task that holds nothing fixed, or another parameter.
    """
    limits = sorted(run.spec.task.limits)
    if not limits or slot not in (None, *limits):
        raise ValueError(f"parameters that can be held are {limits}; got {slot!r}")
    return _Scan(run, slot or limits[0], limits, n).panel


class _Scan:
    """The panel, and the scans that it has made."""

    def __init__(self, run: Run, slot: str, limits: list[str], n: int):
        self.run, self.n, self.made = run, n, {}
        fit = {"style": {"description_width": "initial"}, "layout": {"width": "auto"}}
        self.slot = ipywidgets.Dropdown(options=limits, value=slot, description="parameter", **fit)
        places = list(range(1, run.spec.encoder.length + 1))
        first = min(2, places[-1])  # behind the sign, where there is one
        self.place = ipywidgets.Dropdown(options=places, value=first, description="token", **fit)
        self.measure = ipywidgets.Dropdown(options=MEASURES, description="shown", **fit)
        self.plot = Plot(self.figure())
        top = ipywidgets.HBox([self.slot, self.place, self.measure])
        self.panel = ipywidgets.VBox([top, self.plot, KernelNote()])
        for choice in (self.slot, self.place, self.measure):
            choice.observe(lambda _: self.plot.show(self.figure()), "value")

    def scan(self, slot: str) -> pd.DataFrame:
        """As from `probes.logit_scan`, over values in and between those of training."""
        if slot not in self.made:
            task = self.run.spec.task
            low, high, _ = extent(task.gaps.get(slot, ()), task.limits[slot])
            values = [low + (high - low) * i / (VALUES - 1) for i in range(VALUES)]
            texts = [e for value in values for e in texts_at(task, slot, value, self.n)]
            self.made[slot] = probes.logit_scan(probes.number_logits(self.run, texts, slot))
        return self.made[slot]

    def figure(self) -> go.Figure:
        """A line a word of the chosen token; gaps of training are shaded."""
        slot, measure = self.slot.value, self.measure.value
        frame = self.scan(slot)
        frame = frame[frame.within == self.place.value]
        order = frame.groupby("word").probability.max().sort_values(ascending=False).index
        figure = go.Figure()
        for color, word in zip(px.colors.qualitative.Safe * 9, order, strict=False):
            rows = frame[frame.word == word]
            figure.add_scatter(x=rows.true, y=rows[measure], name=word, line={"color": color})
        gaps = self.run.spec.task.gaps.get(slot, ())
        for gap in gaps:
            figure.add_vrect(*gap, **GAP)
        figure.update_xaxes(title=f"true {slot}{SHADED if gaps else ''}")
        figure.update_yaxes(title=f"{measure} of token {self.place.value}")
        margin = {"l": 70, "r": 20, "t": 20, "b": 45}
        figure.update_layout(template="simple_white", height=380, margin=margin)
        return figure.update_layout(legend_title="word", showlegend=True, hovermode="closest")
