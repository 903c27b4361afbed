"""A number's digits as one vector: six aggregations, and a token that carries one.

Sivakumar and Moosavi (2024), "How to Leverage Digit Embeddings to Represent Numbers?", propose
the weighted sum (Section 3) and compare it with the others (Appendix A).
"""

import functools
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import nn

from numlab.codes import Decimal
from numlab.codes.base import FLOAT32
from numlab.encoders.base import Embedding, Encoder, Tokens
from numlab.encoders.digits import Digits


class Aggregation:
    """One vector from the embeddings of a number's digits.

    Called with (n, N) integer digits, most significant first, and the (10, d) embeddings of 0 to
    9; returns (n, d) of the embeddings' dtype.
    """

    sees_order: ClassVar[bool] = False  # whether the vector depends on the order of the digits

    def __call__(self, digits: np.ndarray, embeddings: np.ndarray) -> np.ndarray:
        digits, embeddings = np.asarray(digits), np.asarray(embeddings)
        if digits.ndim != 2 or not digits.shape[1] or digits.dtype.kind not in "iu":
            got = f"{digits.dtype} of shape {digits.shape}"
            raise ValueError(f"digits are integers of shape (n, N >= 1); got {got}")
        if embeddings.ndim != 2 or len(embeddings) != 10 or embeddings.dtype.kind != "f":
            got = f"{embeddings.dtype} of shape {embeddings.shape}"
            raise ValueError(f"embeddings are floats of shape (10, d); got {got}")
        if digits.size and not (digits.min() >= 0 and digits.max() <= 9):
            raise ValueError(f"digits are 0 to 9; got {digits.min()} to {digits.max()}")
        tally = self.tally(digits, np.ones(digits.shape, bool), embeddings.dtype)
        table = torch.from_numpy(np.ascontiguousarray(embeddings))
        return self.combine(torch.from_numpy(tally), table).numpy()

    def weights(self, n_digits: int) -> np.ndarray:
        """(n_digits,) float64 weights of the digits, most significant first."""
        return np.ones(n_digits)

    def weight_table(self, most: int) -> np.ndarray:
        """(most + 1, most) float64: row n holds the weights of n digits, then zeros."""
        table = np.zeros((most + 1, most))
        for n in range(1, most + 1):
            table[n, :n] = self.weights(n)
        return table

    def tally(self, digits: np.ndarray, mask: np.ndarray, dtype=np.float32) -> np.ndarray:
        """(n, N) digits, some of them masked out, to (n, 10) sums of each digit's weights."""
        table, count, rank = self.weight_table(digits.shape[1]), mask.sum(1), mask.cumsum(1) - 1
        tally = np.zeros((len(digits), 10), dtype)
        for j, present in enumerate(mask.T):
            rows = np.flatnonzero(present)
            tally[rows, digits[rows, j]] += table[count[rows], rank[rows, j]]
        return tally

    def combine(self, tally: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        """(m, 10) tallies and the digits' (10, d) vectors to (m, d)."""
        return tally @ words


@dataclass(frozen=True)
class WeightedSum(Aggregation):
    """Sum of the digits' embeddings, weighted by decimal place (digits, Section 3).

    `w_i = base**(N - i) * 3 (N + 1 - i) (N + 2 - i) / (N (N + 1) (N + 2))`, i = 1 leftmost: an
    exponential of the place times a normalised triangular number; 1 for a single digit.

    Our choice: the exponential of Eq. 1 has base 10. The equation is lost in the text that we have;
    the prose fixes the fraction ("1, 3, 6, normalised to 0.1, 0.3, 0.6") and w = 1 for one digit,
    and says that the weights grow exponentially "to reflect base-10".

    >>> WeightedSum().weights(3).tolist()
    [60.0, 3.0, 0.1]
    >>> WeightedSum()(np.array([[1, 0, 2]]), np.eye(10)).round(2).tolist()
    [[3.0, 60.0, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]
    """

    base: float = 10.0
    sees_order: ClassVar[bool] = True

    def __post_init__(self):
        if not 0 < self.base < np.inf:
            raise ValueError(f"WeightedSum has a positive, finite base; got {self.base}")

    def weights(self, n_digits: int) -> np.ndarray:
        n, place = n_digits, np.arange(n_digits, 0, -1)  # place is N + 1 - i
        triangular = 3 * place * (place + 1) / (n * (n + 1) * (n + 2))
        return float(self.base) ** (place - 1) * triangular


@dataclass(frozen=True)
class DigitSum(Aggregation):
    """Sum of the digits' embeddings: blind to their order; it grows with their count.

    >>> one_hot = np.eye(10)
    >>> nl.encoders.DigitSum()(np.array([[6, 0, 6], [0, 6, 6]]), one_hot)[:, 6].tolist()
    [2.0, 2.0]
    """


@dataclass(frozen=True)
class DigitMean(Aggregation):
    """Mean of the digits' embeddings.

    >>> line = np.arange(10.0)[:, None]
    >>> nl.encoders.DigitMean()(np.array([[6, 0, 3], [2, 3, 4]]), line).tolist()
    [[3.0], [3.0]]
    """

    def weights(self, n_digits: int) -> np.ndarray:
        return np.full(n_digits, 1 / n_digits)


@dataclass(frozen=True)
class DigitMax(Aggregation):
    """Largest entry among the digits' embeddings in each dimension.

    >>> rises_and_falls = np.stack([np.arange(10.0), 9 - np.arange(10.0)], axis=1)
    >>> nl.encoders.DigitMax()(np.array([[6, 0, 2]]), rises_and_falls).tolist()
    [[6.0, 9.0]]
    """

    def combine(self, tally: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        best = torch.full_like(words[:1], -torch.inf).repeat(len(tally), 1)
        for count, word in zip(tally.T, words, strict=True):  # no (m, 10, d) in memory
            best = torch.where(count[:, None] > 0, best.maximum(word), best)
        return best


@dataclass(frozen=True)
class DigitMin(Aggregation):
    """Smallest entry among the digits' embeddings in each dimension.

    >>> rises_and_falls = np.stack([np.arange(10.0), 9 - np.arange(10.0)], axis=1)
    >>> nl.encoders.DigitMin()(np.array([[6, 0, 2]]), rises_and_falls).tolist()
    [[0.0, 3.0]]
    """

    def combine(self, tally: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        return -DigitMax().combine(tally, -words)


@dataclass(frozen=True)
class DigitMedian(Aggregation):
    """Median of the digits' embeddings in each dimension (mean of the middle two).

    >>> line = np.arange(10.0)[:, None]
    >>> nl.encoders.DigitMedian()(np.array([[6, 0, 2, 1]]), line).tolist()
    [[1.5]]
    """

    def combine(self, tally: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        ordered, digit = words.sort(dim=0)
        n = tally.sum(1, keepdim=True)
        lower, upper = (n + 1).div(2, rounding_mode="floor"), n.div(2, rounding_mode="floor") + 1
        total = median = 0.0
        for word, of in zip(ordered, digit, strict=True):
            before, total = total, total + tally[:, of]
            for middle in (lower, upper):
                hit = (before < middle) & (middle <= total)
                median = median + torch.where(hit, word / 2, 0.0)
        return median


@dataclass(frozen=True)
class Aggregate(Decimal, Encoder):
    """Digits between fences, [F] and [/F], and a token that carries their aggregate.

    602 is [F] [AGG] 6 0 2 [/F]. The aggregate skips the decimal point: 12.5 counts as 125 (our
    choice: the paper leaves decimals open). Answers are written without the token [AGG].

    Parameters
    ----------
    int_digits, frac_digits, signed : as in `numlab.codes.Decimal`.
    before : whether the token stands before the digits (digits, Table 1) or after them (Table 2).
    how : the aggregation that [AGG] carries. None: the token is [PAUSE], a word like others
        (Table 2).

    >>> Aggregate().spell(-602), Aggregate(before=False, how=None).spell(7)
    (['[F]', '[AGG]', '-', '6', '0', '2', '[/F]'], ['[F]', '7', '[PAUSE]', '[/F]'])
    >>> Aggregate().encode([602]).features.astype(float).round(1).tolist()
    [[3.0, 0.0, 0.1, 0.0, 0.0, 0.0, 60.0, 0.0, 0.0, 0.0]]
    """

    before: bool = True
    how: Aggregation | None = WeightedSum()
    fixed = False

    def __post_init__(self):
        super().__post_init__()
        if self.how is not None:
            with np.errstate(over="ignore"):
                most = (9 * self.how.weights(self.n_digits).sum()) ** 2
            if not most <= FLOAT32:  # a norm squares the vector
                expected = "expected fewer digits, as float32 must hold the square of their sum"
                got = f"got {self.n_digits} digits for {self.how}"
                raise ValueError(f"Aggregate: {expected} (in base 10 up to 20 digits do); {got}")

    @functools.cached_property
    def answer(self) -> Digits:
        return Digits(self.int_digits, self.frac_digits, self.signed, fences=True)

    @functools.cached_property
    def vocabulary(self) -> tuple[str, ...]:
        return (*self.answer.vocabulary, "[PAUSE]" if self.how is None else "[AGG]")

    @property
    def token(self) -> int:
        """The index of [AGG] or [PAUSE] in the vocabulary."""
        return len(self.answer.vocabulary)

    @property
    def carriers(self) -> tuple[int, ...]:
        return () if self.how is None else (self.token,)

    @property
    def n_features(self) -> int:
        return 0 if self.how is None else 10

    @property
    def length(self) -> int:
        return self.answer.length + 1

    def encode(self, numbers) -> Tokens:
        self.in_range(numbers)
        columns = self.answer.columns(numbers)
        columns.insert(1 if self.before else -1, (self.token, True))
        tokens = Tokens.from_columns(columns)
        if self.how is None:
            return tokens
        features = self.how.tally(tokens.ids, tokens.mask & (tokens.ids < 10))
        return Tokens(tokens.ids, tokens.mask, features)

    def decode(self, tokens: Tokens) -> np.ndarray:
        added = self.vocabulary[self.token]
        fence, both = ("[F]", f"[F]{added}") if self.before else ("[/F]", f"{added}[/F]")
        found = tokens.texts(self.vocabulary)
        return self.answer.read([t.replace(both, fence, 1) if both in t else "" for t in found])

    def embedding(self, d_model: int) -> nn.Module | None:
        return None if self.how is None else Embedding(self.embed)

    def embed(self, tally: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        """(m, 10) tallies and (V, d) words, digits first, to (m, d)."""
        return self.how.combine(tally, words[:10])
