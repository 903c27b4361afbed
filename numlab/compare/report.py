"""One page about a file: its numbers under every encoder, trained models, advice."""

from __future__ import annotations

import base64
import dataclasses
import io
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from numlab import plots
from numlab.compare.advice import advice
from numlab.compare.encodings import choices, encodings
from numlab.compare.masked import BASELINE, TEXTS, gap_errors, specs
from numlab.compare.table import Table, read
from numlab.training import train

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

STYLE = """<style>
.numlab-report :is(th, td) { text-align: left; vertical-align: top; padding: 1px 12px 1px 0 }
</style>"""
GAP_ERRORS = "Trained without the gap: median error in interquartile ranges"


@dataclass(frozen=True, eq=False)
class Report:
    """What was found; as a page in a notebook, or as `text` in a shell."""

    table: Table
    encodings: pd.DataFrame
    errors: pd.DataFrame | None
    untrained: str | None  # why there is no trained model

    @property
    def paragraphs(self) -> dict[str, list[str]]:
        """Heading to sentences, in reading order."""
        numbers = self.table.numbers
        about = [
            f"{len(self.table.frame):,} rows, {len(numbers):,} numbers from {numbers.min():.6g} to "
            f"{numbers.max():.6g}.",
            *(f"{note}." for note in self.table.notes),
        ]
        if self.encodings.periods.isna().all():
            about.append("No spectra: they need 8 consecutive whole numbers.")
        if self.errors is not None and self.table.of_texts and len(self.table.frame) > TEXTS:
            about.append(f"The small models learn from {TEXTS:,} of the texts, drawn at random.")
        why = [f"No model was trained: {self.untrained}."] if self.untrained else []
        return {
            f"{self.table.name}": about,
            "Advice": [*advice(self.encodings, self.errors), *why],
        }

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Heading to the evidence."""
        found = {"Before training": _readable(self.encodings)}
        if self.errors is not None:
            wide = self.errors.pivot(index="encoder", columns="part", values=["error", "invalid"])
            errors, shares = ["in the gap", "elsewhere"], ["no number, gap", "no number, elsewhere"]
            wide.columns = [*errors, *shares]
            wide = wide.sort_values(errors).replace(np.inf, np.nan).reset_index()
            formats = dict.fromkeys(errors, "{:.3g}") | dict.fromkeys(shares, "{:.0%}")
            found[GAP_ERRORS] = _formatted(wide, formats)
        return found

    @property
    def text(self) -> str:
        parts = [
            "\n".join([title, "=" * len(title), *said]) for title, said in self.paragraphs.items()
        ]
        parts += [
            f"{title}\n\n{frame.to_string(index=False)}" for title, frame in self.tables.items()
        ]
        return "\n\n".join(parts) + "\n"

    def _repr_html_(self) -> str:
        parts = [
            f"<h3>{escape(title)}</h3><p>{escape(' '.join(said))}</p>"
            for title, said in self.paragraphs.items()
        ]
        if self.errors is not None:
            parts.append(_image(plots.gap_errors(self.errors, BASELINE), GAP_ERRORS))
        parts += [
            f"<h3>{escape(title)}</h3>{frame.to_html(index=False, border=0)}"
            for title, frame in self.tables.items()
        ]
        return f'{STYLE}<div class="numlab-report">{"".join(parts)}</div>'


def report(
    path: str | Path, steps: int = 300, say: Callable[[str], None] = lambda _: None
) -> Report:
    """Read a file of one's own, put every encoder to it, train small models, and advise.

    Parameters
    ----------
    path : CSV, TSV, Parquet or JSON lines.
    steps : of each small model; 0: none is trained.
    say : is told what is being done.

    Raises
    ------
    ValueError
        For a file without a table or without numbers, in words.
    """
    say(f"reading {Path(path).name}")
    table = read(path)
    encoders = choices(table.numbers)
    say(f"{len(encoders)} encoders on {len(table.numbers):,} numbers")
    found = encodings(table, encoders)
    nothing = Report(table, found, None, "it was not asked for")
    if not steps:
        return nothing
    holding = [e for e, held in zip(encoders, found.held, strict=True) if held == 1]
    try:
        runs = []
        for spec in specs(table, holding, steps):
            say(f"training {spec.encoder}")
            runs.append(train(spec))
        if not runs:
            raise ValueError("no encoder holds every number")
    except ValueError as error:
        return dataclasses.replace(nothing, untrained=str(error))
    return Report(table, found, gap_errors(runs), None)


def _image(figure: Figure, alt: str) -> str:
    drawn = io.BytesIO()
    figure.savefig(drawn, format="svg", bbox_inches="tight")
    data = base64.b64encode(drawn.getvalue()).decode()
    return f'<img alt="{escape(alt)}" src="data:image/svg+xml;base64,{data}">'


def _readable(frame: pd.DataFrame) -> pd.DataFrame:
    """The encodings as a person reads them."""
    formats = {
        "held": "{:.1%}",
        "exact": "{:.1%}",
        "worst": "{:.1e}",
        "tokens": "{:.3g}",
        "text_tokens": "{:.3g}",
        "f1": "{:.2f}",
        "refused": "{:.6g}",
    }
    names = {
        "held": "in range",
        "refused": "not in range",
        "exact": "exact",
        "worst": "worst relative error",
        "example": "example",
        "tokens": "tokens a number",
        "text_tokens": "tokens a row",
        "f1": "neighbour F1",
        "periods": "periods",
    }
    return _formatted(frame, formats).rename(columns=names)


def _formatted(frame: pd.DataFrame, formats: dict[str, str]) -> pd.DataFrame:
    """Columns as strings, by their formats; nothing as a dash."""
    shown = frame.astype(object)
    for name, pattern in formats.items():
        shown[name] = frame[name].map(pattern.format, na_action="ignore")
    return shown.where(frame.notna(), "–")
