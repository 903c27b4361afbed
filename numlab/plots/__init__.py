"""Figures from DataFrames, in one house style. Column names are the interface.

Each function takes a DataFrame and returns a `matplotlib.figure.Figure`; nothing here knows
pyplot, keeps state or draws on import. In a notebook a Figure shows itself once this is imported.
`styled` puts a function of a notebook in the same style.
"""

from numlab.plots import inline  # noqa: F401 (figures show themselves in notebooks)
from numlab.plots.bars import bars
from numlab.plots.calibration import calibration
from numlab.plots.circles import number_on_circles, survivors
from numlab.plots.confusions import length_cues
from numlab.plots.embeddings import clouds
from numlab.plots.encodings import coefficients, encodings
from numlab.plots.frequencies import stripes
from numlab.plots.gaps import gap_errors
from numlab.plots.lengths import length_maps
from numlab.plots.lines import curves, scaling
from numlab.plots.orbits import orbits
from numlab.plots.predictions import logit_lines, predicted_against_true
from numlab.plots.spectra import spectra
from numlab.plots.style import STYLE, encoder_color, encoder_marker, panels, style, styled
from numlab.plots.sweep import sweep

__all__ = [
    "STYLE",
    "bars",
    "calibration",
    "clouds",
    "coefficients",
    "curves",
    "encoder_color",
    "encoder_marker",
    "encodings",
    "gap_errors",
    "length_cues",
    "length_maps",
    "logit_lines",
    "number_on_circles",
    "orbits",
    "panels",
    "predicted_against_true",
    "scaling",
    "spectra",
    "stripes",
    "style",
    "styled",
    "survivors",
    "sweep",
]
