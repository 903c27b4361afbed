"""A page about a file: its numbers under every encoder, small trained models, advice."""

from __future__ import annotations

import base64
import io
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import jinja2
import numpy as np
import pandas as pd

from numlab import plots
from numlab.compare.encodings import choices, encodings
from numlab.compare.masked import BASELINE, TEXTS, gap_errors, specs
from numlab.compare.table import Table, read
from numlab.training import train

LOSSLESS = 1e-6  # relative error: what float32 keeps
ALIKE = 1.25  # errors of one seed within this factor are not told apart
FOLDER = Path(__file__).parent
COLUMNS = tomllib.loads((FOLDER / "columns.toml").read_text("utf-8"))
TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(FOLDER / "templates"),
    autoescape=jinja2.select_autoescape(["html"]),
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
)


def report(
    path: str | Path, steps: int = 300, say: Callable[[str], None] = lambda _: None
) -> Report:
    """Read a file, measure every encoder on its numbers, train small models, and advise.

    ValueError for a file without a table or without numbers.

    Parameters
    ----------
    path : CSV, TSV, Parquet or JSON lines.
    steps : of each small model; 0 trains none.
    say : called with each stage of the work.
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
    encodings: pd.DataFrame
    errors: pd.DataFrame | None
    untrained: str | None

    @property
    def paragraphs(self) -> dict[str, list[str]]:
        """Heading to sentences, in reading order."""
        about = _sentences("about.txt", report=self, numbers=self.table.numbers, texts=TEXTS)
        why = [f"No model was trained: {self.untrained}."] if self.untrained else []
        return {self.table.name: about, "Advice": advice(self.encodings, self.errors) + why}

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Heading to evidence, formatted."""
        tables = {"Before training": _formatted(self.encodings)}
        if self.errors is not None:
            wide = self.errors.pivot(index="encoder", columns="part", values=["error", "invalid"])
            wide.columns = wide.columns.map(" ".join)
            wide = wide.sort_values(["error gap", "error seen"]).replace(np.inf, np.nan)
            heading = "Trained without the gap: median error in interquartile ranges"
            tables[heading] = _formatted(wide.reset_index())
        return tables

    @property
    def text(self) -> str:
        return TEMPLATES.get_template("report.txt").render(report=self)

    def _repr_html_(self) -> str:
        file = io.BytesIO()
        if self.errors is not None:
            figure = plots.gap_errors(self.errors, BASELINE)
            figure.savefig(file, format="svg", bbox_inches="tight")
        image = base64.b64encode(file.getvalue()).decode()
        return TEMPLATES.get_template("report.html").render(report=self, image=image)


def _sentences(template: str, **facts) -> list[str]:
    """The lines of a template."""
    lines = TEMPLATES.get_template(template).render(facts).splitlines()
    return [line for line in lines if line]


def _formatted(frame: pd.DataFrame) -> pd.DataFrame:
    """Columns as strings under their headings; what is missing as a dash."""

    strings = {
        heading: frame[name].astype(object).map(pattern.format, na_action="ignore")
        for name, (heading, pattern) in COLUMNS.items()
        if name in frame
    }
    return pd.DataFrame(strings).astype(object).fillna("–")


def advice(encodings: pd.DataFrame, errors: pd.DataFrame | None) -> list[str]:
    """Which encoder to take for a table, and why, as sentences.

    An encoder that does not hold every number is out. Of the others those stay whose error in
    the held-out gap is within a factor of 1.25 of the least, if that beats always saying the
    median. Of these: the one that loses least, then with fewest tokens, then with the best
    neighbour F1.
    """
    every, learned = encodings.set_index("encoder"), None
    every["lost"] = every.worst.where(every.worst > LOSSLESS, 0.0)
    left = every[every.held == every.held.max()]
    if errors is not None:
        learned = errors.pivot(index="encoder", columns="part", values="error")
        beaten = learned.gap.drop(BASELINE).min() < learned.gap[BASELINE]
        if beaten and left.index.isin(learned.index).any():
            left = left.join(learned, how="inner")
            left = left[left.gap <= ALIKE * left.gap.min()]
    best = left.sort_values(["lost", "tokens", "f1"], ascending=[True, True, False]).iloc[0]
    tied = left[(left.lost == best.lost) & (left.tokens == best.tokens)].drop(index=best.name)
    return _sentences(
        "advice.txt",
        best=best,
        tied=tied,
        left=left,
        learned=learned,
        baseline=BASELINE,
        refusing=every[every.held < every.held.max()],
        lossy=every[every.lost > 0],
    )
