"""Files of tables or texts, read in chunks and sampled in one pass."""

import csv
import itertools
import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype
from pyarrow import parquet

from numlab.compare.kinds import UNIT, in_float64

SAMPLE = 20_000  # rows kept of a longer file
CHUNK = 200_000  # rows read at once
SUFFIXES = (".csv", ".tsv", ".parquet", ".json", ".jsonl", ".ndjson", ".txt", ".md")


def sample(path: Path) -> tuple[pd.DataFrame, int]:
    """At most 20,000 random rows in their order, and how many the file has.

    ValueError, with the reason, for a file that is not a table.
    """
    if not path.is_file():
        raise ValueError(f"{path} is a folder" if path.is_dir() else f"there is no file {path}")
    try:
        frame, total = _sample(_chunks(path))
    except (ValueError, KeyError, TypeError, OSError, RecursionError) as error:  # of any reader
        reason = (str(error) or type(error).__name__).splitlines()[0][:200]
        if isinstance(error, UnicodeDecodeError):
            reason = "it is not UTF-8: save it as UTF-8"
        raise ValueError(f"{path.name} cannot be read as a table: {reason}") from None
    frame = frame.rename(columns=lambda name: str(name).strip())
    if twice := frame.columns[frame.columns.duplicated()].tolist():
        raise ValueError(f"{path.name} has several columns with the name {twice[0]!r}: rename one")
    return frame, total


def _chunks(path: Path) -> Iterator[pd.DataFrame]:
    kind = path.suffix.lower()
    if kind in (".csv", ".tsv"):
        yield from _separated(path)
    elif kind in (".jsonl", ".ndjson"):
        with path.open(encoding="utf-8-sig") as lines:
            while part := list(itertools.islice(lines, CHUNK)):
                yield _rows([_json(line) for line in part if line.strip()])
    elif kind == ".json":
        yield _rows(_json(path.read_text("utf-8-sig")))
    elif kind == ".parquet":
        for batch in parquet.ParquetFile(path).iter_batches(CHUNK):
            frame = batch.to_pandas(ignore_metadata=True, integer_object_nulls=True)
            yield frame.loc[:, ~frame.columns.str.fullmatch(r"__index_level_\d+__")]
    elif kind in (".txt", ".md"):
        lines = path.read_text("utf-8-sig").splitlines()
        begun = itertools.dropwhile(lambda line: line.lstrip()[:1] != "|", lines)
        table = [*itertools.takewhile(lambda line: line.lstrip()[:1] == "|", begun)]
        if table:  # the first of Markdown; its second line is dashes
            inner = (line.strip().removeprefix("|").removesuffix("|").strip() for line in table)
            names, *rows = (re.split(r"\s*(?<!\\)\|\s*", line) for line in inner)
            has_rule = len(rows) > 0 and not set("".join(rows[0])) - set("-: ")
            yield pd.DataFrame(rows[has_rule:], columns=names)
        else:
            yield pd.DataFrame({"text": [line for line in lines if line.strip()]})
    else:
        raise ValueError(f"expected {', '.join(SUFFIXES)}; got {kind or 'none'}")


def _json(text: str):
    try:
        return json.loads(text)  # keeps every digit
    except json.JSONDecodeError as error:
        near = text[max(0, error.pos - 30) : error.pos + 30].strip()
        raise ValueError(f"{error.msg} near {near!r}") from None


def _rows(values: list) -> pd.DataFrame:
    if not isinstance(values, list):
        raise ValueError("expected a list of rows, or of texts")
    rows = [row if isinstance(row, dict) else {"text": row} for row in values]
    frame = pd.DataFrame(rows, dtype=object)  # as float64, integers with a gap lose digits
    return frame.apply(lambda x: x if infer_dtype(x) == "integer" else x.infer_objects())


def _separated(path: Path) -> Iterator[pd.DataFrame]:
    with path.open(encoding="utf-8-sig") as file:
        lines = (line[:5000] for line in itertools.islice(file, 20))  # csv reads 131,072 at most
        head = [line for line in lines if line.strip()]
    counts = {sep: [len(row) for row in csv.reader(head, delimiter=sep)] for sep in "\t;|,"}
    alike = {sep: n.count(n[0]) / len(n) for sep, n in counts.items() if n and n[0] > 1}
    default = "\t" if path.suffix.lower() == ".tsv" else ","
    options = {"sep": max(alike, key=alike.get, default=default), "dtype": "str"}
    options |= {"index_col": False, "encoding": "utf-8-sig"}
    if head and (said := re.fullmatch(r"sep=(.)\s*", head[0])):  # as Excel writes it
        options |= {"sep": said[1], "skiprows": 1}
        head = head[1:]
    first = pd.read_csv(path, header=None, nrows=1, **options).iloc[0]
    named, beside = first.dropna(), [*csv.reader(head[1:2], delimiter=options["sep"])]
    plain = in_float64(named, "")[0].notna()
    below = pd.Series(beside[:1] and beside[0], dtype="str").str.strip()
    units_below = (in_float64(below, "")[0].isna() & below.str.match(UNIT)).any()
    with_unit = named.str.strip().str.match(UNIT) & (units_below or not beside)
    number = r"[-+]?[\d.]+([eE][-+]?\d+)?"
    spaced = named.str.strip().str.fullmatch(rf"{number}(\s+{number})+")  # "1.5 2.5"
    counted = len(first) > 2 and [*first] == [*map(str, range(len(first)))]  # as pandas names them
    if pd.notna(first[0]) and (plain | with_unit | spaced).all() and not counted:  # no header
        options |= {"header": None, "names": [f"column {i + 1}" for i in range(len(first))]}
    elif twice := named[named.duplicated()].tolist():  # pandas would rename them
        rename = "rename one, or write names above if its first row is data"
        raise ValueError(f"it has several columns with the name {twice[0]!r}: {rename}")
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
