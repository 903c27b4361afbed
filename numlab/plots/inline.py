"""Show figures as pictures in a notebook's output: importing this module is enough."""

from __future__ import annotations

import functools
import sys

__all__: list[str] = []


def _show_inline() -> None:
    """Register how IPython, where it runs, shows a Figure; without pyplot nobody else does."""
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
