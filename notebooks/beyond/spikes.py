"""Spikes in the spectrum beside what a linear probe reads, for notebooks/beyond/separability."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from scipy.signal import detrend

import numlab as nl
from numlab.plots import captioned, panels, styled

FIRST_RANKED = 10  # a vocabulary of BERT has its characters first, then words from frequent to rare
N_SPECIAL = 1995  # what stands before the first word


def frequencies() -> nl.Embeddings:
    """How often numbers occur, as vectors of one entry: the logarithm of their rank among words.

    The vocabulary of all-MiniLM-L6-v2 is that of BERT, which is sorted by how often words occur;
    it has a word for each number of two digits or more up to 341.
    """
    numbers = np.arange(FIRST_RANKED, 340)
    words = nl.pretrained.Pretrained(nl.pretrained.MINILM).tokenizer([], None).text.tokenizer
    rank = np.array(words.convert_tokens_to_ids([str(n) for n in numbers])) - N_SPECIAL
    return nl.Embeddings(numbers, np.log(rank)[:, None], "frequency")


def without_trend(e: nl.Embeddings) -> nl.Embeddings:
    """What the spectrum sees: each entry less its least-squares line over the numbers."""
    return nl.Embeddings(e.numbers, detrend(e.vectors, axis=0), f"{e.source}, without trend")


def planted(n: int) -> nl.Embeddings:
    """Noise with a faint circle: a spike in the spectrum, and hardly a number told from another."""
    turns = 2 * np.pi * np.arange(n) / 10  # period 10
    noise = np.random.default_rng(0).normal(size=(n, 64))
    noise[:, :2] += 0.4 * np.column_stack([np.cos(turns), np.sin(turns)])
    return nl.Embeddings(np.arange(n), noise, "planted")


def spikes(e: nl.Embeddings, shuffles: int) -> pd.DataFrame:
    """[modulus, spike, kappa] of a table of vectors, for each modulus T.

    spike: the power at the period T, or at a frequency beside it, over what the largest power of
    shuffled numbers exceeds once in a hundred times. kappa: how well n mod T is told.
    """
    spectrum = nl.probes.spectrum(e, shuffles)
    frame = nl.probes.separability(e)[["modulus", "kappa"]]
    near = [
        spectrum.power[(spectrum.frequency - 1 / t).abs() < 1.01 / len(e)].max()
        for t in frame.modulus
    ]
    frame.insert(1, "spike", np.array(near) / spectrum.threshold[0])
    return frame


@styled
def beside(frame: pd.DataFrame) -> Figure:
    """A row for each source, a column for each modulus: the spike above, kappa below.

    `frame` has the columns source, modulus, spike and kappa; of several rows of a source, its
    seeds, a cell holds the mean, and the least and the greatest below it.
    """
    by_cell = frame.groupby(["source", "modulus"], sort=False)[["spike", "kappa"]]
    figure, (left, right) = panels(2, 1, 7.4, 0.42 * frame.source.nunique() + 0.7)
    for ax, name, form, colors, norm in (
        (left, "spike", "{:.1f}", "OrRd", LogNorm(1, 100)),
        (right, "kappa", "{:.2f}", "Blues", Normalize(0, 1)),
    ):
        tables = [
            t[name].unstack(sort=False) for t in (by_cell.mean(), by_cell.min(), by_cell.max())
        ]
        cells(ax, *tables, form, colors, norm)
    for ax in (left, right):
        ax.set_xlabel("period T")
    left.set_title("spike in the spectrum at the period T\n(1: what one shuffle in 100 exceeds)")
    right.set_title("n mod T read by a linear probe\n(kappa; white: chance or below)")
    figure.suptitle("Does a spike in the spectrum mean that n mod T can be read?")
    planted = "planted: noise with a faint circle; sums: models that add"
    return captioned(figure, f"of several seeds: their mean, below it their range; {planted}")


def cells(
    ax: Axes,
    table: pd.DataFrame,
    low: pd.DataFrame,
    high: pd.DataFrame,
    form: str,
    colors: str,
    norm: Normalize,
) -> None:
    """A table as a map of colours, with its numbers, and below each `low` and `high`, if they differ.

    All three tables have the same rows and columns; `form` is the format of a number.
    """
    values = table.clip(lower=norm.vmin)
    ax.imshow(values, cmap=colors, norm=norm, aspect="auto")
    look = {"ha": "center", "va": "center"}
    for (row, column), value in np.ndenumerate(table.to_numpy()):
        look["color"] = "white" if norm(values.iat[row, column]) > 0.6 else "#333333"
        ends = [_told(of.iat[row, column], form) for of in (low, high)]
        ranged = ends[0] != ends[1]
        ax.text(column, row - 0.16 * ranged, _told(value, form), fontsize=9, **look)
        if ranged:
            ax.text(column, row + 0.25, " to ".join(ends), fontsize=7.5, **look)
    ax.set_xticks(range(table.shape[1]), table.columns)
    ax.set_yticks(range(len(table)), table.index)
    ax.tick_params(length=0)
    ax.minorticks_off()
    ax.grid(visible=False)


def _told(value: float, form: str) -> str:
    """A number with a true minus, and none before a zero."""
    text = form.format(value)
    return text.replace("-", "−") if text.strip("-0.") else text.lstrip("-")
