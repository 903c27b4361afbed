"""The words among which a text encoder chooses, as the true number moves (xval, Fig. 12)."""

import functools

import ipywidgets
import numpy as np
import pandas as pd
import plotly.express as px

from numlab import probes
from numlab.plots.sweep import SHADE
from numlab.training import Run
from numlab.widgets.panel import TEMPLATE, Panel, Plot, menu, on_change, row
from numlab.widgets.sweep import extent
from numlab.widgets.sweep_answers import texts_at
from numlab.widgets.sweep_figure import SHADED

VALUES = 25  # of the true number


def logit_scan(run: Run, slot: str | None = None, n: int = 16) -> ipywidgets.VBox:
    """Follow the likeliest words at each token of a masked number through the gaps of training.

    The run was trained under a masked LM with a text encoder of fixed length. `slot` is a parameter
    that its task can hold fixed (default: the first), `n` the number of texts a value. ValueError
    for another kind of run, or a parameter that the task cannot hold.

    >>> task = nl.tasks.Lookup(entries=1, withheld=(1.0, 2.0))
    >>> spec = nl.RunSpec(task, nl.P1000(), nl.MaskedLM(), nl.GPT2(8, 1, 1), 64, 2, 1e-3)
    >>> panel = nl.widgets.logit_scan(nl.train(spec), "answer", n=1)
    """
    task, limits = run.spec.task, sorted(run.spec.task.limits)
    if not limits or slot not in (None, *limits):
        raise ValueError(f"expected one of {limits}; got {slot!r}")
    tokens = list(range(1, run.spec.encoder.length + 1))
    parameter = menu("parameter", limits, value=slot or limits[0])
    token = menu("token", tokens, value=min(2, tokens[-1]))  # behind the sign, if there is one
    measure, plot = menu("measure", ["probability", "logit"]), Plot()

    @functools.cache
    def scan(slot: str) -> pd.DataFrame:
        low, high, _ = extent(task.gaps.get(slot, ()), task.limits[slot])
        values = np.linspace(low, high, VALUES).tolist()
        texts = [e for value in values for e in texts_at(task, slot, value, n)]
        return probes.logit_scan(probes.number_logits(run, texts, slot))

    def draw() -> None:
        gaps = task.gaps.get(parameter.value, ())
        frame = scan(parameter.value).query(f"within == {token.value}")
        order = frame.groupby("word").probability.max().sort_values(ascending=False).index
        names = {"true": f"true {parameter.value}{SHADED if gaps else ''}"}
        names[measure.value] = f"{measure.value} of token {token.value}"
        look = {"category_orders": {"word": order}, "labels": names, "template": TEMPLATE}
        look["color_discrete_sequence"] = px.colors.qualitative.Safe
        figure = px.line(frame, x="true", y=measure.value, color="word", height=380, **look)
        for low, high in gaps:
            figure.add_vrect(low, high, fillcolor=SHADE, line_width=0, layer="below")
        plot.show(figure.update_layout(legend={"orientation": "v", "y": 1, "yanchor": "top"}))

    draw()
    on_change(draw, parameter, token, measure)
    return Panel(row(parameter, token, measure), plot)
