"""Show figures as pictures in a notebook's output: importing this module is enough."""

import functools
import sys

shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
if shell:  # nobody else tells IPython how a Figure is shown, without pyplot
    from IPython.core.pylabtools import print_figure

    small = {"dpi": 85, "bbox_inches": None}  # a notebook stays below 1 MB
    png = functools.partial(print_figure, fmt="png", base64=True, **small)
    pictures = shell.display_formatter.formatters["image/png"]
    pictures.for_type_by_name("matplotlib.figure", "Figure", png)
