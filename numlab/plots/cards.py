"""The report card of encoders, as dots and as text."""

import pandas as pd
from matplotlib.figure import Figure

from numlab.plots.style import encoder_color, panels, styled

TICKS = {1.0: "✓", 0.5: "½", 0.0: "✗"}
DOT = 260  # area of the best score, in square points
ACROSS = 5  # encoders in a table


@styled
def report_card(frame: pd.DataFrame) -> Figure:
    """A row for each encoder, a column for each measure; the larger the dot, the better.

    `frame` comes from `probes.report_card`: its columns encoder, desideratum, measure, value, score
    and published. The circle is the best score, the number the value, and the sign over it the
    published tick, where there is one.

    >>> import pandas as pd
    >>> card = {"encoder": ["P10", "XVal"], "desideratum": "D1 one token", "measure": "tokens"}
    >>> card = pd.DataFrame(card | {"value": [5.0, 1.0], "score": [0.2, 1.0], "published": np.nan})
    >>> [label.get_text() for label in nl.plots.report_card(card).axes[0].get_xticklabels()]
    ['D1 tokens']
    """
    encoders, measures = (list(dict.fromkeys(frame[name])) for name in ("encoder", "measure"))
    names = frame.drop_duplicates("measure").set_index("measure").desideratum
    figure, (ax,) = panels(1, 1, 0.85 * len(measures) + 1.5, 0.62 * len(encoders) + 1.4)
    for row in frame.itertuples():
        x, y = measures.index(row.measure), encoders.index(row.encoder)
        ax.scatter(x, y, DOT, facecolor="none", edgecolor="#CCCCCC", lw=0.8)
        ax.scatter(x, y, DOT * row.score, color=encoder_color(row.encoder), lw=0)
        ax.text(x, y + 0.44, f"{row.value:.3g}", ha="center", va="center", fontsize=7)
        ax.text(x + 0.3, y - 0.18, TICKS.get(row.published, ""), ha="center", fontsize=8)
    labels = [f"{names[m].partition(' ')[0]} {m}" for m in measures]
    ax.set_xticks(range(len(measures)), labels, rotation=35, ha="left")
    ax.xaxis.tick_top()
    ticks = " ".join(TICKS.values())
    ax.set_xlabel(f"a full dot: all that is asked; below: the value; {ticks}: its paper's tick")
    ax.set_yticks(range(len(encoders)), [_short(name) for name in encoders])
    ax.set(xlim=(-0.6, len(measures) - 0.4), ylim=(len(encoders) - 0.3, -0.6))
    ax.grid(False)
    return figure


def _short(name: str) -> str:
    return name if len(name) < 38 else f"{name[:36]}…"


def as_text(card: pd.DataFrame) -> str:
    """Tables of a report card with a row for each measure, five encoders side by side."""
    told = [
        f"{value:.3g} {TICKS.get(tick, ' ')}"
        for value, tick in zip(card.value, card.published, strict=True)
    ]
    number = card.desideratum.str.partition(" ")[0]
    rows = card.assign(told=told, measure=number + " " + card.measure)
    names = list(dict.fromkeys(card.encoder))
    tables = []
    for i in range(0, len(names), ACROSS):
        few = rows[rows.encoder.isin(names[i : i + ACROSS])]
        table = few.pivot_table("told", "measure", "encoder", "first", sort=False)
        tables.append(table.rename_axis(index=None, columns=None).to_string(na_rep=""))
    return "\n\n".join(tables)
