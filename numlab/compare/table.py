"""A file of texts or of columns of numbers, read so that whatever is wrong is said in words."""

from __future__ import annotations

import functools
import itertools
import json
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from numlab.examples import Examples, Layout, Slot, parse

if TYPE_CHECKING:
    import pandas as pd

SAMPLE = 20_000  # rows that are looked at; of longer files, so many drawn at random
CHUNK = 200_000  # rows read at once
COLUMNS = 6  # of numbers, the first of the file
TEXT = "text"


@dataclass(frozen=True, eq=False)
class Table:
    """What is looked at of a file.

    Attributes
    ----------
    frame : DataFrame
        Columns of float64 without NaN; or one column of texts, each with a number.
    notes : tuple of str
        What was left out, and why: sentences for the reader.
    """

    name: str
    frame: pd.DataFrame
    notes: tuple[str, ...]

    @property
    def of_texts(self) -> bool:
        return self.frame.iloc[:, 0].dtype.kind != "f"

    @functools.cached_property
    def examples(self) -> list[Examples]:
        """The rows as texts with slots: columns as "a=1.5, b=2"; one column is said twice."""
        if self.of_texts:
            return parse(self.frame.iloc[:, 0].tolist())
        names, numbers = list(self.frame.columns), self.frame.to_numpy()
        if len(names) == 1:  # nothing else to learn it from
            names, numbers = [names[0], f"{names[0]} again"], numbers[:, [0, 0]]
        literals = [f"{', ' if i else ''}{name}=" for i, name in enumerate(names)]
        layout = Layout((*literals, ""), tuple(Slot(f"n{i}") for i in range(len(names))))
        return [Examples(layout, numbers, None, np.arange(len(numbers)))]

    @functools.cached_property
    def numbers(self) -> np.ndarray:
        """(n,) float64: every number of the rows, in the order of the layouts."""
        if self.of_texts:
            return np.concatenate([e.numbers.astype(float).ravel() for e in self.examples])
        return self.frame.to_numpy().ravel()


def read(path: str | Path) -> Table:
    """Read a CSV, TSV, Parquet or JSON-lines file.

    Columns in which most entries are numbers are taken as numbers, else the first column of texts
    in which there are numbers. A first row of numbers is no header. Of a file of more than 20,000
    rows so many are drawn at random, in one pass. Rows with an entry that is no finite number are
    left out, and counted.

    Raises
    ------
    ValueError
        For a file that is not there, is no table, or has no numbers: in words.
    """
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    try:
        frame, total = _sampled(_chunks(path))
    except (ValueError, KeyError, TypeError, OSError) as error:  # each reader has errors of its own
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise ValueError(f"{path.name} cannot be read as a table: {reason}") from None
    notes = []
    if total > len(frame):
        notes.append(f"{total:,} rows: {len(frame):,} of them, drawn at random, are looked at")
    numbers = _numeric(frame, notes)
    if numbers is not None:
        return Table(path.name, numbers, tuple(notes))
    texts = _texts(frame, notes)
    if texts is None:
        names = ", ".join(map(str, frame.columns[:COLUMNS]))
        raise ValueError(f"{path.name} has no numbers: {total:,} rows of the columns {names}")
    return Table(path.name, texts, tuple(notes))


def _chunks(path: Path) -> Iterator[pd.DataFrame]:
    import pandas as pd

    kind = path.suffix.lower()
    if kind in (".csv", ".tsv"):
        separator = "\t" if kind == ".tsv" else ","
        how = {"sep": separator, "low_memory": False, "index_col": False}
        first = pd.read_csv(path, nrows=0, **how).columns
        if pd.to_numeric(first.to_series(), errors="coerce").notna().all():  # no header
            how |= {"header": None, "names": [f"column {i + 1}" for i in range(len(first))]}
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            try:
                yield from pd.read_csv(path, chunksize=CHUNK, **how)
            except pd.errors.ParserWarning:  # it would leave the last ones out
                raise ValueError("its rows have more fields than its header has names") from None
    elif kind in (".jsonl", ".ndjson"):
        yield from _json_lines(path)
    elif kind == ".parquet":
        from pyarrow import parquet

        for batch in parquet.ParquetFile(path).iter_batches(CHUNK):
            yield batch.to_pandas()
    else:
        raise ValueError(f"expected .csv, .tsv, .parquet, .jsonl or .ndjson; got {kind or 'none'}")


def _json_lines(path: Path) -> Iterator[pd.DataFrame]:
    """Objects, a row each, or values: by Python's own reader, which keeps every digit."""
    import pandas as pd

    with path.open(encoding="utf-8") as lines:
        while part := list(itertools.islice(lines, CHUNK)):
            rows = [json.loads(line) for line in part if line.strip()]
            yield pd.DataFrame([row if isinstance(row, dict) else {TEXT: row} for row in rows])


def _sampled(chunks: Iterator[pd.DataFrame]) -> tuple[pd.DataFrame, int]:
    """A random sample of the rows, in their order, and how many there are: in one pass."""
    import pandas as pd

    rng, kept, total = np.random.default_rng(0), [], 0
    for chunk in chunks:
        rows = chunk.reset_index(drop=True)
        kept.append(rows.assign(**{" key": rng.random(len(rows)), " row": total + rows.index}))
        total += len(rows)
        if sum(map(len, kept)) > SAMPLE:
            kept = [pd.concat(kept, ignore_index=True).nsmallest(SAMPLE, " key")]
    if not total:
        raise ValueError("it has no rows")
    frame = pd.concat(kept, ignore_index=True).sort_values(" row", ignore_index=True)
    return frame.drop(columns=[" key", " row"]), total


def _numeric(frame: pd.DataFrame, notes: list[str]) -> pd.DataFrame | None:
    """The columns of numbers, without rows that have gaps; None where there is none."""
    import pandas as pd

    found, bad = {}, {}
    for name in frame:
        given = frame[name]
        if given.dtype.kind in "bmM":
            continue
        numbers = pd.to_numeric(given, errors="coerce").astype(float)
        finite = np.isfinite(numbers)
        if finite.mean() < 0.5:
            continue
        found[str(name)] = numbers.where(finite)
        empty = int((given.isna() | np.isinf(numbers)).sum())
        if empty:
            bad[str(name)] = [f"{empty:,} entries of {name} are empty, NaN or infinite"]
        words = given[~finite & given.notna() & ~np.isinf(numbers)]
        if len(words):
            said = f"{len(words):,} entries of {name} are no numbers, such as {words.iloc[0]!r}"
            bad.setdefault(str(name), []).append(said)
    if not found:
        return None
    if len(found) > COLUMNS:
        notes.append(f"{len(found)} columns of numbers: the first {COLUMNS} are looked at")
    table = pd.DataFrame(dict(list(found.items())[:COLUMNS]))
    whole = table.dropna(ignore_index=True)
    notes.extend(said for name in table for said in bad.get(name, ()))
    if len(whole) < len(table):
        notes.append(f"{len(table) - len(whole):,} of {len(table):,} rows are left out for that")
    if not len(whole):
        raise ValueError(f"no row has a number in each of the columns {', '.join(table)}")
    return whole


def _texts(frame: pd.DataFrame, notes: list[str]) -> pd.DataFrame | None:
    """The first column of texts with numbers in them; None where there is none."""
    for name in frame:
        texts = frame[name].dropna().astype(str)
        good = texts[[_parses(text) for text in texts]]
        if len(good):
            if len(good) < len(frame):
                less = len(frame) - len(good)
                notes.append(
                    f"{less:,} texts of {name} have no number, or one that float64 does not hold"
                )
            return good.to_frame(TEXT).reset_index(drop=True)
    return None


def _parses(text: str) -> bool:
    """Whether it has numbers, all of which float64 holds."""
    try:
        return parse([text])[0].numbers.dtype != object
    except ValueError:
        return False
