"""What every encoder is: a number becomes tokens (and, for some, features) and back."""

from __future__ import annotations

import abc
import contextlib
import functools
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any, ClassVar

import numpy as np
import torch
from torch import nn

from numlab.codes import Code, Range
from numlab.described import short
from numlab.heads.base import Head, in_float32

END = -2  # behind the last token of a number


@dataclass(frozen=True, eq=False)
class Tokens:
    """n numbers as tokens, in reading order row by row.

    Parameters
    ----------
    ids : (n, L) int32 indices into the vocabulary; -1: not a word of this encoder. L is the
        encoder's `length`.
    mask : (n, L) bool: which of them exist; holes are allowed.
    features : (carriers, F), a row for each token under the mask that carries a number.

    >>> nl.P1000().encode([1.5]).ids
    array([[  0,  52, 908]], dtype=int32)
    """

    ids: np.ndarray
    mask: np.ndarray
    features: np.ndarray

    @classmethod
    def of(cls, ids: np.ndarray, mask: np.ndarray | None = None) -> Tokens:
        """Tokens that carry no numbers; without a mask all of them exist."""
        mask = np.ones(ids.shape, bool) if mask is None else mask
        return cls(ids.astype(np.int32, copy=False), mask, np.zeros((0, 0), np.float32))

    @classmethod
    def from_columns(cls, columns: list[tuple]) -> Tokens:
        """From an (ids, mask) pair for each column; a scalar fills its column."""
        shape = np.broadcast_shapes(*(np.shape(part) for column in columns for part in column))
        tokens = cls.of(np.empty((*shape, len(columns)), np.int32))
        for j, (ids, mask) in enumerate(columns):
            tokens.ids[:, j], tokens.mask[:, j] = ids, mask
        return tokens

    def carry(self, carriers: tuple[int, ...] | np.ndarray) -> np.ndarray:
        """(n, L) bool: the tokens that carry a number."""
        return np.isin(self.ids, carriers) & self.mask

    def packed(self, width: int = 0) -> np.ndarray:
        """(n, L >= width) ids with the holes closed, and END behind the last of each row."""
        n, length = self.ids.shape
        ids = np.full((n, max(width, length)), END, np.int32)
        used = np.arange(ids.shape[1]) < self.mask.sum(1)[:, None]
        ids[used] = np.maximum(self.ids[self.mask], -1)
        return ids

    def texts(self, vocabulary: tuple[str, ...], between: str = "") -> list[str]:
        """The words of each number put together; "?" for what is no word."""
        ids = self.packed()
        words = [*vocabulary, "", "?"]  # the last two: END, and no word
        rows = np.where(ids < len(vocabulary), ids, -1).tolist()
        return [between.join(map(words.__getitem__, row)).strip() for row in rows]


class Encoder(Range):
    """How a number becomes tokens and back. Subclasses are frozen dataclasses of plain values.

    A stored run is found by the class, its `version` and its fields: raise the version when the
    code does something else.

    Attributes
    ----------
    length, fixed : the most tokens that a number takes, and whether every number takes that many.
    carriers : indices of the words that carry a number, for `embedding` and `head`.
    n_features, feature_dtype : of what a carrier carries.
    token_mlp : whether a layer stands before the tied token head (xval, Appendix C).
    unchosen : slot patterns, one of which `at` has to choose; for encoders by column.
    bends : whether a curve (asinh) transforms some numbers.

    >>> encoder = nl.P1000()
    >>> encoder.decode(encoder.encode([1.5, -60.25]))
    array([  1.5, -60.2])
    """

    version: ClassVar[int] = 1
    token_mlp: ClassVar[bool] = False
    carriers: tuple[int, ...] = ()
    length: int = 1
    fixed: bool = True
    n_features: int = 0
    feature_dtype: Any = np.float32
    unchosen: tuple[str, ...] = ()
    bends: bool = False

    @property
    @abc.abstractmethod
    def vocabulary(self) -> tuple[str, ...]:
        """The words; a token is the index of one."""

    @abc.abstractmethod
    def encode(self, numbers) -> Tokens:
        """(n,) numbers, an array or a list, as tokens; a number out of range is a ValueError."""

    @abc.abstractmethod
    def decode(self, tokens: Tokens) -> np.ndarray:
        """(n,) float64 (malformed: NaN), or Python ints in an object array (malformed: None)."""

    @property
    def answer(self) -> Encoder:
        """How a number is spelled where a model has to produce it."""
        return self

    def at(self, slot: str) -> Encoder:
        """The encoder of the numbers of a slot, which has the same words and the same embedding."""
        return self

    @property
    def head(self) -> Head | None:
        """How a carried number is read off a hidden state; None where no word carries one."""
        return None

    def embedding(self, d_model: int) -> nn.Module | None:
        """A module that makes the vectors of carriers; None: they have rows of the token table.

        It maps (m, F) features and (V, d_model) rows of this encoder's words to (m, d_model).
        """
        return None

    @functools.cached_property
    def word_values(self) -> np.ndarray:
        """(V,) float64: the number that a word spells, such as '602' or '-602E-1'; NaN if none."""
        values = np.full(len(self.vocabulary), np.nan)
        for i, word in enumerate(self.vocabulary):
            with contextlib.suppress(ValueError):
                values[i] = float(word)
        return values

    def spell(self, number: float | int) -> list[str]:
        """The words of one number, for people."""
        tokens = self.encode([number])
        return [self.vocabulary[i] for i in tokens.ids[tokens.mask]]

    @property
    def label(self) -> str:
        """The name in figures."""
        return type(self).__name__

    __str__ = short

    def _repr_html_(self) -> str:
        """In a notebook: a number spelled out, the range, and the tokens that a number takes."""
        low, high = self.bounds
        example = 314 if isinstance(high, int) else 3.14
        if not low <= example <= high:
            example = (low + high) / 2
        rows = {} if self.unchosen else {f"spells {example}": " ".join(self.spell(example))}
        rows |= {
            "holds": self.holds,
            "tokens": f"{'' if self.fixed else 'up to '}{self.length} a number",
            "vocabulary": f"{len(self.vocabulary):,} words",
        }
        cells = "".join(f"<tr><th>{k}</th><td>{escape(v)}</td></tr>" for k, v in rows.items())
        return f"<b>{escape(str(self))}</b><table>{cells}</table>"


class OneWord(Encoder):
    """An encoder with one word per number: the number reads back as the word's value."""

    @abc.abstractmethod
    def index(self, numbers) -> np.ndarray:
        """(n,) numbers to (n,) indices into `vocabulary`."""

    def encode(self, numbers) -> Tokens:
        return Tokens.of(self.index(numbers)[:, None])

    @property
    def words(self) -> range:
        """The words that a number may have."""
        return range(len(self.vocabulary))

    def decode(self, tokens: Tokens) -> np.ndarray:
        first, second = tokens.packed(2).T[:2]
        known = (first >= self.words.start) & (first < self.words.stop) & (second == END)
        return np.where(known, self.word_values[np.where(known, first, 0)], np.nan)


class ValueEncoder(Encoder, Code):
    """One token per number; the token carries the number as features.

    A subclass has a code (`features`, `number`, `bounds` and `n_features`), an `embedding` that
    reads the features, and a `head` that predicts them.

    >>> nl.XVal().encode([1.5]).features
    array([[1.5]], dtype=float32)
    """

    vocabulary = ("[NUM]",)
    carriers: tuple[int, ...] = (0,)

    @property
    @abc.abstractmethod
    def head(self) -> Head: ...

    @abc.abstractmethod
    def embedding(self, d_model: int) -> nn.Module: ...

    def encode(self, numbers) -> Tokens:
        features = self.features(numbers)
        ids = np.full((len(features), 1), self.carriers[0], np.int32)
        return Tokens(ids, np.ones(ids.shape, bool), features)

    def decode(self, tokens: Tokens) -> np.ndarray:
        return carried_numbers(tokens, self.carriers, self)


class Embedding(nn.Module):
    """(m, F) features and (V, d) words to (m, d) vectors, in float32.

    `embed` maps them. A subclass with weights passes None and defines a method `embed`.
    """

    def __init__(self, embed: Callable[..., torch.Tensor] | None = None):
        super().__init__()
        if embed:
            self.embed = embed

    def forward(self, features: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        with in_float32(features):
            vectors = self.embed(features.float(), words.float())
        if vectors.shape != (wanted := (len(features), words.shape[1])):  # 1 row broadcasts
            raise ValueError(f"vectors of numbers are {wanted}; got {tuple(vectors.shape)}")
        return vectors


def carried_numbers(
    tokens: Tokens, carriers: tuple[int, ...] | np.ndarray, code: Code
) -> np.ndarray:
    """(n,) numbers of a code, each carried by one token; NaN or None for any other tokens."""
    carrier = tokens.carry(carriers)
    well_formed = (carrier.sum(1) == 1) & (tokens.mask.sum(1) == 1)
    values = code.number(tokens.features)
    numbers = np.full(len(carrier), None if values.dtype == object else np.nan, values.dtype)
    numbers[well_formed] = values[well_formed[np.nonzero(carrier)[0]]]
    return numbers
