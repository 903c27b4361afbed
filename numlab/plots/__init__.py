"""Figures from DataFrames, in one house style. Column names are the interface.

Each function takes a DataFrame and returns a `matplotlib.figure.Figure`, without pyplot. In a
notebook, importing this module is enough for a Figure to show itself. `styled` puts a notebook's
own drawing in the same style.
"""

from numlab.plots import inline  # noqa: F401 (figures show themselves in notebooks)
from numlab.plots.bars import bars
from numlab.plots.calibration import calibration
from numlab.plots.circles import number_on_circles, survivors
from numlab.plots.confusions import length_cues
from numlab.plots.embeddings import clouds
from numlab.plots.encodings import coefficients, encodings
from numlab.plots.floats import activations, bits, model
from numlab.plots.frequencies import stripes
from numlab.plots.gaps import gap_errors
from numlab.plots.lengths import length_maps
from numlab.plots.lines import curves, neighbour_curves, scaling
from numlab.plots.neighbours import dots, neighbour_lines
from numlab.plots.orbits import orbits
from numlab.plots.predictions import logit_lines, predicted_against_true
from numlab.plots.spectra import spectra
from numlab.plots.style import (
    OTHERS,
    encoder_color,
    encoder_marker,
    legend,
    panels,
    style,
    styled,
)
from numlab.plots.sweep import sweep

__all__ = [
    "OTHERS",
    "activations",
    "bars",
    "bits",
    "calibration",
    "clouds",
    "coefficients",
    "curves",
    "dots",
    "encoder_color",
    "encoder_marker",
    "encodings",
    "gap_errors",
    "legend",
    "length_cues",
    "length_maps",
    "logit_lines",
    "model",
    "neighbour_curves",
    "neighbour_lines",
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
