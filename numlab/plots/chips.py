"""Tokens as labelled boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PITCH, PADDING = 0.087, 0.17  # inches: the width of a letter, and the space around a word
FILL = {"literal": "#EDEDED", "mask": "#FFFFFF"}


def chip(ax: Axes, x: float, y: float, token, color: str) -> float:
    """Draw a token as a box with a note under it; returns the width of the box in inches.

    The units of `ax` must be inches; (x, y) is the middle of the left edge. The token has the
    strings `word`, `note` and `kind`: "literal", "number" (which has the colour) or "mask".
    """
    from matplotlib.colors import to_rgb
    from matplotlib.patches import FancyBboxPatch

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
