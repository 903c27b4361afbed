"""Figures from DataFrames, in one house style. Column names are the interface.

Each function takes a DataFrame and returns a `matplotlib.figure.Figure`; nothing here knows
pyplot, keeps state or draws on import. In a notebook a Figure shows itself once this is imported.
`styled` puts a function of a notebook in the same style.
"""

from numlab.plots import inline  # noqa: F401 (figures show themselves in notebooks)
from numlab.plots.bars import bars
from numlab.plots.chips import chip
from numlab.plots.embeddings import clouds
from numlab.plots.gaps import gap_errors
from numlab.plots.lines import curves
from numlab.plots.spectra import spectra
from numlab.plots.style import STYLE, encoder_color, encoder_marker, panels, style, styled
from numlab.plots.sweep import sweep

__all__ = [
    "STYLE",
    "bars",
    "chip",
    "clouds",
    "curves",
    "encoder_color",
    "encoder_marker",
    "gap_errors",
    "panels",
    "spectra",
    "style",
    "styled",
    "sweep",
]
