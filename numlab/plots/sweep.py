"""What encoders answer along a parameter: predictions, their errors, one encoder's words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from numlab.plots.style import encoder_color, encoder_marker, legend, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["GREY", "PALE", "SHADE", "legible", "sweep"]

GREY, PALE, SHADE = "#555555", "#C8C8C8", "#F7F5EE"


@styled
def sweep(view: pd.DataFrame, gaps: tuple[tuple[float, float], ...] = ()) -> Figure:
    """Median predictions over true values, their errors below, word probabilities at the right.

    Parameters
    ----------
    view : DataFrame
        As from `widgets.swept`: part "answer" (encoder, true, median, low, high), part "word"
        (encoder, true, word, number, probability) and, if there are words, parts "argmax" and
        "expectation" (number).
    gaps : tuple of (float, float)
        Intervals that training left out: shaded, with a line at each end.
    """
    from matplotlib.figure import Figure

    answers, words = view[view.part == "answer"], view[view.part == "word"]
    columns = 2 if len(words) else 1
    figure = Figure(figsize=(7.0 + 3.2 * (columns - 1), 5.4))
    ratios = {"height_ratios": [7, 3], "width_ratios": [66, 34][:columns]}
    axes = figure.subplots(2, columns, sharex="col", squeeze=False, gridspec_kw=ratios)
    above, below = axes[:, 0]
    low, high = answers.true.min(), answers.true.max()
    margin = 0.05 * (high - low)
    limits = low - margin, high + margin
    above.plot(limits, limits, color=GREY, lw=1, ls="--")
    for name, rows in answers.groupby("encoder", sort=False):
        rows, color = rows.sort_values("true"), encoder_color(name)
        look = {"color": color, "marker": encoder_marker(name), "ms": 4, "label": name}
        above.plot(rows.true, rows["median"], **look)
        above.fill_between(rows.true, rows.low, rows.high, color=color, alpha=0.1, lw=0)
        error = (rows["median"] - rows.true).abs().clip(lower=1e-3 * (high - low))
        below.plot(rows.true, error, **look)
    for ax in (above, below):
        for gap in gaps:
            ax.axvspan(*gap, color=SHADE, zorder=0)
        for edge in {edge for gap in gaps for edge in gap}:
            ax.axvline(edge, color=PALE, lw=1, zorder=0)
    above.set(xlim=limits, ylim=limits, ylabel="predicted (median)")
    decades = 1e-3 * (high - low) / 1.5, 1.5 * (high - low)  # fixed: an encoder may have no error
    below.set(xlabel="true value", ylabel="|median - true|", yscale="log", ylim=decades)
    if columns == 2:
        axes[1, 1].remove()
        _draw_words(axes[0, 1], words, view, limits)
        for ax in (above, below):
            ax.axvline(words.true.iloc[0], color=GREY, lw=1, ls=":")
    legend(figure, [above])
    return figure


def legible(words: Iterable[str], numbers: Iterable[float], span: float) -> list[str]:
    """The words, likeliest first, or "" for one too near to a likelier one on an axis of `span`."""
    texts, kept = [], []
    for word, number in zip(words, numbers, strict=True):
        free = all(abs(number - other) > 0.045 * span for other in kept)
        kept += [number] * free
        texts.append(word if free else "")
    return texts


def _draw_words(ax: Axes, words: pd.DataFrame, view: pd.DataFrame, limits) -> None:
    """Draw each word at the number that it spells, on the axis of the predictions."""
    name, span = words.encoder.iloc[0], limits[1] - limits[0]
    inside = words[words.number.between(*limits)]
    color = encoder_color(name)
    ax.barh(inside.number, inside.probability, height=0.018 * span, color=color)
    inside = inside.sort_values("probability", ascending=False)
    texts = legible(inside.word, inside.number, span)
    for x, y, text in zip(inside.probability, inside.number, texts, strict=True):
        ax.text(x + 0.02, y, text, va="center", fontsize=9)
    for mark, symbol in (("argmax", ">"), ("expectation", "D")):
        number = view[view.part == mark].number.clip(*limits)
        ax.plot([-0.06] * len(number), number, symbol, color=GREY, ls="", label=mark)
    ax.set(xlim=(-0.12, 1.25), ylim=limits, xticks=[0, 0.5, 1])
    ax.tick_params(labelleft=False, labelbottom=True)
    ax.set_xlabel(f"probability of {name}'s words\nwhere the true value is {words.true.iloc[0]:g}")
    ax.legend(loc="upper right", fontsize=9)
