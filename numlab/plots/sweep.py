"""What encoders answer along a parameter: predictions, their errors, one encoder's words."""

from collections.abc import Iterable

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from numlab.plots.style import GREY, captioned, encoder_color, encoder_marker, legend, styled

PALE, SHADE = "#C8C8C8", "#F7F5EE"
FLOOR = 1e-3  # of the axis: smaller errors are drawn here


@styled
def sweep(
    view: pd.DataFrame, gaps: tuple[tuple[float, float], ...] = (), name: str = "value"
) -> Figure:
    """Median predictions over true values, their errors below, word probabilities at the right.

    The view is that of `widgets.swept`, `name` that of the parameter, with its unit. Predictions
    and errors beyond an axis are drawn at its end. Gaps, which training left out, are shaded.

    >>> rows = {"true": [1, 2], "median": [1.1, 1.9], "low": [1.0, 1.7], "high": [1.2, 2.0]}
    >>> view = pd.DataFrame(rows).assign(part="answer", encoder="XVal")
    >>> [ax.get_ylabel() for ax in nl.plots.sweep(view, gaps=((1.2, 1.8),)).axes]
    ['predicted value\\n(median)', '|median - true|']
    """
    answers, words = view[view.part == "answer"], view[view.part == "word"]
    figure, n_columns = Figure(figsize=(10.2 if len(words) else 7.0, 5.4)), 2 if len(words) else 1
    ratios = {"height_ratios": [7, 3], "width_ratios": [66, 34][:n_columns]}
    axes = figure.subplots(2, n_columns, sharex="col", squeeze=False, gridspec_kw=ratios)
    above, below = axes[:, 0]
    low, high = answers.true.min(), answers.true.max()
    span = high - low or 1.0
    limits = low - 0.05 * span, high + 0.05 * span
    above.plot(limits, limits, color=GREY, lw=1, ls="--")
    for encoder, rows in answers.sort_values("true").groupby("encoder", sort=False):
        color = encoder_color(encoder)
        look = {"color": color, "marker": encoder_marker(encoder), "ms": 4, "label": encoder}
        above.plot(rows.true, rows["median"].clip(*limits), **look)
        band = rows.low.clip(*limits), rows.high.clip(*limits)
        above.fill_between(rows.true, *band, color=color, alpha=0.1, lw=0)
        below.plot(rows.true, (rows["median"] - rows.true).abs().clip(FLOOR * span, span), **look)
    for ax in (above, below):
        for gap in gaps:
            ax.axvspan(*gap, color=SHADE, zorder=0)
            for edge in gap:
                ax.axvline(edge, color=PALE, lw=1, zorder=0)
    above.set(xlim=limits, ylim=limits, ylabel=f"predicted {name}\n(median)")
    decades = FLOOR * span / 1.5, 1.5 * span  # fixed: an encoder may have no error
    error = f"|median - true|\n{name[name.find('(') :]}" if "(" in name else "|median - true|"
    below.set(xlabel=f"true {name}", ylabel=error, yscale="log", ylim=decades)
    if len(words):
        axes[1, 1].remove()
        _draw_words(axes[0, 1], words, view, limits)
        for ax in (above, below):
            ax.axvline(words.true.iloc[0], color=GREY, lw=1, ls=":")
    legend(figure, [above])
    caption = "line: median answer; band: least to greatest answer; dashed: answer = true value"
    if len(words):
        caption += "\nargmax: the number of the likeliest words; "
        caption += "expectation: mean of the likely numbers"
    return captioned(figure, caption)


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
    inside = words[words.number.between(*limits)].sort_values("probability", ascending=False)
    drawn = ax.barh(inside.number, inside.probability, 0.018 * span, color=encoder_color(name))
    ax.bar_label(drawn, legible(inside.word, inside.number, span), padding=4, fontsize=9)
    for mark, symbol in (("argmax", ">"), ("expectation", "D")):
        number = view[view.part == mark].number.clip(*limits)
        ax.plot([-0.06] * len(number), number, symbol, color=GREY, label=mark)
    ax.set(xlim=(-0.12, 1.25), ylim=limits, xticks=[0, 0.5, 1])
    ax.tick_params(labelleft=False, labelbottom=True)
    ax.set_xlabel(f"probability of {name}'s words\nwhere the true value is {words.true.iloc[0]:g}")
    ax.legend(loc="upper right", fontsize=9)
