"""Tokens as labelled boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PITCH, PADDING = 0.087, 0.17  # inches: the width of a letter, and the space around a word
FILL = {"literal": "#EDEDED", "mask": "#FFFFFF"}


def chip(ax: Axes, x: float, y: float, token, color: str) -> float:
    """Draw a token as a box with a note under it.

    Parameters
    ----------
    ax : Axes
        Its units are inches.
    x, y : float
        The middle of the left edge.
    token : object
        With the strings `word`, `note` and `kind`: "literal", "number" or "mask".
    color : str
        Of numbers.

    Returns
    -------
    float
        The width of the box.
    """
    from matplotlib.colors import to_rgb
    from matplotlib.patches import FancyBboxPatch

    tint = tuple(1 - 0.3 * (1 - c) for c in to_rgb(color))
    width = max(PITCH * len(token.word) + PADDING, 0.8 * PITCH * len(token.note) + 0.04)
    box = FancyBboxPatch(
        (x, y - 0.15),
        width,
        0.3,
        boxstyle="round,pad=0,rounding_size=0.05",
        fc=FILL.get(token.kind, tint),
        ec=color if token.kind == "number" else "#9A9A9A",
        ls="--" if token.kind == "mask" else "-",
        lw=0.9,
    )
    ax.add_patch(box)
    look = {"ha": "center", "family": "monospace"}
    ax.text(x + width / 2, y, token.word, va="center_baseline", fontsize=10.5, **look)
    ax.text(x + width / 2, y + 0.26, token.note, va="center", fontsize=8, color="#444444", **look)
    return width
