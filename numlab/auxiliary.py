"""Losses beside an objective's own: they see the logits at the targets, and the embeddings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch

from numlab.encoders.aggregate import WeightedSum
from numlab.models import NumberEmbedding
from numlab.objectives import Targets

FLOOR = 1e-6  # of the mean squared error, relative to the embeddings': log2 ends at -20


@dataclass(frozen=True)
class AggregateLoss:
    """How far the aggregate of the predicted digits is from that of the true ones (Eq. 2, digits).

    log2 of the mean squared error between the weighted sums of the two numbers' digit embeddings,
    the mean over the numbers of a batch. Where a true number has a digit, the predicted one is
    the mean embedding under the model's probabilities ("soft digits"): an argmax has no gradient.
    The embeddings themselves get none from this loss, which would shrink them to please it.

    All digits of a number count, with the point left out, as in `Aggregate` (our choice: 12.5 is
    aggregated as 125, Eq. 1 leaves decimals open); where the point belongs is left to the
    cross-entropy.

    Parameters
    ----------
    share : float
        The lambda of Eq. 3, which interpolates linearly between the two losses: above 0, below 1
        (our choice: lambda is the share of the cross-entropy, Eq. 3 is lost).
    base : float
        Of the weighted sum.

    Notes
    -----
    deviates: the two losses are added as cross-entropy + (1 - lambda) / lambda times this one,
    Eq. 3 divided by lambda; AdamW does not feel the factor.

    deviates: the paper sets the loss to a constant where the answer is no number. Here what
    probability lies on words that are no digits counts as a zero vector: an answer without any
    digit costs the log2 of the mean square of the true number's aggregate.
    """

    version: ClassVar[int] = 1
    share: float = 0.6
    base: float = 2.0

    def __post_init__(self):
        if not 0 < self.share < 1:
            raise ValueError(f"the cross-entropy's share lies between 0 and 1; got {self.share}")

    def __call__(
        self, logits: torch.Tensor, targets: Targets, embed: NumberEmbedding
    ) -> torch.Tensor:
        """(t, V) logits to the mean over the numbers, times (1 - lambda) / lambda.

        Raises
        ------
        ValueError
            For an encoder that does not spell answers digit by digit.
        """
        digits = embed.digits.to(logits.device)
        true = targets.ids[:, None] == digits  # (t, 10)
        at = true.any(1).nonzero()[:, 0]
        if not len(at):  # a small batch without a digit
            return logits.sum() * 0
        _, number, count = targets.number[at].unique_consecutive(
            return_inverse=True, return_counts=True
        )
        place = torch.arange(len(at), device=at.device) - (count.cumsum(0) - count)[number]
        weight = self._weights(int(count.max())).to(at.device)[count[number] - 1, place]
        gap = logits[at].float().softmax(1)[:, digits] - true[at].float()
        tally = gap.new_zeros(len(count), 10).index_add(0, number, weight[:, None] * gap)
        words = embed.table.weight[digits].detach().float()
        error = (tally @ words).square().mean(1)
        loss = torch.log2(error + FLOOR * words.square().mean()).mean()
        return (1 - self.share) / self.share * loss

    def _weights(self, most: int) -> torch.Tensor:
        """(most, most): row n - 1 holds the weights of n digits."""
        table = torch.zeros(most, most)
        for n in range(1, most + 1):
            table[n - 1, :n] = torch.from_numpy(WeightedSum(self.base).weights(n))
        return table
