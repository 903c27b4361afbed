"""A text as its tokens, what a model puts out, and what xVal multiplies its embeddings by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numlab.plots.lines import line_with_band
from numlab.plots.style import encoder_color, panels, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FEWEST = 5  # points of a sweep whose largest jump is drawn


@styled
def coefficients(frame: pd.DataFrame) -> Figure:
    """What each of xVal's embeddings is multiplied by, over the number (xval, Fig. 2).

    Parameters
    ----------
    frame : DataFrame
        Columns scale (the i of [NUM_i]), number, coefficient.
    """
    figure, (whole, decades) = panels(2, 2, 4.6, 3.4, share=False)
    for i, (scale, rows) in enumerate(frame.groupby("scale")):
        look = {"color": encoder_color(f"XVal(k={i * 2})"), "ls": ("-", "--", "-.")[i % 3]}
        argument = {-1: "x/10", 0: "x", 1: "10 x"}.get(scale, f"x $10^{{{scale}}}$")
        label = f"[NUM{scale:+d}]: tanh({argument})"
        near = rows[rows.number.abs() <= 3 * 10.0 ** -frame.scale.min()]
        whole.plot(near.number, near.coefficient, label=label, **look)
        positive = rows[rows.number > 0]
        decades.plot(positive.number, positive.coefficient, **look)
        decades.axvspan(0.1 * 10.0**-scale, 10.0**-scale, color=look["color"], alpha=0.12, lw=0)
    whole.set(xlabel="number x", ylabel="coefficient of the embedding", title="over the number")
    decades.set(xscale="log", yscale="log", ylim=(1e-3, 2), xlabel="number x")
    decades.set_title("on logarithmic scales; shaded: the decade of each")
    figure.legend(*whole.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


@styled
def encodings(tokens: pd.DataFrame, outputs: pd.DataFrame, jumps: pd.DataFrame) -> Figure:
    """A text under every encoder, and how the number that a model puts out moves with one that
    it reads (xval, Fig. 1).

    Parameters
    ----------
    tokens : DataFrame
        Columns encoder, part ("read", "put out" or "number"), kind ("literal", "number" or
        "mask"), word, note: a row a token, in reading order; what stands under it is its note.
    outputs : DataFrame
        Columns encoder, input, predicted, true; invalid predictions are NaN.
    jumps : DataFrame
        Columns encoder, points, jump (relative), and a row a seed.
    """
    from matplotlib.figure import Figure

    names = list(tokens.encoder.unique())
    height = 0.8 + 0.62 * len(names)
    figure = Figure(figsize=(12, height + 5.4))
    above, below = figure.subfigures(2, 1, height_ratios=[height, 5.4])
    _chips(above.add_axes((0, 0, 1, 1), xlim=(0, 12), ylim=(height, 0)), tokens)
    *panels, last = below.subplots(2, 3).ravel()[: len(names) + 1]
    for ax, name in zip(panels, names, strict=True):
        rows = outputs[outputs.encoder == name]
        ax.plot(rows.input, rows.true, color="#555555", lw=0.9, ls="--")
        ax.plot(rows.input, rows.predicted, color=encoder_color(name), lw=1.5)
        finest = jumps[jumps.encoder == name].groupby("points").jump.mean().iloc[-1]
        percent = f"{100 * finest:.2g} %".replace("1e+02", "100")
        ax.set_title(f"{name}: largest jump {percent} of the range", fontsize=11)
        ax.set(xlabel="number read", ylabel="number put out")
        ax.sharey(panels[0])
    last.plot([], [], color="#555555", lw=0.9, ls="--", label="true number")
    if jumps.seed.nunique() > 1:
        last.plot(
            [], [], ls="", label=f"curves: trial {jumps.seed.iloc[0]};\njumps: mean of the trials"
        )
    for name, rows in jumps[jumps.points >= FEWEST].groupby("encoder", sort=False):
        line_with_band(last, rows.groupby("points").jump, name)
    last.set(
        xscale="log", yscale="log", xlabel="points of the sweep", ylabel="largest jump / range"
    )
    last.set_title("finer sweeps: a jump, or a curve?", fontsize=11)
    below.legend(*last.get_legend_handles_labels(), loc="outside right center")
    return figure


_CHIP = {"literal": "#EDEDED", "mask": "#FFFFFF"}
_PITCH, _PADDING = 0.087, 0.17  # inches: a letter of the chips' font, and around a word


def _chips(ax: Axes, tokens: pd.DataFrame) -> None:
    """Tokens as boxes, a row an encoder, on axes whose units are inches."""
    starts = {"read": 1.1, "put out": 7.6, "number": 10.9}
    heads = ("what the model reads", "the word it puts out at each mask", "the number")
    ax.axis("off")
    for head, x in zip(heads, starts.values(), strict=True):
        ax.text(x, 0.3, head, weight="bold", va="center")
    for i, (name, row) in enumerate(tokens.groupby("encoder", sort=False)):
        y = 0.85 + 0.62 * i
        ax.text(0.1, y, name, color=encoder_color(name), weight="bold", va="center")
        for part, chips in row.groupby("part", sort=False):
            x = starts[part]
            for token in chips.itertuples():
                x += chip(ax, x, y, token, encoder_color(name)) + 0.05


def chip(ax: Axes, x: float, y: float, token, color: str) -> float:
    """A token as a box, its note under it, on axes whose units are inches; returns its width."""
    from matplotlib.colors import to_rgb
    from matplotlib.patches import FancyBboxPatch

    tint = tuple(1 - 0.3 * (1 - c) for c in to_rgb(color))
    width = max(_PITCH * len(token.word) + _PADDING, 0.8 * _PITCH * len(token.note) + 0.04)
    box = FancyBboxPatch(
        (x, y - 0.15),
        width,
        0.3,
        boxstyle="round,pad=0,rounding_size=0.05",
        fc=_CHIP.get(token.kind, tint),
        ec="#9A9A9A" if token.kind != "number" else color,
        ls="--" if token.kind == "mask" else "-",
        lw=0.9,
    )
    ax.add_patch(box)
    look = {"ha": "center", "family": "monospace"}
    ax.text(x + width / 2, y, token.word, va="center_baseline", fontsize=10.5, **look)
    ax.text(x + width / 2, y + 0.26, token.note, va="center", fontsize=8, color="#444444", **look)
    return width
