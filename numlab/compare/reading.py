"""How a file is read: its rows, what each column is taken for, and what is left out and why."""

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from numlab.compare.files import sample
from numlab.compare.kinds import DECIMAL_COMMA, DOTS, KINDS, LONG, POWER, bare, joined, understood
from numlab.encoders.columns import by_column
from numlab.parsing import GROUPS, THOUSANDS, parse, refuse_thousands
from numlab.tasks.frames import as_columns

COLUMNS = 8  # columns used, unless they are named
LEAST = 48  # rows that a model needs, and known numbers of a column that it predicts
FIELDS = ["column", "kind", "used", "missing", "note"]  # what is said of a column
LOOKED_AT = 100  # columns whose kind is determined, beside those that are named


@dataclass(frozen=True, eq=False)
class Reading:
    """A file as it was understood.

    `frame` has the columns that are used, as float64 or words, a date as year, month and day; or it
    has one column "text". `columns` is a DataFrame [column, kind, used, missing, note] with a row
    for each column of the file, of texts only for theirs. Kinds: number, id and code (their digits
    count, not their size), date, words, text.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/n.csv"
    >>> frame = pd.DataFrame({"when": ["2026-03-01", "2026-04-02"], "kg": ["1,5", "2,25"]})
    >>> frame.to_csv(path, index=False)
    >>> reading = nl.compare.read(path)
    >>> reading.columns.kind.tolist(), reading.numbers["kg"].tolist()
    (['date', 'number'], [1.5, 2.25])
    """

    name: str
    frame: pd.DataFrame
    columns: pd.DataFrame
    notes: tuple[str, ...] = ()  # other possible readings, and what is left out
    target: str | None = None  # a row without it is left out

    @property
    def of_texts(self) -> bool:
        return self.columns.kind.tolist() == ["text"]

    def of_kind(self, *kinds: str) -> list[str]:
        """The names of the columns of some kinds that are used."""
        return self.columns[self.columns.kind.isin(kinds) & self.columns.used].column.tolist()

    def without_ids(self, target: str | None) -> pd.DataFrame:
        """The columns that models read: an id tells rows apart, and nothing about other rows."""
        return self.frame.drop(columns=[name for name in self.of_kind("id") if name != target])

    @functools.cached_property
    def numbers(self) -> dict[str, np.ndarray]:
        """The float64 numbers of each column, or slot of the texts, that has any."""
        if self.of_texts:
            return by_column(parse(self.frame["text"].tolist()))
        columns = self.frame.select_dtypes(float)
        return {name: columns[name].dropna().to_numpy() for name in columns}


def read(
    path: str | Path,
    columns: Sequence[str] = (),
    target: str | None = None,
    decimal: str = "",
    kinds: Mapping[str, str] | None = None,
    most: int = COLUMNS,
) -> Reading:
    """Read a CSV, TSV, Parquet, JSON (a list of rows), JSON-lines, text or Markdown file.

    A longer file is sampled down to 20,000 rows in one pass. A first row of numbers is not a
    header. Beyond 100 columns, only those that are named are looked at. A unit or currency that
    most entries share is left off. Where no column is a quantity, the texts of the first column
    that has numbers are read. ValueError for a file that is missing, is not a table, or has no
    numbers.

    Parameters
    ----------
    columns : those to use.
    target : a column of numbers; it is used in any case.
    decimal : "," or "."; default: guessed from the numbers of each column, "." in texts.
    kinds : what a column holds, as {"serial": "number"}: number, id, code, words, date, dmy or mdy.
        Default: guessed. Such a column is used in any case.
    most : columns that are used, unless they are named.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/n.csv"; pd.DataFrame({"a": [1.5, 2, 4] * 4}).to_csv(path)
    >>> len(nl.compare.read(path).frame)
    12
    """
    path, notes, columns = Path(path), [], [columns] if isinstance(columns, str) else columns
    if decimal not in ("", ",", "."):
        raise ValueError(f'decimal is "," or "."; got {decimal!r}')
    frame, total = sample(path)
    if total > len(frame):
        notes.append(f"{total:,} rows: {len(frame):,} of them, drawn at random, are used")
    has_lines = path.suffix.lower() not in (".parquet", ".json", ".jsonl", ".ndjson")
    if has_lines and any(re.fullmatch(r"[-+]?\d+([.,]\d+)?", name) for name in frame.columns):
        notes.append(f"the first row ({', '.join(frame.columns[:COLUMNS])}) is taken for names")
    columns, kinds = [*map(str.strip, columns)], {k.strip(): v for k, v in (kinds or {}).items()}
    given = dict.fromkeys([*columns, *kinds])
    if unknown := [name for name in (*given, *([target] if target else [])) if name not in frame]:
        raise ValueError(f"{path.name} has the columns {', '.join(frame)}; got {unknown[0]}")
    if wrong := [kind for kind in kinds.values() if kind not in KINDS]:
        raise ValueError(f"kinds are {', '.join(KINDS)}; got {wrong[0]}")
    understand = functools.partial(_understood, frame, columns, kinds, target, most)
    table, kept = understand(dict.fromkeys(frame, decimal))
    commas = table.note.str.contains(r"\d,\d+ is read as [+-]?\d*\.\d")
    others = table.column[~commas] if commas.any() and not decimal else ()
    if grouped := [name for name in others if _grouped(frame[name])]:  # beside 2,5 stands 1.234
        decimals = dict.fromkeys(frame, "") | dict.fromkeys(grouped, ",")
        table, kept = understand(decimals)
    if not (given or target or (table.used & (table.kind == "number")).any()):
        texts = frame[[name for name in table[table.kind == "text"].column if _tells(frame[name])]]
        if len(texts.columns):
            if len(table) > 1:
                notes.append("no column is a quantity, so texts with numbers are read")
            return _texts(path.name, texts, notes, decimal)
    numeric = table[table.used & table.kind.isin(["number", "id", "code"])].column.tolist()
    if target and target not in numeric:
        there = ", ".join(numeric) or "of which there is none"
        raise ValueError(f"the target is a column of numbers ({there}); got {target}")
    if not numeric:
        if (table.note == LONG).any():
            raise ValueError(f"{path.name}: {LONG}")
        if given and not (table.used & (table.kind == "text")).any():
            raise ValueError(f"{path.name}: name a column of numbers, too; got {', '.join(given)}")
        return _texts(path.name, frame[[*given]] if given else frame, notes, decimal)
    used = pd.DataFrame(kept).dropna(how="all", ignore_index=True)
    if n := len(frame) - len(used):
        notes.append(f"rows with none of these columns, left out: {n:,}")
    return Reading(path.name, as_columns(used, target), table, tuple(notes), target)


def _understood(
    frame: pd.DataFrame,
    columns: Sequence[str],
    kinds: Mapping[str, str],
    target: str | None,
    most: int,
    decimals: dict[str, str],
) -> tuple[pd.DataFrame, dict[str, pd.Series]]:
    """What each column is taken for, as in `Reading.columns`, and the values of those used."""
    rows, kept, kept_kinds, wanted = [], {}, {}, {*columns, *kinds, target}
    for i, name in enumerate(frame):
        if i < LOOKED_AT or name in wanted:
            kind, values, note = understood(name, frame[name], kinds.get(name), decimals[name])
        else:
            kind, values, note = "-", None, f"not among the first {LOOKED_AT} columns"
        # models do not read ids, so an id takes no place from other columns
        alike = [k for k in kept if (kept_kinds[k] == "id") == (kind == "id")]
        room = len(alike) < most - (bool(target) and target not in kept and name != target)
        used = name in wanted or (not columns and kind not in ("text", "-") and room)
        if not used and (columns or kind not in ("text", "-")):
            others = f"only {most} are used unless --columns names more"
            note = joined("not among the named columns" if columns else others, note)
        if used:
            kept[name], kept_kinds[name] = values, kind
        n_known = 0 if values is None else int(values.notna().sum())
        if used and kind == "number" and not target and n_known < LEAST <= len(frame):
            note = joined(note, f"{n_known} known numbers are too few to predict")
        missing = int(frame[name].isna().sum() if values is None else values.isna().sum())
        rows.append((name, kind, used, missing, note))
    return pd.DataFrame(rows, columns=FIELDS), kept


def _tells(texts: pd.Series) -> bool:
    """Whether half of some texts have words and a number."""
    words_and_number = r"^(?=.*\s)(?=.*\b[^\W\d_]{2,}\b).*\b\d"
    return texts.dropna().astype(str).str.contains(words_and_number).mean() >= 0.5


def _grouped(raw: pd.Series) -> bool:
    """Whether each point in a column may stand for thousands: in texts alone."""
    raw = raw[[isinstance(value, str) for value in raw]]
    if raw.empty:
        return False
    points = bare(raw.dropna().astype(str).str.strip())[0].str.strip("+-\u2212 ")
    points = points[points.str.contains(".", regex=False)]
    return len(points) > 0 and points.str.fullmatch(DOTS).all()


def _texts(file: str, frame: pd.DataFrame, notes: list[str], decimal: str) -> Reading:
    """The texts with numbers of the first column that has any."""
    power = POWER, r"e\1", "3×10^8 is read as 3e8"
    thousands = THOUSANDS, lambda m: m[1].replace(",", ""), "1,234 is read as 1234"
    groups = GROUPS, lambda m: re.sub(r"\D", "", m[0]), "1'234 is read as 1234"
    point = str.maketrans(",", ".", ".")
    comma = DECIMAL_COMMA, lambda m: m[1].translate(point), "1.234,5 is read as 1234.5"
    for name in frame:
        plain = frame[name].dropna().astype(str)
        for pattern, number, reading in (power, groups, comma if decimal == "," else thousands):
            texts, plain = plain, plain.str.replace(pattern, number, regex=True)
            if n := int((plain != texts).sum()):
                notes.append(f"{reading} (texts: {n:,})")
        found = [DECIMAL_COMMA.findall(text) for text in plain] if not decimal else []
        if n := sum("," in "".join(numbers) for numbers in found):
            notes.append(f'1,5 is read as 1 and 5 (texts: {n:,}); if that is wrong: --decimal ","')
        good = plain[[_has_numbers(text) for text in plain]]
        if len(good):
            n = len(plain) - len(good)
            lost = f"texts without a number, or with one beyond float64, left out: {n:,}"
            row = (name, "text", True, int(frame[name].isna().sum()), lost if n else "")
            table = pd.DataFrame([row], columns=FIELDS)
            return Reading(file, pd.DataFrame({"text": [*good]}), table, tuple(notes))
    names = ", ".join(map(str, frame.columns[:COLUMNS]))
    raise ValueError(f"{file} has no numbers: {len(frame):,} rows of the columns {names}")


def _has_numbers(text: str) -> bool:
    """Whether a text has numbers, all within float64."""
    try:
        refuse_thousands([text])
        return parse([text])[0].numbers.dtype != object
    except ValueError:
        return False
