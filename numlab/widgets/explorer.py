"""Number embeddings side by side: turned, coloured, brushed; who is whose neighbour?"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

import ipywidgets
import numpy as np

from numlab import probes
from numlab.embeddings import Embeddings
from numlab.encoders import Encoder
from numlab.examples import shown
from numlab.widgets import paint
from numlab.widgets.brush import Brush, panes
from numlab.widgets.note import KernelNote
from numlab.widgets.plot import Plot
from numlab.widgets.spectrum import power_figure

if TYPE_CHECKING:
    import pandas as pd

PROJECTIONS = {  # and the names of their axes
    "PCA, 2-D": ("1st principal component", "2nd principal component"),
    "PCA, 3-D": ("pc1", "pc2", "pc3"),
    "t-SNE": ("t-SNE 1", "t-SNE 2"),
}
TSNE_MOST = 5000  # numbers: more take t-SNE minutes
ASKED = 8  # chosen numbers whose neighbours are looked for
LISTED = 5  # of them, those whose neighbours are named
ROWS = 12  # of names of numbers
WAVES = 1024  # chosen numbers of which a spectrum is taken, the least


def embedding_explorer(
    embeddings: Embeddings | list[Embeddings],
    columns: pd.DataFrame | None = None,
    encoders: list[Encoder] = (),
    k: int = 10,
) -> ipywidgets.VBox:
    """Look at number embeddings: encoders, layers or checkpoints, two of them side by side.

    Hover over a point: its number, and how it is spelled. Brush some (or type them, as in
    "7, 100 to 199"): they are chosen on both sides, and below stand their neighbours in the
    embedding and on the number line, how many of them are the same (F1), and their spectrum.
    With three or more embeddings, menus choose the two that are seen.

    Parameters
    ----------
    embeddings : Embeddings, or list of them
        All of the same numbers, in the same order.
    columns : DataFrame, optional
        A column "number", and more, by which the points can be coloured.
    encoders : list of Encoder
        Under which hovering spells a number.
    k : int
        Neighbours of a number.

    Raises
    ------
    ValueError
        For embeddings of different numbers, or columns without some of them.
    """
    given = [embeddings] if isinstance(embeddings, Embeddings) else list(embeddings)
    if not given or len(given[0]) < 2:
        raise ValueError("an explorer needs embeddings of two numbers or more; got none")
    for other in given[1:]:
        if not np.array_equal(other.numbers, given[0].numbers):
            raise ValueError(
                f"embeddings side by side are of the same numbers in the same order; got "
                f"{len(given[0])} of {given[0].source} and others of {other.source}"
            )
    return _Explorer(given, columns, encoders, k).panel


class _Explorer:
    """The panel, and the projections that it has made."""

    def __init__(self, given: list[Embeddings], columns, encoders: list[Encoder], k: int):
        self.encoders = encoders
        self.given, self.k, self.numbers = given, min(k, len(given[0]) - 1), given[0].numbers
        self.names = captions(given)
        self.columns = paint.joined(self.numbers, columns)
        self.labels = np.array(list(map(shown, self.numbers.tolist())))
        self.made: dict[tuple, np.ndarray] = {}
        fit = {"style": {"description_width": "initial"}, "layout": {"width": "auto"}}
        options = [(name, i) for i, name in enumerate(self.names)]
        self.sides = [
            ipywidgets.Dropdown(options=options, value=i, description=side, **fit)
            for i, side in zip(range(min(2, len(given))), ("left", "right"), strict=False)
        ]
        for side in self.sides:
            side.layout.display = None if len(given) > 2 else "none"
        self.projection = ipywidgets.Dropdown(
            options=list(PROJECTIONS), description="projection", **fit
        )
        self.color = ipywidgets.Dropdown(options=list(self.columns), description="colour", **fit)
        self.box = ipywidgets.Text(
            placeholder="7, 100 to 199",
            description="choose numbers",
            continuous_update=False,
            style={"description_width": "initial"},
        )
        self.said = ipywidgets.HTML("Brush some points, or type numbers.")
        self.spelling, self.near = ipywidgets.HTML("&nbsp;"), ipywidgets.HTML()
        self.brush = None
        self.brush, self.power = Brush(self.figure()), Plot(power_figure({}))
        self.power.layout.display = "none"
        flow = ipywidgets.Layout(flex_flow="row wrap")
        top = ipywidgets.HBox([self.projection, self.color, *self.sides, self.box], layout=flow)
        parts = [top, self.brush, self.spelling, self.said, self.near, self.power, KernelNote()]
        self.panel = ipywidgets.VBox(parts)
        for choice in (self.projection, self.color, *self.sides):
            choice.observe(lambda _: self.draw(), "value")
        self.box.observe(lambda change: self.type(change.new), "value")
        self.brush.observe(lambda _: self.choose(), "chosen")
        self.brush.observe(lambda change: self.hover(change.new), "hovered")

    @property
    def seen(self) -> list[int]:
        return list(dict.fromkeys(side.value for side in self.sides))

    def draw(self) -> None:
        """Project, colour and draw anew; what is chosen stays chosen."""
        if self.projection.value == "t-SNE" and len(self.numbers) > TSNE_MOST:
            self.projection.value = next(iter(PROJECTIONS))
            self.said.value = alert(f"t-SNE is for up to {TSNE_MOST:,} numbers; here are more.")
            return
        self.said.value = '<span role="status">Drawing …</span>'  # t-SNE takes seconds
        self.brush.show(self.figure())
        self.answer()

    def figure(self):
        clouds = [self.project(i) for i in self.seen]
        name = self.color.value
        look = paint.paint(name, self.columns[name])
        chosen = self.brush.places if self.brush else np.zeros(0, int)
        titles, axes = [self.names[i] for i in self.seen], PROJECTIONS[self.projection.value]
        return panes(clouds, titles, axes, self.labels, look, chosen)

    def project(self, i: int) -> np.ndarray:
        """(n, 2 or 3) places of the numbers in a pane."""
        key = i, self.projection.value
        if key not in self.made:
            self.made[key] = projected(self.given[i], self.projection.value)
        return self.made[key]

    def type(self, text: str) -> None:
        """Choose the numbers that are typed."""
        try:
            places = np.flatnonzero(named(text, self.numbers.astype(float)))
        except ValueError as error:
            self.said.value = alert(str(error))
            return
        chosen = ",".join(map(str, places))
        if chosen == self.brush.chosen:
            self.answer()  # nothing changes, but what was said before
        self.brush.chosen = chosen
        if text.strip() and not len(places):
            self.said.value = alert("None of these numbers is here.")

    def hover(self, place: int) -> None:
        """How the number under the mouse is spelled."""
        spelled = [f"<b>{self.labels[place]}</b>"]
        for encoder in self.encoders:
            try:
                words = " ".join(encoder.spell(self.numbers[place]))
            except ValueError:
                words = "out of range"
            spelled.append(f"{escape(str(encoder))}: <code>{escape(words)}</code>")
        self.spelling.value = " · ".join(spelled)

    def choose(self) -> None:
        """Answer; the page marks what is chosen by itself, but for three dimensions."""
        self.answer()
        if self.projection.value == "PCA, 3-D":
            self.brush.show(self.figure())

    def answer(self) -> None:
        """The neighbours of what is chosen, their F1, and the spectrum."""
        places = self.brush.places
        if not len(places):
            self.said.value, self.near.value = "Brush some points, or type numbers.", ""
            self.power.layout.display = "none"
            return
        asked = places[np.unique(np.linspace(0, len(places) - 1, ASKED).astype(int))]
        frames = {self.names[i]: probes.nearby(self.given[i], asked, self.k) for i in self.seen}
        count = f"{len(places):,} of {len(self.numbers):,} numbers are chosen: "
        few = ", ".join(self.labels[places[:ROWS]]) + (", …" if len(places) > ROWS else "")
        sample = f" Neighbours of {len(asked)} of them:" if len(asked) < len(places) else ""
        self.said.value = f'<span role="status">{count}{few}.{sample}</span>'
        self.near.value = _table(frames, self.k)
        self.brush.answered += 1
        self.spectrum(places)

    def spectrum(self, places: np.ndarray) -> None:
        """Drawn where the chosen numbers are consecutive whole ones, as a spectrum needs them."""
        places = places[np.argsort(self.numbers[places])]
        many = len(places) > WAVES and (np.diff(self.numbers[places]) == 1).all()
        few = places[:WAVES] if many else places
        try:
            powers = {
                self.names[i]: probes.spectrum(self.part(i, few), n_permutations=20, level=0.05)
                for i in self.seen
            }
        except ValueError as error:
            self.power.layout.display = "none"
            self.near.value += f"<p>No spectrum: {escape(str(error))}.</p>"
            return
        if many:
            self.near.value += f"<p>Spectrum of the first {WAVES:,} of them:</p>"
        self.power.show(power_figure(powers))
        self.power.layout.display = None

    def part(self, i: int, places: np.ndarray) -> Embeddings:
        e = self.given[i]
        return Embeddings(e.numbers[places], e.vectors[places], e.source, e.layer)


def projected(e: Embeddings, projection: str) -> np.ndarray:
    """(n, 2 or 3) float: principal components, or t-SNE by scikit-learn."""
    if projection == "t-SNE":
        from sklearn.manifold import TSNE

        perplexity = min(30.0, (len(e) - 1) / 3)
        return TSNE(perplexity=perplexity, init="random", random_state=0).fit_transform(e.vectors)
    n = 3 if projection.endswith("3-D") else 2
    found = probes.pca(e, min(n, *e.vectors.shape)).drop(columns="number").to_numpy()
    spread = found.std(0)
    found = np.where(spread < 1e-5 * spread.max(), 0.0, found)  # rounding, blown up by an axis
    return np.pad(found, ((0, 0), (0, n - found.shape[1])))


def named(text: str, numbers: np.ndarray) -> np.ndarray:
    """(n,) bool: which numbers a text such as "7, 100 to 199" names.

    >>> named("2, 4 to 5", np.arange(6.0)).tolist()
    [False, False, True, False, True, True]
    """
    chosen = np.zeros(len(numbers), bool)
    for piece in filter(None, map(str.strip, re.split("[,;]", text))):
        ends = re.split(r"\s+to\s+", piece)
        try:
            low, high = float(ends[0]), float(ends[-1])
        except ValueError:
            raise ValueError(f'Type numbers as in "7, 100 to 199"; got "{piece}".') from None
        chosen |= (numbers >= low) & (numbers <= high)
    return chosen


def captions(given: list[Embeddings]) -> list[str]:
    """Where each comes from; those that would be called alike are counted."""
    names: list[str] = []
    for e in given:
        name = e.source if e.layer is None else f"{e.source} · layer {e.layer}"
        alike = sum(other.partition(" #")[0] == name for other in names)
        names.append(f"{name} #{alike + 1}" if alike else name)
    return names


def alert(text: str) -> str:
    return f'<span role="alert" style="color: #D32F2F">{escape(text)}</span>'


def _table(frames: dict[str, pd.DataFrame], k: int) -> str:
    """Neighbours as HTML: a row a number, in each space those that may be among its k nearest."""
    rows = []
    for name, frame in frames.items():
        both = (frame.embedding * frame.line).groupby(frame.number, sort=False).sum() / k
        head = f"{escape(name)}: neighbour F1 of these {both.mean():.2f}"
        rows.append(f'<tr><th colspan="4" style="text-align: left">{head}</th></tr>')
        for number in frame.number.drop_duplicates()[:LISTED]:
            own = frame[frame.number == number]
            spaces = (_names(own[own[space] > 0].neighbour) for space in ("embedding", "line"))
            cells = "".join(f"<td>{cell}</td>" for cell in spaces)
            rows.append(f"<tr><td>{shown(number)}</td>{cells}<td>{both[number]:.2f}</td></tr>")
    head = "".join(
        f'<th style="text-align: left">{title}</th>'
        for title in ("number", "nearest in the embedding", "nearest on the number line", "F1")
    )
    return f'<table class="numlab-near" style="width: 100%"><tr>{head}</tr>{"".join(rows)}</table>'


def _names(numbers: pd.Series) -> str:
    rest = f" and {len(numbers) - ROWS} more" if len(numbers) > ROWS else ""
    return " ".join(shown(number) for number in numbers[:ROWS]) + rest
