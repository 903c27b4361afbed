"""Floating-point embeddings: bits, the module that reads them, the model around it (float)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from numlab.plots.chips import chip
from numlab.plots.style import encoder_color, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PARTS = {"sign": "#D55E00", "exponent": "#0072B2", "significand": "#009E73"}
CELL = 0.24  # inches, a bit


@styled
def bits(frame: pd.DataFrame) -> Figure:
    """Numbers as the bits of floats, a row a number (float, Fig. 2).

    Parameters
    ----------
    frame : DataFrame
        Columns number, its text; meaning, what the parts say together; part ("sign", "exponent"
        or "significand") and bit, 0 or 1: a row a bit, the sign first.
    """
    rows = list(frame.groupby("number", sort=False))
    width = 1.5 + CELL * max(len(row) for _, row in rows)
    ax = _inches(width + 2.6, 0.7 + 0.42 * len(rows))
    for i, (number, row) in enumerate(rows):
        y = 0.65 + 0.42 * i
        ax.text(1.3, y + CELL / 2, number, ha="right", va="center", family="monospace")
        ax.text(width + 0.15, y + CELL / 2, row.meaning.iloc[0], va="center")
        for j, (part, bit) in enumerate(zip(row.part, row.bit, strict=True)):
            _box(ax, (1.5 + CELL * j, y), (CELL, CELL), _tint(PARTS[part], 0.6 if bit else 0.12))
            look = {"ha": "center", "va": "center_baseline", "family": "monospace"}
            ax.text(1.5 + CELL * (j + 0.5), y + CELL / 2, str(bit), fontsize=10, **look)
    for part, places in rows[0][1].reset_index().groupby("part", sort=False):
        first, last = 1.5 + CELL * places.index.min(), 1.5 + CELL * (places.index.max() + 1)
        ax.plot([first + 0.03, last - 0.03], [0.55, 0.55], color=PARTS[part], lw=2.5)
        place = (
            {"ha": "right", "x": last - 0.06}
            if part == "sign"
            else {"ha": "left", "x": first + 0.03}
        )
        ax.text(y=0.35, s=part, color=PARTS[part], weight="bold", va="center", **place)
    return ax.figure


@styled
def activations(frame: pd.DataFrame, residual: tuple[str, str]) -> Figure:
    """What stands at each step of a module, entry by entry, from the first to the last
    (float, Eq. 3 and Fig. 3).

    Parameters
    ----------
    frame : DataFrame
        Columns step, its name; made_by, how it comes from the step before; entry; value.
    residual : pair of str
        The step that is added, and the step that it is added to.
    """
    from matplotlib.figure import Figure

    steps = list(frame.groupby("step", sort=False))
    figure = Figure(figsize=(11, 0.75 * len(steps) + 0.7))
    grid = {"hspace": 1.15, "left": 0.2, "right": 0.9, "top": 0.94, "bottom": 0.13}
    figure.set_layout_engine("none")
    axes = figure.subplots(len(steps), 1, gridspec_kw=grid)
    at = {}
    for ax, (step, rows) in zip(axes, steps, strict=True):
        most = np.abs(rows.value).max()
        image = ax.imshow(
            rows.value.to_numpy()[None] / most, vmin=-1, vmax=1, cmap="RdBu_r", aspect="auto"
        )
        ax.set(xticks=[], yticks=[])
        ax.spines[:].set_visible(False)
        ax.grid(visible=False)
        ax.text(-0.015, 0.5, step, ha="right", va="center", transform=ax.transAxes, weight="bold")
        entries = f"{len(rows)} entries, up to {most:.2g}"
        ax.text(1, 1.35, entries, ha="right", va="center", transform=ax.transAxes, fontsize=9)
        if rows.made_by.iloc[0]:
            ax.text(0, 1.35, rows.made_by.iloc[0], va="center", transform=ax.transAxes, fontsize=10)
            arrow = {"arrowstyle": "->", "color": "#555555", "lw": 1.3}
            ends = {"xy": (-0.07, 1.15), "xytext": (-0.07, 2.05)}
            ax.annotate("", **ends, xycoords="axes fraction", arrowprops=arrow)
        at[step] = ax.get_position()
    _bend(figure, *(at[step] for step in residual))
    below = figure.add_axes((0.35, 0.065, 0.4, 0.018))
    look = {"orientation": "horizontal", "ticks": (-1, 0, 1)}
    figure.colorbar(image, cax=below, label="value / the row's largest", **look)
    return figure


def _bend(figure: Figure, start, end) -> None:
    """An arrow to the right of all, from one axes' height to another's."""
    from matplotlib.lines import Line2D

    x, far = 0.905, 0.935
    y0, y1 = ((box.y0 + box.y1) / 2 for box in (start, end))
    look = {"color": PARTS["sign"], "lw": 1.6, "transform": figure.transFigure}
    figure.add_artist(Line2D([x, far, far, x], [y0, y0, y1, y1], **look))
    figure.add_artist(Line2D([x], [y1], marker="<", **look))
    figure.text(far + 0.01, (y0 + y1) / 2, "added", color=PARTS["sign"], va="center")


@styled
def model(tokens: pd.DataFrame, parts: pd.DataFrame) -> Figure:
    """A text on its way through a model with an embedding of numbers (float, Fig. 1).

    Parameters
    ----------
    tokens : DataFrame
        Columns word; kind ("literal", "number" or "mask"); note, what stands under it; asked, the
        word that is to be predicted there, or "": a row a token, in reading order.
    parts : DataFrame
        The index names four parts, from below: words, numbers, trunk, head. Columns text, what
        each is, and learned, whether it is trained.
    """
    ax = _inches(12.2, 4.9)
    color = encoder_color("IEEE754")
    x, middles = 0.2, []
    for token in tokens.itertuples():
        width = chip(ax, x, 4.25, token, color)
        middles.append(x + width / 2)
        x += width + 0.08
    right = x - 0.08
    shade = {True: _tint(color, 0.35), False: "#E9E9E9"}
    arrow = {"arrowstyle": "->", "color": "#777777", "lw": 1.0}
    for middle, token in zip(middles, tokens.itertuples(), strict=True):
        part = "numbers" if token.kind == "number" else "words"
        ax.annotate("", (middle, 3.62), (middle, 4.05), arrowprops=arrow)
        _box(ax, (middle - 0.13, 3.22), (0.26, 0.4), shade[parts.learned[part]])
        ax.annotate("", (middle, 2.72), (middle, 3.2), arrowprops=arrow)
        if token.asked:
            ax.annotate("", (middle, 1.47), (middle, 1.95), arrowprops=arrow)
            _box(ax, (middle - 0.3, 1.07), (0.6, 0.4), shade[parts.learned["head"]])
            ax.text(middle, 1.27, "head", ha="center", va="center_baseline")
            ax.annotate("", (middle, 0.72), (middle, 1.05), arrowprops=arrow)
            ax.text(middle, 0.55, token.asked, ha="center", va="center", family="monospace")
    _box(ax, (0.2, 1.97), (right - 0.2, 0.74), shade[parts.learned["trunk"]])
    ax.text((right + 0.2) / 2, 2.34, parts.text["trunk"], ha="center", va="center")
    aside = right + 0.25
    ax.text(aside, 4.25, "what the model reads", va="center", weight="bold")
    ax.text(aside, 3.57, parts.text["numbers"], va="center", color=color)
    ax.text(aside, 3.2, parts.text["words"], va="center")
    ax.text(aside, 1.27, parts.text["head"], va="center", color=color)
    ax.text(aside, 0.55, "what it is to say", va="center", weight="bold")
    for i, (learned, text) in enumerate(((True, "trained here"), (False, "pretrained, frozen"))):
        _box(ax, (aside, 2.02 + 0.36 * i), (0.3, 0.24), shade[learned])
        ax.text(aside + 0.4, 2.14 + 0.36 * i, text, va="center")
    return ax.figure


def _inches(width: float, height: float) -> Axes:
    """Bare axes whose units are inches, from the upper left corner."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    figure.set_layout_engine("none")
    ax = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    ax.axis("off")
    return ax


def _box(ax: Axes, corner: tuple[float, float], size: tuple[float, float], fill: str) -> None:
    from matplotlib.patches import Rectangle

    ax.add_patch(Rectangle(corner, *size, fc=fill, ec="#8A8A8A", lw=0.8))


def _tint(color: str, strength: float) -> tuple[float, float, float]:
    """A colour on white paper, 0 to 1 strong."""
    from matplotlib.colors import to_rgb

    return tuple(1 - strength * (1 - c) for c in to_rgb(color))
