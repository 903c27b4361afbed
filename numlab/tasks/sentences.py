"""Sentences of a file, a number marked in each: WikiConvert, Numeracy-600K (float, 4.1)."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from numlab.examples import Examples, Layout, Slot
from numlab.tasks.base import Task, check_seed, check_size, hold

TEXTS = ("comment", "title")  # of WikiConvert and the market comments, of the article titles
NUMBER = re.compile(r"[-+]?(\d[\d,]*\.?\d*|\.\d+)")


@dataclass(frozen=True)
class Sentences(Task):
    """Sentences as their file has them, in random order, each once.

    The file is JSON: an object a line, or one list of them. An object holds a text ("comment" or
    "title") and where the number stands in it ("offset" and "length", in characters); what else
    it holds is left alone, other numbers in the text too. Slot: n0.

    deviates: parts of a split are drawn from one file; the paper keeps to those of the publishers.

    Parameters
    ----------
    path : str
    checksum : str, optional
        SHA-256 of the file. Without it a run has its address by the file's name alone.
    """

    version: ClassVar[int] = 1
    stored: ClassVar[bool] = False

    path: str
    checksum: str | None = None

    def layouts(self) -> list[Layout]:
        return list(dict.fromkeys(_layout(before, after) for before, _, after in _read(self)))

    def sample(self, n: int, seed: int, **fixed) -> list[Examples]:
        """Draw n sentences; no parameter can be held."""
        hold(fixed, {}, check_size(n))
        return self.split((n,), seed)[0]

    def split(self, sizes: Sequence[int], seed: int) -> tuple[list[Examples], ...]:
        """Draw corpora that share no sentence.

        Raises
        ------
        ValueError
            Where the file has fewer sentences; where an offset does not match; with the line.
        """
        records = _read(self)
        ends = np.cumsum([0, *map(check_size, sizes)])
        if ends[-1] > len(records):
            raise ValueError(f"{self.path} has {len(records)} sentences; {ends[-1]} are asked for")
        order = np.random.default_rng(check_seed(seed)).permutation(len(records))
        return tuple(
            [_example(*records[row], i) for i, row in enumerate(order[start:end])]
            for start, end in itertools.pairwise(ends)
        )


def _layout(before: str, after: str) -> Layout:
    return Layout((before, after), (Slot("n0"),))


def _example(before: str, number: float, after: str, place: int) -> Examples:
    return Examples(_layout(before, after), [[number]], None, np.array([place]))


@functools.lru_cache(maxsize=2)
def _read(task: Sentences) -> list[tuple[str, float, str]]:
    """What stands before each number, the number, and what stands after it."""
    content = Path(task.path).read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if task.checksum not in (None, found):
        raise ValueError(f"{task.path} has the checksum {task.checksum}; got {found}")
    texts = {}
    for line, record in _records(content.decode("utf-8"), task.path):
        text, cut = _cut(record, f"{task.path}, sentence {line}")
        texts.setdefault(text, cut)  # one that comes twice could be in two parts of a split
    return list(texts.values())


def _records(content: str, path: str) -> Iterator[tuple[int, Any]]:
    if content.lstrip().startswith("["):
        yield from enumerate(json.loads(content), 1)
        return
    for line, text in enumerate(content.splitlines(), 1):
        if text.strip():
            try:
                yield line, json.loads(text)
            except json.JSONDecodeError as error:
                raise ValueError(f"{path}, line {line} is no JSON: {error}") from None


def _cut(record: Any, where: str) -> tuple[str, tuple[str, float, str]]:
    name = next((name for name in TEXTS if name in record), None)
    missing = [key for key in ("offset", "length") if key not in record]
    if name is None or missing:
        wanted = missing or [" or ".join(TEXTS)]
        raise ValueError(f"{where}: expected {', '.join(wanted)}; got {', '.join(record)}")
    text, start = record[name], int(record["offset"])
    said = text[start : start + int(record["length"])] if start >= 0 else ""
    if not NUMBER.fullmatch(said):
        raise ValueError(
            f"{where}: expected a number at offset {start}, length {record['length']}; "
            f"got {said!r} in {text[:60]!r}"
        )
    return text, (text[:start], float(said.replace(",", "")), text[start + len(said) :])
