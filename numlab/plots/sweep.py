"""What encoders answer along a parameter: predictions, their errors, and one encoder's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numlab.plots.style import encoder_color, encoder_marker, legend, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GREY, PALE, SHADE = "#555555", "#C8C8C8", "#F7F5EE"


@styled
def sweep(view: pd.DataFrame, gaps: tuple[tuple[float, float], ...] = ()) -> Figure:
    """Medians over the true values, the errors of the medians below, words beside them.

    Parameters
    ----------
    view : DataFrame
        As from `widgets.swept`: part "answer" (encoder, true, median, low, high), part "word"
        (encoder, true, word, number, probability) and, if there are words, parts "argmax" and
        "expectation" (number).
    gaps : tuple of (float, float)
        Intervals between the values of training: shaded, their ends as lines.
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
    decades = 1e-3 * (high - low) / 1.5, 1.5 * (high - low)  # also where nobody answered
    below.set(xlabel="true value", ylabel="|median - true|", yscale="log", ylim=decades)
    if columns == 2:
        axes[1, 1].remove()
        _words(axes[0, 1], words, view, limits)
        for ax in (above, below):
            ax.axvline(words.true.iloc[0], color=GREY, lw=1, ls=":")
    legend(figure, [above])
    return figure


def _words(ax: Axes, words: pd.DataFrame, view: pd.DataFrame, limits) -> None:
    """Each word at the number that it spells, on the axis of the predictions."""
    name, span = words.encoder.iloc[0], limits[1] - limits[0]
    inside = words[words.number.between(*limits)]
    color = encoder_color(name)
    ax.barh(inside.number, inside.probability, height=0.018 * span, color=color)
    shown: list[float] = []
    for row in inside.sort_values("probability", ascending=False).itertuples():
        if all(abs(row.number - other) > 0.045 * span for other in shown):
            shown.append(row.number)
            ax.text(row.probability + 0.02, row.number, row.word, va="center", fontsize=9)
    for mark, symbol in (("argmax", ">"), ("expectation", "D")):
        number = view[view.part == mark].number.clip(*limits)
        ax.plot([-0.06] * len(number), number, symbol, color=GREY, ls="", label=mark)
    ax.set(xlim=(-0.12, 1.25), ylim=limits, xticks=[0, 0.5, 1])
    ax.tick_params(labelleft=False, labelbottom=True)
    ax.set_xlabel(f"probability of {name}'s words\nwhere the true value is {words.true.iloc[0]:g}")
    ax.legend(loc="upper right", fontsize=9)
