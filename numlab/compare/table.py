"""Read a file of texts or of columns of numbers, and explain what is wrong with it."""

import functools
import itertools
import json
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from pyarrow import parquet

from numlab.examples import Examples, Layout, Slot, parse

SAMPLE = 20_000  # rows kept of a longer file
CHUNK = 200_000  # rows read at once
COLUMNS = 6  # columns of numbers kept


@dataclass(frozen=True, eq=False)
class Table:
    """Rows to compare encoders on.

    Attributes
    ----------
    frame : DataFrame
        Columns of finite float64; or one column of texts with a number in each.
    notes : tuple of str
        What was left out, and why.
    """

    name: str
    frame: pd.DataFrame
    notes: tuple[str, ...] = ()

    @property
    def of_texts(self) -> bool:
        return self.frame.iloc[:, 0].dtype.kind != "f"

    @functools.cached_property
    def examples(self) -> list[Examples]:
        """The rows as texts, columns as "a=1.5, b=2"; the index of a text is its row."""
        frame = self.frame
        if self.of_texts:
            return parse(frame.iloc[:, 0].tolist())
        if len(frame.columns) == 1:  # shown twice: else there is nothing to predict it from
            frame = frame.assign(**{f"{frame.columns[0]} again": frame.iloc[:, 0]})
        literals = [f"{', ' if i else ''}{name}=" for i, name in enumerate(frame)]
        layout = Layout((*literals, ""), tuple(Slot(f"n{i}") for i in range(len(literals))))
        return [Examples(layout, frame.to_numpy(), None, np.arange(len(frame)))]

    @property
    def numbers(self) -> np.ndarray:
        """(n,) float64: the numbers of all rows."""
        if self.of_texts:
            return np.concatenate([e.numbers.astype(float).ravel() for e in self.examples])
        return self.frame.to_numpy().ravel()


def read(path: str | Path) -> Table:
    """Read a CSV, TSV, Parquet or JSON-lines file.

    Takes the first 6 columns that are mostly numbers, else the first column of texts with numbers
    in them. Rows with an entry that is not a finite number are dropped and counted. A longer file
    is sampled down to 20,000 rows in one pass. A first row of numbers is not a header.
    ValueError for a file that is missing, is not a table, or has no numbers.
    """
    path, notes = Path(path), []
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    try:
        frame, total = _sample(_chunks(path))
    except (ValueError, KeyError, TypeError, OSError) as error:  # whatever a reader raises
        reason = (str(error) or type(error).__name__).splitlines()[0][:200]
        raise ValueError(f"{path.name} cannot be read as a table: {reason}") from None
    if total > len(frame):
        notes.append(f"{total:,} rows: {len(frame):,} of them, drawn at random, are used")
    for select in (_number_columns, _text_column):
        selected = select(frame, notes)
        if selected is not None:
            return Table(path.name, selected, tuple(notes))
    names = ", ".join(map(str, frame.columns[:COLUMNS]))
    raise ValueError(f"{path.name} has no numbers: {total:,} rows of the columns {names}")


def _chunks(path: Path) -> Iterator[pd.DataFrame]:

    kind = path.suffix.lower()
    if kind in (".csv", ".tsv"):
        yield from _separated(path, sep="\t" if kind == ".tsv" else ",")
    elif kind in (".jsonl", ".ndjson"):
        with path.open(encoding="utf-8") as lines:
            while part := list(itertools.islice(lines, CHUNK)):
                rows = [json.loads(line) for line in part if line.strip()]  # keeps every digit
                yield pd.DataFrame([r if isinstance(r, dict) else {"text": r} for r in rows])
    elif kind == ".parquet":
        yield from (batch.to_pandas() for batch in parquet.ParquetFile(path).iter_batches(CHUNK))
    else:
        raise ValueError(f"expected .csv, .tsv, .parquet, .jsonl or .ndjson; got {kind or 'none'}")


def _separated(path: Path, **options) -> Iterator[pd.DataFrame]:

    options |= {"low_memory": False, "index_col": False}
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

    rng, kept, total, key = np.random.default_rng(0), [], 0, " key"
    for rows in chunks:
        total += len(rows)
        frame = pd.concat([*kept, rows.assign(**{key: rng.random(len(rows))})], ignore_index=True)
        kept = [frame.nsmallest(SAMPLE, key).sort_index()]
    if not total:
        raise ValueError("it has no rows")
    return kept[0].drop(columns=key).reset_index(drop=True), total


def _number_columns(frame: pd.DataFrame, notes: list[str]) -> pd.DataFrame | None:
    """The rows with a number in each column of numbers; None without such columns."""

    columns = frame.loc[:, [dtype.kind not in "bmM" for dtype in frame.dtypes]]
    numbers = columns.apply(pd.to_numeric, errors="coerce").astype(float)
    numbers = numbers.where(np.isfinite(numbers))
    numbers = numbers.loc[:, numbers.notna().mean() >= 0.5]
    if not len(numbers.columns):
        return None
    if len(numbers.columns) > COLUMNS:
        notes.append(f"{len(numbers.columns)} columns of numbers: the first {COLUMNS} are used")
    numbers = numbers.iloc[:, :COLUMNS]
    for name in numbers:
        bad = columns.loc[numbers[name].isna(), name]
        if len(bad):
            first = ", ".join(map(repr, bad.unique()[:3].tolist()))
            notes.append(f"{len(bad):,} entries of {name} are not finite numbers: {first}")
    complete = numbers.dropna(ignore_index=True).rename(columns=str)
    if complete.empty:
        raise ValueError(f"no row has a number in each of the columns {', '.join(complete)}")
    if less := len(numbers) - len(complete):
        notes.append(f"{less:,} of {len(numbers):,} rows are left out for that")
    return complete


def _text_column(frame: pd.DataFrame, notes: list[str]) -> pd.DataFrame | None:
    """The texts with numbers of the first column that has any; None without such a column."""
    for name in frame:
        texts = frame[name].dropna().astype(str)
        good = texts[[_has_numbers(text) for text in texts]]
        if len(good):
            if less := len(frame) - len(good):
                notes.append(f"{less:,} texts of {name} have no number, or one beyond float64")
            return good.to_frame("text").reset_index(drop=True)
    return None


def _has_numbers(text: str) -> bool:
    """Whether a text has numbers, all within float64."""
    try:
        return parse([text])[0].numbers.dtype != object
    except ValueError:
        return False
