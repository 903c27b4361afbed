"""The parts of every panel: plots, menus, messages, and what it does in the page."""

from html import escape
from pathlib import Path
from typing import Any

import anywidget
import ipywidgets
import jinja2
import plotly.graph_objects as go
import plotly.io
import plotly.offline
import traitlets

HERE = Path(__file__).parent
FIT = {"style": {"description_width": "initial"}, "layout": {"width": "auto"}}
TEMPLATE = "simple_white+numlab"
plotly.io.templates["numlab"] = go.layout.Template(
    layout={
        "margin": {"l": 70, "r": 20, "t": 40, "b": 45},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "title": {"text": ""}},
        "shapedefaults": {"opacity": 1},  # of simple_white 0.3: nobody would see a shaded gap
    }
)
page = jinja2.Environment(
    loader=jinja2.FileSystemLoader(HERE), autoescape=True, trim_blocks=True
).get_template


def script(*names: str) -> str:
    """JavaScript files of this folder, joined into one module."""
    return "\n".join((HERE / f"{name}.js").read_text("utf-8") for name in names)


class Plot(anywidget.AnyWidget):
    """A plotly figure; `show` sends and draws another one in one message.

    `clicked` is the name of the trace, x and y of the point that was clicked last.

    plotly's own FigureWidget carries 5 MB of plotly.js in its state, and stays empty for good
    when a busy machine takes more than anywidget's limit of 2 s to load them. This one loads
    plotly.js once a page, after the widget exists.
    """

    _esm = script("load_plotly", "plot")
    figure = traitlets.Unicode("{}").tag(sync=True)
    clicked = traitlets.List().tag(sync=True)

    def __init__(self, figure: go.Figure | None = None):
        super().__init__()
        self.show(figure or {})
        self.on_msg(lambda *_: self.send({}, [plotly.offline.get_plotlyjs().encode()]))

    def show(self, figure: go.Figure | dict) -> None:
        """Draw this figure; a dict is not validated, which is faster."""
        self.figure = plotly.io.to_json(figure, validate=False)


class _InPage(anywidget.AnyWidget):
    """Gives a clicked slider the keyboard focus, and tables room between their columns; says what
    to do when the kernel has stopped."""

    _esm = script("panel")
    _css = ".numlab-table :is(th, td) { padding: 2px 18px 2px 0; text-align: left; }"


class Panel(ipywidgets.VBox):
    """Widgets one below the other, and what a panel does in the page."""

    def __init__(self, *parts: ipywidgets.Widget):
        super().__init__([*parts, _InPage()])


def row(*widgets: ipywidgets.Widget) -> ipywidgets.HBox:
    """Widgets side by side, on several lines if need be."""
    return ipywidgets.HBox(widgets, layout={"flex_flow": "row wrap", "align_items": "center"})


def menu(description: str, options: list, **chosen: Any) -> ipywidgets.Dropdown:
    """A menu, as wide as its text; without `value=`, the first option is chosen."""
    return ipywidgets.Dropdown(options=options, description=description, **chosen, **FIT)


def choices(description: str, options: list) -> ipywidgets.SelectMultiple:
    """A list of which several are chosen; at first, all."""
    look = {"rows": min(len(options), 10), "description": description, **FIT}
    return ipywidgets.SelectMultiple(options=options, value=options, **look)


def on_change(callback, *widgets: ipywidgets.Widget) -> None:
    """Call `callback()` whenever the value of one of the widgets changes."""
    for widget in widgets:
        widget.observe(lambda _: callback(), "value")


def note(text: str, role: str = "status") -> str:
    """HTML of a note that screen readers read out; `role` "alert": an error."""
    color = ' style="color: #D32F2F"' if role == "alert" else ""
    return f'<span role="{role}"{color}>{escape(text)}</span>'
