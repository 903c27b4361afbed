"""Masked objectives: numbers and literals (xval), or words beside numbers (float)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch

from numlab.corpus import Batch
from numlab.objectives.base import Answers, Inputs, Objective, Targets, hide, targets_at


@dataclass(frozen=True)
class MaskedLM(Objective):
    """Fill in what is masked, everything at once.

    A number that is asked for is masked whole. Under an encoder of variable length the number of
    masks still shows how long it is (xval, Fig. 10).

    Parameters
    ----------
    slots : chance that a slot is masked in training; with whole=False, that each token of it is.
    literals : chance that a token of a literal (the text around the slots) is masked in training.
    only : patterns of the slots that may be masked.
    whole : True: all tokens of a slot are masked together. False: each token on its own, as the
        collator of xval's public code does; then the model mostly sees the rest of the number that
        it fills in. No difference for encoders with one token per number.

    >>> nl.MaskedLM(slots=1.0, literals=0.0, only=("answer",))
    MaskedLM(slots=1.0, literals=0.0, only=('answer',), whole=True)
    """

    slots: float = 0.2
    literals: float = 0.2
    only: tuple[str, ...] = ("*",)
    whole: bool = True
    fills_at_once: ClassVar[bool] = True

    def __post_init__(self):
        super().__post_init__()
        chances = self.slots, self.literals
        numbers = all(isinstance(chance, (int, float)) for chance in chances)
        if not (numbers and all(0 <= chance <= 1 for chance in chances) and any(chances)):
            wanted = "slots and literals are chances from 0 to 1, at least one of them above 0"
            raise ValueError(f"{wanted} (patterns of slots go into `only`); got {self}")

    @property
    def shows_rest(self) -> bool:
        return not self.whole

    def train(self, batch: Batch, rng: np.random.Generator) -> tuple[Inputs, Targets]:
        if self.whole:
            rows, n_slots = len(batch.ids), int(batch.slot.max()) + 1
            picked = rng.random((rows, n_slots + 1)) < self.slots
            picked[:, n_slots] = False  # slot -1: a literal
            hidden = picked[np.arange(rows)[:, None], batch.slot]
        else:
            hidden = (rng.random(batch.ids.shape) < self.slots) & (batch.slot >= 0)
        if self.only != ("*",):
            hidden &= batch.in_slots(self.only)
        if self.literals:
            chosen = rng.random(batch.ids.shape) < self.literals
            hidden |= chosen & (batch.slot < 0) & batch.real
        return _masked(batch, hidden)

    def ask(self, batch: Batch, slots: tuple[str, ...]) -> tuple[Inputs, Targets]:
        """Mask every slot that fits the patterns, and nothing else."""
        return _masked(batch, batch.in_slots(slots))

    @torch.no_grad()
    def fill(self, model, batch: Batch, slots: tuple[str, ...]) -> Answers:
        """The likeliest token at each mask, all in one pass."""
        inputs, targets = self.ask(batch, slots)
        device = model.device
        hidden = model.hidden(inputs.to(device), targets.reads.to(device))
        ids = model.logits(hidden).argmax(-1)
        features = model.read(hidden[model.carries(ids)])
        row, slot = targets.row.numpy(), targets.slot.numpy()
        begins = np.flatnonzero((np.diff(row, prepend=-1) != 0) | (np.diff(slot, prepend=-1) != 0))
        if len(begins) < batch.corpus.in_slots(slots)[batch.corpus.part[batch.rows]].sum():
            raise ValueError(f"an empty word has no token to predict; got one in {slots}")
        length = np.diff(begins, append=len(row))
        mask = np.arange(length.max(initial=0)) < length[:, None]
        filled = np.zeros(mask.shape, np.int64)
        filled[mask] = ids.cpu().numpy()
        return Answers(batch.rows[row[begins]], slot[begins], filled, mask, features)


@dataclass(frozen=True)
class MaskedWords(Objective):
    """Fill in masked words beside numbers that are shown (float, section 4).

    A word is a token outside of numbers: in a literal, or in a slot of words. Each is masked
    independently, as in BERT's training.

    `share`: chance that a word is masked in training.

    >>> nl.MaskedWords(share=0.3)
    MaskedWords(share=0.3)
    """

    share: float = 0.15
    only: ClassVar[tuple[str, ...]] = ("*",)

    def __post_init__(self):
        if not isinstance(self.share, (int, float)) or not 0 < self.share <= 1:
            raise ValueError(f"share is a chance above 0; got {self.share}")

    def words(self, batch: Batch) -> np.ndarray:
        """(B, T) bool: the tokens that can be masked."""
        special = np.isin(batch.ids, batch.corpus.tokenizer.text.special)
        return batch.real & (batch.within == 0) & ~special

    def train(self, batch: Batch, rng: np.random.Generator) -> tuple[Inputs, Targets]:
        return _masked(batch, self.words(batch) & (rng.random(batch.ids.shape) < self.share))

    def hide_one(self, batch: Batch, position: np.ndarray) -> tuple[Inputs, Targets]:
        """Mask one token of each text: the one at its position, (B,)."""
        return _masked(batch, np.arange(batch.ids.shape[1]) == position[:, None])


def _masked(batch: Batch, hidden: np.ndarray) -> tuple[Inputs, Targets]:
    return hide(batch, hidden), targets_at(batch, hidden, shift=0)
