"""Which periods stand out among the chosen numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import plotly.graph_objects as go

if TYPE_CHECKING:
    import pandas as pd

COLORS = ("#0072B2", "#D55E00")


def power_figure(powers: dict[str, pd.DataFrame]) -> go.Figure:
    """Power against period, a line a pane, as from `probes.spectrum`; peaks are marked."""
    figure = go.Figure()
    for color, (name, frame) in zip(COLORS, powers.items(), strict=False):
        own = {"marker": {"color": color}, "hovertemplate": "period %{x:.3g}: %{y:.3g}"}
        figure.add_scatter(x=frame.period, y=frame.power, name=name, mode="lines", **own)
        peaks = frame[frame.peak]
        figure.add_scatter(
            x=peaks.period, y=peaks.power, name="peaks", mode="markers", showlegend=False, **own
        )
    figure.update_xaxes(title="period", type="log", autorange="reversed")
    figure.update_yaxes(title="power (mean 1)")
    above = {"orientation": "h", "y": 1.02, "yanchor": "bottom"}
    margin = {"l": 60, "r": 20, "t": 30, "b": 45}
    return figure.update_layout(template="simple_white", height=260, margin=margin, legend=above)
