"""The digits of a number as one vector: six aggregations, and a token that carries one.

Sivakumar and Moosavi (2024), "How to Leverage Digit Embeddings to Represent Numbers?": the
weighted sum is theirs (Section 3), the others are the standard functions that they compare it
with (Appendix A).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import nn

from numlab.encoders.base import END, Encoder, Tokens, in_float32
from numlab.encoders.digits import Digits


class Aggregation:
    """One vector of the embeddings of a number's digits, called as `(digits, embeddings)`.

    Digits are an array of shape (n, N) of integers 0-9, most significant first, embeddings one of
    shape (10, d), a row a digit; out comes an array of shape (n, d) of the embeddings' dtype.

    Attributes
    ----------
    sees_order : bool
        Whether permutations of the same digits have different vectors.
    """

    sees_order: ClassVar[bool] = False

    def __call__(self, digits: np.ndarray, embeddings: np.ndarray) -> np.ndarray:
        digits, embeddings = _checked(digits, embeddings)
        rows, weights = np.arange(len(digits)), self.weights(digits.shape[1])
        tally = np.zeros((len(digits), 10), embeddings.dtype)
        for column, weight in zip(digits.T, weights, strict=True):
            tally[rows, column] += weight
        table = torch.from_numpy(np.ascontiguousarray(embeddings))
        return self.combine(torch.from_numpy(tally), table).numpy()

    def weights(self, n_digits: int) -> np.ndarray:
        """(n_digits,) float64: what the digit at each place counts, most significant first."""
        return np.ones(_at_least_one(n_digits))

    def combine(self, tally: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        """(m, 10) sums of the weights of each digit and its (10, d) vectors to (m, d)."""
        return tally @ words


@dataclass(frozen=True)
class WeightedSum(Aggregation):
    """Sum of the digits' embeddings, weighted by place (Section 3, digits).

    `w_i = base**(N - i) * 3 (N + 1 - i) (N + 2 - i) / (N (N + 1) (N + 2))`, i = 1 leftmost: an
    exponential in the place times a normalised triangular number. One digit weighs 1.

    Parameters
    ----------
    base : float
        Growth from one place to the next.

    Notes
    -----
    Our choice: the exponential of Eq. 1 has base 2. The equation is lost in the text that we have;
    the prose fixes the fraction ("1, 3, 6, normalised to 0.1, 0.3, 0.6") and w = 1 for one digit.

    Examples
    --------
    >>> WeightedSum().weights(3).tolist()
    [2.4, 0.6, 0.1]
    >>> WeightedSum()(np.array([[1, 0, 2]]), np.eye(10)).round(2).tolist()
    [[0.6, 2.4, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]
    """

    base: float = 2.0
    sees_order: ClassVar[bool] = True

    def __post_init__(self):
        if not 0 < self.base < np.inf:
            raise ValueError(f"WeightedSum has a positive, finite base; got {self.base}")

    def weights(self, n_digits: int) -> np.ndarray:
        n = _at_least_one(n_digits)
        place = np.arange(n, 0, -1)  # N + 1 - i: the units are place 1
        triangular = 3 * place * (place + 1) / (n * (n + 1) * (n + 2))
        return float(self.base) ** (place - 1) * triangular


@dataclass(frozen=True)
class DigitSum(Aggregation):
    """Sum of the digits' embeddings: blind to their order, and it grows with their count."""


@dataclass(frozen=True)
class DigitMean(Aggregation):
    """Mean of the digits' embeddings."""

    def weights(self, n_digits: int) -> np.ndarray:
        return np.full(_at_least_one(n_digits), 1 / n_digits)


@dataclass(frozen=True)
class DigitMax(Aggregation):
    """Largest entry among the digits' embeddings in each dimension."""

    def combine(self, tally: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        best = torch.full_like(words[:1], -torch.inf).repeat(len(tally), 1)
        for count, word in zip(tally.T, words, strict=True):  # no (m, 10, d)
            best = torch.where(count[:, None] > 0, best.maximum(word), best)
        return best


@dataclass(frozen=True)
class DigitMin(Aggregation):
    """Smallest entry among the digits' embeddings in each dimension."""

    def combine(self, tally: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        return -DigitMax().combine(tally, -words)


@dataclass(frozen=True)
class DigitMedian(Aggregation):
    """Median of the digits' embeddings in each dimension (mean of the middle two)."""

    def combine(self, tally: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        ordered, which = words.sort(dim=0)
        n = tally.sum(1, keepdim=True)
        lower, upper = (n + 1).div(2, rounding_mode="floor"), n.div(2, rounding_mode="floor") + 1
        total, halves = torch.zeros_like(tally[:, which[0]]), 0.0
        for word, place in zip(ordered, which, strict=True):
            before, total = total, total + tally[:, place]
            for middle in (lower, upper):
                here = (before < middle) & (middle <= total)
                halves = halves + torch.where(here, word / 2, torch.zeros_like(word))
        return halves


def _at_least_one(n_digits: int) -> int:
    if n_digits < 1:
        raise ValueError(f"a number has at least one digit; got n_digits={n_digits}")
    return n_digits


def _checked(digits: np.ndarray, embeddings: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    digits, embeddings = np.asarray(digits), np.asarray(embeddings)
    if digits.ndim != 2 or digits.shape[1] == 0 or digits.dtype.kind not in "iu":
        raise ValueError(
            f"digits are integers of shape (n, N >= 1); got {digits.dtype} of shape {digits.shape}"
        )
    if digits.size and not (digits.min() >= 0 and digits.max() <= 9):
        raise ValueError(f"digits are 0 to 9; got {digits.min()} to {digits.max()}")
    if embeddings.ndim != 2 or len(embeddings) != 10 or embeddings.dtype.kind != "f":
        raise ValueError(
            "embeddings are floats of shape (10, d), one row a digit; "
            f"got {embeddings.dtype} of shape {embeddings.shape}"
        )
    return digits, embeddings


@dataclass(frozen=True)
class Aggregate(Encoder):
    """Fenced digits, and a token whose vector is their aggregate: [F] [AGG] 6 0 2 [/F].

    All digits are aggregated (our choice: the point is left out, the paper leaves decimals open).
    Answers are spelled without the token.

    Parameters
    ----------
    int_digits, frac_digits, signed
        Of the digits, as in Digits.
    before : bool
        Whether the token stands before the digits (Table 1, digits) or after them (Table 2).
    how : Aggregation, optional
        None: the token is [PAUSE] and has a vector of its own (Table 2).

    Examples
    --------
    >>> Aggregate().spell(-602), Aggregate(before=False, how=None).spell(7)
    (['[F]', '[AGG]', '-', '6', '0', '2', '[/F]'], ['[F]', '7', '[PAUSE]', '[/F]'])
    >>> Aggregate().encode([602]).features.astype(float).round(1).tolist()
    [[0.6, 0.0, 0.1, 0.0, 0.0, 0.0, 2.4, 0.0, 0.0, 0.0]]
    """

    int_digits: int = 6
    frac_digits: int = 0
    signed: bool = True
    before: bool = True
    how: Aggregation | None = WeightedSum()
    fixed = False

    def __post_init__(self):
        self.answer.__post_init__()

    @functools.cached_property
    def answer(self) -> Digits:
        return Digits(self.int_digits, self.frac_digits, self.signed, fences=True)

    @property
    def token(self) -> int:
        """The word that is added to those of the digits."""
        return len(self.answer.vocabulary)

    @functools.cached_property
    def vocabulary(self) -> tuple[str, ...]:
        return (*self.answer.vocabulary, "[PAUSE]" if self.how is None else "[AGG]")

    @property
    def carriers(self) -> tuple[int, ...]:
        return () if self.how is None else (self.token,)

    @property
    def n_features(self) -> int:
        return 0 if self.how is None else 10

    @property
    def length(self) -> int:
        return self.answer.length + 1

    @property
    def bounds(self) -> tuple[float, float]:
        return self.answer.bounds

    @property
    def holds(self) -> str:
        return self.answer.holds

    def precision(self, numbers) -> np.ndarray:
        return self.answer.precision(numbers)

    def encode(self, numbers) -> Tokens:
        self.in_range(numbers)
        digits = self.answer.encode(numbers)
        at = 1 if self.before else digits.ids.shape[1] - 1
        ids = np.insert(digits.ids, at, self.token, axis=1)
        mask = np.insert(digits.mask, at, True, axis=1)
        if self.how is None:
            return Tokens.of(ids, mask)
        return Tokens(ids, mask, self._tally(digits))

    def _tally(self, tokens: Tokens) -> np.ndarray:
        """(n, 10) float32: what each digit's vector counts."""
        is_digit = tokens.mask & (tokens.ids < 10)
        count = is_digit.sum(1)
        table = np.zeros((self.answer.n_digits + 1, self.answer.n_digits))
        for n in range(1, len(table)):
            table[n, :n] = self.how.weights(n)
        row, column = np.nonzero(is_digit)
        place = is_digit.cumsum(1)[row, column] - 1
        tally = np.zeros((len(count), 10), np.float32)
        np.add.at(tally, (row, tokens.ids[row, column]), table[count[row], place])
        return tally

    def decode(self, tokens: Tokens) -> np.ndarray:
        ids = tokens.packed()
        added = ids == self.token
        place = 1 if self.before else (ids != END).sum(1) - 2
        in_place = (added.sum(1) == 1) & (added.argmax(1) == place) if ids.size else added.any(1)
        digits = Tokens.of(np.where(added, END, ids), ~added & (ids != END))
        values = self.answer.decode(digits)
        values[~in_place] = None if values.dtype == object else np.nan
        return values

    def embedding(self, d_model: int) -> nn.Module | None:
        return None if self.how is None else Aggregated(self.how)


class Aggregated(nn.Module):
    """(m, 10) tallies and (V, d) words, the digits first, to (m, d), in float32."""

    def __init__(self, how: Aggregation):
        super().__init__()
        self.how = how

    def forward(self, features: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        with in_float32(features):
            return self.how.combine(features.float(), words[:10].float())
