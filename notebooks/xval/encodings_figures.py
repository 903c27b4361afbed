"""Drawings of xval/encodings: tokens, outputs, and the scales of xVal (xval, Fig. 1 and 2)."""

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from numlab.plots import SEEDS, chip, encoder_color, line_of_means, panels, styled

FEWEST = 5  # points of a sweep whose largest jump is drawn
TRUE = {"color": "#555555", "lw": 0.9, "ls": "--"}


@styled
def coefficient_curves(frame: pd.DataFrame) -> Figure:
    """The coefficient of each of xVal's embeddings over the number (xval, Fig. 2).

    `frame` has the columns scale (the i of [NUM_i]), number and coefficient.
    """
    figure, (linear, logarithmic) = panels(2, 2, 4.6, 3.4, share=False)
    shades = colormaps["Oranges"](np.linspace(0.95, 0.45, frame.scale.nunique()))
    for i, (scale, rows) in enumerate(frame.groupby("scale")):
        look = {"color": shades[i], "ls": ("-", "--", "-.")[i % 3]}
        argument = {-1: "x/10", 0: "x", 1: "10 x"}.get(scale, f"x $10^{{{scale}}}$")
        label = f"[NUM{scale:+d}]: tanh({argument})"
        near = rows[rows.number.abs() <= 3 * 10.0 ** -frame.scale.min()]
        linear.plot(near.number, near.coefficient, label=label, **look)
        positive = rows[rows.number > 0]
        logarithmic.plot(positive.number, positive.coefficient, **look)
        decade = 0.1 * 10.0**-scale, 10.0**-scale
        logarithmic.axvspan(*decade, color=look["color"], alpha=0.12, lw=0)
    for ax in (linear, logarithmic):
        ax.set(xlabel="number x", ylabel="coefficient of the embedding")
    linear.set_title("linear axes")
    logarithmic.set(xscale="log", yscale="log", ylim=(1e-3, 2))
    logarithmic.set_title("logarithmic axes; shaded: the decade of each")
    figure.legend(*linear.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    figure.suptitle("XVal with several scales: what a number multiplies each embedding by")
    return figure


@styled
def tokens_and_outputs(tokens: pd.DataFrame, outputs: pd.DataFrame, jumps: pd.DataFrame) -> Figure:
    """One text under every encoder, and a model's output as one number moves (xval, Fig. 1).

    `tokens` comes from `responses.tokens` and `jumps` from `responses.largest_jumps`. `outputs` has
    the columns encoder, input, predicted (NaN where invalid) and true.
    """
    names = list(tokens.encoder.unique())
    height = 0.8 + 0.62 * len(names)
    figure = Figure(figsize=(12, height + 5.4))
    above, below = figure.subfigures(2, 1, height_ratios=[height, 5.4])
    _rows_of_chips(above.add_axes((0, 0, 1, 1), xlim=(0, 12), ylim=(height, 0)), tokens)
    *curves, last = below.subplots(2, 3).ravel()[: len(names) + 1]
    for ax, name in zip(curves, names, strict=True):
        drawn = jumps[(jumps.encoder == name) & (jumps.seed == jumps.seed.iloc[0])]
        jump = drawn.jump.iloc[-1]
        finest = "unknown" if np.isnan(jump) else f"{100 * jump:.2g} %".replace("1e+02", "100")
        _curve(ax, outputs[outputs.encoder == name], f"{name}: largest jump {finest}")
        ax.sharey(curves[0])
    last.plot([], [], **TRUE, label="true number")
    fine = jumps[jumps.points >= FEWEST].dropna(subset="jump")
    for name, rows in fine.groupby("encoder", sort=False):
        line_of_means(last, rows.groupby("points").jump, name)
    scale = "log" if (fine.jump > 0).any() else "linear"
    last.set(xscale="log", yscale=scale, xlabel="points of the sweep")
    last.set(ylabel="largest jump / range")
    last.set_title("finer sweeps: a jump, or a curve?", fontsize=11)
    below.legend(*last.get_legend_handles_labels(), loc="outside right center")
    seed = f"Curves, and their jumps in % of the range: seed {jumps.seed.iloc[0]}. Last panel: "
    below.supxlabel(seed + SEEDS, fontsize=9.5, color="#555555")
    return figure


def _curve(ax: Axes, rows: pd.DataFrame, title: str) -> None:
    ax.plot(rows.input, rows.true, **TRUE)
    ax.plot(rows.input, rows.predicted, color=encoder_color(rows.encoder.iloc[0]), lw=1.5)
    ax.set_title(title, fontsize=11)
    ax.set(xlabel="number read", ylabel="number predicted")


def _rows_of_chips(ax: Axes, tokens: pd.DataFrame) -> None:
    """Tokens as boxes, one row for each encoder, on axes in inches."""
    starts = {"read": 1.1, "predicted": 7.5, "number": 10.9}
    heads = ("what the model reads", "the words it predicts (probability)", "the number")
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
