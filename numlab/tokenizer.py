"""Examples -> token ids, and answers -> numbers.

A text is a row of segments: literal, slot, literal, ..., slot, literal. Every distinct literal is
tokenized once and every number of a corpus is encoded in one call; a corpus is then put together
from these pieces by indexing, with no Python code per text.
"""

from __future__ import annotations

import fnmatch
import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from numlab.encoders import Encoder, Tokens
from numlab.examples import Examples, Layout

_WORD = re.compile(r"\s*\S+|\s+")  # words keep the space before them, as in GPT-2


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether a slot's name fits one of the patterns: "a0", "x*", "*"."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def ranges(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The runs start, start + 1, ..., start + length - 1, one after the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts - (ends - lengths), lengths) + np.arange(total)


@dataclass(frozen=True)
class Text:
    """The words of the literals, with the special tokens in front."""

    words: tuple[str, ...]
    pad, mask, end, unknown = 0, 1, 2, 3
    special = (2,)  # what stands in a text and is no word of it

    @classmethod
    def of(cls, layouts: Iterable[Layout]) -> Text:
        """Every word that a task can say outside its numbers."""
        seen: dict[str, None] = {}
        for layout in layouts:
            slot_words = (word for slot in layout.slots for word in slot.words or ())
            for text in (*layout.spoken, *slot_words):
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
    """Text words first, then the encoder's words from `offset` on."""

    text: Text
    encoder: Encoder

    @classmethod
    def of(cls, layouts: Iterable[Layout], encoder: Encoder) -> Tokenizer:
        return cls(Text.of(layouts), encoder)

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
    def unspoken(self) -> np.ndarray:
        """Ids of the carriers that answers never hold, such as [AGG]: no targets."""
        unspoken = set(self.encoder.carriers) - set(self.encoder.answer.carriers)
        return self.offset + np.array(sorted(unspoken), np.int64)

    def __call__(self, examples: list[Examples], answers: tuple[str, ...] = ()) -> Corpus:
        """Tokenize a corpus; slots that fit `answers` are spelled by `encoder.answer`."""
        pieces = _Pieces(self)
        segments = [pieces.segments(e, answers) for e in examples]
        return _assemble(self, examples, segments, pieces.table())

    def decode(
        self, ids: np.ndarray, mask: np.ndarray, features: np.ndarray, answers: bool = True
    ) -> np.ndarray:
        """(n, L) tokens of numbers -> (n,) numbers, NaN or None where they spell no number.

        They are spelled by `encoder.answer` where they are `answers`, and where the encoder's own
        spelling without what is `unspoken` is the same.
        """
        words = np.where(ids >= self.offset, ids - self.offset, -1)
        spelling = self.encoder.answer if answers or len(self.unspoken) else self.encoder
        return spelling.decode(Tokens(words, mask, features))


@dataclass(frozen=True, eq=False)
class _Table:
    """Token runs, end to end: piece p is ids[start[p]:][:length[p]]."""

    ids: np.ndarray
    place: np.ndarray
    start: np.ndarray
    length: np.ndarray
    features: np.ndarray
    feature_start: np.ndarray
    n_features: np.ndarray  # rows of features a piece has


class _Pieces:
    """Collects the token runs of a corpus: each literal once, every number one piece."""

    def __init__(self, tokenizer: Tokenizer):
        self.tokenizer = tokenizer
        self.runs: list[list[int]] = []
        self.seen: dict[tuple[str, bool], int] = {}
        self.numbers: dict[bool, list[np.ndarray]] = {False: [], True: []}
        self.n_numbers = {False: 0, True: 0}

    def literal(self, text: str, last: bool = False) -> int:
        if (text, last) not in self.seen:
            end = [self.tokenizer.text.end] if last else []
            self.seen[text, last] = len(self.runs)
            self.runs.append(self.tokenizer.text.ids(text) + end)
        return self.seen[text, last]

    def segments(self, e: Examples, answers: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
        """(n, S) piece of each segment, (S,) its table: 0 literals, 1 numbers, 2 answers."""
        n, slots = len(e), e.layout.slots
        piece = np.empty((n, 2 * len(slots) + 1), np.int64)
        table = np.zeros(piece.shape[1], np.int64)
        for j, literal in enumerate(e.layout.spoken):
            piece[:, 2 * j] = self.literal(literal, last=j == len(slots))
        n_seen = {True: 0, False: 0}
        for j, slot in enumerate(slots):
            column = n_seen[slot.words is None]
            n_seen[slot.words is None] += 1
            if slot.words is None:
                asked = matches(slot.name, answers)
                piece[:, 2 * j + 1] = self.n_numbers[asked] + np.arange(n)
                self.numbers[asked].append(e.numbers[:, column])
                self.n_numbers[asked] += n
                table[2 * j + 1] = 1 + asked
            else:
                codes = np.array([self.literal(word) for word in slot.words])
                piece[:, 2 * j + 1] = codes[e.words[:, column]]
        return piece, table

    def table(self) -> tuple[_Table, np.ndarray]:
        """All pieces, and where literals, numbers and answers begin among them."""
        encoder, offset = self.tokenizer.encoder, self.tokenizer.offset
        ids = [np.array([i for run in self.runs for i in run], np.int32)]
        length = [np.array([len(run) for run in self.runs], np.int64)]
        place = [np.zeros(len(ids[0]), np.int16)]
        features, n_features = [], [np.zeros(len(self.runs), np.int64)]
        base = [0, len(self.runs), len(self.runs) + self.n_numbers[False]]
        for asked, spelling in ((False, encoder), (True, encoder.answer)):
            if not self.numbers[asked]:
                continue
            tokens = spelling.encode(np.concatenate(self.numbers[asked]))
            ids.append(tokens.ids[tokens.mask] + offset)
            length.append(tokens.mask.sum(1))
            place.append(np.cumsum(tokens.mask, 1)[tokens.mask].astype(np.int16))
            carries = np.isin(tokens.ids, spelling.carriers) & tokens.mask
            n_features.append(carries.sum(1))
            if spelling.carriers:
                features.append(tokens.features)
        none = np.zeros((0, encoder.n_features), encoder.feature_dtype)
        length, n_features = np.concatenate(length), np.concatenate(n_features)
        start = np.cumsum(length) - length
        feature_start = np.cumsum(n_features) - n_features
        flat = np.concatenate(ids).astype(np.int32), np.concatenate(place)
        features = np.concatenate(features or [none])
        return _Table(*flat, start, length, features, feature_start, n_features), np.array(base)


def _assemble(tokenizer, examples, segments, pieces) -> Corpus:
    table, base = pieces
    piece = np.concatenate([(p + base[kind]).ravel() for p, kind in segments])
    slot = [
        np.where(np.arange(len(kind)) % 2, np.arange(len(kind)) // 2, -1) for _, kind in segments
    ]
    slot = np.concatenate(
        [np.broadcast_to(s, p.shape).ravel() for s, (p, _) in zip(slot, segments, strict=True)]
    )
    per_text = np.concatenate([np.full(len(p), p.shape[1]) for p, _ in segments])
    length, n_features = table.length[piece], table.n_features[piece]
    text = np.cumsum(per_text) - per_text  # each text's first segment
    at = ranges(table.start[piece], length)
    return Corpus(
        tokenizer,
        examples,
        layout=np.repeat(np.arange(len(examples)), [len(e) for e in examples]),
        ids=table.ids[at],
        slot=np.repeat(slot, length).astype(np.int16),
        place=table.place[at],
        starts=offsets(np.add.reduceat(length, text)),
        features=table.features[ranges(table.feature_start[piece], n_features)],
        feature_starts=offsets(np.add.reduceat(n_features, text)),
    )


def offsets(lengths: np.ndarray) -> np.ndarray:
    """(n + 1,) where each of n runs begins, end to end, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(lengths)])


@dataclass(frozen=True, eq=False)
class Corpus:
    """Tokenized texts, end to end: no padding is stored."""

    tokenizer: Tokenizer
    examples: list[Examples]
    layout: np.ndarray  # (n,) which of the examples a text belongs to
    ids: np.ndarray  # (tokens,)
    slot: np.ndarray  # (tokens,) slot of the layout, -1 in literals
    place: np.ndarray  # (tokens,) 1, 2, ... within a number, 0 in literals
    starts: np.ndarray  # (n + 1,) where a text's tokens begin
    features: np.ndarray  # (carriers, F)
    feature_starts: np.ndarray  # (n + 1,)

    def __len__(self) -> int:
        return len(self.layout)

    @functools.cached_property
    def lengths(self) -> np.ndarray:
        """(n,) tokens of each text."""
        return np.diff(self.starts)

    @functools.cached_property
    def first(self) -> np.ndarray:
        """(len(examples),) the first text of each of the examples."""
        return np.searchsorted(self.layout, np.arange(len(self.examples)))

    @functools.cached_property
    def _asked(self) -> dict[tuple[str, ...], np.ndarray]:
        return {}

    def asked(self, patterns: tuple[str, ...]) -> np.ndarray:
        """(layouts, slots + 1) bool: slots that fit; the last column, of slot -1, is False."""
        if patterns not in self._asked:
            slots = [e.layout.slots for e in self.examples]
            table = np.zeros((len(slots), max(map(len, slots)) + 1), bool)
            for i, row in enumerate(slots):
                table[i, : len(row)] = [matches(slot.name, patterns) for slot in row]
            self._asked[patterns] = table
        return self._asked[patterns]

    def batch(self, rows: np.ndarray) -> Batch:
        """Texts side by side, padded on the right to the longest of them."""
        lengths, tokenizer = self.lengths[rows], self.tokenizer
        column = np.arange(int(lengths.max()))
        real = column < lengths[:, None]
        at = np.where(real, self.starts[rows][:, None] + column, 0)
        ids = np.where(real, self.ids[at], tokenizer.text.pad)
        n_features = self.feature_starts[rows + 1] - self.feature_starts[rows]
        return Batch(
            self,
            rows,
            ids,
            real,
            slot=np.where(real, self.slot[at], -1),
            place=np.where(real, self.place[at], 0),
            carriers=np.flatnonzero(np.isin(ids, tokenizer.carriers)),
            features=self.features[ranges(self.feature_starts[rows], n_features)],
        )


@dataclass(frozen=True, eq=False)
class Batch:
    """B texts padded to T tokens."""

    corpus: Corpus
    rows: np.ndarray  # (B,) texts of the corpus
    ids: np.ndarray  # (B, T)
    real: np.ndarray  # (B, T) bool: a token, not padding
    slot: np.ndarray  # (B, T) slot of the layout, -1 in literals
    place: np.ndarray  # (B, T) place within a number, from 1
    carriers: np.ndarray  # (m,) flat positions of the tokens that carry a number
    features: np.ndarray  # (m, F) what they carry

    def asked(self, patterns: tuple[str, ...]) -> np.ndarray:
        """(B, T) bool: tokens of the slots that fit the patterns."""
        table = self.corpus.asked(patterns)
        return table[self.corpus.layout[self.rows][:, None], self.slot]
