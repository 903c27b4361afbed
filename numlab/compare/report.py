"""A page about a file: how it was read, its numbers under every encoder, trained models, advice."""

from __future__ import annotations

import base64
import functools
import io
import json
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import jinja2
import numpy as np
import pandas as pd

from numlab import plots
from numlab.compare import learning
from numlab.compare.baselines import LEAST_SKILL, baselines
from numlab.compare.encodings import choices, encodings
from numlab.compare.learning import PARTS, STANDARD_ERRORS, TEXTS, relative_errors, tied
from numlab.compare.reading import Reading, read
from numlab.encoders import Encoder
from numlab.encoders.columns import by_column
from numlab.examples import as_list
from numlab.numbers import check_count
from numlab.training import Run, RunSpec, train_all

LOSSLESS = 1e-6  # relative error; float32 rounds by less
UNTRAINED = "Before training"
TRAINED = "Trained: errors relative to the best constant"
LEGENDS = {  # below the tables of these headings
    UNTRAINED: "Neighbour F1: the share of a number's ten nearest numbers that are among its ten "
    "nearest vectors. Ids exact, where there are any: ids and codes that come back digit by digit, "
    "once rounded to a whole number.",
    TRAINED: "1 is the error of the mean or the median, whichever is nearer. Training has no "
    "numbers in the gaps, and none beyond its largest.",
}
FOLDER = Path(__file__).parent
HEADINGS = tomllib.loads((FOLDER / "columns.toml").read_text("utf-8"))
TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(FOLDER / "templates"),
    autoescape=jinja2.select_autoescape(["html"]),
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
)
TEMPLATES.globals["legends"] = LEGENDS


def report(
    path: str | Path,
    steps: int = 300,
    say: Callable[[str], None] = lambda _: None,
    columns: Sequence[str] = (),
    target: str | None = None,
    seeds: int = 3,
    decimal: str = "",
    kinds: Mapping[str, str] | None = None,
    encoders: Sequence[Encoder] = (),
) -> Report:
    """Read a file, measure eleven encoders on its numbers, train small models, and advise.

    ValueError for a file without a table or without numbers, and for an encoder that models of
    width 48 cannot read.

    Parameters
    ----------
    path : CSV, TSV, Parquet, JSON, JSON lines, text or Markdown.
    steps : of each small model; 0 trains none.
    say : called with how the file was read, and each stage of the work; if it raises, work ends.
    columns, target, decimal, kinds : as in `read`; without a target each column of numbers is
        predicted.
    seeds : how often each encoder is trained.
    encoders : more of them, such as your own.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/n.csv"; pd.DataFrame({"a": [1.5, 2, 4] * 4}).to_csv(path)
    >>> nl.compare.report(path, steps=0).advice.encoder
    'FP15'
    """
    check_count("steps", steps, 0)
    check_count("seeds", seeds)
    for encoder in as_list(encoders, Encoder, "encoders are a list, such as [nl.BitTokens()]"):
        encoder.embedding(learning.WIDTH)  # or a ValueError, before the work
    say(f"reading {Path(path).name}")
    reading = read(path, columns, target, decimal, kinds)
    for line in about(reading):
        say(line)
    try:
        seen = by_column(learning.task_of(reading, target)[0].usable_texts)
    except ValueError:  # there is nothing to train on
        seen = None
    encoders = [*dict.fromkeys([*choices(reading.numbers, seen), *encoders])]
    if twice := [name for name, n in Counter(map(str, encoders)).items() if n > 1]:
        raise ValueError(f"two different encoders are called {twice[0]}: rename one")
    say(f"{len(encoders)} encoders on {sum(map(len, reading.numbers.values())):,} numbers")
    exactly = reading.of_kind("id", "code")
    frame, found, untrained = encodings(reading.numbers, encoders, exactly), None, "steps is 0"
    if steps:
        # with variable lengths, the number of masks would reveal the length of a hidden number
        able = [e for e, held in zip(encoders, frame.held, strict=True) if held == 1 and e.fixed]
        try:
            if not able:
                raise ValueError("no encoder with a fixed number of tokens holds every number")
            specs = learning.specs(reading, able, target, steps, seeds)
        except ValueError as error:
            untrained = str(error)
        else:
            found, untrained = learning.answers(_trained(specs, say), say), None
    return Report(reading, frame, found, untrained)


def _trained(specs: list[RunSpec], say: Callable[[str], None]) -> list[Run]:
    """The runs of some specs, and how many are left as each ends."""
    say(f"training {len(specs)} small models")

    def ended(run: Run, left: int) -> None:
        say(f"trained {run.spec.encoder}, seed {run.spec.seed}: {left} of {len(specs)} left")

    return train_all(specs, ended=ended)


@dataclass(frozen=True)
class Advice:
    """Which encoder to take; whether any column can be predicted from the others; why.

    `columns`: each predictable column, with its best encoder and those statistically tied with it.
    """

    encoder: str
    predictable: bool
    why: list[str]
    columns: dict[str, list[str]]


@dataclass(frozen=True, eq=False)
class Report:
    """Measurements of a file; a page in a notebook, `text` in a shell.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/n.csv"; pd.DataFrame({"a": [1.5, 2, 4] * 4}).to_csv(path)
    >>> report = nl.compare.report(path, steps=0)
    >>> list(report.tables), report.answers is None
    (['Columns', 'Before training'], True)
    """

    reading: Reading
    encodings: pd.DataFrame  # of `compare.encodings`
    answers: pd.DataFrame | None  # of `learning.answers`; None without trained models
    untrained: str | None  # why there are no trained models

    @functools.cached_property
    def advice(self) -> Advice:
        """Which encoder to take, and why."""
        return advise(self.encodings, self.answers, self.untrained)

    @functools.cached_property
    def errors(self) -> pd.DataFrame | None:
        """Relative to the best constant: of the columns that can be predicted, or of all if none
        can; None without trained models."""
        if self.answers is None:
            return None
        columns = list(self.advice.columns) or self.answers.column.unique()
        return relative_errors(self.answers, columns)

    @property
    def _wide(self) -> pd.DataFrame:
        """The errors, a column for each part."""
        return self.errors.pivot(index="encoder", columns="part", values="error")

    @property
    def paragraphs(self) -> dict[str, list[str]]:
        """Heading to sentences, in reading order."""
        return {self.reading.name: about(self.reading), "Advice": self.advice.why}

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Heading to evidence, formatted."""
        tables = {"Columns": _formatted(self.reading.columns)}
        tables[UNTRAINED] = _formatted(self.encodings)
        if self.errors is not None:
            wide = self._wide.sort_values(PARTS[0]).reset_index()
            tables[TRAINED] = _formatted(wide)
        return tables

    @property
    def text(self) -> str:
        """The report for a shell."""
        return TEMPLATES.get_template("report.txt").render(report=self)

    @property
    def json(self) -> str:
        """One object: advice, columns, encoders, notes."""
        encoders = self.encodings.set_index("encoder", drop=False)
        if self.errors is not None:
            encoders = encoders.join(self._wide)
        found = {
            "advice": asdict(self.advice),
            "columns": self.reading.columns.to_dict("records"),
            "encoders": json.loads(encoders.to_json(orient="records", double_precision=15)),
            "notes": self.reading.notes,
        }
        return json.dumps(found, indent=1, ensure_ascii=False)

    def _repr_html_(self) -> str:
        file = io.BytesIO()
        if self.errors is not None:
            figure = plots.gap_errors(self.errors, [*baselines()])
            figure.savefig(file, format="svg", bbox_inches="tight")
        image = base64.b64encode(file.getvalue()).decode()
        return TEMPLATES.get_template("report.html").render(report=self, image=image)


def about(reading: Reading) -> list[str]:
    """How a file was read, in sentences."""
    return _sentences("about.txt", reading=reading, texts=TEXTS)


def _sentences(template: str, **facts) -> list[str]:
    """The lines of a template."""
    lines = TEMPLATES.get_template(template).render(facts).splitlines()
    return [line for line in lines if line]


def _formatted(frame: pd.DataFrame) -> pd.DataFrame:
    """Columns as strings under their headings; what is missing as a dash."""
    strings = {
        heading: frame[name].astype(object).map(pattern.format, na_action="ignore")
        for name, (heading, pattern) in HEADINGS.items()
        if name in frame and frame[name].notna().any()
    }
    return pd.DataFrame(strings).astype(object).fillna("–")


def advise(
    encodings: pd.DataFrame, answers: pd.DataFrame | None = None, untrained: str | None = None
) -> Advice:
    """Which encoder to take for a file, and why.

    Encoders that hold fewer of the numbers than another are out; where there are ids or codes, so
    are those that change more of them. Of the rest, take the one with the least error in the
    columns that can be predicted, as in training. Where none can be: the one that loses least, then
    the one with fewest tokens, then the one with the best neighbour F1.
    """
    every = encodings.set_index("encoder")
    every["lost"] = every.worst.where(every.worst > LOSSLESS, 0.0)
    left = every[every.held == every.held.max()]
    if left.ids.notna().any():
        left = left[left.ids == left.ids.max()]
    able, columns, shown, nearest, ranking = [], {}, None, None, []
    if answers is not None:
        able = [name for name in left.index if name in set(answers.encoder)]
        own = answers[answers.encoder.isin(able)]
        skills = learning.skills(answers)
        nearest = skills.loc[skills.sigmas.fillna(-np.inf).idxmax()]
        names = learning.predictable(skills) if able else []
        columns = {name: tied(own, [name]) for name in names}
        shown = relative_errors(answers, names or answers.column.unique())
        shown = shown.set_index(["part", "encoder"])
    if columns:
        ranking = tied(own, list(columns))
        best = left.loc[ranking[0]]
    else:
        order = left.sort_values(["lost", "tokens", "f1"], ascending=[True, True, False])
        best = order.iloc[0]
        same = (left.lost == best.lost) & (left.tokens == best.tokens) & ~(left.f1 < best.f1 - 0.01)
        ranking = [best.name, *left.index[same].drop(best.name)]
    facts = {"untrained": untrained, "every": every, "left": left, "columns": columns, "best": best}
    facts |= {"ranking": ranking, "shown": shown, "parts": PARTS, "answers": answers, "able": able}
    facts |= {
        "nearest": nearest,
        "asked": (STANDARD_ERRORS, LEAST_SKILL),
        "seeds": answers.seed.nunique() if columns else 0,
    }
    return Advice(best.name, bool(columns), _sentences("advice.txt", **facts), columns)
