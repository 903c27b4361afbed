"""Figures from DataFrames, in one house style. Column names are the interface.

Each function takes a DataFrame and returns a `matplotlib.figure.Figure`, without pyplot. In a
notebook, importing this module is enough for a Figure to show itself. `styled` puts a notebook's
own drawing in the same style.
"""

from numlab.plots import inline  # noqa: F401 (figures show themselves in notebooks)
from numlab.plots.bars import bars
from numlab.plots.chips import chip
from numlab.plots.embeddings import clouds
from numlab.plots.gaps import gap_errors
from numlab.plots.learning import learning_curves
from numlab.plots.lines import curves
from numlab.plots.spectra import spectra
from numlab.plots.style import OTHERS, encoder_color, encoder_marker, legend, panels, style, styled
from numlab.plots.sweep import sweep
from numlab.plots.verdicts import verdicts

__all__ = [
    "OTHERS",
    "bars",
    "chip",
    "clouds",
    "curves",
    "encoder_color",
    "encoder_marker",
    "gap_errors",
    "learning_curves",
    "legend",
    "panels",
    "spectra",
    "style",
    "styled",
    "sweep",
    "verdicts",
]
