"""A plotly figure that JupyterLab draws again whenever it changes."""

from __future__ import annotations

import anywidget
import plotly.graph_objects as go
import plotly.io
import plotly.offline
import traitlets

LOAD = """
function load(model) {
  return globalThis.numlabPlotly ??= new Promise((resolve) => {
    model.on("msg:custom", (_, [code]) => {
      const script = document.createElement("script");
      script.src = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
      script.onload = () => resolve(globalThis.Plotly);
      document.head.append(script);
    });
    model.on("comm_live_update", () => {  // the kernel went before it answered: ask the next one
      if (!globalThis.Plotly) globalThis.numlabPlotly = undefined;
    });
    model.send("plotly");
  });
}
"""

_DRAW = """
async function render({ model, el }) {
  const Plotly = await load(model);
  const draw = () => {
    const { data, layout } = JSON.parse(model.get("figure"));
    return Plotly.react(el, data, layout, { responsive: true, displayModeBar: false });
  };
  model.on("change:figure", draw);
  await draw();
}

export default { render };
"""


class Plot(anywidget.AnyWidget):
    """A figure in the page; its whole state is the figure, in one message a change.

    plotly's own FigureWidget carries 5 MB of plotly.js in its state, and stays empty for good
    where a busy machine needs more than the 2 s to load them that anywidget waits. This one
    loads plotly.js once a page, after it is there.
    """

    _esm = LOAD + _DRAW
    figure = traitlets.Unicode().tag(sync=True)

    def __init__(self, figure: go.Figure):
        super().__init__(figure=figure.to_json())
        self.on_msg(lambda *_: self.send({}, [plotly.offline.get_plotlyjs().encode()]))

    def show(self, figure: go.Figure | dict) -> None:
        """Draw this figure instead; a dict as `to_plotly_json` gives it is not checked again."""
        self.figure = plotly.io.to_json(figure, validate=False)
