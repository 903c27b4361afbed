"""The house style: colours, markers, panels, and the decorator that puts a figure in it."""

import functools
import sys
import tomllib
import zlib
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

_STYLE = Path(__file__).with_name("numlab.mplstyle")
_LOOKS = tomllib.loads(Path(__file__).with_name("encoders.toml").read_text("utf-8"))
OTHERS = ("#C1272D", "#117733", "#5E6B8C", "#B59410", "#F08C8C", "#8FBC5A", "#4A4A4A", "#BFA5D8")
GREY = "#555555"  # what is beside encoders: baselines, captions
SEEDS = "marker: mean of the seeds; small dots: each seed; band: their range"
PITCH, PADDING = 0.087, 0.17  # inches: the width of a letter, and the space around a word
FILL = {"literal": "#EDEDED", "mask": "#FFFFFF"}


def encoder_color(name: str) -> str:
    """The colour of an encoder or an aggregate, the same in every figure.

    `name` is an encoder's label ("XVal(k=2)") or the encoder as text ("FoNE(int_digits=6, ...)").
    Without an entry in `encoders.toml`, the colour is computed from the name of the class.

    >>> encoder_color("FoNE(int_digits=3)") == encoder_color("FoNE")
    True
    >>> encoder_color("XVal(k=2, scale=10.0)") == encoder_color("XVal(k=2)")
    True
    """
    return _look(name, "color", OTHERS)


def encoder_marker(name: str) -> str:
    """The marker of an encoder or an aggregate, chosen like `encoder_color`.

    >>> nl.plots.encoder_marker("XVal")
    'o'
    """
    return _look(name, "marker", "<>*hH")


def _look(name: str, key: str, others: tuple[str, ...] | str) -> str:
    """An entry for the name, for its class with one of its fields, or for its class."""
    name = str(name).removesuffix(" (by column)")
    family, _, fields = name.removesuffix(")").partition("(")
    family = family.strip()
    for entry in (name, *(f"{family}({field})" for field in fields.split(", ")), family):
        if key in _LOOKS.get(entry, ()):
            return _LOOKS[entry][key]
    return others[zlib.crc32(family.encode()) % len(others)]


def styled(draw: Callable[..., Figure]) -> Callable[..., Figure]:
    """Decorate a function that returns a figure: it draws in the house style.

    >>> @nl.plots.styled
    ... def bars(heights):
    ...     figure, (ax,) = nl.plots.panels(1)
    ...     ax.bar(["P10", "XVal"], heights)
    ...     return figure
    >>> bars([0.3, 0.1]).axes[0].spines["top"].get_visible()
    False
    """

    @functools.wraps(draw)
    def in_style(*args, **kwargs) -> Figure:
        with mpl.rc_context(fname=_STYLE):
            figure = draw(*args, **kwargs)
            for axis in figure.findobj(Axis):
                axis.get_ticklabels(which="both")  # made now, in style: else when first drawn
            return figure

    return in_style


def panels(
    n: int, columns: int = 3, width: float = 3.6, height: float = 3.2, share: bool = True
) -> tuple[Figure, list[Axes]]:
    """A figure with n panels, each of width x height inches, at most `columns` in a row.

    `share`: all panels have the same limits on both axes.

    >>> len(nl.plots.panels(3)[1])
    3
    """
    if n < 1:
        raise ValueError(f"a figure has one panel or more; got {n}")
    columns = min(n, columns)
    rows = -(-n // columns)
    figure = Figure(figsize=(width * columns + 1.4, height * rows + 0.3))
    grid = figure.subplots(rows, columns, sharex=share, sharey=share, squeeze=False).ravel()
    for unused in grid[n:]:
        unused.remove()
    return figure, list(grid[:n])


def label_sides(axes: list[Axes], x: str, y: str) -> None:
    """Name the axes of panels that share them at their left and below.

    >>> _, axes = nl.plots.panels(3, columns=2)
    >>> nl.plots.label_sides(axes, "x", "y")
    >>> [(ax.get_xlabel(), ax.get_ylabel()) for ax in axes]
    [('', 'y'), ('x', ''), ('x', 'y')]
    """
    columns = axes[0].get_gridspec().ncols
    for i, ax in enumerate(axes):
        left, below = i % columns == 0, i + columns >= len(axes)
        ax.tick_params(labelleft=left, labelbottom=below)
        ax.set(xlabel=x * below, ylabel=y * left)


def legend(figure: Figure, axes: list[Axes]) -> None:
    """Replace the figure's legend by one for all panels, at their right.

    >>> figure, axes = nl.plots.panels(2)
    >>> for ax, name in zip(axes, ["P10", "XVal"]):
    ...     _ = ax.plot([1, 2], label=name)
    >>> nl.plots.legend(figure, axes)
    >>> [text.get_text() for text in figure.legends[0].get_texts()]
    ['P10', 'XVal']
    """
    for old in figure.legends:
        old.remove()
    entries = {}
    for handles, names in (ax.get_legend_handles_labels() for ax in axes):
        entries |= dict(zip(names, handles, strict=True))
    figure.legend(entries.values(), entries.keys(), loc="outside right center", frameon=False)


def captioned(figure: Figure, text: str = SEEDS) -> Figure:
    """The figure with a line below it that says what is drawn.

    >>> figure, _ = nl.plots.panels(1)
    >>> nl.plots.captioned(figure, "a dot is a seed").get_supxlabel()
    'a dot is a seed'
    """
    figure.supxlabel(text, fontsize=9, color=GREY)
    return figure


def chip(ax: Axes, x: float, y: float, token, color: str) -> float:
    """Draw a token as a box with a note under it; returns the width of the box in inches.

    The units of `ax` must be inches; (x, y) is the middle of the left edge. The token has the
    strings `word`, `note` and `kind`: "literal", "number" (which has the colour) or "mask".

    >>> from types import SimpleNamespace
    >>> figure, (ax,) = nl.plots.panels(1)
    >>> token = SimpleNamespace(word="[NUM]", note="-60.2", kind="number")
    >>> round(nl.plots.chip(ax, 0.0, 0.0, token, nl.plots.encoder_color("XVal")), 3)
    0.605
    """
    tint = tuple(1 - 0.3 * (1 - c) for c in to_rgb(color))
    width = max(PITCH * len(token.word) + PADDING, 0.8 * PITCH * len(token.note) + 0.04)
    look = {"fc": FILL.get(token.kind, tint), "ec": color if token.kind == "number" else "#9A9A9A"}
    look |= {"ls": "--" if token.kind == "mask" else "-", "lw": 0.9}
    corners = "round,pad=0,rounding_size=0.05"
    ax.add_patch(FancyBboxPatch((x, y - 0.15), width, 0.3, boxstyle=corners, **look))
    text = {"ha": "center", "family": "monospace"}
    ax.text(x + width / 2, y, token.word, va="center_baseline", fontsize=10.5, **text)
    ax.text(x + width / 2, y + 0.26, token.note, va="center", fontsize=8, color="#444444", **text)
    return width


def show_figures() -> None:
    """Tell IPython, if it runs, how to show a `Figure`: it knows only those of pyplot."""
    if "IPython" in sys.modules and (shell := sys.modules["IPython"].get_ipython()):
        from IPython.core.pylabtools import print_figure

        small = {"dpi": 85, "bbox_inches": None}  # a notebook stays below 1 MB
        png = functools.partial(print_figure, fmt="png", base64=True, **small)
        pictures = shell.display_formatter.formatters["image/png"]
        pictures.for_type_by_name("matplotlib.figure", "Figure", png)


show_figures()
