"""Number embeddings side by side: turn them, colour them, choose numbers, see their neighbours."""

import contextlib
import functools
import io
import re
from dataclasses import replace
from html import escape
from typing import Any

import ipywidgets
import numpy as np
import pandas as pd
import plotly.express as px
import plotly.graph_objects as go

from numlab import probes
from numlab.embeddings import Embeddings
from numlab.encoders import Encoder
from numlab.numbers import shown
from numlab.plots import OTHERS
from numlab.widgets.clouds import Brush, color_axis, color_columns, panes
from numlab.widgets.panel import FIT, TEMPLATE, Panel, Plot, menu, note, on_change, page, row

PROJECTIONS = {  # and the names of their axes
    "PCA, 2-D": ("1st principal component", "2nd principal component"),
    "PCA, 3-D": ("pc1", "pc2", "pc3"),
    "t-SNE": ("t-SNE 1", "t-SNE 2"),
}
MOST = 100_000  # numbers in the panes; of more, a sample
TSNE_STEPS = 1000  # of scikit-learn
TSNE_MOST = 5000  # numbers; with more, t-SNE takes minutes
NEAR = 10  # neighbours of a number
SAMPLE = 8  # chosen numbers whose neighbours give the F1
SPECTRUM_MOST = 1024  # chosen numbers in a spectrum
HINT = "Drag over some points, or type numbers such as 7, 100 to 199."


def embedding_explorer(
    embeddings: list[Embeddings], encoders: list[Encoder] = ()
) -> ipywidgets.VBox:
    """Compare number embeddings (of encoders, layers or checkpoints), two of them side by side.

    Hover over a point to see its number and how it is spelled. Drag over points, or type numbers
    as in "7, 100 to 199": they are chosen on both sides. Below appear their neighbours in the
    embedding and on the number line, the share of common ones (F1), and, of consecutive numbers,
    their spectrum. With three or more embeddings, menus choose the two that are drawn. Of more than
    100,000 numbers a random sample is explored.

    All embeddings are of the same numbers, in the same order; `encoders` spell the number under the
    mouse.

    >>> found = nl.embeddings.from_encoder(nl.FoNE(int_digits=2), np.arange(9.0), 8)
    >>> panel = nl.widgets.embedding_explorer([found])
    """
    if not embeddings or len(embeddings[0]) < 2:
        got = len(embeddings[0]) if embeddings else "none"
        raise ValueError(f"expected embeddings of at least two numbers; got {got}")
    first = embeddings[0]
    others = [e.source for e in embeddings if not np.array_equal(e.numbers, first.numbers)]
    if others:
        got = f"{len(first)} of {first.source} and others of {', '.join(others)}"
        raise ValueError(f"expected embeddings of the same numbers in the same order; got {got}")
    return _Explorer(embeddings, encoders)


class _Explorer(Panel):
    """The panel."""

    def __init__(self, embeddings: list[Embeddings], encoders: list[Encoder]):
        hint, n = HINT, len(embeddings[0])
        if n > MOST:
            hint = f"Here are {MOST:,} of {n:,} numbers, a random sample. {HINT}"
            rows = np.sort(np.random.default_rng(0).choice(n, MOST, replace=False))
            parts = ((e, e.numbers[rows], e.vectors[rows]) for e in embeddings)
            embeddings = [replace(e, numbers=x, vectors=vectors) for e, x, vectors in parts]
        self.hint, self.embeddings = hint, dict(zip(titles(embeddings), embeddings, strict=True))
        self.encoders, self.numbers = encoders, embeddings[0].numbers
        self.columns = color_columns(self.numbers)
        self.names = np.array(list(map(shown, self.numbers.tolist())))
        self.project = functools.cache(self.project)
        options = list(self.embeddings)
        sides = zip(("left", "right"), options, strict=False)
        self.sides = [menu(side, options, value=title) for side, title in sides]
        self.projection = menu("projection", list(PROJECTIONS))
        self.color = menu("colour", list(self.columns))
        about = {"description": "choose numbers", "placeholder": "7, 100 to 199"}
        self.box = ipywidgets.Text(**about, continuous_update=False, style=FIT["style"])
        self.message, self.spelling, self.near = (ipywidgets.HTML(t) for t in (hint, "&nbsp;", ""))
        self.brush, self.power = Brush(self.figure()), Plot()
        self.typed = self.problem = ""  # indices of what was typed, and what is wrong with it
        self.power.layout.display = "none"
        sides = self.sides if len(options) > 2 else []
        choices = row(self.projection, self.color, *sides, self.box)
        super().__init__(choices, self.brush, self.spelling, self.message, self.near, self.power)
        on_change(self.draw, self.projection, self.color, *self.sides)
        on_change(self.choose_typed, self.box)
        self.brush.observe(lambda _: self.brushed(), "chosen")
        self.brush.observe(lambda change: self.spell(change.new), "hovered")

    @property
    def seen(self) -> dict[str, Embeddings]:
        """The embeddings that the menus choose."""
        return {side.value: self.embeddings[side.value] for side in self.sides}

    def draw(self) -> None:
        """Project and colour the points again; the chosen ones stay chosen."""
        if self.projection.value == "t-SNE" and len(self.numbers) > TSNE_MOST:
            self.projection.value = next(iter(PROJECTIONS))
            text = f"t-SNE takes at most {TSNE_MOST:,} numbers; here are {len(self.numbers):,}."
            self.message.value = note(text, "alert")
            return
        self.message.value = note("Drawing …")  # t-SNE takes seconds
        self.brush.show(self.figure())
        self.answer()

    def project(self, title: str, way: str) -> np.ndarray:
        """(n, 2 or 3) the points of an embedding; a message says how far t-SNE is."""
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            printed.write = lambda text: self.follow(title, text)
            return projected(self.embeddings[title], way)

    def follow(self, title: str, printed: str) -> None:
        """Say how far t-SNE is, from what scikit-learn prints every 50 iterations."""
        if found := re.search(r"Iteration (\d+)", printed):
            self.message.value = note(f"t-SNE of {title}: {int(found[1]) / TSNE_STEPS:.0%}")

    def figure(self) -> go.Figure:
        """The panes of the chosen embeddings, projection and colour."""
        way = self.projection.value
        points = {title: self.project(title, way) for title in self.seen}
        colors, axis = color_axis(self.columns[self.color.value])
        size = max(2.5, min(9.0, 300 / len(self.names) ** 0.5)) / (4 if way == "PCA, 3-D" else 1)
        marker = {"size": size, "color": colors, "coloraxis": "coloraxis"}
        looks = [{"marker": marker, "customdata": self.names}] * len(points)
        return panes(points, PROJECTIONS[way], looks).update_layout(coloraxis=axis)

    def choose_typed(self) -> None:
        """Choose the numbers that were typed."""
        self.problem, indices = "", self.brush.chosen
        if self.box.value or indices == self.typed:  # else `brushed` has emptied the box
            try:
                chosen, absent = typed(self.box.value, self.numbers)
            except ValueError as error:
                self.problem = f'Type numbers as in "7, 100 to 199": {error}.'
            else:
                self.typed = indices = ",".join(map(str, np.flatnonzero(chosen)))
                self.problem = f"Not here: {', '.join(absent)}." if absent else ""
        if indices == self.brush.chosen:
            self.answer()
        else:
            self.brush.chosen = indices  # which answers

    def brushed(self) -> None:
        """Answer; what was typed goes if other numbers are chosen: typed again, it is a change."""
        if self.box.value and self.brush.chosen != self.typed:
            self.typed = self.box.value = ""  # which answers
        else:
            self.answer()

    def spell(self, index: int) -> None:
        """Show how the number under the mouse is spelled."""
        spelled = [f"<b>{self.names[index]}</b>"]
        for encoder in self.encoders:
            try:
                words = " ".join(encoder.spell(self.numbers[index]))
            except ValueError:
                words = "out of range"
            spelled.append(f"{escape(str(encoder))}: <code>{escape(words)}</code>")
        self.spelling.value = " · ".join(spelled)

    def answer(self) -> None:
        """Show the neighbours of the chosen numbers, their F1, and the spectrum."""
        chosen = self.brush.indices
        self.power.layout.display = "none"
        alert = note(self.problem, "alert") if self.problem else ""
        self.message.value = alert or ("" if len(chosen) else self.hint)
        if not len(chosen):
            self.near.value = ""
            return
        asked = chosen[np.unique(np.linspace(0, len(chosen) - 1, SAMPLE).astype(int))]
        k = min(NEAR, len(self.numbers) - 1)
        near = {title: neighbours(e, asked, k) for title, e in self.seen.items()}
        facts = {"chosen": self.names[chosen], "n": len(self.names), "n_asked": len(asked)}
        facts |= self.draw_spectrum(chosen[np.argsort(self.numbers[chosen])])
        self.near.value = page("explorer.html").render(near=near, **facts)
        self.brush.answered += 1

    def draw_spectrum(self, chosen: np.ndarray) -> dict[str, Any]:
        """Draw the spectra of consecutive numbers; returns what the page says about them."""
        many = len(chosen) > SPECTRUM_MOST and (np.diff(self.numbers[chosen]) == 1).all()
        try:
            self.power.show(spectra(self.seen, chosen[:SPECTRUM_MOST] if many else chosen))
        except ValueError as error:
            return {"problem": error}
        self.power.layout.display = None
        return {"first": SPECTRUM_MOST if many else None}


def titles(embeddings: list[Embeddings]) -> list[str]:
    """The source and layer of each; the second of the same name ends in "#2", and so on."""
    names = [e.source if e.layer is None else f"{e.source} · layer {e.layer}" for e in embeddings]
    before = [names[:i].count(name) for i, name in enumerate(names)]
    return [f"{name} #{n + 1}" if n else name for name, n in zip(names, before, strict=True)]


def projected(e: Embeddings, projection: str) -> np.ndarray:
    """(n, 2 or 3) float: principal components, or t-SNE by scikit-learn."""
    if projection == "t-SNE":
        from sklearn.manifold import TSNE

        how = {"perplexity": min(30.0, (len(e) - 1) / 3), "init": "random", "random_state": 0}
        return TSNE(**how, max_iter=TSNE_STEPS, verbose=2).fit_transform(e.vectors)
    n = len(PROJECTIONS[projection])
    points = probes.pca(e, min(n, *e.vectors.shape)).drop(columns="number").to_numpy()
    spread = points.std(0)
    points = np.where(spread < 1e-5 * spread.max(), 0.0, points)  # an axis would magnify rounding
    return np.pad(points, ((0, 0), (0, n - points.shape[1])))


def typed(text: str, numbers: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """(n,) bool, the numbers in a text such as "7, 100 to 199"; and its pieces that hold none."""
    chosen, number = np.zeros(len(numbers), bool), int if numbers.dtype == object else float
    absent = []
    for piece in filter(None, map(str.strip, re.split("[,;]", text.replace("\u2212", "-")))):
        try:
            ends = sorted(number(end) for end in re.split(r"\s+to\s+", piece))
        except ValueError:
            kind = "whole number" if number is int else "number"
            raise ValueError(f"{piece!r} is not a {kind}") from None
        inside = (numbers >= ends[0]) & (numbers <= ends[-1])
        chosen |= inside
        absent += [] if inside.any() else [piece]
    return chosen, absent


def neighbours(e: Embeddings, indices: np.ndarray, k: int) -> list[tuple]:
    """Of some numbers: name, nearest in the embedding, nearest on the number line, F1."""
    rows = []
    for number, near in probes.nearby(e, indices, k).groupby("number", sort=False):
        in_embedding, on_line = (near.neighbour[near[s] > 0] for s in ("embedding", "line"))
        f1 = (near.embedding * near.line).sum() / k
        rows.append((shown(number), [*map(shown, in_embedding)], [*map(shown, on_line)], f1))
    return rows


def spectra(embeddings: dict[str, Embeddings], rows: np.ndarray) -> go.Figure:
    """Power over period of consecutive numbers, a line for each embedding, its peaks marked."""
    frames = {}
    for title, e in embeddings.items():
        chosen = Embeddings(e.numbers[rows], e.vectors[rows], title)
        frames[title] = probes.spectrum(chosen, n_permutations=20, level=0.05)
    frame = pd.concat(frames, names=["embedding"]).reset_index()
    look = {"x": "period", "y": "power", "color": "embedding", "log_x": True}
    look["color_discrete_map"] = dict(zip(frames, OTHERS, strict=False))
    figure = px.line(frame, **look, height=260, template=TEMPLATE)
    figure.add_traces(px.scatter(frame[frame.peak], **look).update_traces(showlegend=False).data)
    figure.update_xaxes(autorange="reversed")
    figure.update_xaxes(title="period, in numbers")
    return figure.update_yaxes(title="power (mean: 1)")
