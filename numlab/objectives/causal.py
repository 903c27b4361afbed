"""Next-token prediction, and greedy generation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from numlab.corpus import Batch
from numlab.objectives.base import Answers, Inputs, Objective, Targets, targets_at, to_tensor

__all__ = ["CausalLM"]


@dataclass(frozen=True)
class CausalLM(Objective):
    """Predict the next token.

    Parameters
    ----------
    only : patterns of the slots whose tokens are predicted.
    literals : predict every token, those of literals too.
    """

    only: tuple[str, ...] = ("*",)
    literals: bool = False

    @property
    def answers(self) -> tuple[str, ...]:
        """Slots that `encoder.answer` spells."""
        return () if self.literals else self.only

    def train(self, batch: Batch, rng: np.random.Generator) -> tuple[Inputs, Targets]:
        if self.literals:
            where = batch.real.copy()
        else:
            where = batch.in_slots(self.only)
            if not batch.corpus.tokenizer.encoder.answer.fixed:  # and the token that ends a number
                where[:, 1:] |= where[:, :-1] & batch.real[:, 1:]
        where[:, 0] = False
        targets = targets_at(batch, where, shift=1)
        row, column = np.divmod(targets.reads.numpy(), batch.ids.shape[1])
        n = int(column.max(initial=0)) + 1  # nothing after the last read is needed
        targets.reads = to_tensor(row * n + column)
        return _prompt(batch, np.arange(len(batch.ids)), n), targets

    def show(self, batch: Batch) -> Inputs:
        return _prompt(batch, np.arange(len(batch.ids)), batch.ids.shape[1])

    @torch.no_grad()
    def fill(self, model, batch: Batch, slots: tuple[str, ...]) -> Answers:
        """Generate each text's slot greedily from the tokens before it, one slot a text."""
        asked = batch.in_slots(slots)
        first = asked.argmax(1)
        if (np.where(asked, batch.slot, -1).max(1, keepdims=True) != batch.slot)[asked].any():
            raise ValueError(f"one slot a text is generated; several fit {slots}")
        if (first == 0).any():
            raise ValueError(f"{slots} begins a text: there is nothing to generate it from")
        is_word = ~_is_number(batch, slots)
        spelling = batch.corpus.tokenizer.encoder.answer
        n_words = int(asked[is_word].sum(1).max(initial=0))
        n_steps = max(spelling.length + (not spelling.fixed), n_words)
        drafts = [
            (rows, *self._generate(model, batch, rows, n, is_word[rows], n_steps))
            for n in np.unique(first)  # rows with equally long prompts together
            for rows in [np.flatnonzero(first == n)]
        ]
        order = np.argsort(np.concatenate([rows for rows, *_ in drafts]))
        ids, carries, features = (
            np.concatenate([draft[i] for draft in drafts])[order] for i in (1, 2, 3)
        )
        ids = _cut_words(ids, asked.sum(1), is_word)
        mask = ids >= 0
        slot = np.where(asked, batch.slot, -1).max(1)
        return Answers(batch.rows, slot, np.where(mask, ids, 0), mask, features[carries])

    def _generate(self, model, batch: Batch, rows, n: int, is_word, n_steps: int):
        """ids (b, L), -1 past the end; carries (b, L); features (b, L, F)."""
        tokenizer = batch.corpus.tokenizer
        ids = np.full((len(rows), n_steps), -1)
        carries = np.zeros(ids.shape, bool)
        n_features = tokenizer.head.n_features if tokenizer.head else 0
        features = np.zeros((*ids.shape, n_features), batch.labels.dtype)
        inputs, cache = _prompt(batch, rows, n), model.cache()
        going = np.ones(len(rows), bool)
        for step in range(n_steps):
            last = torch.arange(1, len(rows) + 1) * inputs.ids.shape[1] - 1
            hidden = model.hidden(inputs.to(model.device), last.to(model.device), cache=cache)
            token = model.logits(hidden).argmax(-1)
            carry = model.carries(token)
            read = model.read(hidden[carry])
            token, carry = token.cpu(), carry.cpu()
            if step:  # a number ends with the first token that is not the encoder's
                going &= is_word | (token.numpy() >= tokenizer.offset)
                if not going.any():
                    break
            ids[:, step] = np.where(going, token, -1)
            carries[:, step] = carry.numpy() & going
            features[carry.numpy(), step] = read
            inputs = Inputs(
                ids=token[:, None],
                within=to_tensor(np.where(is_word, 0, step + 1)[:, None]),
                real=None,
                carriers=carry.nonzero()[:, 0],
                features=to_tensor(read.astype(features.dtype)),
                causal=True,
            )
        return ids, carries, features


def _cut_words(ids: np.ndarray, n_tokens: np.ndarray, is_word: np.ndarray) -> np.ndarray:
    """An answer in words has as many tokens as the slot has."""
    beyond = np.arange(ids.shape[1]) >= n_tokens[:, None]
    return np.where(is_word[:, None] & beyond, -1, ids)


def _is_number(batch: Batch, slots: tuple[str, ...]) -> np.ndarray:
    """(B,) bool: whether a text's asked slot holds a number rather than a word."""
    per_layout = []
    for asked, e in zip(batch.corpus.in_slots(slots), batch.corpus.examples, strict=True):
        named = [s for s, hit in zip(e.layout.slots, asked, strict=False) if hit]
        per_layout.append(bool(named) and named[0].words is None)
    return np.array(per_layout)[batch.corpus.layout[batch.rows]]


def _prompt(batch: Batch, rows: np.ndarray, n: int) -> Inputs:
    """The first n tokens of some rows of a batch."""
    row, column = np.divmod(batch.carriers, batch.ids.shape[1])
    new_row = np.full(len(batch.ids), -1)
    new_row[rows] = np.arange(len(rows))
    keep = (column < n) & (new_row[row] >= 0)
    return Inputs(
        ids=to_tensor(batch.ids[rows, :n]).long(),
        within=to_tensor(batch.within[rows, :n]).long(),
        real=None,
        carriers=to_tensor(new_row[row[keep]] * n + column[keep]),
        features=to_tensor(batch.features[keep]),
        causal=True,
    )
