"""Figures from DataFrames, in one house style. Column names are the interface.

Each function takes a DataFrame and returns a `matplotlib.figure.Figure`, without pyplot. In a
notebook, importing this module is enough for a Figure to show itself. `styled` puts a notebook's
own drawing in the same style.
"""

from numlab.plots.comparisons import curves, gap_errors, learning_curves, line_with_band, spectra
from numlab.plots.style import (
    OTHERS,
    chip,
    encoder_color,
    encoder_marker,
    legend,
    panels,
    styled,
)
from numlab.plots.sweep import sweep

__all__ = [
    "OTHERS",
    "chip",
    "curves",
    "encoder_color",
    "encoder_marker",
    "gap_errors",
    "learning_curves",
    "legend",
    "line_with_band",
    "panels",
    "spectra",
    "styled",
    "sweep",
]
