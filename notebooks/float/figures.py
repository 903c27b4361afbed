"""Floating-point embeddings: bits, module and model (float, Fig. 1 to 3), and words by kind."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from numlab.plots import OTHERS, captioned, chip, encoder_color, panels, styled

PARTS = dict(zip(("sign", "exponent", "significand"), OTHERS, strict=False))
CELL = 0.24  # inches, the width of a bit
HIDDEN = {"thing": "a thing (dog)", "its size": "its size (huge)", "unit": "a unit (kilograms)"}
HIDDEN["other"] = "any other word"
READS = {"default": "default: as words", "Exponent": "Exponent: the number's decade"}
READS |= {"IEEE754": "IEEE754: the number's bits", "sign only": "control: only the number's sign"}
CENTRED = {"ha": "center", "va": "center_baseline"}
GREY_ARROW = {"arrowstyle": "->", "color": "#777777", "lw": 1.0}


@styled
def bits(frame: pd.DataFrame) -> Figure:
    """Numbers as the bits of floats, one row each (float, Fig. 2).

    `frame` has a row for each bit, the sign first, and the columns number (its text), meaning (the
    value of the bits, as text), part ("sign", "exponent" or "significand") and bit (0 or 1).
    """
    rows = list(frame.groupby("number", sort=False))
    width = 1.5 + CELL * max(len(row) for _, row in rows)
    ax = _inches(width + 2.6, 0.7 + 0.42 * len(rows))
    for i, (number, row) in enumerate(rows):
        y = 0.65 + 0.42 * i
        ax.text(
            1.3, y + CELL / 2, number.replace("-", "−"), ha="right", va="center", family="monospace"
        )
        ax.text(width + 0.15, y + CELL / 2, row.meaning.iloc[0], va="center")
        for j, (part, bit) in enumerate(zip(row.part, row.bit, strict=True)):
            x = 1.5 + CELL * j
            _box(ax, (x, y), (CELL, CELL), _tint(PARTS[part], 0.6 if bit else 0.12))
            middle = x + CELL / 2, y + CELL / 2
            ax.text(*middle, str(bit), fontsize=10, family="monospace", **CENTRED)
    for part, columns in rows[0][1].reset_index().groupby("part", sort=False):
        left, right = 1.5 + CELL * columns.index.min(), 1.5 + CELL * (columns.index.max() + 1)
        ax.plot([left + 0.03, right - 0.03], [0.55, 0.55], color=PARTS[part], lw=2.5)
        x, side = (right - 0.06, "right") if part == "sign" else (left + 0.03, "left")
        head = "exponent + 127" if part == "exponent" and len(columns) == 8 else part
        ax.text(x, 0.35, head, color=PARTS[part], weight="bold", ha=side, va="center")
    return _titled(ax.figure, "Numbers as the bits of a float: sign, exponent and significand")


@styled
def activations(frame: pd.DataFrame, residual: tuple[str, str]) -> Figure:
    """The vector after each step of a module, entry by entry (float, Eq. 3 and Fig. 3).

    `frame` has the columns step (the name of a vector), made_by (how it follows from the vector
    before), entry and value. `residual` names the vector that is added, and the one to which it is
    added.
    """
    steps = list(frame.groupby("step", sort=False))
    figure = Figure(figsize=(11, 0.75 * len(steps) + 0.7))
    figure.set_layout_engine("none")
    grid = {"hspace": 1.15, "left": 0.2, "right": 0.9, "top": 0.94, "bottom": 0.13}
    axes = figure.subplots(len(steps), 1, gridspec_kw=grid)
    for ax, (step, rows) in zip(axes, steps, strict=True):
        image = _strip(ax, step, rows)
    position = {step: ax.get_position() for ax, (step, _) in zip(axes, steps, strict=True)}
    _skip_arrow(figure, *(position[step] for step in residual))
    below = figure.add_axes((0.35, 0.065, 0.4, 0.018))
    look = {"orientation": "horizontal", "ticks": (-1, 0, 1)}
    figure.colorbar(image, cax=below, label="value / the row's largest", **look)
    return _titled(figure, "From bits to an embedding, step by step (weights drawn at random)")


def _strip(ax: Axes, step: str, rows: pd.DataFrame):
    """A vector as a strip of colours, its name to the left and what made it above."""
    largest = np.abs(rows.value).max()
    look = {"vmin": -1, "vmax": 1, "cmap": "RdBu_r", "aspect": "auto"}
    image = ax.imshow(rows.value.to_numpy()[None] / largest, **look)
    if len(rows) <= 64:  # they can be counted
        ax.vlines(np.arange(1, len(rows)) - 0.5, -0.5, 0.5, color="#AAAAAA", lw=1)
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    ax.grid(visible=False)
    at = {"va": "center", "transform": ax.transAxes}
    ax.text(-0.015, 0.5, step, ha="right", weight="bold", **at)
    ax.text(1, 1.35, f"{len(rows)} entries, up to {largest:.2g}", ha="right", fontsize=9, **at)
    if rows.made_by.iloc[0]:
        ax.text(0, 1.35, rows.made_by.iloc[0].replace("-", "−"), fontsize=10, **at)
        ends = {"xy": (-0.07, 1.15), "xytext": (-0.07, 2.05), "xycoords": "axes fraction"}
        ax.annotate("", **ends, arrowprops={"arrowstyle": "->", "color": "#555555", "lw": 1.3})
    return image


def _skip_arrow(figure: Figure, start, end) -> None:
    """An arrow on the right, from the height of one axes to that of another."""
    x, far = 0.905, 0.935
    y0, y1 = ((box.y0 + box.y1) / 2 for box in (start, end))
    look = {"color": "#555555", "lw": 1.6, "transform": figure.transFigure}
    figure.add_artist(Line2D([x, far, far, x], [y0, y0, y1, y1], **look))
    figure.add_artist(Line2D([x], [y1], marker="<", **look))
    figure.text(far + 0.01, (y0 + y1) / 2, "added", color="#555555", va="center")


@styled
def kinds(frame: pd.DataFrame, trivial: str) -> Figure:
    """How often words of each kind are among the first five: a panel for each kind.

    `frame` has the columns kind, embedding, seed and top-5, in percent, a row for each run; kinds
    and embeddings keep its order. `trivial` is the embedding that is no model; titles tell its mean.
    """
    drawn = frame[frame.embedding != trivial]
    names, titles = list(drawn.embedding.unique()), list(frame.kind.unique())
    figure, axes = panels(len(titles), 4, 2.6, 0.32 * len(names) + 0.9, share=False)
    for ax, kind in zip(axes, titles, strict=True):
        for row, name in enumerate(names):
            top = drawn[(drawn.kind == kind) & (drawn.embedding == name)]["top-5"]
            look = {"color": encoder_color(name), "lw": 0}
            ax.scatter(top, [row] * len(top), 22, alpha=0.5, **look)
            ax.scatter(top.mean(), row, 60, marker="|", **(look | {"lw": 2.5}))
        floor = frame[(frame.kind == kind) & (frame.embedding == trivial)]["top-5"].mean()
        title = f"{HIDDEN.get(kind, kind)}\ncommonest words: {floor:.0f} %"
        ax.set(title=title, xlabel="found (%)", ylim=(len(names) - 0.4, -0.6))
        ax.margins(x=0.15)
        ax.locator_params(axis="x", nbins=4)
        shown = [READS.get(name, name) for name in names]
        ax.set_yticks(range(len(names)), shown if ax is axes[0] else [""] * len(names))
    figure.suptitle(
        "Hidden words found with five guesses, by the embedding of the numbers in a text"
    )
    words = "dot: a seed; bar: their mean; each panel has its own axis, which does not begin at 0"
    return captioned(figure, f"{words}\nbelow a title: found by guessing the commonest words")


@styled
def model(tokens: pd.DataFrame, parts: pd.DataFrame) -> Figure:
    """A text on its way through a model that embeds numbers by their bits (float, Fig. 1).

    `tokens` has a row for each token and the columns word, kind ("literal", "number" or "mask"),
    note (the text under the token) and target (the word to be predicted there, or ""). `parts` has
    the rows "words", "numbers", "trunk" and "head" and the columns text and learned (whether it
    is trained).
    """
    ax = _inches(12.2, 4.9)
    color = encoder_color("IEEE754")
    shade = {True: _tint(color, 0.35), False: "#E9E9E9"}
    x = 0.2
    for token in tokens.itertuples():
        width = chip(ax, x, 4.25, token, color)
        _column(ax, x + width / 2, token, parts, shade)
        x += width + 0.08
    _box(ax, (0.2, 1.97), (x - 0.28, 0.74), shade[parts.learned["trunk"]])
    ax.text((x + 0.12) / 2, 2.34, parts.text["trunk"], ha="center", va="center")
    aside = x + 0.17
    ax.text(aside, 4.25, "what the model reads", va="center", weight="bold")
    ax.text(aside, 3.57, parts.text["numbers"], va="center", color=color)
    ax.text(aside, 3.2, parts.text["words"], va="center")
    ax.text(aside, 1.27, parts.text["head"], va="center", color=color)
    ax.text(aside, 0.55, "what it should answer", va="center", weight="bold")
    for i, (learned, text) in enumerate(
        ((True, "new, to be trained"), (False, "pretrained, frozen"))
    ):
        _box(ax, (aside, 2.02 + 0.36 * i), (0.3, 0.24), shade[learned])
        ax.text(aside + 0.4, 2.14 + 0.36 * i, text, va="center")
    return _titled(
        ax.figure, "A model finds masked words beside numbers that it reads by their bits"
    )


def _column(ax: Axes, x: float, token, parts: pd.DataFrame, shade: dict[bool, str]) -> None:
    """What happens to one token: its embedding, and where a word is masked, the head."""
    part = "numbers" if token.kind == "number" else "words"
    ax.annotate("", (x, 3.62), (x, 4.05), arrowprops=GREY_ARROW)
    _box(ax, (x - 0.13, 3.22), (0.26, 0.4), shade[parts.learned[part]])
    ax.annotate("", (x, 2.72), (x, 3.2), arrowprops=GREY_ARROW)
    if token.target:
        ax.annotate("", (x, 1.47), (x, 1.95), arrowprops=GREY_ARROW)
        _box(ax, (x - 0.3, 1.07), (0.6, 0.4), shade[parts.learned["head"]])
        ax.text(x, 1.27, "head", **CENTRED)
        ax.annotate("", (x, 0.72), (x, 1.05), arrowprops=GREY_ARROW)
        ax.text(x, 0.55, token.target, family="monospace", **CENTRED)


def _titled(figure: Figure, title: str) -> Figure:
    """With a title above all that is drawn."""
    figure.suptitle(title, y=1.0, va="bottom")
    return figure


def _inches(width: float, height: float) -> Axes:
    """Bare axes whose units are inches, from the upper left corner."""
    figure = Figure(figsize=(width, height))
    figure.set_layout_engine("none")
    ax = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    ax.axis("off")
    return ax


def _box(ax: Axes, corner: tuple[float, float], size: tuple[float, float], fill: str) -> None:
    ax.add_patch(Rectangle(corner, *size, fc=fill, ec="#8A8A8A", lw=0.8))


def _tint(color: str, strength: float) -> tuple[float, float, float]:
    """A colour on white paper, 0 to 1 strong."""
    return tuple(1 - strength * (1 - c) for c in to_rgb(color))
