"""A page about a file: its numbers under every encoder, small trained models, advice."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from numlab import plots
from numlab.compare.encodings import choices, encodings
from numlab.compare.masked import BASELINE, TEXTS, gap_errors, specs
from numlab.compare.table import Table, read
from numlab.training import train

if TYPE_CHECKING:
    from pandas import DataFrame, Series

LOSSLESS = 1e-6  # relative error: what float32 keeps
ALIKE = 1.25  # errors of one seed within this factor are not told apart
STYLE = """<style>
.numlab-report :is(th, td) { text-align: left; vertical-align: top; padding: 1px 12px 1px 0 }
</style>"""
GAP_ERRORS = "Trained without the gap: median error in interquartile ranges"
COLUMNS = {  # of the tables: heading, format
    "encoder": ("encoder", "{}"),
    "held": ("in range", "{:.1%}"),
    "refused": ("not in range", "{:.6g}"),
    "exact": ("exact", "{:.1%}"),
    "worst": ("worst relative error", "{:.1e}"),
    "example": ("example", "{}"),
    "tokens": ("tokens a number", "{:.3g}"),
    "text_tokens": ("tokens a row", "{:.3g}"),
    "f1": ("neighbour F1", "{:.2f}"),
    "periods": ("periods", "{}"),
    "error gap": ("in the gap", "{:.3g}"),
    "error seen": ("elsewhere", "{:.3g}"),
    "invalid gap": ("no number, gap", "{:.0%}"),
    "invalid seen": ("no number, elsewhere", "{:.0%}"),
}


def report(
    path: str | Path, steps: int = 300, say: Callable[[str], None] = lambda _: None
) -> Report:
    """Read a file, measure every encoder on its numbers, train small models, and advise.

    Parameters
    ----------
    path : CSV, TSV, Parquet or JSON lines.
    steps : of each small model; 0 trains none.
    say : called with each stage of the work.

    Raises
    ------
    ValueError
        For a file without a table or without numbers.
    """
    say(f"reading {Path(path).name}")
    table = read(path)
    encoders = choices(table.numbers)
    say(f"{len(encoders)} encoders on {len(table.numbers):,} numbers")
    frame, errors, untrained = encodings(table, encoders), None, "it was not asked for"
    if steps:
        holding = [e for e, held in zip(encoders, frame.held, strict=True) if held == 1]
        try:
            runs = []
            for spec in specs(table, holding, steps):
                say(f"training {spec.encoder}")
                runs.append(train(spec))
            errors, untrained = gap_errors(runs), None
        except ValueError as error:
            untrained = str(error)
    return Report(table, frame, errors, untrained)


@dataclass(frozen=True, eq=False)
class Report:
    """Measurements of a file; a page in a notebook, `text` in a shell.

    Attributes
    ----------
    encodings, errors : DataFrame
        From `compare.encodings` and `compare.gap_errors`; errors None without trained models.
    untrained : str or None
        Why there are none.
    """

    table: Table
    encodings: DataFrame
    errors: DataFrame | None
    untrained: str | None

    @property
    def paragraphs(self) -> dict[str, list[str]]:
        """Heading to sentences, in reading order."""
        numbers, n_rows = self.table.numbers, len(self.table.frame)
        extent = f"from {numbers.min():.6g} to {numbers.max():.6g}"
        about = [f"{n_rows:,} rows, {len(numbers):,} numbers {extent}."]
        about += [f"{note}." for note in self.table.notes]
        if self.encodings.periods.isna().all():
            about.append("No spectra: they need 8 consecutive whole numbers.")
        if self.errors is not None and self.table.of_texts and n_rows > TEXTS:
            about.append(f"The small models learn from {TEXTS:,} of the texts, drawn at random.")
        why = [f"No model was trained: {self.untrained}."] if self.untrained else []
        return {self.table.name: about, "Advice": advice(self.encodings, self.errors) + why}

    @property
    def tables(self) -> dict[str, DataFrame]:
        """Heading to evidence, formatted."""
        tables = {"Before training": _formatted(self.encodings)}
        if self.errors is not None:
            wide = self.errors.pivot(index="encoder", columns="part", values=["error", "invalid"])
            wide.columns = wide.columns.map(" ".join)
            wide = wide.sort_values(["error gap", "error seen"]).replace(np.inf, np.nan)
            tables[GAP_ERRORS] = _formatted(wide.reset_index())
        return tables

    @property
    def text(self) -> str:
        parts = ["\n".join([h, "=" * len(h), *lines]) for h, lines in self.paragraphs.items()]
        parts += [f"{h}\n\n{frame.to_string(index=False)}" for h, frame in self.tables.items()]
        return "\n\n".join(parts) + "\n"

    def _repr_html_(self) -> str:
        parts = {h: f"<p>{escape(' '.join(lines))}</p>" for h, lines in self.paragraphs.items()}
        parts |= {h: f.to_html(index=False, border=0) for h, f in self.tables.items()}
        html = [f"<h3>{escape(heading)}</h3>{part}" for heading, part in parts.items()]
        if self.errors is not None:
            html.insert(2, _image(plots.gap_errors(self.errors, BASELINE), GAP_ERRORS))
        return f'{STYLE}<div class="numlab-report">{"".join(html)}</div>'


def _formatted(frame: DataFrame) -> DataFrame:
    """Columns as strings under their headings; what is missing as a dash."""
    columns = {name: column for name, column in COLUMNS.items() if name in frame}
    strings = frame[list(columns)].astype(object)
    for name, (_, pattern) in columns.items():
        strings[name] = strings[name].map(pattern.format, na_action="ignore")
    strings = strings.astype(object).fillna("–")
    return strings.rename(columns={name: heading for name, (heading, _) in columns.items()})


def _image(figure, alt: str) -> str:
    file = io.BytesIO()
    figure.savefig(file, format="svg", bbox_inches="tight")
    data = base64.b64encode(file.getvalue()).decode()
    return f'<img alt="{escape(alt)}" src="data:image/svg+xml;base64,{data}">'


def advice(encodings: DataFrame, errors: DataFrame | None) -> list[str]:
    """Which encoder to take for a table, and why, as sentences.

    An encoder that does not hold every number is out. Of the others those stay whose error in
    the held-out gap is within a factor of 1.25 of the least, if that beats always saying the
    median. Of these: the one that loses least, then with fewest tokens, then with the best
    neighbour F1.
    """
    every = encodings.set_index("encoder")
    every["lost"] = every.worst.where(every.worst > LOSSLESS, 0.0)
    left = every[every.held == every.held.max()]
    if errors is not None:
        learned = errors.pivot(index="encoder", columns="part", values="error")
        beaten = learned.gap.drop(BASELINE).min() < learned.gap[BASELINE]
        if beaten and left.index.isin(learned.index).any():
            left = left.join(learned, how="inner")
            left = left[left.gap <= ALIKE * left.gap.min()]
    best = left.sort_values(["lost", "tokens", "f1"], ascending=[True, True, False]).iloc[0]
    sentences = [f"Take {best.name}.", _range(best, every)]
    if "gap" in left:
        sentences.append(_gap(best, learned, left))
    elif errors is not None:
        sentences.append(
            "No small model was better in the held-out gap than always saying the median, so "
            "range, precision and length alone decide."
        )
    sentences += [_precision(best, every), _length(best, left)]
    if errors is not None:
        sentences.append("The models are small, with one seed: repeat what matters with three.")
    return sentences


def _range(best: Series, every: DataFrame) -> str:
    share = "every number" if best.held == 1 else f"{best.held:.1%} of the numbers, the most"
    others = every[every.held < every.held.max()]
    if others.empty:
        return f"It holds {share}, as do all others."
    names = "; ".join(f"{row.Index} not {row.refused:.6g}" for row in others.itertuples())
    return f"It holds {share}. Others do not: {names}."


def _gap(best: Series, learned: DataFrame, left: DataFrame) -> str:
    sentence = (
        f"Trained without the numbers in the gap, its median error there is {best.gap:.3g} of the "
        f"interquartile range ({best.seen:.3g} elsewhere; {BASELINE}: {learned.gap[BASELINE]:.3g})."
    )
    alike, worse = left.index.drop(best.name), learned.gap.drop([BASELINE, *left.index])
    if len(alike):
        sentence += f" Not told apart from it: {', '.join(alike)}."
    if len(worse):
        sentence += f" All others: {worse.min():.3g} or more."
    return sentence


def _precision(best: Series, every: DataFrame) -> str:
    lossy = every[every.lost > 0]
    if best.lost:
        return f"It changes {1 - best.exact:.1%} of the numbers, at worst {best.example}."
    if lossy.empty:
        return "It loses nothing that float32 keeps, nor do the others."
    worst = lossy.loc[lossy.lost.idxmax()]
    others = f"{len(lossy)} others do, {worst.name} most: {worst.example}"
    return f"It loses nothing that float32 keeps. {others}."


def _length(best: Series, left: DataFrame) -> str:
    unit = "token" if best.tokens == 1 else "tokens"
    sentence = f"A number takes {best.tokens:.3g} {unit}, a row {best.text_tokens:.3g}."
    alike = left[(left.lost == best.lost) & (left.tokens == best.tokens)].drop(index=best.name)
    if alike.empty or alike.f1.isna().any():
        return sentence
    return (
        f"{sentence} As good in that: {', '.join(alike.index)}; neighbours stay nearest in its own "
        f"embedding (F1 {best.f1:.2f}, then {alike.f1.max():.2f})."
    )
