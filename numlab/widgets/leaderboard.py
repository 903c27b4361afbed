"""A leaderboard to explore: scores over difficulty, and the answers behind each point."""

import ipywidgets
import pandas as pd
import plotly.express as px

from numlab.plots import encoder_color
from numlab.plots.sweep import SHADE
from numlab.widgets.panel import TEMPLATE, Panel, Plot, choices, menu, note, on_change, row

EXAMPLES = 8  # behind a point
ANSWER = ["text", "slot", "true", "predicted", "score"]


def leaderboard(answers: pd.DataFrame) -> ipywidgets.VBox:
    """Choose a task and encoders; brush over difficulties to rank them; click for answers.

    `answers` is a DataFrame [encoder, task, difficulty, text, slot, true, predicted, score]: a row
    of `nl.predict` for each, with a whole number as its difficulty and a score from 0 to 1.

    >>> rows = {"encoder": ["FoNE", "XVal"], "difficulty": [2, 2], "predicted": [30.0, 29.1]}
    >>> sums = pd.DataFrame(rows | {"score": [1.0, 0.2], "text": "12+18=30", "true": 30.0})
    >>> panel = nl.widgets.leaderboard(sums.assign(task="sums", slot="answer"))
    """
    return _Leaderboard(answers)


class _Leaderboard(Panel):
    """The panel. `task`, `encoders` and `brush` say which answers count."""

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
        points = points.agg(["mean", "count"]).reset_index().sort_values("difficulty")
        colors = {name: encoder_color(name) for name in self.encoders.options}
        figure = px.line(
            points.rename(columns={"mean": "score", "count": "answers"}),
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
        table = within.agg(["mean", "count"]).sort_values("mean", ascending=False)
        table.columns = ["score", "answers"]
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
