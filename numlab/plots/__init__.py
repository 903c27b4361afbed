"""Figures from DataFrames, in one house style. Column names are the interface.

Each function takes a DataFrame and returns a `matplotlib.figure.Figure`; nothing here knows
pyplot, keeps state or draws on import. `styled` puts a function of a notebook in the same style.
"""

from numlab.plots.circles import number_on_circles, survivors
from numlab.plots.encodings import coefficients, encodings
from numlab.plots.frequencies import stripes
from numlab.plots.lines import curves, neighbour_curves, scaling
from numlab.plots.predictions import logit_lines, predicted_against_true
from numlab.plots.style import STYLE, encoder_color, encoder_marker, panels, style, styled

__all__ = [
    "STYLE",
    "coefficients",
    "curves",
    "encoder_color",
    "encoder_marker",
    "encodings",
    "logit_lines",
    "neighbour_curves",
    "number_on_circles",
    "panels",
    "predicted_against_true",
    "scaling",
    "stripes",
    "style",
    "styled",
    "survivors",
]
