"""Numbers in pretrained models: how their vectors lie, and what a fine-tuned model answers."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from numlab.plots import OTHERS, panels, styled
from numlab.plots.style import legend

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
def answers(frame: pd.DataFrame) -> Figure:
    """Prices that models answer against the true ones, a panel for each way to hold numbers.

    `frame` has the columns numbers, price, answer and error, in euros; answer and error are NaN
    where no price was answered.
    """
    ways = [*frame.numbers.unique()]
    figure, axes = panels(len(ways), 2, 3.6, 3.4)
    true = frame.price.min(), frame.price.max()
    for ax, way in zip(axes, ways, strict=True):
        rows = frame[(frame.numbers == way) & frame.price.notna()]
        ax.plot(true, true, color="#555555", ls="--", lw=1.2)
        ax.scatter(rows.price, rows.answer.clip(0, 1.2 * true[1]), 9, OTHERS[2], lw=0, alpha=0.6)
        off = f"typical error {rows.error.median():.2f} euros"
        ax.set(title=f"numbers {way}\n{off}", xlabel="true price (euros)", ylabel="answer (euros)")
    return figure
