"""Losses that are added to an objective's."""

from __future__ import annotations

import abc
import functools
import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import nn

from numlab.encoders import Encoder
from numlab.encoders.aggregate import WeightedSum
from numlab.objectives import Targets

__all__ = ["AggregateLoss", "LossTerm", "NumberTokenLoss"]

FAR = 1.01  # distance of non-number words, times the largest distance
FLOOR = 1e-6  # of the mean squared error, relative to the embeddings': log2 ends at -20


class LossTerm(abc.ABC):
    """A loss at the targets, one number a batch. Subclasses are frozen dataclasses of plain values.

    A stored run is found by the class, its `version` and its fields: raise the version when the
    code computes something else.

    >>> import torch; from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Confidence(nl.losses.LossTerm):
    ...     name, weight = "confidence", 0.1
    ...     def __call__(self, logits, targets, embed):
    ...         return logits.softmax(1).amax(1).mean()
    >>> Confidence()(torch.zeros(1, 4), None, None)
    tensor(0.2500)
    """

    version: ClassVar[int] = 1
    name: str  # its column in a run's history; no two terms of a run share it
    weight: float  # of the loss in the total

    @abc.abstractmethod
    def __call__(self, logits: torch.Tensor, targets: Targets, embed: nn.Module) -> torch.Tensor:
        """The loss of a batch, without the weight, from (t, V) logits.

        `embed` is the model's embedding: its `table`, the encoder's `offset` in it, the `encoder`.
        """

    def check(self, encoder: Encoder) -> None:
        """Raise a ValueError if the loss does not work with the encoder."""
        return None


@dataclass(frozen=True)
class AggregateLoss(LossTerm):
    """Distance between the aggregates of the predicted and the true digits (digits, Eq. 2).

    log2 of the mean squared error between the weighted sums of the two numbers' digit embeddings,
    the mean over the numbers of a batch. Where a true number has a digit, the predicted one is
    the mean embedding under the model's probabilities ("soft digits"): an argmax has no gradient.
    The embeddings get no gradient from this loss: it would shrink them.

    All digits of a number count, with the sign and the point left out, as in `Aggregate` (our
    choice: -12.5 is aggregated as 125; Eq. 1 leaves decimals open). The cross-entropy teaches both.
    Under MaskedLM(whole=False) only masked digits count, with the weights of a shorter number.

    Parameters
    ----------
    share : the lambda of Eq. 3: the share of the cross-entropy in the sum of the two losses, above
        0 and below 1 (our choice: Eq. 3 is lost, and which loss its lambda weighs is a guess).
    base : of the weighted sum.

    deviates: the total is cross-entropy + (1 - lambda) / lambda times this loss: Eq. 3 divided by
    lambda. AdamW ignores a constant factor.

    deviates: where the answer is not a number, the paper sets both sums to values that are lost in
    the text that we have. Here the probability of words that are not digits counts as a zero
    vector: an answer without a digit costs the log2 of the mean square of the true number's sum.

    >>> nl.AggregateLoss(share=0.5).weight
    1.0
    """

    share: float = 0.6
    base: float = 10.0
    name: str = "aggregate"

    def __post_init__(self):
        if not 0 < self.share < 1:
            raise ValueError(f"share is above 0 and below 1; got {self.share}")
        WeightedSum(self.base)  # or its error

    @property
    def weight(self) -> float:
        return (1 - self.share) / self.share

    def check(self, encoder: Encoder) -> None:
        _digit_words(encoder, type(self).__name__)

    def __call__(self, logits: torch.Tensor, targets: Targets, embed: nn.Module) -> torch.Tensor:
        """The mean over the numbers of a batch."""
        words = _digit_words(embed.encoder, type(self).__name__)
        digits = embed.offset + torch.tensor(words, device=logits.device)
        true = targets.ids[:, None] == digits  # (t, 10)
        at = true.any(1).nonzero()[:, 0]
        if not len(at):  # a small batch without a digit
            return logits.sum() * 0
        number, count, place = _places(targets, at)
        table = torch.from_numpy(WeightedSum(self.base).weight_table(int(count.max())))
        kind = torch.float32 if table.max() < 1e15 else torch.float64  # which holds its squares
        weight = table.to(at.device, kind)[count[number], place]
        gap = logits[at].float().softmax(1)[:, digits].to(kind) - true[at].to(kind)
        tally = gap.new_zeros(len(count), 10).index_add(0, number, weight[:, None] * gap)
        vectors = embed.words[digits - embed.offset].detach().to(kind)
        error = (tally @ vectors).square().mean(1)
        return torch.log2(error + FLOOR * vectors.square().mean()).mean().float()


def _places(targets: Targets, at: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """The number that each of t targets is a digit of, (t,); how many digits each number has; and
    which of them each target is, (t,)."""
    _, number, count = torch.stack([targets.row[at], targets.slot[at]]).unique_consecutive(
        return_inverse=True, return_counts=True, dim=1
    )
    place = torch.arange(len(at), device=at.device) - (count.cumsum(0) - count)[number]
    return number, count, place


@functools.lru_cache
def _digit_words(encoder: Encoder, name: str) -> tuple[int, ...]:
    """The indices of the words 0 to 9, with which the encoder spells answers."""
    words, answer = encoder.vocabulary, encoder.answer
    spelled = answer.spell(12) if answer.bounds[1] >= 12 else []
    if [word for word in spelled if word.isdigit()][:2] != ["1", "2"]:
        got = f"{encoder} spells 12 as {' '.join(spelled) or 'nothing: it holds ' + answer.holds}"
        raise ValueError(f"{name} needs answers in digits, greatest first; {got}")
    return tuple(words.index(digit) for digit in "0123456789")


@dataclass(frozen=True)
class NumberTokenLoss(LossTerm):
    """How far words that are numbers are from the true one (Zausinger and others, 2411.02083).

    At each target that is a word with a value y (a digit, a significand, a whole number), with v
    the values of all such words and p the softmax over these alone:

    "was": sum p |v - y|, the Wasserstein distance to y; "mse": (sum p v - y)^2; "number":
    |X - Y| / (|X| + |Y| + 1e-8), once a number, where its digits y make Y and the sums p v make X.
    Sign, point and exponent are left out, so -12.5 counts as 125 (in the authors' package, as 12
    and 5); so are the digits that MaskedLM(whole=False) shows.

    Where one word is a whole number (FP15, UniformBins), "mse" with reweigh=False is the loss of
    regression-aware fine-tuning, RAFT (Lukasik and others, ICLR 2025).

    Parameters
    ----------
    weight : of the mean over the targets, beside the cross-entropy.
    reweigh : the loss becomes m loss + (1 - m) 1.01 largest, with m the model's probability of all
        words that are numbers, and the largest loss that there can be. Else it does not see other
        words. As in the authors' package, and not in their paper; never with "number".
    squash : "was" maps distances between different values linearly to 1 ... squash. Digits have 1
        to 9 themselves; our choice: others are squashed to that too, as significands and whole
        numbers are decades apart. None: as they are.

    >>> nl.NumberTokenLoss("mse", weight=0.1)
    NumberTokenLoss(kind='mse', weight=0.1, reweigh=True, squash=9.0, name='number tokens')
    """

    kind: str = "was"
    weight: float = 0.3
    reweigh: bool = True
    squash: float | None = 9.0
    name: str = "number tokens"

    def __post_init__(self):
        if self.kind not in ("was", "mse", "number"):
            raise ValueError(f"kind is 'was', 'mse' or 'number'; got {self.kind!r}")
        if self.squash is not None and not 1 < self.squash < math.inf:
            raise ValueError(f"squash is above 1, or None; got {self.squash}")

    def check(self, encoder: Encoder) -> None:
        if encoder.unchosen:
            wanted = "words that are the same numbers in every column"
            raise ValueError(f"NumberTokenLoss needs {wanted}; got {encoder}")
        if self.kind == "number":
            _digit_words(encoder, type(self).__name__)
        if encoder.answer.carriers or np.isnan(encoder.answer.word_values).all():
            raise ValueError(f"NumberTokenLoss needs words that are numbers; {encoder} has none")

    def __call__(self, logits: torch.Tensor, targets: Targets, embed: nn.Module) -> torch.Tensor:
        """The mean over the targets that are numbers, or over the numbers."""
        words = _valued_words(embed.encoder, embed.offset, logits.shape[1], logits.device)
        at, true = words.known[targets.ids], words.values[targets.ids]
        if not at.any():  # a small batch without a number
            return logits.sum() * 0
        # of all targets: to leave some out costs more than it saves
        among_all = self.reweigh and self.kind != "number"
        own = logits.float() if among_all else logits.float().masked_fill(~words.known, -math.inf)
        share = own.softmax(1)
        if self.kind == "was":  # m times the mean distance, and 1 - m times the worst, in one sum
            loss = torch.einsum("tv,tv->t", share, self._distances(words, true))
            return loss[at].mean()
        mass = (share @ words.known.float()).clamp(min=1e-30)
        mean = share @ words.values / mass
        if self.kind == "number":
            return self._whole(mean[at], true[at], targets, at.nonzero()[:, 0])
        others = share @ (~words.known).float()  # 1 - mass can be below 0, as float32 rounds it
        loss = mass * (mean - true).square() + FAR * words.width**2 * others
        return loss[at].mean()

    @torch.no_grad()
    def _distances(self, words: _Words, true: torch.Tensor) -> torch.Tensor:
        """(t, V) of each word to the true value; in place, as V can be tens of thousands."""
        slope, shift, worst = 1.0, 0.0, words.width
        if self.squash is not None:  # a distance above 0 becomes 1 + (distance - least) slope
            several = words.width > words.least
            slope = (self.squash - 1) / (words.width - words.least) if several else 1 / words.least
            shift, worst = 1 - slope * words.least, self.squash
        apart = (slope * words.values - (slope * true)[:, None]).abs_()
        if shift:
            apart.add_(apart.sign(), alpha=shift)
        apart[:, ~words.known] = FAR * worst
        return apart

    def _whole(self, digits, true, targets: Targets, at: torch.Tensor) -> torch.Tensor:
        number, count, place = _places(targets, at)
        power = count[number] - 1 - place
        if int(count.max()) > 36:  # float32 ends at 3e38
            power = power.double()
        weight = 10.0**power
        put = torch.zeros(2, len(count), dtype=weight.dtype, device=at.device)
        ours, y = put.index_add(1, number, weight * torch.stack([digits, true]))
        return ((ours - y).abs() / (ours.abs() + y.abs() + 1e-8)).mean().float()


@dataclass(frozen=True, eq=False)
class _Words:
    """The words of a model as numbers."""

    values: torch.Tensor  # (V,), 0 for words that are not numbers
    known: torch.Tensor  # (V,) bool: whether a word is a number
    least: float  # smallest distance between different values
    width: float  # distance between the least and the greatest value


@functools.lru_cache
def _valued_words(encoder: Encoder, offset: int, size: int, device: torch.device) -> _Words:
    values, own = np.full(size, np.nan), encoder.answer.word_values
    values[offset:][: len(own)] = own[: size - offset]  # IntegerVocabulary(1) has fewer
    known = ~np.isnan(values)
    every = np.unique(values[known].astype(np.float32))
    return _Words(
        torch.from_numpy(np.nan_to_num(values)).float().to(device),
        torch.from_numpy(known).to(device),
        float(np.diff(every).min()) if len(every) > 1 else 1.0,
        float(np.ptp(every)),
    )
