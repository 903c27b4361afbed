"""Examples to tokens, and answers to numbers.

A text is a sequence of segments: literal, slot, literal, ..., slot, literal. Each distinct literal
is tokenized once and all numbers of a batch are encoded in one call. Indexing then puts the texts
together from these pieces, with no Python code per text.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch

from numlab.corpus import Corpus, Flat, matches, offsets, ranges
from numlab.encoders import Encoder, Tokens
from numlab.encoders.base import carried_numbers
from numlab.examples import Examples, Layout
from numlab.heads import Head

__all__ = ["Text", "Tokenizer", "check_head"]

_WORD = re.compile(r"\s*\S+|\s+")  # words keep the space before them, as in GPT-2


@dataclass(frozen=True)
class Text:
    """The words of the literals, with the special tokens in front."""

    words: tuple[str, ...]
    pad, mask, end, unknown = 0, 1, 2, 3
    special = (2,)  # in texts, but not a word of them

    @classmethod
    def of(cls, layouts: Iterable[Layout]) -> Text:
        """Every word that the layouts can have outside of numbers."""
        seen: dict[str, None] = {}
        for layout in layouts:
            slot_words = (word for slot in layout.slots for word in slot.words or ())
            for text in (*layout.token_literals, *slot_words):
                seen.update(dict.fromkeys(_WORD.findall(text)))
        return cls(("[PAD]", "[MASK]", "[END]", "[UNK]", *seen))

    @functools.cached_property
    def _index(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    def ids(self, text: str) -> list[int]:
        return [self._index.get(word, self.unknown) for word in _WORD.findall(text)]

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True)
class Tokenizer:
    """Text words first, then the encoder's words from `offset` on.

    Parameters
    ----------
    text : Text
    encoder : Encoder
    other_head : Head, optional
        A head in place of the encoder's: numbers are predicted by its features.
    """

    text: Text
    encoder: Encoder
    other_head: Head | None = None

    def __post_init__(self):
        if self.other_head:
            check_head(self.encoder, self.other_head)

    @classmethod
    def of(cls, layouts: Iterable[Layout], encoder: Encoder, head: Head | None = None) -> Tokenizer:
        return cls(Text.of(layouts), encoder, head)

    @property
    def head(self) -> Head | None:
        """The head that reads numbers; None where no token carries one."""
        return self.other_head or self.encoder.head

    @property
    def offset(self) -> int:
        return len(self.text)

    @property
    def size(self) -> int:
        return len(self.text) + len(self.encoder.vocabulary)

    @functools.cached_property
    def carriers(self) -> np.ndarray:
        """(n_carriers,) ids of the words that carry a number."""
        return self.offset + np.asarray(self.encoder.carriers, np.int64)

    @functools.cached_property
    def answer_carriers(self) -> torch.Tensor:
        """(n,) ids of the words that carry a number in an answer."""
        return self.offset + torch.tensor(self.encoder.answer.carriers, dtype=torch.long)

    @functools.cached_property
    def input_only(self) -> np.ndarray:
        """Ids of the carriers that stand in inputs only, such as [AGG]; they are never targets."""
        words = set(self.encoder.carriers) - set(self.encoder.answer.carriers)
        return self.offset + np.array(sorted(words), np.int64)

    def __call__(self, examples: list[Examples], answers: tuple[str, ...] = ()) -> Corpus:
        """Tokenize a corpus. `encoder.answer` spells the slots that fit `answers`."""
        return Corpus(self, examples, _Reader(self, [e.layout for e in examples], answers))

    def decode(
        self, ids: np.ndarray, mask: np.ndarray, features: np.ndarray, answers: bool = True
    ) -> np.ndarray:
        """(n, L) tokens and what the head read to (n,) numbers; NaN or None where malformed.

        `encoder.answer` spells `answers`; it also spells other slots without `input_only` words.
        """
        tokens = Tokens(np.where(ids >= self.offset, ids - self.offset, -1), mask, features)
        if self.other_head:
            return carried_numbers(tokens, self.encoder.carriers, self.other_head)
        spelling = self.encoder.answer if answers or len(self.input_only) else self.encoder
        return spelling.decode(tokens)


def check_head(encoder: Encoder | None, head: Head) -> None:
    """Raise a ValueError if a head cannot take the place of the encoder's."""
    if encoder is None or not encoder.answer.carriers or encoder.answer.length > 1:
        raise ValueError(
            f"{type(head).__name__} reads numbers of one token that carries them; "
            f"{encoder} spells answers otherwise"
        )


@dataclass(frozen=True, eq=False)
class _Table:
    """Pieces of texts, end to end: piece p is ids[start[p]:][:length[p]]."""

    ids: np.ndarray
    within: np.ndarray
    start: np.ndarray
    length: np.ndarray
    features: np.ndarray
    labels: np.ndarray
    feature_start: np.ndarray
    n_features: np.ndarray  # carriers of each piece


@dataclass(frozen=True, eq=False)
class _Frame:
    """A layout as pieces, with empty slots."""

    piece: np.ndarray  # (S,) the piece of each literal
    slot: np.ndarray  # (S,) the slot of each segment, -1 for a literal
    numbers: tuple[np.ndarray, np.ndarray]  # segments of numbers, and of answers
    columns: tuple[np.ndarray, np.ndarray]  # their columns of `Examples.numbers`
    words: list[tuple[int, np.ndarray]]  # segment and words' pieces of each word slot


class _Reader:
    """Tokenizes texts of some layouts; literals and words only once."""

    def __init__(self, tokenizer: Tokenizer, layouts: list[Layout], answers: tuple[str, ...]):
        self.tokenizer = tokenizer
        self.runs: list[list[int]] = []
        self.seen: dict[tuple[str, bool], int] = {}
        self.frames = [self._frame(layout, answers) for layout in layouts]

    def _literal(self, text: str, last: bool = False) -> int:
        if (text, last) not in self.seen:
            end = [self.tokenizer.text.end] if last else []
            self.seen[text, last] = len(self.runs)
            self.runs.append(self.tokenizer.text.ids(text) + end)
        return self.seen[text, last]

    def _frame(self, layout: Layout, answers: tuple[str, ...]) -> _Frame:
        slots, names = layout.slots, layout.number_slots
        piece = np.zeros(2 * len(slots) + 1, np.int64)
        piece[::2] = [
            self._literal(t, last=j == len(slots)) for j, t in enumerate(layout.token_literals)
        ]
        segment = 1 + 2 * np.flatnonzero([slot.words is None for slot in slots])
        asked = np.array([matches(name, answers) for name in names], bool)
        words = [
            (2 * j + 1, np.array([self._literal(word) for word in slot.words]))
            for j, slot in enumerate(slots)
            if slot.words is not None
        ]
        at = np.arange(len(piece))
        slot = np.where(at % 2, at // 2, -1).astype(np.int16)
        columns = np.flatnonzero(~asked), np.flatnonzero(asked)
        return _Frame(piece, slot, (segment[~asked], segment[asked]), columns, words)

    def __call__(self, parts: dict[int, Examples]) -> Flat:
        """Tokenize some examples of each layout, keyed by the layout's index."""
        filled = [(self.frames[at], e) for at, e in parts.items()]
        numbers = [[e.numbers[:, f.columns[k]].ravel() for f, e in filled] for k in (0, 1)]
        table = self._table(numbers)
        free = np.cumsum([len(self.runs), sum(map(len, numbers[0]))])  # the next number's piece
        pieces = [self._pieces(frame, e, free) for frame, e in filled]
        slot = np.concatenate([np.tile(frame.slot, len(e)) for frame, e in filled])
        piece = np.concatenate([p.ravel() for p in pieces])
        text = offsets(np.concatenate([np.full(len(p), p.shape[1]) for p in pieces]))[:-1]
        length, n_features = table.length[piece], table.n_features[piece]
        at = ranges(table.start[piece], length)
        carriers = ranges(table.feature_start[piece], n_features)
        features = table.features[carriers]
        same = table.labels is table.features
        return Flat(
            ids=table.ids[at],
            slot=np.repeat(slot, length),
            within=table.within[at],
            starts=offsets(np.add.reduceat(length, text)),
            features=features,
            labels=features if same else table.labels[carriers],
            feature_starts=offsets(np.add.reduceat(n_features, text)),
        )

    def _pieces(self, frame: _Frame, e: Examples, free: np.ndarray) -> np.ndarray:
        """(n, S) piece of each segment. `free`, the next number's piece, is moved on."""
        piece = np.tile(frame.piece, (len(e), 1))
        for k, segments in enumerate(frame.numbers):
            shape = len(e), len(segments)
            piece[:, segments] = free[k] + np.arange(shape[0] * shape[1]).reshape(shape)
            free[k] += shape[0] * shape[1]
        for column, (segment, codes) in enumerate(frame.words):
            piece[:, segment] = codes[e.words[:, column]]
        return piece

    def _table(self, numbers: list[list[np.ndarray]]) -> _Table:
        """All pieces: literals and words, then numbers, then answers."""
        encoder, offset = self.tokenizer.encoder, self.tokenizer.offset
        ids = [np.array([i for run in self.runs for i in run], np.int32)]
        length = [np.array([len(run) for run in self.runs], np.int64)]
        within = [np.zeros(len(ids[0]), np.int16)]
        features, n_features = [], [np.zeros(len(self.runs), np.int64)]
        head, labels = self.tokenizer.other_head, []
        for parts, spelling in zip(numbers, (encoder, encoder.answer), strict=True):
            if not sum(map(len, parts)):
                continue
            column = np.concatenate(parts)
            tokens = spelling.encode(column)
            ids.append(tokens.ids[tokens.mask] + offset)
            length.append(tokens.mask.sum(1))
            within.append(np.cumsum(tokens.mask, 1)[tokens.mask].astype(np.int16))
            carries = np.isin(tokens.ids, spelling.carriers) & tokens.mask
            n_features.append(carries.sum(1))
            if spelling.carriers:
                features.append(tokens.features)
                if head:
                    labels.append(head.features(column))  # one carrier a number
        length, n_features = np.concatenate(length), np.concatenate(n_features)
        start, feature_start = offsets(length)[:-1], offsets(n_features)[:-1]
        flat = np.concatenate(ids).astype(np.int32), np.concatenate(within)
        features = _rows(features, encoder)
        labels = _rows(labels, head) if head else features
        return _Table(*flat, start, length, features, labels, feature_start, n_features)


def _rows(parts: list[np.ndarray], code: Encoder | Head) -> np.ndarray:
    """(carriers, F) features of some numbers, perhaps of none."""
    return np.concatenate(parts or [np.zeros((0, code.n_features), code.feature_dtype)])
