"""How often the parts of numbers occur, and what that does to predictions (xval, Fig. 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numlab.plots.style import encoder_color, encoder_marker, panels, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@styled
def stripes(near: pd.DataFrame, counts: pd.DataFrame, pair: int = 100) -> Figure:
    """Predictions of numbers near ±1, and how often significands, exponents and pairs occur.

    Parameters
    ----------
    near : DataFrame
        Columns encoder, true, predicted.
    counts : DataFrame
        Columns significand, exponent, share, a row a pair that occurs.
    pair : int
        The significand whose pairs are drawn.
    """
    figure, (ax, significands, exponents, pairs) = panels(4, 2, 4.4, 3.2, share=False)
    for name, rows in near.groupby("encoder", sort=False):
        look = {"color": encoder_color(str(name)), "marker": encoder_marker(str(name))}
        ax.scatter(rows.true, rows.predicted, s=14, alpha=0.6, lw=0, label=name, **look)
    for value in (-0.1, 0.1):
        ax.axhline(value, color="#555555", lw=0.9, ls="--", zorder=1)
    ax.set(xlabel="true temperature (σ)", ylabel="predicted temperature (σ)")
    ax.set(xlim=(-1.2, 1.2), ylim=(-2, 2), title="numbers near ±1; dashed: ±0.1")
    ax.legend(fontsize=9, loc="upper center")
    by_significand = counts.groupby("significand").share.sum()
    significands.plot(by_significand.index, 100 * by_significand, color="#555555", lw=0.8)
    significands.plot(pair, 100 * by_significand.get(pair, 0.0), "o", color="#D55E00")
    significands.set(yscale="log", xlabel="significand", ylabel="share of the numbers (%)")
    significands.set_title(f"significands; dot: {pair}")
    for panel, rows, title in (
        (exponents, counts, "exponents"),
        (pairs, counts[counts.significand == pair], f"pairs of {pair} and an exponent"),
    ):
        shares = rows.groupby("exponent").share.sum()
        panel.bar(shares.index, 100 * shares, color="#56B4E9")
        panel.set_xticks(shares.index, [f"E{e:+d}" for e in shares.index])
        panel.set(xlabel="exponent", ylabel="share of the numbers (%)", title=title)
    return figure
