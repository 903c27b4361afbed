"""The columns of a frame as numbers or words, dates as several columns of numbers."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pandas.api import types

from numlab.numbers import EXACT, written
from numlab.parsing import ISO_DATE, ZONE

if TYPE_CHECKING:
    from numlab.tasks.rows import Table


def as_columns(
    frame: pd.DataFrame, target: str | None = None, like: Table | None = None
) -> pd.DataFrame:
    """Columns as float64 or as words, None where one is missing; dates as several columns,
    durations in hours.

    Columns are typed as in the table `like`; what that lacks is left out. ValueError for what is
    not a DataFrame, two columns of one name, an infinite number, a whole number that float64
    rounds, or a target that is not a column of numbers.
    """
    if not isinstance(frame, pd.DataFrame):
        raise ValueError(f"rows are a DataFrame; got a {type(frame).__name__}")
    columns: dict[str, Any] = {}
    names, words = (like.frame.columns, like._words) if like else ((), {})
    for i, name in enumerate(map(str, frame.columns)):
        was_date = all(f"{name} {part}" in names for part in ("year", "month", "day"))
        if like and name not in names and not was_date:
            continue
        column = _typed(frame.iloc[:, i], words.get(name))
        is_time = types.is_datetime64_any_dtype(column)
        if was_date and name not in names and not is_time:
            dates, wrong = _dates(column)
            if wrong.any():
                expected = f"{name} holds dates such as 2026-11-25"
                raise ValueError(f"{expected}; got {column[wrong].iloc[0]!r}")
            column, is_time = dates, True
        if is_time:
            time = column.dt
            parts = {"year": time.year, "month": time.month, "day": time.day}
            seconds = time.second + time.microsecond / 1e6
            parts["hour"] = time.hour + time.minute / 60 + seconds / 3600
            if parts["hour"].fillna(0).eq(0).all() and f"{name} hour" not in names:
                del parts["hour"]
            own = {f"{name} {part}": x for part, x in parts.items()}
        elif name not in words and types.is_any_real_numeric_dtype(column):
            refuse_rounded(frame.iloc[:, i], name)
            own = {name: column.astype(float)}
            if np.isinf(own[name]).any():
                raise ValueError(f"numbers are finite; got an infinite one in {name}")
        else:
            texts = column.astype(object).where(column.notna(), "")
            own = {name: [_word(text, words.get(name)) or None for text in texts]}
            if column.dtype == "category":  # stay words, even dates
                own = {name: pd.Categorical(own[name])}
        if twice := own.keys() & columns.keys():
            raise ValueError(f"columns have different names; got {min(twice)} twice")
        columns |= own
    found = pd.DataFrame(columns, index=frame.index)
    numbers = [name for name in found if types.is_numeric_dtype(found[name])]
    if target is not None and target not in numbers:
        there = ", ".join(numbers) or "of which there is none"
        raise ValueError(f"the target is a column of numbers ({there}); got {target}")
    return found.astype(dict.fromkeys(numbers, float))


def refuse_rounded(column: pd.Series, name: str) -> None:
    """ValueError for whole numbers that float64 does not hold exactly, such as long ids."""
    some = column.dropna()
    if types.infer_dtype(some) in ("integer", "decimal", "mixed-integer-float"):
        for n in some[[bool(EXACT < x < math.inf or -math.inf < x < -EXACT) for x in some]]:
            if n == int(n) and (abs(n) > sys.float_info.max or int(n) != int(float(n))):
                got = f"{written(int(n))} in {name}"
                rounded = f"float64 rounds whole numbers above 2^53; got {got}"
                raise ValueError(f"{rounded}: if they are ids, pass texts; else divide them")


def _typed(column: pd.Series, known: Sequence[str] | None) -> pd.Series:
    """Objects that are all numbers as numbers, and days, or texts in ISO 8601, as times; durations
    as hours.

    Other columns are unchanged; so are `known` words.
    """
    if known or column.dtype == "category":
        return column
    if types.is_object_dtype(column) or types.is_string_dtype(column):
        column = column.mask(column == "")  # of a file, a missing value
    some = column.dropna().astype(object)
    kind = types.infer_dtype(some)
    if kind == "datetime" and column.dtype != object:
        return column  # stays in its time zone
    if kind == "timedelta" or types.is_timedelta64_dtype(column):
        return pd.to_timedelta(column).dt.total_seconds() / 3600
    if kind in ("floating", "integer", "mixed-integer-float", "decimal"):
        try:
            return column.astype(object).where(column.notna(), np.nan).astype(float)
        except OverflowError:
            raise ValueError(f"{column.name} has a number that float64 does not hold") from None
    _warn_of_few_words(some, column.name)
    if kind in ("date", "datetime") or (kind == "string" and some.str.fullmatch(ISO_DATE).all()):
        dates, wrong = _dates(column)
        return column if wrong.any() else dates  # 2026-02-30 is a word
    return column


def _warn_of_few_words(some: pd.Series, name: str) -> None:
    """Warn where most values of a column could be numbers, but texts such as "1.5" or one "<0.1"
    make all of them words."""
    some = some[~some.map(lambda value: isinstance(value, bool) or value == "")]
    lacks = pd.to_numeric(some, errors="coerce").isna()
    is_word = lacks if lacks.any() else some.map(lambda value: isinstance(value, str))
    if is_word.any() and lacks.sum() < len(some) / 2:
        why = "is no number" if lacks.any() else "is a text"
        words = f"column {name} holds words, as {some[is_word].iloc[0]!r} {why}"
        advice = "pass pd.to_numeric(column, errors='coerce'), or astype('category') to keep words"
        warnings.warn(f"{words}: {advice}", stacklevel=6)


def _dates(column: pd.Series) -> tuple[pd.Series, pd.Series]:
    """A column as times, and which of its values are none."""
    texts = column.astype(object).map(str, na_action="ignore").astype("str")
    local = texts.str.replace(ZONE, r"\1", regex=True)
    dates = pd.to_datetime(local, format="ISO8601", errors="coerce")
    return dates, column.notna() & dates.isna()


def _word(value, known: Sequence[str] | None) -> str:
    """A value as a word. Pandas may have made 3.0 of 3, or 1 of True: a known word wins.

    It may have made the known words, too: 3.0 where there was a gap.
    """
    text = str(value)
    if known and text not in known:
        text = text.removesuffix(".0")
        forms = text, f"{text}.0", {"1": "True", "0": "False"}.get(text, text)
        text = next((form for form in forms if form in known), text)
    return text
