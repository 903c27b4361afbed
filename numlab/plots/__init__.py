"""Figures from DataFrames, in one house style. Column names are the interface.

Each function takes a DataFrame and returns a `matplotlib.figure.Figure`, without pyplot; in a
notebook, it shows itself. `styled` puts a notebook's own drawing in the same style.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
