"""Tokenized texts, and batches of them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from numlab.examples import Examples, Layout, matches

KEPT = 2**20  # texts and slots of a corpus that is kept as tokens: about a hundred megabytes
CHUNK = 1024  # texts that are tokenized at once to learn their lengths


def fitting(layout: Layout, patterns: Iterable[str]) -> list[str]:
    """The names of the slots that fit; ValueError for a layout without such a slot."""
    names = [slot.name for slot in layout.slots]
    if fit := [name for name in names if matches(name, patterns)]:
        return fit
    raise ValueError(f"no slot fits {patterns}; the layout has {', '.join(names[:12])}")


def offsets(lengths: np.ndarray) -> np.ndarray:
    """(n + 1,) start of each of n consecutive segments, then the total."""
    return np.concatenate([[0], np.cumsum(lengths)])


@dataclass(frozen=True, eq=False)
class Flat:
    """Tokenized texts, end to end: no padding."""

    ids: np.ndarray  # (tokens,)
    slot: np.ndarray  # (tokens,) slot of the layout, -1 in literals
    within: np.ndarray  # (tokens,) index within the number from 1; 0 in literals
    starts: np.ndarray  # (n + 1,) where a text's tokens begin
    features: np.ndarray  # (carriers, F)
    feature_starts: np.ndarray  # (n + 1,)
    labels: np.ndarray  # (labels, F'): what the head is to predict
    label_starts: np.ndarray  # (n + 1,)


def _side_by_side(starts: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(B, longest) indices of ragged rows, right-padded, and a mask of real items."""
    first, end = starts[rows, None], starts[rows + 1, None]
    index = first + np.arange((end - first).max(initial=0))
    return np.where(index < end, index, 0), index < end


@dataclass(frozen=True, eq=False)
class Corpus:
    """Texts and their lengths.

    A small corpus is kept as tokens. The texts of a large one are tokenized batch by batch.
    """

    tokenizer: Any  # a Tokenizer, which makes this
    examples: list[Examples]
    read: Callable[[dict[int, Examples]], Flat]  # tokenizes some of `examples`, by their index
    lengths: np.ndarray = field(init=False)  # (n,) int32 tokens of each text
    _in_slots: dict[tuple[str, ...], np.ndarray] = field(default_factory=dict, init=False)

    def __post_init__(self):
        """Tokenize every text once, so that a bad one is an error now and not in mid-training."""
        if not len(self):
            raise ValueError("a corpus has one text or more; got no examples")
        chunks = np.split(np.arange(len(self)), range(CHUNK, len(self), CHUNK))
        parts = (self._flat(rows) for rows in chunks)
        lengths = [flat.starts[rows + 1] - flat.starts[rows] for flat, rows in parts]
        object.__setattr__(self, "lengths", np.concatenate(lengths, dtype=np.int32))

    def __len__(self) -> int:
        return int(self.starts[-1])

    @functools.cached_property
    def starts(self) -> np.ndarray:
        """(len(examples) + 1,) where the texts of each of the examples begin."""
        return offsets([len(e) for e in self.examples])

    @property
    def size(self) -> int:
        """How many texts and slots there are."""
        return sum(len(e) * (1 + len(e.layout.slots)) for e in self.examples)

    @functools.cached_property
    def part(self) -> np.ndarray:
        """(n,) which of the examples a text belongs to."""
        return np.repeat(np.arange(len(self.examples), dtype=np.int32), np.diff(self.starts))

    def _flat(self, rows: np.ndarray) -> tuple[Flat, np.ndarray]:
        """Tokenized texts that hold some rows, and (n,) the index of each row among them."""
        return self._tokenized(rows) if self._kept is None else (self._kept, rows)

    @functools.cached_property
    def _kept(self) -> Flat | None:
        """All texts as tokens; None for a large corpus."""
        return None if self.size > KEPT else self._tokenized(np.arange(len(self)))[0]

    def _tokenized(self, rows: np.ndarray) -> tuple[Flat, np.ndarray]:
        part = self.part[rows]
        parts = {
            at: self.examples[at].take(rows[part == at] - self.starts[at])
            for at in np.unique(part).tolist()
        }
        return self.read(parts), np.argsort(np.argsort(part, kind="stable"))

    def in_slots(self, patterns: tuple[str, ...]) -> np.ndarray:
        """(layouts, slots + 1) bool: slots that fit; the last column, for slot -1, is False."""
        if patterns not in self._in_slots:
            slots = [e.layout.slots for e in self.examples]
            table = np.zeros((len(slots), max(map(len, slots)) + 1), bool)
            for i, row in enumerate(slots):
                table[i, : len(row)] = [matches(slot.name, patterns) for slot in row]
            self._in_slots[patterns] = table
        return self._in_slots[patterns]

    def batch(self, rows: np.ndarray) -> Batch:
        """Texts side by side, padded on the right to the longest of them."""
        flat, at_rows = self._flat(rows)
        at, real = _side_by_side(flat.starts, at_rows)
        feature, carried = _side_by_side(flat.feature_starts, at_rows)
        label, labelled = _side_by_side(flat.label_starts, at_rows)
        ids = np.where(real, flat.ids[at], self.tokenizer.text.pad)
        return Batch(
            self,
            rows,
            ids,
            real,
            slot=np.where(real, flat.slot[at], -1),
            within=np.where(real, flat.within[at], 0),
            carriers=np.flatnonzero(np.isin(ids, self.tokenizer.carriers)),
            features=flat.features[feature[carried]],
            labels=flat.labels[label[labelled]],
        )


@dataclass(frozen=True, eq=False)
class Batch:
    """B texts padded to T tokens, m of which carry a number.

    Parameters
    ----------
    corpus : which they are of; `corpus.tokenizer` has the words.
    rows : (B,) texts of the corpus.
    ids : (B, T) tokens.
    real : (B, T) bool: a token, not padding.
    slot : (B, T) slot of the layout, -1 in literals.
    within : (B, T) index within the number, from 1; 0 in literals.
    carriers : (m,) flat positions of the tokens that carry a number.
    features : (m, F) what they carry.
    labels : (l, F') what the head is to predict.
    """

    corpus: Corpus
    rows: np.ndarray
    ids: np.ndarray
    real: np.ndarray
    slot: np.ndarray
    within: np.ndarray
    carriers: np.ndarray
    features: np.ndarray
    labels: np.ndarray

    def in_slots(self, patterns: tuple[str, ...]) -> np.ndarray:
        """(B, T) bool: tokens of the slots that fit the patterns."""
        table = self.corpus.in_slots(patterns)
        return table[self.corpus.part[self.rows][:, None], self.slot]
