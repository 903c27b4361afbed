"""A plotly figure that JupyterLab draws again whenever it changes."""

from __future__ import annotations

from pathlib import Path

import anywidget
import plotly.graph_objects as go
import plotly.io
import plotly.offline
import traitlets


def script(*names: str) -> str:
    """JavaScript files of this folder as one module."""
    return "\n".join((Path(__file__).parent / f"{name}.js").read_text("utf-8") for name in names)


class Plot(anywidget.AnyWidget):
    """A figure in the page; its whole state is the figure, in one message a change.

    plotly's own FigureWidget carries 5 MB of plotly.js in its state, and stays empty for good
    where a busy machine needs more than the 2 s to load them that anywidget waits. This one
    loads plotly.js once a page, after it is there.
    """

    _esm = script("load", "plot")
    figure = traitlets.Unicode().tag(sync=True)

    def __init__(self, figure: go.Figure):
        super().__init__(figure=figure.to_json())
        self.on_msg(lambda *_: self.send({}, [plotly.offline.get_plotlyjs().encode()]))

    def show(self, figure: go.Figure | dict) -> None:
        """Draw this figure instead; a dict as `to_plotly_json` gives it is not checked again."""
        self.figure = plotly.io.to_json(figure, validate=False)
