"""What a person clicks in the notebooks beyond/leaderboard and beyond/report_card."""

from collections.abc import Sequence

import ipywidgets
import pandas as pd
import plotly.express as px

from numlab.codes import written
from numlab.encoders import Encoder
from numlab.plots import encoder_color
from numlab.plots.cards import TICKS, labels, short, told
from numlab.plots.sweep import SHADE
from numlab.probes.desiderata import MEASURES, worst
from numlab.widgets.panel import TEMPLATE, Panel, Plot, choices, menu, note, on_change, row
from numlab.widgets.spell import tokens_of

EXAMPLES = 8  # behind a point
ANSWER = ["text", "slot", "true", "predicted", "score"]
AXES = "score: 1 is the best;   ✓ ½ ✗: the tick of the BitTokens paper"


class Leaderboard(Panel):
    """Choose a task and encoders; brush over difficulties to rank them; click for answers.

    `answers` is a DataFrame [encoder, task, difficulty, text, slot, true, predicted, score]: a row
    of `nl.predict` for each, with a whole number as its difficulty and a score from 0 to 1.
    """

    def __init__(self, answers: pd.DataFrame):
        self.answers = answers
        self.task = menu("task", list(dict.fromkeys(answers.task)))
        self.encoders = choices("encoders", list(dict.fromkeys(answers.encoder)))
        self.brush = ipywidgets.IntRangeSlider(
            description="difficulty", layout={"width": "420px"}, continuous_update=False
        )
        self.plot, self.ranking, self.examples = Plot(), ipywidgets.HTML(), ipywidgets.HTML()
        beside = row(self.encoders, self.ranking)
        super().__init__(row(self.task, self.brush), self.plot, beside, self.examples)
        self.begin()
        on_change(self.begin, self.task)
        on_change(self.draw, self.encoders, self.brush)
        self.plot.observe(lambda _: self.show(), "clicked")

    @property
    def chosen(self) -> pd.DataFrame:
        """Answers of the task and the encoders, of any difficulty."""
        mine = self.answers.task == self.task.value
        return self.answers[mine & self.answers.encoder.isin(self.encoders.value)]

    def begin(self) -> None:
        """All difficulties of a task."""
        levels = self.answers.difficulty[self.answers.task == self.task.value]
        low, high = int(levels.min()), int(levels.max())
        with self.brush.hold_trait_notifications():
            self.brush.min, self.brush.max = min(low, self.brush.min), max(high, self.brush.max)
            self.brush.value = low, high
            self.brush.min, self.brush.max = low, high
        self.examples.value = note("Click on a point for the answers behind it.")
        self.draw()

    def draw(self) -> None:
        """The curves, and the ranking within the brush."""
        chosen, (low, high) = self.chosen, self.brush.value
        points = chosen.groupby(["encoder", "difficulty"], sort=False).score
        points = points.agg(score="mean", answers="count").reset_index().sort_values("difficulty")
        colors = {name: encoder_color(name) for name in self.encoders.options}
        figure = px.line(
            points,
            x="difficulty",
            y="score",
            color="encoder",
            hover_data=["answers"],
            markers=True,
            height=380,
            color_discrete_map=colors,
            category_orders={"encoder": self.encoders.options},
            template=TEMPLATE,
        )
        figure.add_vrect(low - 0.5, high + 0.5, fillcolor=SHADE, line_width=0, layer="below")
        figure.update_layout(legend={"orientation": "v", "y": 1, "yanchor": "top"})
        self.plot.show(figure)
        within = chosen[chosen.difficulty.between(low, high)].groupby("encoder").score
        table = within.agg(score="mean", answers="count").sort_values("score", ascending=False)
        self.ranking.value = table.rename_axis(None).to_html(float_format="{:.3f}".format)

    def show(self) -> None:
        """The answers behind the point that was clicked, the worst first."""
        if not self.plot.clicked:
            return
        encoder, level, _ = self.plot.clicked
        rows = self.chosen[(self.chosen.encoder == encoder) & (self.chosen.difficulty == level)]
        few = rows.sort_values("score", kind="stable").head(EXAMPLES)[ANSWER]
        title = f"{encoder}, difficulty {level}: {len(few)} of {len(rows)} answers, the worst first"
        self.examples.value = note(title) + few.to_html(index=False, float_format="{:.4g}".format)


class ReportCard(Panel):
    """Choose encoders and desiderata; click on a dot for the value and what is behind it.

    `card` is a DataFrame [encoder, desideratum, measure, value, score, published] from
    `nl.probes.report_card`. For `encoders` of the card, a dot of D2 shows the numbers that share an
    encoding with others, or that do not return.
    """

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
