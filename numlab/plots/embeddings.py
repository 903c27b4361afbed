"""Number embeddings in two dimensions, coloured by number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numlab.plots.style import panels, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

FEW = 20  # up to so many numbers are labelled, and joined by a line


@styled
def clouds(frame: pd.DataFrame, label: str = "significand") -> Figure:
    """The first two principal components of embeddings, one panel for each cloud (xval, Fig. 11).

    Parameters
    ----------
    frame : DataFrame
        Columns cloud (the panel's title), number (brighter is greater), pc1, pc2.
    label : str
        What the numbers of large clouds are.
    """
    names = frame.cloud.unique()
    figure, axes = panels(len(names), len(names), 3.9, 3.6, share=False)
    for ax, name in zip(axes, names, strict=True):
        rows = frame[frame.cloud == name].sort_values("number")
        few = len(rows) <= FEW
        look = {"c": rows.number, "cmap": "viridis", "lw": 0}
        image = ax.scatter(rows.pc1, rows.pc2, s=150 if few else 9, zorder=2, **look)
        if few:
            ax.plot(rows.pc1, rows.pc2, color="#B0B0B0", lw=1, zorder=1)
            middle = rows.number.mean()
            for row in rows.itertuples():
                color = "white" if row.number < middle else "black"
                text = {"ha": "center", "va": "center", "fontsize": 9, "color": color}
                ax.text(row.pc1, row.pc2, f"{row.number:g}", **text)
        ax.set(title=str(name))
        ax.set(xlabel="1st principal component", ylabel="2nd principal component")
        ax.locator_params(axis="x", nbins=5)
        ax.margins(0.1)
        figure.colorbar(image, ax=ax, label="digit" if few else label)
    return figure
