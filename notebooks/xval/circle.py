"""Do embeddings lie in order around a circle? (xval, App. D.5 and Fig. 11)"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from numlab import Embeddings, Run, embeddings
from numlab.claims import Gate
from numlab.plots import captioned, panels, styled
from numlab.probes import neighbour_f1, pca

FEW = 20  # up to so many numbers are labelled, and joined by a line


def around_a_circle(components: pd.DataFrame) -> pd.DataFrame:
    """The order of numbers by their angle in the first two principal components.

    `components` has the columns number, pc1 and pc2, centred, from `probes.pca`. The result has
    number, angle, next (the number that follows on the circle) and in_order, whether that is the
    next greater one (the least, after the greatest). Both are for the direction of rotation with
    more numbers in order. In one direction 1 / (n - 1) of them are by chance; in the better one of
    ten numbers, 0.17.

    >>> turn = 2 * np.pi * np.arange(10) / 10
    >>> clock = pd.DataFrame({"number": range(10), "pc1": np.cos(turn), "pc2": -np.sin(turn)})
    >>> around_a_circle(clock).next.tolist()
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 0]
    """
    frame = components[["number"]].assign(angle=np.arctan2(components.pc2, components.pc1))
    frame = frame.sort_values("number", ignore_index=True)
    by_angle = frame.angle.argsort().to_numpy()
    rank, n = by_angle.argsort(), len(frame)
    expected = np.roll(np.arange(n), -1)
    directions = [by_angle[(rank + step) % n] for step in (1, -1)]
    follower = max(directions, key=lambda direction: (direction == expected).sum())
    numbers = frame.number.to_numpy()
    return frame.assign(next=numbers[follower], in_order=follower == expected)


def sharpness(run: Run, numbers: np.ndarray) -> dict[str, float]:
    """kNN-F1 of the embeddings of words: in all dimensions, and in the two that are drawn."""
    table = embeddings.from_words(run, numbers)
    components = pca(table)
    drawn = Embeddings(components.number, components[["pc1", "pc2"]].to_numpy(), "drawn")
    tables = {"all dimensions": table, "the two drawn": drawn}
    return {name: neighbour_f1(e).f1.mean() for name, e in tables.items()}


def as_many_numbers_read(run: Run, other: Run) -> Gate:
    """A gate: a run has read at least 0.8 times as many numbers in training as another."""
    read, others = (
        r.spec.steps * r.spec.batch_size * np.mean([len(e.layout.number_slots) for e in texts])
        for r, texts in ((r, r.examples("train")) for r in (run, other))
    )
    return Gate("as many numbers read", read >= 0.8 * others, f"{read:,.0f} and {others:,.0f}")


@styled
def clouds(frame: pd.DataFrame, explained: dict[str, list[float]]) -> Figure:
    """The first two principal components of embeddings, one panel for each cloud (xval, Fig. 11).

    `frame` has the columns cloud (the panel's title), number (brighter is greater), pc1 and pc2;
    `explained` holds the share of the variance of both components, by cloud.
    """
    names = frame.cloud.unique()
    figure, axes = panels(len(names), len(names), 3.3, 3.2, share=False)
    for ax, name in zip(axes, names, strict=True):
        rows = frame[frame.cloud == name].sort_values("number")
        few = len(rows) <= FEW
        look = {"c": rows.number, "cmap": "viridis", "lw": 0}
        told = [f" ({100 * share:.0f} %)" for share in explained[name]]
        image = ax.scatter(rows.pc1, rows.pc2, s=150 if few else 9, zorder=2, **look)
        if few:
            ax.plot(rows.pc1, rows.pc2, color="#B0B0B0", lw=1, zorder=1)
            middle = rows.number.mean()
            for row in rows.itertuples():
                color = "white" if row.number < middle else "black"
                text = {"ha": "center", "va": "center", "fontsize": 9, "color": color}
                ax.text(row.pc1, row.pc2, f"{row.number:g}", **text)
        ax.set(xlabel=f"1st component{told[0]}", ylabel=f"2nd component{told[1]}")
        ax.set_title(f"{name}\n{_in_order(rows, few)}")
        ax.locator_params(axis="x", nbins=5)
        ax.margins(0.1)
        figure.colorbar(image, ax=ax, label="digit" if few else "significand", pad=0.03)
    words = (
        "principal components of the embeddings; in brackets: share of the variance; neighbours "
    )
    words += "kept: how many of the 10 nearest\nnumbers are among the 10 nearest points"
    return captioned(figure, words)


def _in_order(rows: pd.DataFrame, few: bool) -> str:
    """How far the drawn points keep the order of the numbers."""
    if few:
        right = around_a_circle(rows).in_order.sum()
        return f"in order around a circle: {right} of {len(rows)}"
    cloud = Embeddings(rows.number.to_numpy(), rows[["pc1", "pc2"]].to_numpy(), "drawn")
    share, chance = neighbour_f1(cloud).f1.mean(), 10 / (len(rows) - 1)
    return f"neighbours kept: {100 * share:.0f} % (chance: {100 * chance:.0f} %)"
