"""How often the parts of numbers occur, and what that does to predictions (xval, Fig. 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from numlab.plots.style import encoder_color, encoder_marker, panels, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@styled
def stripes(near: pd.DataFrame, tenths: pd.Series, counts: pd.DataFrame, pair: int = 100) -> Figure:
    """Predictions of numbers near ±1, and how often significands, exponents and pairs occur.

    Parameters
    ----------
    near : DataFrame
        Columns encoder, true, predicted, seed, a row a number of one trial. Drawn times the sign
        of the true number: what took the wrong sign stands below 0.
    tenths : Series
        Of each encoder, the share of predictions near ±0.1, which stands below its name.
    counts : DataFrame
        Columns significand, exponent, share, a row a pair that occurs.
    pair : int
        The significand whose pairs are drawn.
    """
    figure, (ax, significands, exponents, pairs) = panels(4, 2, 4.4, 3.2, share=False)
    rng = np.random.default_rng(0)
    names = list(near.encoder.unique())
    for x, name in enumerate(names):
        rows = near[near.encoder == name]
        size = rows.predicted * np.sign(rows.true)
        aside = x + rng.uniform(-0.35, 0.35, len(rows))
        look = {"color": encoder_color(name), "marker": encoder_marker(name)}
        ax.scatter(aside, size, s=12, alpha=0.5, lw=0, **look)
    for size, what in ((1, "true"), (0.1, "a tenth")):
        ax.axhline(size, color="#555555", lw=0.9, ls="--", zorder=1)
        ax.text(len(names) - 0.45, size, what, va="center", fontsize=9)
    ax.set_xticks(range(len(names)), [f"{name}\n{tenths[name]:.1%}" for name in names])
    ax.set(xlim=(-0.6, len(names) - 0.5), ylim=(-1.7, 1.9))
    ax.set_title(f"true temperatures near ±1, trial {near.seed.iloc[0]}")
    ax.set_xlabel("below the names: within 5 % of ±0.1, all trials", fontsize=9)
    ax.set_ylabel("predicted × sign of the true (σ)")
    ax.grid(axis="x", visible=False)
    by_significand = counts.groupby("significand").share.sum()
    significands.plot(by_significand.index, 100 * by_significand, color="#555555", lw=0.8)
    significands.plot(pair, 100 * by_significand.get(pair, 0.0), "o", color="#222222")
    significands.set(yscale="log", xlabel="significand", ylabel="share of the numbers (%)")
    significands.set_title(f"significands; dot: {pair}")
    for panel, rows, title in (
        (exponents, counts, "exponents"),
        (pairs, counts[counts.significand == pair], f"pairs of {pair} and an exponent"),
    ):
        shares = rows.groupby("exponent").share.sum()
        panel.bar(shares.index, 100 * shares, color="#777777")
        panel.set_xticks(shares.index, [f"E{e:+d}" for e in shares.index])
        panel.set(xlabel="exponent", ylabel="share of the numbers (%)", title=title)
    return figure
