"""Losses that are added to an objective's."""

from __future__ import annotations

import abc
import functools
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import nn

from numlab.encoders import Encoder
from numlab.encoders.aggregate import WeightedSum
from numlab.objectives import Targets

__all__ = ["AggregateLoss", "LossTerm"]

FLOOR = 1e-6  # of the mean squared error, relative to the embeddings': log2 ends at -20


class LossTerm(abc.ABC):
    """A loss at the targets. Subclasses are frozen dataclasses of plain values."""

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
    """Distance between the aggregates of the predicted and the true digits (Eq. 2, digits).

    log2 of the mean squared error between the weighted sums of the two numbers' digit embeddings,
    the mean over the numbers of a batch. Where a true number has a digit, the predicted one is
    the mean embedding under the model's probabilities ("soft digits"): an argmax has no gradient.
    The embeddings get no gradient from this loss: it would shrink them.

    All digits of a number count, with the point left out, as in `Aggregate` (our choice: 12.5 is
    aggregated as 125; Eq. 1 leaves decimals open). The cross-entropy teaches where the point is.

    Parameters
    ----------
    share : the lambda of Eq. 3, which interpolates linearly between the two losses: above 0, below
        1 (our choice: lambda is the share of the cross-entropy, Eq. 3 is lost).
    base : of the weighted sum.

    Notes
    -----
    deviates: the total is cross-entropy + (1 - lambda) / lambda times this loss: Eq. 3 divided by
    lambda. AdamW ignores a constant factor.

    deviates: the paper sets the loss to a constant where the answer is not a number. Here the
    probability of words that are not digits counts as a zero vector: an answer without a digit
    costs the log2 of the mean square of the true number's aggregate.
    """

    share: float = 0.6
    base: float = 10.0
    name: str = "aggregate"

    def __post_init__(self):
        if not 0 < self.share < 1:
            raise ValueError(f"share is above 0 and below 1; got {self.share}")

    @property
    def weight(self) -> float:
        return (1 - self.share) / self.share

    def check(self, encoder: Encoder) -> None:
        _digit_words(encoder)

    def __call__(self, logits: torch.Tensor, targets: Targets, embed: nn.Module) -> torch.Tensor:
        """The mean over the numbers of a batch."""
        digits = embed.offset + torch.tensor(_digit_words(embed.encoder), device=logits.device)
        true = targets.ids[:, None] == digits  # (t, 10)
        at = true.any(1).nonzero()[:, 0]
        if not len(at):  # a small batch without a digit
            return logits.sum() * 0
        _, number, count = torch.stack([targets.row[at], targets.slot[at]]).unique_consecutive(
            return_inverse=True, return_counts=True, dim=1
        )
        place = torch.arange(len(at), device=at.device) - (count.cumsum(0) - count)[number]
        table = torch.from_numpy(WeightedSum(self.base).weight_table(int(count.max()))).float()
        weight = table.to(at.device)[count[number], place]
        gap = logits[at].float().softmax(1)[:, digits] - true[at].float()
        tally = gap.new_zeros(len(count), 10).index_add(0, number, weight[:, None] * gap)
        words = embed.table.weight[digits].detach().float()
        error = (tally @ words).square().mean(1)
        return torch.log2(error + FLOOR * words.square().mean()).mean()


@functools.lru_cache
def _digit_words(encoder: Encoder) -> tuple[int, ...]:
    """The indices of the words 0 to 9, with which the encoder spells answers."""
    words, answer = encoder.vocabulary, encoder.answer.spell(12)
    if [word for word in answer if word.isdigit()][:2] != ["1", "2"]:
        raise ValueError(
            "AggregateLoss needs answers in digits, greatest first; "
            f"{encoder} spells 12 as {' '.join(answer)}"
        )
    return tuple(words.index(digit) for digit in "0123456789")
