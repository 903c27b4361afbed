"""Numbers in pretrained models: how their vectors lie, and what a fine-tuned model answers."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from numlab.plots import captioned, legend, panels, styled

MARKS = {"one token": ("o", 11), "several tokens": ("^", 13)}


@styled
def clouds(frame: pd.DataFrame) -> Figure:
    """The first two principal components, a panel for each cloud; the colour is the number.

    `frame` has the columns cloud, number, tokens ("one token" or "several tokens"), pc1 and pc2.
    """
    names = frame.cloud.unique()
    figure, axes = panels(len(names), 3, 3.6, 3.4, share=False)
    for ax, name in zip(axes, names, strict=True):
        for tokens, (marker, size) in MARKS.items():
            rows = frame[(frame.cloud == name) & (frame.tokens == tokens)]
            look = {"vmin": frame.number.min(), "vmax": frame.number.max(), "cmap": "viridis"}
            edge = {"edgecolor": "#333333", "lw": 0.4 if tokens == "one token" else 0}
            image = ax.scatter(
                rows.pc1, rows.pc2, size, rows.number, marker=marker, label=tokens, **edge, **look
            )
        ax.set(title=name, xlabel="1st principal component", ylabel="2nd principal component")
        ax.locator_params(nbins=5)
    figure.colorbar(image, ax=axes, label="number", location="bottom", shrink=0.4, aspect=40)
    legend(figure, axes)
    for handle in figure.legends[0].legend_handles:
        handle.set(sizes=[40], facecolor="#777777", array=None)
    return figure


@styled
def answers(frame: pd.DataFrame, colors: Sequence[str]) -> Figure:
    """How far answered prices are from the true ones, a panel for each way to hold numbers.

    `frame` has the columns numbers, seed, price, answer and error, in euros; answer and error are
    NaN where no price was answered. `colors` has one for each way.
    """
    ways, asked = [*frame.numbers.unique()], frame[frame.price.notna()]
    figure, axes = panels(len(ways), 2, 3.6, 3.2)
    for ax, way, color in zip(axes, ways, colors, strict=True):
        rows = asked[asked.numbers == way]
        ax.axhline(0, color="#555555", ls="--", lw=1.2)
        ax.scatter(rows.price, rows.answer - rows.price, 9, color, lw=0, alpha=0.6)
        share = 100 * rows.error.notna().mean()
        off = f"median error {rows.error.median():.2f} euros, {share:.0f} % answered"
        ax.set(title=f"numbers {way}\n{off}", xlabel="true price (euros)")
    axes[0].set_ylabel("answer less the true price (euros)")
    if (far := asked.error.quantile(0.995)) > 0:  # a few answers are far off
        axes[0].set_ylim(-1.1 * far, 1.1 * far)
    figure.suptitle("A small language model answers prices: how far off?")
    dots = f"dot: an answer of one of {frame.seed.nunique()} seeds; dashed: the true price"
    beyond = ((asked.answer - asked.price).abs() > 1.1 * far).sum()
    trivial = (asked.price - asked.price.median()).abs().median()
    words = (
        f"outside: {beyond} answers; answering the median price is {trivial:.2f} euros off (median)"
    )
    return captioned(figure, f"{dots}\n{words}")
