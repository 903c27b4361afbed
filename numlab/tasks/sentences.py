"""Sentences in a file, each with a marked number: WikiConvert, Numeracy-600K (float, Sec. 4.1)."""

import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from numlab.examples import Examples, Layout, Slot
from numlab.tasks.base import GivenTask
from numlab.tasks.files import check_fields, checksum, json_values, verify

# commas between thousands, or as in 1,50,000: in 0,5 one may be a decimal point, and it is refused
NUMBER = re.compile(r"[-+]?(([1-9]\d*(,\d{2,3})*,\d{3}|\d+)(\.\d*|,)?|\.\d+)")


@dataclass(frozen=True)
class Sentences(GivenTask):
    """The different sentences of a JSON file. Slot: n0.

    The file has an object on each line, or a list of objects. The fields "offset" and "length"
    mark a number in the text "comment" (of WikiConvert and the market comments of Numeracy-600K)
    or "title" (of its articles), in characters; other fields are ignored. Of several objects
    with one sentence, the last counts.

    deviates: parts of a split are drawn from one file; the paper keeps to those of the publishers.

    `checksum`: SHA-256 of the file, on which a run's address depends; None: that of the file now.

    >>> import json, tempfile
    >>> path = tempfile.mkdtemp() + "/s.json"
    >>> with open(path, "w") as file:
    ...     json.dump([{"comment": "It weighs 1,500 kg.", "offset": 10, "length": 5}], file)
    >>> nl.tasks.Sentences(path).sample(1, seed=0)[0].numbers.tolist()
    [[1500.0]]
    """

    path: str
    checksum: str | None = None

    def __post_init__(self):
        if self.checksum is None:
            object.__setattr__(self, "checksum", checksum(Path(self.path)))

    def layouts(self) -> list[Layout]:
        return list(dict.fromkeys(layout for layout, _ in _read(self)))

    @property
    def usable(self) -> np.ndarray:
        return np.arange(len(_read(self)))

    def _take(self, rows: np.ndarray) -> list[Examples]:
        chosen = (_read(self)[row] for row in rows)
        return [Examples(layout, [[x]], None, [i]) for i, (layout, x) in enumerate(chosen)]


@functools.lru_cache(maxsize=2)
def _read(task: Sentences) -> list[tuple[Layout, float]]:
    """The words around the number, and the number, of each different sentence."""
    verify(Path(task.path), task.checksum)
    return list(dict(_cut(where, record) for where, record in json_values(task.path)).values())


def _cut(where: str, record: Any) -> tuple[str, tuple[Layout, float]]:
    """A sentence; the words around its number, and the number."""
    fields = record if isinstance(record, dict) else {}
    name = "title" if "comment" not in fields and "title" in fields else "comment"
    check_fields(where, record, (name, "offset", "length"))
    text, start, length = (record[field] for field in (name, "offset", "length"))
    if [type(text), type(start), type(length)] != [str, int, int]:
        wanted = f"{name} is a text, offset and length are whole numbers"
        raise ValueError(f"{where}: {wanted}; got {str(record)[:60]!r}")
    end = start + length
    number = text[max(start, 0) : end]
    if start < 0 or not NUMBER.fullmatch(number):
        expected = f"a number at offset {start}, length {length}"
        raise ValueError(f"{where}: expected {expected}; got {number!r} in {text[:60]!r}")
    layout = Layout((text[:start], text[end:]), (Slot("n0"),))
    return text, (layout, float(number.replace(",", "")))
