"""A report card to explore: a dot for each score, and the numbers behind it."""

from collections.abc import Sequence

import ipywidgets
import pandas as pd
import plotly.express as px

from numlab.encoders import Encoder
from numlab.encoders.base import written
from numlab.plots import encoder_color
from numlab.plots.cards import TICKS, labels, short, told
from numlab.probes.desiderata import MEASURES, worst
from numlab.widgets.panel import TEMPLATE, Panel, Plot, choices, note, on_change, row
from numlab.widgets.spell import tokens_of

AXES = "score: 1 is the best;   ✓ ½ ✗: the tick of the BitTokens paper"


def report_card(card: pd.DataFrame, encoders: Sequence[Encoder] = ()) -> ipywidgets.VBox:
    """Choose encoders and desiderata; click on a dot for the value and what is behind it.

    Parameters
    ----------
    card : DataFrame [encoder, desideratum, measure, value, score, published]
        As from `nl.probes.report_card`: one row for each encoder and measure.
    encoders : those of the card, or some. A dot of D2 then shows the numbers that share an
        encoding with others, or that do not return.

    >>> card = nl.probes.report_card(nl.P10())
    >>> panel = nl.widgets.report_card(card, [nl.P10()])
    """
    return _ReportCard(card, encoders)


class _ReportCard(Panel):
    """The panel. `encoders` and `desiderata` say which dots are drawn."""

    def __init__(self, card: pd.DataFrame, encoders: Sequence[Encoder]):
        self.card = card.assign(what=labels(card), tick=card.published.map(TICKS).fillna(""))
        self.objects = {str(encoder): encoder for encoder in encoders}
        self.encoders = choices("encoders", list(dict.fromkeys(card.encoder)))
        self.desiderata = choices("desiderata", list(dict.fromkeys(card.desideratum)))
        self.plot, self.behind = Plot(), ipywidgets.HTML()
        super().__init__(row(self.encoders, self.desiderata), self.plot, self.behind)
        self.draw()
        on_change(self.draw, self.encoders, self.desiderata)
        self.plot.observe(lambda _: self.show(), "clicked")

    @property
    def chosen(self) -> pd.DataFrame:
        """The rows of the encoders and the desiderata."""
        mine = self.card.encoder.isin(self.encoders.value)
        return self.card[mine & self.card.desideratum.isin(self.desiderata.value)]

    def draw(self) -> None:
        """A column for each encoder, a row for each measure."""
        chosen = self.chosen
        figure = px.scatter(
            chosen,
            x="score",
            y="what",
            color="encoder",
            facet_col="encoder",
            facet_col_spacing=0.01,
            text="tick",
            hover_data={"value": ":.3g", "score": ":.2f", "what": False, "tick": False},
            height=150 + 26 * chosen.what.nunique(),
            color_discrete_map={name: encoder_color(name) for name in self.encoders.options},
            category_orders={"what": list(dict.fromkeys(chosen.what))},
            template=TEMPLATE,
        )
        figure.update_traces(textposition="middle right", marker_size=11)
        figure.update_xaxes(range=(-0.2, 1.6), tickvals=(0, 1), title="", showgrid=True)
        span = -0.6, chosen.what.nunique() - 0.4
        figure.update_yaxes(type="category", range=span, title="")
        figure.update_yaxes(showgrid=True, showline=False, ticks="")
        for title in figure.layout.annotations:
            name = short(title.text.partition("=")[2])
            title.update(text=name, textangle=-35, xanchor="left", yanchor="bottom")
        where = {"xref": "paper", "yref": "paper", "x": 0, "y": 0, "yshift": -50}
        figure.add_annotation(text=AXES, showarrow=False, xanchor="left", **where)
        figure.update_layout(showlegend=False, margin={"t": 80, "r": 50, "b": 60})
        self.plot.show(figure)
        self.show()

    def show(self) -> None:
        """What is behind the dot that was clicked."""
        name, _, what = self.plot.clicked or ("", 0, "")
        rows = self.chosen[(self.chosen.encoder == name) & (self.chosen.what == what)]
        if rows.empty:
            self.behind.value = note("Click on a dot for what is behind it.")
            return
        dot = rows.iloc[0]
        tick = f"gives it {dot.tick}" if dot.tick else "does not judge it"
        text = f"{name}, {dot.desideratum}, {dot.measure}: {told(dot.value)}, score {dot.score:.2f}"
        text += f" of 1. {MEASURES[dot.measure][2]} The BitTokens paper {tick}."
        encoder = self.objects.get(name)
        numbers = [] if encoder is None else worst(encoder, dot.measure).tolist()
        table = _spelled(encoder, numbers).to_html(index=False) if numbers else ""
        self.behind.value = note(text + " The worst:" * bool(numbers)) + table


def _spelled(encoder: Encoder, numbers: list) -> pd.DataFrame:
    """How an encoder spells numbers, and what it reads back."""
    rows = []
    for number in numbers:
        tokens = tokens_of(encoder, number)
        spelled = " ".join(carries or word for _, word, carries, *_ in tokens)
        *_, read, error = tokens[0]
        back = "none" if read is None else written(read)
        rows.append((written(number), spelled, back, f"{error:.2g}"))
    return pd.DataFrame(rows, columns=["number", "spelled", "read back", "relative error"])
