"""The report card of encoders, as dots and as text."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from numlab.plots.style import encoder_color, panels, styled

TICKS = {1.0: "✓", 0.5: "½", 0.0: "✗"}
DOT = 260  # area of the best score, in square points
FALLING = ("tokens", "RMS ratio", "step")  # measures of which less is better


@styled
def report_card(frame: pd.DataFrame) -> Figure:
    """A column for each encoder, a row for each measure; the larger the dot, the better.

    `frame` comes from `probes.report_card`: its columns encoder, desideratum, measure, value, score
    and published. The area is the score; the number is the value. In the first row
    of a desideratum stands the published tick, where there is one.

    >>> card = {"encoder": ["P10", "XVal"], "desideratum": "D1 one token", "measure": "tokens"}
    >>> card = pd.DataFrame(card | {"value": [5.0, 1.0], "score": [0.2, 1.0], "published": np.nan})
    >>> [label.get_text() for label in nl.plots.report_card(card).axes[0].get_yticklabels()]
    ['D1 one token: tokens ↓']
    """
    encoders = list(frame.encoder.unique())
    rows = frame.drop_duplicates("measure").reset_index(drop=True)
    measures, first = list(rows.measure), list(~rows.desideratum.duplicated())
    figure, (ax,) = panels(1, 1, 0.74 * len(encoders) + 2.2, 0.52 * len(measures) + 1.4)
    for row in frame.itertuples():
        x, y = encoders.index(row.encoder), measures.index(row.measure)
        ax.scatter(x, y, DOT, facecolor="none", edgecolor="#BBBBBB", lw=0.8)
        ax.scatter(x, y, DOT * row.score, color=encoder_color(row.encoder), lw=0)
        ax.text(x, y + 0.42, told(row.value), ha="center", va="center", fontsize=9)
        ax.text(x + 0.25, y - 0.15, TICKS.get(row.published, "") * first[y], fontsize=10)
    ax.hlines(rows.index[first][1:] - 0.38, -0.6, len(encoders) - 0.4, color="#DDDDDD", lw=0.8)
    figure.suptitle("How well encoders meet the desiderata that the BitTokens paper names")
    ax.xaxis.tick_top()
    names = [*map(short, encoders)]
    names = names if len({*names}) == len(names) else encoders
    ax.set_xticks(range(len(encoders)), names, rotation=35, ha="left")
    words = "area: the score, 0 to 1 (decades: full from 29 on; noise: log scale, full from 1 on)\n"
    words += "number: the value (↑ high is good, ↓ low is good)"
    ticks = f"{' '.join(TICKS.values())}: the tick of the BitTokens paper, where it has one"
    ax.set_xlabel(f"{words}\n{ticks}")
    ax.set_yticks(range(len(measures)), labels(rows))
    ax.set(xlim=(-0.6, len(encoders) - 0.4), ylim=(len(measures) - 0.3, -0.6))
    ax.grid(False)
    ax.tick_params(length=0)
    return figure


def labels(card: pd.DataFrame) -> pd.Series:
    """What each row measures, and whether high or low is good: "D1 one token: tokens ↓"."""
    return card.desideratum + ": " + _marked(card)


def _marked(card: pd.DataFrame) -> pd.Series:
    return card.measure + card.measure.isin(FALLING).map({True: " ↓", False: " ↑"})


def short(name: str) -> str:
    """An encoder's name; of a long one, the class."""
    return name if len(name) < 14 else name.partition("(")[0]


def told(value: float) -> str:
    """A value in a few characters; a dash where there is none."""
    if value != value:
        return "–"
    return ">999" if value > 999 else "<0.001" if 0 < value < 1e-3 else f"{value:.3g}"


def as_text(card: pd.DataFrame, about: Mapping[str, str]) -> str:
    """A report card with a row for each measure, encoders side by side in 100 characters, and what
    each measure is."""
    shown = card.value.map("{:.3g} ".format) + card.published.map(TICKS).fillna(" ")
    number = card.desideratum.str.partition(" ")[0]
    rows = card.assign(shown=shown, marked=number + " " + _marked(card))
    table = rows.pivot_table("shown", "marked", "encoder", "first", sort=False)
    text = table.rename_axis(index=None, columns=None).to_string(na_rep="", line_width=100)
    measured = rows.drop_duplicates("measure")
    lines = [f"{r.desideratum}, {r.measure}: {about[r.measure]}" for r in measured.itertuples()]
    marks = "↑ high is good, ↓ low is good; ✓ ½ ✗: the paper's tick for the encoder, if it has one"
    return "\n".join([text, "", marks, *lines])
