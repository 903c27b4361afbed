"""How a file is read: its rows, what each column is taken for, and what is left out and why."""

import functools
import itertools
import json
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from pyarrow import parquet

from numlab.encoders.columns import by_column
from numlab.parsing import parse
from numlab.tasks.rows import as_columns

SAMPLE = 20_000  # rows kept of a longer file
CHUNK = 200_000  # rows read at once
COLUMNS = 8  # columns used, unless they are named
LOOKED_AT = 100  # columns whose kind is found out, beside those that are named
WORDS = 50  # different words that a column of words has at most
KINDS = ("number", "id", "code", "words", "date", "dmy", "mdy")
SUFFIXES = (".csv", ".tsv", ".parquet", ".json", ".jsonl", ".ndjson", ".txt", ".md")
THOUSANDS = re.compile(r"(?<![\d.,])([+-]?\d{1,3}(?:,\d{3})+)(?=\.\d|[^\d,.]|[.,]?$|[.,]\s)")
POWER = re.compile(r"(?<=\d)\s*[×·x*]\s*10\s*\^\s*\{?([+-]?\d+)\}?")
DOTS = re.compile(r"^([+-]?[1-9]\d{0,2}(?:\.\d{3})+)(?=,|$)")
COMMA = re.compile(r"[+-]?\d{1,3}(\.\d{3})+,\d+|[+-]?\d*,\d+")
ISO = r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?"
DAY = r"(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})"
LONG = "ids of more than 15 digits are not read: float64 does not keep them"
EMPTY = ("-", "–", "?", "n/a", "none", ".")


@dataclass(frozen=True, eq=False)
class Reading:
    """A file as it was understood.

    `frame` has the columns that are used as float64, a date as year, month, day, or as words; or
    one column "text". `columns` is a DataFrame [column, kind, used, missing, note] of every column
    of the file. Kinds: number, id and code (their digits count, not their size), date, words, text.

    >>> import pandas as pd, tempfile
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
    notes: tuple[str, ...] = ()  # what could be read in another way, and what is left out

    @property
    def of_texts(self) -> bool:
        return self.columns.kind.tolist() == ["text"]

    def of_kind(self, *kinds: str) -> list[str]:
        """The names of the columns of some kinds that are used."""
        return self.columns[self.columns.kind.isin(kinds) & self.columns.used].column.tolist()

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
    most: int = COLUMNS,
) -> Reading:
    """Read a CSV, TSV, Parquet, JSON (a list of rows), JSON-lines, text or Markdown file.

    A longer file is sampled down to 20,000 rows in one pass. A first row of numbers is not a
    header. Beyond 100 columns, only those that are named are looked at. Without a column of
    numbers, the texts of the first column that has any are read. ValueError for a file that is
    missing, is not a table, or has no numbers.

    Parameters
    ----------
    columns : those to use; "name:kind" says what one is: number, id, code, words, date, dmy or mdy.
    target : a column that is used in any case.
    decimal : "," or "."; by default what the numbers of a column look like.
    most : columns that are used, unless they are named.

    >>> import pandas as pd, tempfile
    >>> path = tempfile.mkdtemp() + "/n.csv"; pd.DataFrame({"a": [1.5, 2, 4] * 4}).to_csv(path)
    >>> len(nl.compare.read(path).frame)
    12
    """
    path, notes = Path(path), []
    if decimal not in ("", ",", "."):
        raise ValueError(f'decimal is "," or "."; got {decimal!r}')
    if not path.is_file():
        raise ValueError(f"{path} is a folder" if path.is_dir() else f"there is no file {path}")
    try:
        frame, total = _sample(_chunks(path))
    except (ValueError, KeyError, TypeError, OSError, RecursionError) as error:  # of any reader
        reason = (str(error) or type(error).__name__).splitlines()[0][:200]
        if isinstance(error, UnicodeDecodeError):
            reason = "it is not in UTF-8"
        raise ValueError(f"{path.name} cannot be read as a table: {reason}") from None
    frame = frame.rename(columns=lambda name: str(name).strip())
    if twice := frame.columns[frame.columns.duplicated()].tolist():
        raise ValueError(f"{path.name} has several columns with the name {twice[0]!r}")
    if total > len(frame):
        notes.append(f"{total:,} rows: {len(frame):,} of them, drawn at random, are used")
    said = dict(_named(name, frame) for name in columns)
    wanted = [*said] + ([target] if target and target not in said else [])
    if target and target not in frame:
        raise ValueError(f"{path.name} has the columns {', '.join(frame)}; got {target}")
    rows, kept = [], {}
    for i, name in enumerate(frame):
        if i < LOOKED_AT or name in wanted:
            kind, values, note = _understood(name, frame[name], said.get(name), decimal)
        else:
            kind, values, note = "-", None, f"not among the first {LOOKED_AT} columns"
        room = len(kept) < most - (bool(target) and target not in kept and name != target)
        used = name in wanted if said else name in wanted or (kind not in ("text", "-") and room)
        if not used and not note:
            note = "not among the named columns" if said else f"more than {most} columns"
        if used:
            kept[name] = values
        missing = int(frame[name].isna().sum() if values is None else values.isna().sum())
        rows.append((name, kind, used, missing, note))
    table = pd.DataFrame(rows, columns=["column", "kind", "used", "missing", "note"])
    if not (table.used & table.kind.isin(["number", "id", "code"])).any():
        if (table.note == LONG).any():
            raise ValueError(f"{path.name}: {LONG}")
        if said and not (table.used & (table.kind == "text")).any():
            raise ValueError(f"{path.name}: name a column of numbers, too; got {', '.join(said)}")
        return _texts(path.name, frame[[*said]] if said else frame, notes)
    used = as_columns(pd.DataFrame(kept).dropna(how="all", ignore_index=True))
    return Reading(path.name, used, table, tuple(notes))


def _named(text: str, frame: pd.DataFrame) -> tuple[str, str | None]:
    """A column and what it is said to be."""
    name, _, kind = text.strip().rpartition(":")
    if kind not in KINDS or name not in frame:
        name, kind = text.strip(), None
    if name not in frame:
        known = f"the columns are {', '.join(frame)}, kinds {', '.join(KINDS)}"
        raise ValueError(f"{known}; got {name}")
    return name, kind


def _understood(name: str, raw: pd.Series, said: str | None, decimal: str):
    """The kind of a column ("-": of no use), its values, and why."""
    if raw.dtype.kind == "M":
        return "date", raw, ""
    texts = raw.astype("str").str.strip().where(raw.notna() & (raw.dtype.kind != "b"))
    texts = texts.where(~texts.str.lower().isin([*EMPTY, ""]))
    if texts.isna().all() and raw.dtype.kind != "b":
        return "-", None, "it is empty"
    if said in ("date", "dmy", "mdy") or (not said and raw.dtype.kind not in "iuf"):
        date = _dates(name, texts, said)
        if date is not None:
            return "date", *date
    numbers, note = _numbers(texts, "" if raw.dtype.kind in "iuf" else decimal)
    share = numbers.notna().sum() / max(1, texts.notna().sum())
    if said in ("number", "id", "code") or (not said and share >= 0.5):
        if share < 1:
            bad = texts[numbers.isna() & texts.notna()]
            note = f"{len(bad):,} entries are no numbers: {', '.join(map(repr, bad.unique()[:3]))}"
        kind, why = (said, "") if said else _kind(name, numbers, texts)
        long = texts.str.fullmatch(r"[+-]?[1-9]\d{15,}").any()
        if long and kind in ("id", "code"):
            return "text", texts, LONG
        if long:
            note = "; ".join(filter(None, [note, "float64 keeps 15 digits of a number"]))
        return kind, numbers, why or note
    words = texts if raw.dtype.kind != "b" else raw.astype("str")
    n = words.nunique()
    if said != "words" and (n > WORDS or 2 * n > words.notna().sum()):
        return "text", words, f"{n:,} different texts"
    return "words", words, ""


def _kind(name: str, numbers: pd.Series, texts: pd.Series) -> tuple[str, str]:
    """Number, id or code, and why."""
    x, ask = numbers.dropna(), f"; if it is a quantity: --columns {name}:number"
    whole = (x == np.rint(x)).all() and (x >= 0).all()
    zeros = texts.str.fullmatch(r"0\d+").any()
    called = re.search(r"(?i)(^|[_\W])(ids?|uuid|isbn|phone|zip|plz|code|no)$", name)
    called = called or re.search(r"[a-z]I[dD]$", name)
    ask += "; zeros at the beginning are not kept" if zeros else ""
    if whole and len(x) > 1 and (zeros or called or x.median() >= 1e6):
        unlike = x.nunique() >= 0.95 * len(x)
        ordered = x.is_monotonic_increasing or x.is_monotonic_decreasing
        if unlike and (called or zeros or not ordered):
            return "id", f"whole numbers, nearly all different: taken for an id{ask}"
        if called or zeros:
            return "code", f"it is called so or begins with 0: taken for a code{ask}"
    return "number", ""


def _numbers(texts: pd.Series, decimal: str) -> tuple[pd.Series, str]:
    """Texts as float64, and what could be read in another way."""
    plain = texts.str.replace("\u2212", "-").str.replace(POWER, r"e\1", regex=True)
    plain = plain.str.replace(r"(?<=\d)[\s\u00a0'](?=\d{3}(\D|$))", "", regex=True)
    written, commas = plain, plain[plain.str.contains(",", na=False)]
    grouped = commas.str.fullmatch(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?").all()
    looks = not decimal and not grouped and commas.str.fullmatch(COMMA).all()
    dots = plain[plain.str.contains(r"^[^,]*\.[^,]*$", na=False)]
    if decimal == "," or looks:
        plain = plain.str.replace(DOTS, lambda m: m[1].replace(".", ""), regex=True)
        plain, firsts, other = plain.str.replace(",", "."), [*commas.index[:1], *dots.index[:1]], ""
    else:
        plain = plain.str.replace(THOUSANDS, lambda m: m[1].replace(",", ""), regex=True)
        sure, firsts = commas.str.contains(".", regex=False).any(), commas.index[:1]
        other = '; else: --decimal ","' if len(commas) and not sure else ""
    note = "; ".join(f"{written[i]} is read as {plain[i]}" for i in firsts) + other
    numbers = pd.to_numeric(plain, errors="coerce").astype(float)
    return numbers.where(np.isfinite(numbers)), note


def _dates(name: str, texts: pd.Series, said: str | None) -> tuple[pd.Series, str] | None:
    """Dates and what could be read in another way; None where the texts are none."""
    some = texts.dropna()
    if said == "date" or some.str.fullmatch(ISO).mean() > 0.9:
        return pd.to_datetime(texts, errors="coerce", format="mixed", utc=True), ""
    if not (parts := some.str.extract(f"^{DAY}$").dropna()).shape[0] > 0.9 * len(some):
        return None
    first, second = (parts[i].astype(int).max() for i in (0, 1))
    dots = some.str.contains(".", regex=False).all()
    day_first = said == "dmy" or (said != "mdy" and (first > 12 or dots))
    unsure = not said and first <= 12 and second <= 12
    note = f"{some.iloc[0]} is read with the {'day' if day_first else 'month'} first"
    parts = texts.str.extract(f"^{DAY}$")
    written = parts[[0, 1] if day_first else [1, 0]].agg("/".join, axis=1) + "/" + parts[2]
    found, short = (
        pd.to_datetime(written, errors="coerce", format=f"%d/%m/{year}") for year in ("%Y", "%y")
    )
    found = found.fillna(short)
    if unsure:
        note += f"; else: --columns {name}:{'mdy' if day_first else 'dmy'}"
    if n := int((found.isna() & texts.notna()).sum()):
        note += f"; {n:,} are no such dates"
    return found, note


def _texts(file: str, frame: pd.DataFrame, notes: list[str]) -> Reading:
    """The texts with numbers of the first column that has any."""
    for name in frame:
        plain = frame[name].dropna().astype(str)
        for pattern, number, said in (
            (POWER, r"e\1", "3×10^8 is read as 3e8"),
            (THOUSANDS, lambda m: m[1].replace(",", ""), "1,234 is read as 1234"),
        ):
            texts, plain = plain, plain.str.replace(pattern, number, regex=True)
            if n := int((plain != texts).sum()):
                notes.append(f"in {n:,} texts {said}")
        good = plain[[_has_numbers(text) for text in plain]]
        if len(good):
            note = f"{len(frame) - len(good):,} texts have no number, or one beyond float64"
            row = (name, "text", True, int(frame[name].isna().sum()), note)
            columns = pd.DataFrame([row], columns=["column", "kind", "used", "missing", "note"])
            if len(good) == len(frame):
                columns["note"] = ""
            return Reading(file, pd.DataFrame({"text": [*good]}), columns, tuple(notes))
    names = ", ".join(map(str, frame.columns[:COLUMNS]))
    raise ValueError(f"{file} has no numbers: {len(frame):,} rows of the columns {names}")


def _has_numbers(text: str) -> bool:
    """Whether a text has numbers, all within float64."""
    try:
        return parse([text])[0].numbers.dtype != object
    except ValueError:
        return False


def _chunks(path: Path) -> Iterator[pd.DataFrame]:
    kind = path.suffix.lower()
    if kind in (".csv", ".tsv"):
        yield from _separated(path)
    elif kind in (".jsonl", ".ndjson"):
        with path.open(encoding="utf-8") as lines:
            while part := list(itertools.islice(lines, CHUNK)):
                yield _rows([_json(line) for line in part if line.strip()])
    elif kind == ".json":
        yield _rows(_json(path.read_text("utf-8")))
    elif kind == ".parquet":
        yield from (batch.to_pandas() for batch in parquet.ParquetFile(path).iter_batches(CHUNK))
    elif kind in (".txt", ".md"):
        lines = [line for line in path.read_text("utf-8").splitlines() if line.strip()]
        cells = [re.split(r"\s*(?<!\\)\|\s*", line.strip().strip("|").strip()) for line in lines]
        table = [row for row, line in zip(cells, lines, strict=True) if line.lstrip()[:1] == "|"]
        if table:  # of Markdown; its second line is dashes
            rows = [row for row in table[1:] if set("".join(row)) - set("-: ")]
            yield pd.DataFrame(rows, columns=table[0])
        else:
            yield pd.DataFrame({"text": lines})
    else:
        raise ValueError(f"expected {', '.join(SUFFIXES)}; got {kind or 'none'}")


def _json(text: str):
    try:
        return json.loads(text)  # keeps every digit
    except json.JSONDecodeError as error:
        line = text.split("\n")[error.lineno - 1].strip()
        raise ValueError(f"{error.msg} in the line {line[:60]!r}") from None


def _rows(values: list) -> pd.DataFrame:
    if not isinstance(values, list):
        raise ValueError("expected a list of rows, or of texts")
    return pd.DataFrame([row if isinstance(row, dict) else {"text": row} for row in values])


def _separated(path: Path) -> Iterator[pd.DataFrame]:
    with path.open(encoding="utf-8-sig") as file:
        head = [line for line in itertools.islice(file, 20) if line.strip()]
    counts = {sep: {line.count(sep) for line in head} for sep in "\t;|,"}
    alike = (sep for sep, n in counts.items() if len(n) == 1 and n != {0})
    options = {"sep": next(alike, "\t" if path.suffix == ".tsv" else ","), "dtype": "str"}
    options |= {"index_col": False, "encoding": "utf-8-sig"}
    first = pd.read_csv(path, nrows=0, **options).columns
    if pd.to_numeric(first.to_series(), errors="coerce").notna().all():  # no header
        options |= {"header": None, "names": [f"column {i + 1}" for i in range(len(first))]}
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            yield from pd.read_csv(path, chunksize=CHUNK, **options)
        except pd.errors.ParserWarning:  # pandas would drop the last fields
            raise ValueError("its rows have more fields than its header has names") from None


def _sample(chunks: Iterator[pd.DataFrame]) -> tuple[pd.DataFrame, int]:
    """Random rows in their order, and how many the file has, in one pass."""
    rng, kept, keys, total = np.random.default_rng(0), [], np.zeros(0), 0
    for rows in chunks:
        total += len(rows)
        frame = pd.concat([*kept, rows], ignore_index=True)
        keys = np.concatenate([keys, rng.random(len(rows))])
        least = np.sort(np.argsort(keys)[:SAMPLE])
        kept, keys = [frame.iloc[least]], keys[least]
    if not total:
        raise ValueError("it has no rows")
    return kept[0].reset_index(drop=True), total
