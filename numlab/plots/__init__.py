"""Figures from DataFrames, in one house style. Column names are the interface.

Each function takes a DataFrame and returns a `matplotlib.figure.Figure`; nothing here knows
pyplot, keeps state or draws on import. `styled` puts a function of a notebook in the same style.
"""

from numlab.plots.curves import curves, neighbour_curves
from numlab.plots.predictions import logit_lines, predicted_against_true
from numlab.plots.style import STYLE, encoder_color, encoder_marker, panels, style, styled

__all__ = [
    "STYLE",
    "curves",
    "encoder_color",
    "encoder_marker",
    "logit_lines",
    "neighbour_curves",
    "panels",
    "predicted_against_true",
    "style",
    "styled",
]
