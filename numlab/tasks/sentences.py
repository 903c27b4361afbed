"""Sentences in a file, each with a marked number: WikiConvert, Numeracy-600K (Sec. 4.1, float)."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from numlab.examples import Examples, Layout, Slot
from numlab.tasks.base import Task, hold, natural
from numlab.tasks.files import check_fields, check_sum, json_values

__all__ = ["Sentences"]

NUMBER = re.compile(r"[-+]?(\d[\d,]*\.?\d*|\.\d+)")


@dataclass(frozen=True)
class Sentences(Task):
    """The sentences of a JSON file, in random order, without repetition. Slot: n0.

    The file has an object on each line, or a list of objects. The fields "offset" and "length"
    mark a number in the text "comment" (of WikiConvert and the market comments of Numeracy-600K)
    or "title" (of its articles), in characters; other fields are ignored.

    deviates: parts of a split are drawn from one file; the paper keeps to those of the publishers.

    Parameters
    ----------
    path : str
    checksum : str, optional
        SHA-256 of the file. Without it, a run's address depends on the path alone.
    """

    version: ClassVar[int] = 1
    stored: ClassVar[bool] = False

    path: str
    checksum: str | None = None

    def layouts(self) -> list[Layout]:
        return list(dict.fromkeys(_layout(before, after) for before, _, after in _read(self)))

    def sample(self, n: int, seed: int, **fixed) -> list[Examples]:
        hold(fixed, self.limits, natural(n))
        return self.split((n,), seed)[0]

    def split(self, sizes: Sequence[int], seed: int) -> tuple[list[Examples], ...]:
        """Draw corpora that share no sentence.

        Raises
        ------
        ValueError
            For too few sentences in the file, or a line without a number where it is marked.
        """
        sentences = _read(self)
        ends = np.cumsum([0, *map(natural, sizes)])
        if ends[-1] > len(sentences):
            raise ValueError(f"{self.path} has {len(sentences)} sentences; got sizes of {ends[-1]}")
        order = np.random.default_rng(natural(seed)).permutation(len(sentences))
        return tuple(
            [_example(*sentences[row], i) for i, row in enumerate(order[start:end])]
            for start, end in itertools.pairwise(ends)
        )


def _layout(before: str, after: str) -> Layout:
    return Layout((before, after), (Slot("n0"),))


def _example(before: str, number: float, after: str, index: int) -> Examples:
    return Examples(_layout(before, after), [[number]], None, np.array([index]))


@functools.lru_cache(maxsize=2)
def _read(task: Sentences) -> list[tuple[str, float, str]]:
    """The text before each number, the number, and the text after it; each sentence once."""
    path = Path(task.path)
    check_sum(path, task.checksum)
    with path.open(encoding="utf-8") as file:
        as_list = file.read(1000).lstrip().startswith("[")
    records = (_cut(where, record) for where, record in json_values(path, as_list))
    sentences = {
        before + marked + after: (before, marked, after) for before, marked, after in records
    }
    return [(b, float(marked.replace(",", "")), a) for b, marked, a in sentences.values()]


def _cut(where: str, record: Any) -> tuple[str, str, str]:
    """The text before the marked number, the number, and the text after it."""
    name = "title" if "comment" not in record and "title" in record else "comment"
    check_fields(where, record, (name, "offset", "length"))
    text, start = record[name], int(record["offset"])
    end = start + int(record["length"])
    if start < 0 or not NUMBER.fullmatch(text[start:end]):
        raise ValueError(
            f"{where}: expected a number at offset {start}, length {record['length']}; "
            f"got {text[max(start, 0) : end]!r} in {text[:60]!r}"
        )
    return text[:start], text[start:end], text[end:]
