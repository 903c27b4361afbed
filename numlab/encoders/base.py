"""What every encoder is: a number becomes tokens (and, for some, values) and back."""

from __future__ import annotations

import abc
import functools
import math
import re
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
import torch
from torch import nn

from numlab.examples import as_numbers

LARGEST = float(np.finfo(np.float64).max)
END = -2  # behind the last token, in packed ids


@dataclass(frozen=True, eq=False)
class Tokens:
    """n numbers as tokens.

    Parameters
    ----------
    ids : array of shape (n, L), int32
        Indices into the encoder's vocabulary; -1 (in what a model put out): none of its words.
    mask : array of shape (n, L), bool
        Which of them are there; holes are allowed, the reading order is row by row.
    features : array of shape (carriers, F)
        A row for each token under the mask that carries a number, in reading order.
    """

    ids: np.ndarray
    mask: np.ndarray
    features: np.ndarray

    @classmethod
    def of(cls, ids: np.ndarray, mask: np.ndarray | None = None) -> Tokens:
        """Tokens none of which carries a number; without a mask all of them are there."""
        mask = np.ones(ids.shape, bool) if mask is None else mask
        return cls(ids.astype(np.int32, copy=False), mask, np.zeros((0, 0), np.float32))

    def packed(self) -> np.ndarray:
        """(n, L) ids with the holes closed: END stands behind the last one."""
        if self.mask.all():
            return np.maximum(self.ids, -1)
        ids = np.full(self.ids.shape, END, np.int32)
        used = np.arange(ids.shape[1]) < self.mask.sum(1)[:, None]
        ids[used] = np.maximum(self.ids[self.mask], -1)
        return ids


class Encoder(abc.ABC):
    """How a number becomes tokens and back. Subclasses are frozen dataclasses of plain values.

    Attributes
    ----------
    vocabulary : tuple of str
        The words; a token is the index of one.
    carriers : tuple of int
        Those words that carry a number: `embedding` and `head` work on them.
    length : int
        The most tokens that a number takes.
    fixed : bool
        Whether every number takes that many.
    n_features : int
        What a carrier carries, as (n_features,) of `feature_dtype`.
    bounds : tuple of numbers
        Every finite number from low to high can be encoded; any other is a ValueError.
    word_values : array of shape (V,), float64
        The number that a word is by itself ('7', '602', '-602E-1'); NaN: none.
    token_mlp : bool
        Whether the token head is an MLP, too (Appendix C of xval), or only tied to the table.
    """

    version: ClassVar[int] = 1
    token_mlp: ClassVar[bool] = False
    carriers: tuple[int, ...] = ()
    length: int = 1
    fixed: bool = True
    n_features: int = 0
    feature_dtype: Any = np.float32

    @property
    @abc.abstractmethod
    def vocabulary(self) -> tuple[str, ...]: ...

    @property
    @abc.abstractmethod
    def bounds(self) -> tuple[float, float]: ...

    def __str__(self) -> str:
        """The name in figures: only the fields that are not the defaults, "XVal(k=2)"."""
        own = [
            f"{f.name}={getattr(self, f.name)!r}"
            for f in fields(self)
            if getattr(self, f.name) != f.default
        ]
        return f"{type(self).__name__}({', '.join(own)})" if own else type(self).__name__

    @abc.abstractmethod
    def encode(self, numbers) -> Tokens:
        """(n,) numbers, an array or a list, as tokens; out of range is a ValueError."""

    @abc.abstractmethod
    def decode(self, tokens: Tokens) -> np.ndarray:
        """(n,) float64 (malformed: NaN), or object: Python ints of any size (malformed: None)."""

    @abc.abstractmethod
    def precision(self, numbers) -> np.ndarray:
        """(n,) the largest ``abs(decode(encode(x)) - x)`` that is promised at these numbers."""

    @functools.cached_property
    def word_values(self) -> np.ndarray:
        return np.array([_value(word) for word in self.vocabulary])

    @property
    def answer(self) -> Encoder:
        """How a number is spelled where a model has to produce it."""
        return self

    @property
    def holds(self) -> str:
        """The range in words, for errors."""
        return "{} <= x <= {}".format(*map(written, self.bounds))

    def spell(self, number: float | int) -> list[str]:
        """The words of one number, for a person."""
        tokens = self.encode([number])
        return [self.vocabulary[i] for i in tokens.ids[tokens.mask]]

    def embedding(self, d_model: int) -> nn.Module | None:
        """A module from carriers to vectors, in place of their words' rows of the token table.

        It maps (m, F) features and (V, d_model) rows of this encoder's words to (m, d_model).
        """
        return None

    def head(self, d_model: int) -> nn.Module | None:
        """A module that reads carried numbers off hidden states.

        It maps (m, d_model) to (m, O) outputs; its `loss(outputs, features)` is (m,), and its
        `read(outputs)` is (m, F), the features that the outputs stand for.
        """
        return None

    def in_range(self, numbers) -> np.ndarray:
        """(n,) float64 or Python ints, all within `bounds`."""
        x = as_column(numbers)
        low, high = self.bounds
        outside = ~((x >= low) & (x <= high))  # NaN compares false: it is outside, too
        if outside.any():
            name = type(self).__name__
            raise ValueError(f"{name} holds {self.holds}; got {written(x[outside][0])}")
        return x


class ValueEncoder(Encoder):
    """One token a number, which carries it as features."""

    carriers: tuple[int, ...] = (0,)

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return ("[NUM]",)

    @abc.abstractmethod
    def features(self, numbers) -> np.ndarray:
        """(n,) numbers to (n, F) of `feature_dtype`: digits, bits, a scaled value."""

    @abc.abstractmethod
    def number(self, features: np.ndarray) -> np.ndarray:
        """The exact inverse, (n, F) to (n,); NaN or None where the features are no number's."""

    def encode(self, numbers) -> Tokens:
        features = self.features(numbers)
        ids = np.full((len(features), 1), self.carriers[0], np.int32)
        return Tokens(ids, np.ones(ids.shape, bool), features)

    def decode(self, tokens: Tokens) -> np.ndarray:
        carrier = np.isin(tokens.ids, self.carriers) & tokens.mask
        well_formed = (carrier.sum(1) == 1) & (tokens.mask.sum(1) == 1)
        values = self.number(tokens.features)
        out = np.full(len(carrier), None if values.dtype == object else np.nan, values.dtype)
        out[well_formed] = values[well_formed[np.nonzero(carrier)[0]]]
        return out


def as_column(numbers) -> np.ndarray:
    """(n,) float64; or Python ints in an object array, where float64 might round them."""
    x = np.atleast_1d(as_numbers(numbers))
    if x.ndim != 1:
        raise ValueError(f"numbers have shape (n,); got {x.shape}")
    return x


def written(number: float | int) -> str:
    """A number in an error: exact, and as short as it goes.

    >>> written(3.2e11), written(9.995e9), written(999999.5), written(10**20)
    ('3.2e11', '9.995e9', '999999.5', '100000000000000000000')
    """
    if isinstance(number, int):
        return str(number)
    short = f"{number:g}"
    return re.sub(r"e\+0*", "e", short if float(short) == number else repr(float(number)))


def in_float32(tensor: torch.Tensor) -> torch.autocast:
    """Values are embedded and read in float32 under bf16 autocast, too: bf16 loses digits."""
    return torch.autocast(tensor.device.type, enabled=False)


def _value(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return math.nan
