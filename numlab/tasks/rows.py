"""Your own data as a task: rows of a table, or texts, stored under a digest of their content."""

import abc
import functools
import glob
import hashlib
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from numlab import store
from numlab.examples import Examples, Layout, Slot, matches
from numlab.parsing import parse, refuse_thousands
from numlab.tasks.base import GivenTask
from numlab.tasks.frames import as_columns

MISSING = " ?"  # what stands in a text for a value that a row lacks


class Rows(GivenTask):
    """Rows that the store keeps under the checksum of their content.

    `without` lists open intervals: rows with a number in one of them are only in `held_out`.
    """

    rows: str  # pass data: they are stored, and the field becomes their checksum
    without: tuple[tuple[str, float, float], ...]  # (pattern of slots, low, high)
    slots: str  # a pattern of the slots that are predicted
    examples: list[Examples]  # all rows, those held out too; `index` is a row of `frame`

    @abc.abstractmethod
    def read(self, rows) -> list[Examples]:
        """Other rows of the same form; `index` is a row's place. A table may lack its target."""

    @functools.cached_property
    def frame(self) -> pd.DataFrame:
        """The rows as they are kept."""
        return _load(_entry(self.rows))

    def __getstate__(self):
        """With the rows, as there may be no store where it is read."""
        return vars(self) | {"frame": self.frame}

    @functools.cached_property
    def is_held_out(self) -> np.ndarray:
        """(rows,) bool: which rows have a number in an interval that is left out."""
        inside = np.zeros(len(self.frame), bool)
        slots = dict.fromkeys(name for e in self.examples for name in e.layout.number_slots)
        for gap in self.without:
            inner = {slot for slot in slots if len(gap) == 3 and matches(slot, gap[:1])}
            if not (inner and gap[1] < gap[2]):
                wanted = f"(slot, low, high) of the slots {', '.join(slots)}"
                raise ValueError(f"without is of {wanted}, with low < high; got {gap!r}")
            for e in self.examples:
                for name in inner.intersection(e.layout.number_slots):
                    x = e.column(name)
                    inside[e.index] |= ((x > gap[1]) & (x < gap[2])).astype(bool)
        return inside

    @property
    def held_out(self) -> list[Examples]:
        """The texts of the rows that `without` leaves out, for a test in the gap."""
        return self._take(np.flatnonzero(self.is_asked & self.is_held_out))

    def layouts(self) -> list[Layout]:
        return [e.layout for e in self.examples]

    @functools.cached_property
    def is_asked(self) -> np.ndarray:
        """(rows,) bool: which rows have a number that is predicted."""
        rows = np.zeros(len(self.frame), bool)
        for e in self.examples:
            rows[e.index] = any(matches(name, (self.slots,)) for name in e.layout.number_slots)
        return rows

    @property
    def usable(self) -> np.ndarray:
        """Indices of the rows that can be trained on: asked, and in no interval of `without`."""
        return np.flatnonzero(self.is_asked & ~self.is_held_out)

    @property
    def usable_texts(self) -> list[Examples]:
        """The texts of these rows."""
        return self._take(self.usable)

    def _take(self, rows: np.ndarray) -> list[Examples]:
        place = np.full(len(self.frame), -1)
        place[rows] = np.arange(len(rows))
        taken = (e.take(place[e.index] >= 0) for e in self.examples)
        return [replace(e, index=place[e.index]) for e in taken if len(e)]


@dataclass(frozen=True)
class Table(Rows):
    """Rows of a table as texts "a=1.5 kind=blue b= ?". A column's name is the name of its slot.

    Columns of numbers have slots of numbers; days and times, also as texts such as 2026-11-25,
    become columns of their year, month, day and hour; durations are hours; all else, and what is
    categorical, is words. The hour of a time is that of the time zone in which it is given:
    other rows need the same one. A value that is missing is "?": the row stays. Rows that
    repeat are observations, and all are kept: parts of a split share no row, but may share a
    text. ValueError for two columns of one name, an infinite number, a whole number that
    float64 rounds, or a target that is not a column of numbers.

    Parameters
    ----------
    rows : DataFrame, or the checksum of one that the store holds.
    target : the column of numbers that is predicted, last in a text; rows without it are left out.
        None: any column of numbers.
    without : open intervals (column, low, high): rows with a number in one of them are only in
        `held_out`. Pass glob.escape(name) for a name with *, ? or [.

    >>> Table(pd.DataFrame({"b": [2.0, 4.0], "a": [1.5, None]}), "b").layouts()[1].literals
    ('a= ? b=', '')

    A model that learns the target, from columns in their own units (train longer, 40 epochs, say):

    >>> x = np.arange(40.0)
    >>> task = Table(pd.DataFrame({"x": x, "y": 3 * x}), target="y")
    >>> train = task.split((4, 8, 28), seed=0)[-1]  # as the run below draws them
    >>> encoder = nl.encoders.Standardised.fit(train)
    >>> objective = nl.MaskedLM(slots=1.0, literals=0.0, only="y")
    >>> sizes = {"n_train": 28, "n_valid": 8, "n_test": 4, "steps": 2, "learning_rate": 3e-3}
    >>> spec = nl.RunSpec(task, encoder, objective, nl.GPT2(8, 1, 1), **sizes)
    >>> nl.train(spec).predict(pd.DataFrame({"x": [5.0, 6.0]})).columns.tolist()
    ['example', 'slot', 'predicted', 'low', 'high']
    """

    rows: Any
    target: str | None = None
    without: tuple[tuple[str, float, float], ...] = ()

    def __post_init__(self):
        if self.target is not None:
            object.__setattr__(self, "target", str(self.target))
        if isinstance(self.rows, str):
            _entry(self.rows)  # or an error
            return
        last = [] if self.target is None else [self.target]
        frame = as_columns(self.rows, self.target)
        object.__setattr__(self, "rows", _keep(frame[[*frame.columns.drop(last), *last]]))

    @property
    def slots(self) -> str:
        return "*" if self.target is None else glob.escape(self.target)

    def read(self, rows: pd.DataFrame) -> list[Examples]:
        kept = self.frame
        given = as_columns(rows, like=self)
        if lacking := [n for n in kept if n not in given and n != self.target]:
            got = f"{'dates' if lacking[0] in rows else 'no'} {lacking[0]}"
            raise ValueError(f"rows have the columns {', '.join(kept)}; got {got}")
        given = given.reindex(columns=kept.columns)
        for name in kept.select_dtypes(float):
            numbers = pd.to_numeric(given[name], errors="coerce").astype(float)
            if (wrong := given[name].notna() & ~np.isfinite(numbers)).any():
                raise ValueError(f"{name} holds numbers; got {given[name][wrong].iloc[0]!r}")
            given[name] = numbers
        for name, words in self._words.items():
            new = given[name].dropna()
            if len(new := new[~new.isin(words)]):
                unlike = f"{new.iloc[0]!r} is no word of {name} in the table"
                warnings.warn(f"{unlike}: such words count as missing", stacklevel=2)
        if self.target is not None:  # hidden from a model, but the slot needs a number
            lacks = given[self.target].isna()
            if 0 < lacks.sum() < len(lacks):
                held = f"{lacks.sum()} of {len(lacks)} rows lack {self.target}"
                warnings.warn(f"{held}: their true number is a placeholder", stacklevel=2)
            given[self.target] = given[self.target].fillna(kept[self.target].dropna().iloc[0])
        return self._texts(given)

    @functools.cached_property
    def examples(self) -> list[Examples]:
        return self._texts(self.frame)

    @functools.cached_property
    def _words(self) -> dict[str, tuple[str, ...]]:
        """The words of each column that has no numbers."""
        columns = self.frame.select_dtypes(exclude=float).items()
        return {name: (MISSING, *sorted({*own.dropna()} - {MISSING})) for name, own in columns}

    def _texts(self, frame: pd.DataFrame) -> list[Examples]:
        numbers = frame.drop(columns=self._words).to_numpy(float)
        codes = [pd.Index(w).get_indexer(frame[n]) for n, w in self._words.items()]
        codes = [np.maximum(c, 0) for c in codes]  # a word not seen is missing
        patterns, which = np.unique(np.isnan(numbers), axis=0, return_inverse=True)
        parts = []
        for i, missing in enumerate(patterns):
            rows = np.flatnonzero(which.ravel() == i)
            own = np.stack(codes, 1)[rows] if codes else None
            parts.append(Examples(self._layout(missing), numbers[rows][:, ~missing], own, rows))
        return parts

    def _layout(self, missing: np.ndarray) -> Layout:
        """The layout of rows that lack some of the numbers."""
        literals, slots, lacks = [""], [], iter(missing.tolist())
        for i, name in enumerate(self.frame):
            literals[-1] += f"{' ' if i else ''}{name}="
            if name not in self._words and next(lacks):
                literals[-1] += MISSING
            else:
                slots.append(Slot(name, self._words.get(name)))
                literals.append("")
        return Layout(literals, slots)


@dataclass(frozen=True)
class Texts(Rows):
    """Texts with numbers, found by `parse`: slots n0, n1, ... Repeated texts count once.

    Parameters
    ----------
    rows : list of str, or the checksum of one that the store holds. ValueError for a number such as
        1,000 or 1'000 and, when they are first used, for a text without a number.
    target : a pattern of the slots that are predicted.
    without : open intervals (slot, low, high): texts with a number in one are only in `held_out`.

    >>> nl.tasks.Texts(["2 kg cost 3.5", "5 kg cost 8"], target="n1").layouts()[0].literals
    ('', ' kg cost ', '')
    """

    rows: Any
    target: str = "*"
    without: tuple[tuple[str, float, float], ...] = ()

    def __post_init__(self):
        if not isinstance(self.target, str):
            raise ValueError(f"target is a pattern of slots, such as 'n1'; got {self.target!r}")
        if isinstance(self.rows, str):
            _entry(self.rows)  # or an error
        else:
            frame = pd.DataFrame({"text": _checked(self.rows)})
            object.__setattr__(self, "rows", _keep(frame.drop_duplicates()))

    @property
    def slots(self) -> str:
        return self.target

    def read(self, rows: Sequence[str]) -> list[Examples]:
        return parse(_checked(rows))

    @functools.cached_property
    def examples(self) -> list[Examples]:
        return parse(self.frame["text"].tolist())


def _checked(rows: Sequence[str]) -> list[str]:
    """The texts, or a ValueError for what is no list of them."""
    if isinstance(rows, str):
        raise ValueError(f"rows are a list of texts; got the text {rows[:40]!r}")
    if isinstance(rows, pd.DataFrame):
        raise ValueError("rows are a list of texts; got a DataFrame: pass one column")
    refuse_thousands(texts := [*rows])
    return texts


def _keep(frame: pd.DataFrame) -> str:
    """Store the rows of a frame; their checksum."""
    if frame.empty:
        raise ValueError(f"rows and columns are needed; got {len(frame)} and {len(frame.columns)}")
    frame = frame.reset_index(drop=True)
    kinds = " ".join(column.dtype.kind for _, column in frame.items())
    content = frame.to_csv(index=False) + kinds  # 1 and "1" are alike in a file only
    checksum = hashlib.sha256(content.encode()).hexdigest()[:20]
    entry = _entry(checksum)
    with store.lock(entry):
        if not store.intact(entry):
            store.write(entry, lambda draft: frame.to_parquet(draft / "rows.parquet"))
    return checksum


def _entry(checksum: str) -> Path:
    if not re.fullmatch("[0-9a-f]{20}", checksum):  # a stored spec may say anything
        expected = "rows are data, or the checksum of stored ones (20 hexadecimal digits)"
        raise ValueError(f"{expected}; got {checksum!r}")
    return store.home() / "data" / "own" / checksum


@functools.lru_cache(maxsize=8)
def _load(entry: Path) -> pd.DataFrame:
    with store.lock(entry):
        if not store.intact(entry):
            raise ValueError(f"the store holds no rows {entry.name}: read the data again")
        return pd.read_parquet(entry / "rows.parquet")
