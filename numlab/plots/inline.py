"""Figures as pictures in the output of a notebook: importing this is enough."""

from __future__ import annotations

import functools
import sys


def _show_inline() -> None:
    """Tell IPython, where it runs, how to show a Figure; else only pyplot would, once imported."""
    if "IPython" not in sys.modules:
        return
    from IPython import get_ipython
    from IPython.core.pylabtools import print_figure

    if shell := get_ipython():
        small = {"dpi": 85, "bbox_inches": None}  # a notebook stays below 1 MB
        png = functools.partial(print_figure, fmt="png", base64=True, **small)
        pictures = shell.display_formatter.formatters["image/png"]
        pictures.for_type_by_name("matplotlib.figure", "Figure", png)


_show_inline()
