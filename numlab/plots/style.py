"""The house style: colours, markers, panels, and the decorator that puts a figure in it."""

from __future__ import annotations

import functools
import re
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLE = {
    "figure.constrained_layout.use": True,
    "figure.dpi": 110,
    "figure.facecolor": "white",
    "font.size": 11,
    "axes.titlesize": 11.5,
    "axes.labelsize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.8,
    "lines.linewidth": 1.8,
    "lines.markersize": 6,
    "legend.frameon": False,
    "legend.fontsize": 10,
    "svg.fonttype": "none",
}

# Okabe and Ito's colours, which the colour-blind can tell apart; their yellow is too pale on white.
_COLORS = {
    "XVal": "#D55E00",
    "XVal, absolute positions": "#7A2E00",
    "FoNE": "#0072B2",
    "FoNEDigits": "#00355C",
    "P10": "#E69F00",
    "P1000": "#56B4E9",
    "B1999": "#8A8A8A",
    "FP15": "#000000",
    "Digits": "#009E73",
    "Subword": "#CC79A7",
    "IEEE754": "#882255",
    "LogBins": "#332288",
    "Exponent": "#332288",  # what the float paper calls them
    "default": "#A8A8A8",
    "weighted sum": "#D55E00",
    "sum": "#0072B2",
    "mean": "#E69F00",
    "median": "#56B4E9",
    "max": "#009E73",
    "min": "#CC79A7",
}
_MARKERS = {
    "XVal": "o",
    "XVal, absolute positions": "h",
    "FoNE": "D",
    "FoNEDigits": "d",
    "P10": "s",
    "P1000": "v",
    "B1999": "^",
    "FP15": "X",
    "Digits": "P",
    "Subword": "p",
    "weighted sum": "o",
    "sum": "D",
    "mean": "s",
    "median": "X",
    "max": "^",
    "min": "v",
}
_SCALES = ("#D55E00", "#B63655", "#84206B", "#4B1D70", "#210C4A")  # XVal with k = 0 to 4, darkening
OTHERS = ("#332288", "#88CCEE", "#117733", "#999933", "#882255", "#44AA99", "#AA4499", "#DDCC77")


def encoder_color(name: str) -> str:
    """The colour of an encoder or an aggregate, the same in every figure.

    Parameters
    ----------
    name : str
        As an encoder prints itself, "FoNE(int_digits=6, ...)", or its family, "FoNE". XVal has
        a colour for each k from 0 to 4. A family that has no colour here gets one by its name.

    Examples
    --------
    >>> encoder_color("FoNE(int_digits=3)") == encoder_color("FoNE")
    True
    >>> encoder_color("XVal(k=2, scale=1.0)") == encoder_color("XVal")
    False
    """
    family = _family(name)
    scales = re.search(r"\bk=(\d+)", name) if family == "XVal" else None
    if scales:
        return _SCALES[min(int(scales[1]), len(_SCALES) - 1)]
    return _COLORS.get(family) or OTHERS[zlib.crc32(family.encode()) % len(OTHERS)]


def encoder_marker(name: str) -> str:
    """The marker of an encoder or an aggregate, the same in every figure."""
    family = _family(name)
    return _MARKERS.get(family) or "<>*hH"[zlib.crc32(family.encode()) % 5]


def _family(name: str) -> str:
    return name.split("(")[0].strip()


def style():
    """A context in which figures are drawn in the house style: `with style(): ...`."""
    import matplotlib as mpl

    return mpl.rc_context(STYLE)


def styled(draw: Callable[..., Figure]) -> Callable[..., Figure]:
    """Decorate a function that returns a figure: it draws in the house style."""

    @functools.wraps(draw)
    def in_style(*args, **kwargs) -> Figure:
        with style():
            figure = draw(*args, **kwargs)
            figure.draw_without_rendering()  # labels of ticks are made, and styled, on drawing
            return figure

    return in_style


def panels(
    n: int, columns: int = 3, width: float = 3.6, height: float = 3.2, share: bool = True
) -> tuple[Figure, list[Axes]]:
    """A figure of n panels in rows of at most `columns`, each of width x height inches.

    `share`: all panels have the limits of both axes in common.
    """
    from matplotlib.figure import Figure

    columns = min(n, columns)
    rows = -(-n // columns)
    figure = Figure(figsize=(width * columns + 1.4, height * rows + 0.3))
    grid = figure.subplots(rows, columns, sharex=share, sharey=share, squeeze=False).ravel()
    for unused in grid[n:]:
        unused.remove()
    return figure, list(grid[:n])


def legend(figure: Figure, axes: list[Axes]) -> None:
    """One legend for all panels, to their right; it takes the place of an earlier one."""
    for old in figure.legends:
        old.remove()
    entries: dict[str, object] = {}
    for ax in axes:
        entries.update(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    figure.legend(entries.values(), entries.keys(), loc="outside right center")
