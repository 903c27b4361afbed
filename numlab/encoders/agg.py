"""Digits with one more token that is their aggregate: [F] [AGG] 6 0 2 [/F] (papers/digits.md)."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from numlab.encoders.aggregate import digit_weights
from numlab.encoders.base import END, Encoder, Tokens, in_float32
from numlab.encoders.digits import Digits


@dataclass(frozen=True)
class Aggregate(Encoder):
    """Fenced digits, and a token whose vector is the weighted sum of theirs (Section 3, digits).

    The weights are those of Eq. 1 over all digits, with the point left out (our choice: the paper
    leaves decimals open). Answers are spelled without the token.

    Parameters
    ----------
    int_digits, frac_digits, signed
        Of the digits, as in Digits.
    before : bool
        Whether the token stands before the digits (Table 1) or after them (Table 2).
    base : float, optional
        Of the weights; None: the token is [PAUSE] and has a vector of its own (Table 2).

    Examples
    --------
    >>> Aggregate().spell(-602), Aggregate(before=False, base=None).spell(7)
    (['[F]', '[AGG]', '-', '6', '0', '2', '[/F]'], ['[F]', '7', '[PAUSE]', '[/F]'])
    >>> Aggregate().encode([602]).features.astype(float).round(1).tolist()
    [[0.6, 0.0, 0.1, 0.0, 0.0, 0.0, 2.4, 0.0, 0.0, 0.0]]
    """

    int_digits: int = 6
    frac_digits: int = 0
    signed: bool = True
    before: bool = True
    base: float | None = 2.0
    fixed = False

    def __post_init__(self):
        self.answer.__post_init__()
        if self.base is not None and not 0 < self.base < np.inf:
            raise ValueError(f"Aggregate has a positive, finite base; got {self.base}")

    @functools.cached_property
    def answer(self) -> Digits:
        return Digits(self.int_digits, self.frac_digits, self.signed, fences=True)

    @property
    def token(self) -> int:
        """The word that is added to those of the digits."""
        return len(self.answer.vocabulary)

    @functools.cached_property
    def vocabulary(self) -> tuple[str, ...]:
        return (*self.answer.vocabulary, "[PAUSE]" if self.base is None else "[AGG]")

    @property
    def carriers(self) -> tuple[int, ...]:
        return () if self.base is None else (self.token,)

    @property
    def n_features(self) -> int:
        return 0 if self.base is None else 10

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
        if self.base is None:
            return Tokens.of(ids, mask)
        return Tokens(ids, mask, self._weights(digits))

    def _weights(self, tokens: Tokens) -> np.ndarray:
        """(n, 10) float32: what each digit's vector counts in the sum."""
        is_digit = tokens.mask & (tokens.ids < 10)
        count = is_digit.sum(1)
        table = np.zeros((self.answer.n_digits + 1, self.answer.n_digits))
        for n in range(1, len(table)):
            table[n, :n] = digit_weights(n, self.base)
        row, column = np.nonzero(is_digit)
        place = is_digit.cumsum(1)[row, column] - 1
        weights = np.zeros((len(count), 10), np.float32)
        np.add.at(weights, (row, tokens.ids[row, column]), table[count[row], place])
        return weights

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
        return None if self.base is None else WeightedDigits()


class WeightedDigits(nn.Module):
    """(m, 10) weights and (V, d) words, the digits first, to (m, d), in float32 (Eq. 1, digits)."""

    def forward(self, features: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        with in_float32(features):
            return features.float() @ words[:10].float()
