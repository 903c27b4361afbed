"""Next-token prediction, and greedy generation."""

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import from_numpy

from numlab.corpus import Batch
from numlab.objectives.base import Answers, Inputs, Objective, Targets, targets_at


@dataclass(frozen=True)
class CausalLM(Objective):
    """Predict the next token.

    Parameters
    ----------
    only : patterns of the slots whose tokens are predicted, and whose numbers `encoder.answer`
        spells. With `literals` it changes neither.
    literals : whether every token is predicted, of all slots and literals; then the encoder itself
        spells all numbers.

    >>> nl.CausalLM(only=("answer",))
    CausalLM(only=('answer',), literals=False)
    """

    only: tuple[str, ...] = ("*",)
    literals: bool = False

    @property
    def answers(self) -> tuple[str, ...]:
        return () if self.literals else self.only

    @property
    def shows_rest(self) -> bool:
        return self.literals

    def train(self, batch: Batch, rng: np.random.Generator) -> tuple[Inputs, Targets]:
        where = batch.real.copy() if self.literals else _answers(batch, self.only)
        if where[:, 0].any() and not where[:, 1:].any():
            raise ValueError(f"{self.only} begins a text: there is nothing to predict it from")
        where[:, 0] = False
        targets = targets_at(batch, where, shift=1)
        row, column = np.divmod(targets.reads.numpy(), batch.ids.shape[1])
        n = int(column.max(initial=0)) + 1  # nothing after the last read is needed
        targets.reads = from_numpy(row * n + column)
        return self.show(batch).part(torch.arange(len(batch.ids)), n), targets

    def ask(self, batch: Batch, slots: tuple[str, ...]) -> tuple[Inputs, Targets]:
        """The whole text; each token of the slots, and the one that ends a number of variable
        length, is read off the one before it."""
        where = _answers(batch, slots)
        where[:, 0] = False
        return self.show(batch), targets_at(batch, where, shift=1)

    def show(self, batch: Batch) -> Inputs:
        return replace(super().show(batch), real=None, causal=True)

    @torch.no_grad()
    def fill(self, model, batch: Batch, slots: tuple[str, ...]) -> Answers:
        """Generate one slot of each text greedily from the true tokens before it.

        A slot of words gets as many tokens as its true word, which can give it away: "no" has one,
        "no idea" two.
        """
        asked = batch.in_slots(slots)
        if not asked.any(1).all():
            raise ValueError(f"no slot of a text fits {slots}")
        first, slot = asked.argmax(1), np.where(asked, batch.slot, -1).max(1)
        if (slot[:, None] != batch.slot)[asked].any():
            raise ValueError(f"one slot per text is generated; several fit {slots}")
        if (first == 0).any():
            raise ValueError(f"{slots} begins a text: there is nothing to generate it from")
        tokenizer = batch.corpus.tokenizer
        is_word = ~(asked & (batch.within > 0)).any(1)
        n_words = np.where(is_word, asked.sum(1), 0)  # tokens of an answer in words
        n_number = tokenizer.answer_length + (not tokenizer.answer_fixed)
        n_steps = max(n_number, n_words.max(initial=0))
        ids = np.full((len(asked), n_steps), -1)
        carries = np.zeros(ids.shape, bool)
        n_features = tokenizer.head.n_features if tokenizer.head else 0
        features = np.zeros((*ids.shape, n_features), batch.labels.dtype)
        for n in np.unique(first):
            rows = np.flatnonzero(first == n)  # texts with equally long prompts together
            prompt = self.show(batch).part(from_numpy(rows), int(n))
            steps = _generate(model, batch, prompt, is_word[rows], n_steps)
            for i, (token, carried, read) in enumerate(steps):
                ids[rows, i] = token
                carries[rows, i] = carried
                features[rows[carried], i] = read
        n_tokens = np.where(is_word, n_words, n_number)
        mask = (ids >= 0) & (np.arange(n_steps) < n_tokens[:, None])
        return Answers(batch.rows, slot, np.where(mask, ids, 0), mask, features[carries & mask])


def _answers(batch: Batch, slots: tuple[str, ...]) -> np.ndarray:
    """(B, T) bool: the tokens of some slots; where numbers vary in length, the next token, too."""
    where = batch.in_slots(slots)
    if not batch.corpus.tokenizer.answer_fixed:  # it ends a number; after word slots, too
        where[:, 1:] |= where[:, :-1] & batch.real[:, 1:]
    return where


def _generate(model, batch: Batch, inputs: Inputs, is_word: np.ndarray, n_steps: int):
    """Continue b texts of a batch, step by step.

    Yields tokens (b,), -1 behind a number; which of them carry a number (b,); and these numbers.
    """
    tokenizer, cache = batch.corpus.tokenizer, model.cache()
    going, longest = np.ones(len(is_word), bool), tokenizer.answer_length
    for step in range(n_steps):
        last = torch.arange(1, len(is_word) + 1) * inputs.ids.shape[1] - 1
        hidden = model.hidden(inputs.to(model.device), last.to(model.device), cache=cache)
        token = model.logits(hidden).argmax(-1)
        carry = model.carries(token)
        read = model.read(hidden[carry]).astype(batch.labels.dtype)
        token, carry = token.cpu(), carry.cpu()
        if step:  # a number ends with the first token that is not the encoder's
            going &= is_word | (token.numpy() >= tokenizer.offset)
            if not going.any():
                return
        carried = carry.numpy()
        yield np.where(going, token, -1), carried & going, read[going[carried]]
        if tokenizer.other_head:  # it has answered: what the head reads is not fed back
            going, carry, read = is_word, carry & False, read[:0]
        inputs = Inputs(
            ids=token[:, None],
            within=from_numpy(np.where(is_word, 0, min(step + 1, longest))[:, None]),
            real=None,
            carriers=carry.nonzero()[:, 0],
            features=from_numpy(read),
            causal=True,
        )
