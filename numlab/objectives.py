"""What a model is trained to predict: Batch -> Inputs and Targets, and answers back.

Masking, shifting and generation live here. A model sees Inputs and never knows the objective.

Shapes: B texts of T tokens, t targets, m tokens that carry a number, a answers.
"""

from __future__ import annotations

import abc
import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch

from numlab.corpus import Batch

__all__ = ["Answers", "CausalLM", "Inputs", "MaskedLM", "MaskedWords", "Objective", "Targets"]


@dataclass(eq=False)
class Inputs:
    """What a model reads."""

    ids: torch.Tensor  # (B, T)
    within: torch.Tensor  # (B, T) index within the number from 1; 0 in literals
    real: torch.Tensor | None  # (B, T) bool; None: no padding that attention could see
    carriers: torch.Tensor  # (m,) flat positions of the tokens that carry a number
    features: torch.Tensor  # (m, F) what they carry
    causal: bool

    def to(self, device: torch.device) -> Inputs:
        return _to(self, device)


@dataclass(eq=False)
class Targets:
    """What it should predict, and where the prediction is read."""

    reads: torch.Tensor  # (t,) flat positions whose hidden states predict
    ids: torch.Tensor  # (t,) the tokens to predict
    carries: torch.Tensor  # (t,) bool: a token that carries a number
    features: torch.Tensor  # (carries.sum(), F) the numbers to predict, as the head reads them
    row: torch.Tensor  # (t,) row of the batch
    slot: torch.Tensor  # (t,) slot of the row's layout, -1 in literals

    def to(self, device: torch.device) -> Targets:
        return _to(self, device)


@dataclass(eq=False)
class Answers:
    """What a model puts into the asked slots, one row for each."""

    rows: np.ndarray  # (a,) text of the corpus
    slots: np.ndarray  # (a,) slot of its layout
    ids: np.ndarray  # (a, L) tokens
    mask: np.ndarray  # (a, L) bool
    features: np.ndarray  # (carriers among the tokens, F)


def _to(record, device):
    """Move a record's tensors to a device."""
    moved = {
        f.name: value.to(device, non_blocking=True)
        for f in dataclasses.fields(record)
        if isinstance(value := getattr(record, f.name), torch.Tensor)
    }
    return dataclasses.replace(record, **moved)


def _tensor(array: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(array))


def _targets(batch: Batch, where: np.ndarray, shift: int) -> Targets:
    """Targets at the tokens where `where` (B, T) is True, read `shift` positions before them."""
    tokenizer = batch.corpus.tokenizer
    if len(tokenizer.input_only):
        where = where & ~np.isin(batch.ids, tokenizer.input_only)
    at = np.flatnonzero(where)
    asked = where.ravel()[batch.carriers]
    carries = np.isin(at, batch.carriers[asked], assume_unique=True)
    return Targets(
        reads=_tensor(at - shift),
        ids=_tensor(batch.ids.ravel()[at]).long(),
        carries=_tensor(carries),
        features=_tensor(batch.labels[asked]),
        row=_tensor(at // batch.ids.shape[1]),
        slot=_tensor(batch.slot.ravel()[at]).long(),
    )


def hide(batch: Batch, hidden: np.ndarray) -> Inputs:
    """Inputs with [MASK] wherever `hidden` (B, T) is True."""
    keep = ~hidden.ravel()[batch.carriers]
    ids = batch.ids
    if hidden.any():  # else a tokenizer without a mask will do
        ids = np.where(hidden, batch.corpus.tokenizer.text.mask, ids)
    return Inputs(
        ids=_tensor(ids).long(),
        within=_tensor(batch.within).long(),
        real=None if batch.real.all() else _tensor(batch.real),
        carriers=_tensor(batch.carriers[keep]),
        features=_tensor(batch.features[keep]),
        causal=False,
    )


class Objective(abc.ABC):
    """What is hidden from a model, what it predicts, and how it fills slots in.

    Subclasses are frozen dataclasses of plain values.

    Attributes
    ----------
    only : tuple of str
        Patterns of the slots that are predicted in training.
    answers : tuple of str
        Patterns of the slots that are spelled by `encoder.answer`.
    fills_at_once : bool
        Whether `fill` fills all slots of a text in one pass; else one slot a text.
    """

    version: ClassVar[int] = 1
    only: tuple[str, ...]
    answers: tuple[str, ...] = ()
    fills_at_once: ClassVar[bool] = False

    @abc.abstractmethod
    def train(self, batch: Batch, rng: np.random.Generator) -> tuple[Inputs, Targets]:
        """What the model reads, and what it has to predict, in a training step."""

    @abc.abstractmethod
    def fill(self, model, batch: Batch, slots: tuple[str, ...]) -> Answers:
        """Have a model fill in the slots whose names fit the patterns `slots`.

        Raises
        ------
        ValueError
            Where the objective cannot fill them.
        """

    def show(self, batch: Batch) -> Inputs:
        """The batch with nothing hidden."""
        return hide(batch, np.zeros(batch.ids.shape, bool))


@dataclass(frozen=True)
class MaskedLM(Objective):
    """Fill in what is masked, everything at once.

    A slot is masked whole: all tokens of its number together. Under an encoder of variable length
    the number of masks still shows how long the number is (xval, Fig. 10).

    Parameters
    ----------
    slots : chance that a slot is masked.
    literals : chance that a token of a literal is masked.
    only : patterns of the slots that may be masked.
    """

    slots: float = 0.2
    literals: float = 0.2
    only: tuple[str, ...] = ("*",)
    fills_at_once: ClassVar[bool] = True

    def train(self, batch: Batch, rng: np.random.Generator) -> tuple[Inputs, Targets]:
        rows, n_slots = len(batch.ids), int(batch.slot.max()) + 1
        picked = rng.random((rows, n_slots + 1)) < self.slots
        picked[:, n_slots] = False  # slot -1: a literal
        hidden = picked[np.arange(rows)[:, None], batch.slot]
        if self.only != ("*",):
            hidden &= batch.asked(self.only)
        if self.literals:
            chosen = rng.random(batch.ids.shape) < self.literals
            hidden |= chosen & (batch.slot < 0) & batch.real
        return _masked(batch, hidden)

    def ask(self, batch: Batch, slots: tuple[str, ...]) -> tuple[Inputs, Targets]:
        """Mask every slot that fits the patterns, and nothing else."""
        return _masked(batch, batch.asked(slots))

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

    Parameters
    ----------
    share : chance that a word is masked in training.
    """

    share: float = 0.15
    only: ClassVar[tuple[str, ...]] = ("*",)

    def words(self, batch: Batch) -> np.ndarray:
        """(B, T) bool: the tokens that can be masked."""
        special = np.isin(batch.ids, batch.corpus.tokenizer.text.special)
        return batch.real & (batch.within == 0) & ~special

    def train(self, batch: Batch, rng: np.random.Generator) -> tuple[Inputs, Targets]:
        return _masked(batch, self.words(batch) & (rng.random(batch.ids.shape) < self.share))

    def hide_one(self, batch: Batch, position: np.ndarray) -> tuple[Inputs, Targets]:
        """Mask one token of each text: the one at its position, (B,)."""
        return _masked(batch, np.arange(batch.ids.shape[1]) == position[:, None])

    def fill(self, model, batch: Batch, slots: tuple[str, ...]) -> Answers:
        raise ValueError(f"{self} fills no slots; ask for words with evaluation.masked_words")


def _masked(batch: Batch, hidden: np.ndarray) -> tuple[Inputs, Targets]:
    return hide(batch, hidden), _targets(batch, hidden, shift=0)


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
            where = batch.asked(self.only)
            if not batch.corpus.tokenizer.encoder.answer.fixed:  # and the token that ends a number
                where[:, 1:] |= where[:, :-1] & batch.real[:, 1:]
        where[:, 0] = False
        targets = _targets(batch, where, shift=1)
        row, column = np.divmod(targets.reads.numpy(), batch.ids.shape[1])
        n = int(column.max(initial=0)) + 1  # nothing after the last read is needed
        targets.reads = _tensor(row * n + column)
        return _prompt(batch, np.arange(len(batch.ids)), n), targets

    def show(self, batch: Batch) -> Inputs:
        return _prompt(batch, np.arange(len(batch.ids)), batch.ids.shape[1])

    @torch.no_grad()
    def fill(self, model, batch: Batch, slots: tuple[str, ...]) -> Answers:
        """Generate each text's slot greedily from the tokens before it, one slot a text."""
        asked = batch.asked(slots)
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
                within=_tensor(np.where(is_word, 0, step + 1)[:, None]),
                real=None,
                carriers=carry.nonzero()[:, 0],
                features=_tensor(read.astype(features.dtype)),
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
    for asked, e in zip(batch.corpus.asked(slots), batch.corpus.examples, strict=True):
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
        ids=_tensor(batch.ids[rows, :n]).long(),
        within=_tensor(batch.within[rows, :n]).long(),
        real=None,
        carriers=_tensor(new_row[row[keep]] * n + column[keep]),
        features=_tensor(batch.features[keep]),
        causal=True,
    )
