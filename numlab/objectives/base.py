"""What an objective is, what a model reads and has to predict, and what it answers.

Shapes: B texts of T tokens, t targets, m tokens that carry a number, a answers.
"""

import abc
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import torch
from torch import from_numpy, nn

from numlab.corpus import Batch


class _Record:
    def to(self, device: torch.device) -> Self:
        """The record with its tensors on a device."""
        fields = {
            name: value.to(device, non_blocking=True) if torch.is_tensor(value) else value
            for name, value in vars(self).items()
        }
        return type(self)(**fields)


@dataclass(eq=False)
class Inputs(_Record):
    """What a model reads: B texts of T tokens, m of which carry a number of F features.

    Parameters
    ----------
    ids : (B, T) tokens.
    within : (B, T) index within the number, from 1; 0 in literals.
    real : (B, T) bool, False at padding; None: no padding that attention could see.
    carriers : (m,) flat positions of the tokens that carry a number.
    features : (m, F) what they carry.
    causal : whether a token sees only those before it.

    >>> texts = nl.parse(["x=1.5", "x=-60.25"])
    >>> tokenizer = nl.Tokenizer.of([texts[0].layout], nl.XVal())
    >>> batch = tokenizer(texts).batch(np.arange(2))
    >>> inputs = nl.MaskedLM().show(batch)
    >>> inputs.within.tolist(), inputs.features.tolist()
    ([[0, 1, 0], [0, 1, 0]], [[1.5], [-60.25]])
    """

    ids: torch.Tensor
    within: torch.Tensor
    real: torch.Tensor | None
    carriers: torch.Tensor
    features: torch.Tensor
    causal: bool

    def part(self, rows: torch.Tensor, n: int) -> Self:
        """The first n tokens of some rows, in ascending order."""
        length = self.ids.shape[1]
        row, column = self.carriers // length, self.carriers % length
        keep = (column < n) & torch.isin(row, rows)
        return Inputs(
            ids=self.ids[rows, :n],
            within=self.within[rows, :n],
            real=None if self.real is None else self.real[rows, :n],
            carriers=torch.searchsorted(rows, row[keep]) * n + column[keep],
            features=self.features[keep],
            causal=self.causal,
        )


@dataclass(eq=False)
class Targets(_Record):
    """What a model should predict, and where the prediction is read, for t tokens of a batch.

    Parameters
    ----------
    reads : (t,) flat positions whose hidden states predict.
    ids : (t,) the tokens to predict.
    carries : (t,) bool: a token that carries a number.
    features : (carries.sum(), F) the numbers to predict, as the head reads them.
    row : (t,) text of the batch.
    slot : (t,) slot of that text's layout, -1 in literals.

    >>> texts = nl.parse(["x=-60.2"])
    >>> tokenizer = nl.Tokenizer.of([texts[0].layout], nl.P10())
    >>> batch = tokenizer(texts).batch(np.arange(1))
    >>> _, targets = nl.MaskedLM().ask(batch, ("n0",))
    >>> targets.reads.tolist(), [tokenizer.words[i][1] for i in targets.ids]
    ([1, 2, 3, 4, 5], ['-', '6', '0', '2', 'E-1'])
    """

    reads: torch.Tensor
    ids: torch.Tensor
    carries: torch.Tensor
    features: torch.Tensor
    row: torch.Tensor
    slot: torch.Tensor


@dataclass(eq=False)
class Answers:
    """What a model puts into slots, one row for each.

    >>> texts = nl.parse(["x=1.5", "x=-60.2"])
    >>> tokenizer = nl.Tokenizer.of([texts[0].layout], nl.P10())
    >>> batch = tokenizer(texts).batch(np.arange(2))
    >>> answers = nl.MaskedLM().fill(nl.GPT2(8, 1, 1).build(tokenizer), batch, ("n0",))
    >>> answers.rows.tolist(), answers.slots.tolist(), answers.ids.shape
    ([0, 1], [0, 0], (2, 5))
    """

    rows: np.ndarray  # (a,) text of the corpus
    slots: np.ndarray  # (a,) slot of its layout
    ids: np.ndarray  # (a, L) tokens
    mask: np.ndarray  # (a, L) bool
    features: np.ndarray  # (carriers among the tokens, F)


def targets_at(batch: Batch, where: np.ndarray, shift: int) -> Targets:
    """Targets at the tokens where `where` (B, T) is True, read `shift` positions before them."""
    tokenizer = batch.corpus.tokenizer
    wanted = tokenizer.wanted(batch.ids, batch.within)
    # there is a label for each carrier; with `other_head`, for the first token of each number
    labelled = np.flatnonzero(batch.within == 1) if tokenizer.other_head else batch.carriers
    where = where & (wanted >= 0)
    at = np.flatnonzero(where)
    targeted = where.ravel()[labelled]
    carries = np.isin(at, labelled[targeted], assume_unique=True)
    return Targets(
        reads=from_numpy(at - shift),
        ids=from_numpy(wanted.ravel()[at]).long(),
        carries=from_numpy(carries),
        features=from_numpy(batch.labels[targeted]),
        row=from_numpy(at // batch.ids.shape[1]),
        slot=from_numpy(batch.slot.ravel()[at]).long(),
    )


def hide(batch: Batch, hidden: np.ndarray) -> Inputs:
    """Inputs with [MASK] wherever `hidden` (B, T) is True."""
    keep = ~hidden.ravel()[batch.carriers]
    ids = batch.ids
    if hidden.any():  # else a tokenizer without a mask will do
        ids = np.where(hidden, batch.corpus.tokenizer.text.mask, ids)
    return Inputs(
        ids=from_numpy(ids).long(),
        within=from_numpy(batch.within).long(),
        real=None if batch.real.all() else from_numpy(batch.real),
        carriers=from_numpy(batch.carriers[keep]),
        features=from_numpy(batch.features[keep]),
        causal=False,
    )


class Objective(abc.ABC):
    """What is hidden from a model, what it predicts, and how it fills slots in.

    Subclasses are frozen dataclasses of plain values with a field `only`: patterns of the slots
    that are predicted in training, such as ("answer",). They define `train`; `nl.predict` also
    takes `fill`, and `nl.probes.number_logits` and curricula `ask`. Further attributes:

    - `answers`: patterns of the slots that `encoder.answer` spells; by default none.
    - `shows_rest`: whether a model sees some tokens of a number as it predicts others.
    - `fills_at_once`: whether `fill` fills all slots of a text from one reading of it; else it is
      asked for one slot at a time.
    - `version`: raise it when the same fields mean another training.

    >>> texts = nl.parse(["1+2=3"])
    >>> tokenizer = nl.Tokenizer.of([texts[0].layout], nl.XVal())
    >>> batch, rng = tokenizer(texts).batch(np.arange(1)), np.random.default_rng(0)
    >>> for objective in (nl.CausalLM(only=("n2",)), nl.MaskedLM(1.0, 0.0, only=("n2",))):
    ...     print(objective.train(batch, rng)[1].reads.tolist())
    [3]
    [4]
    """

    version: ClassVar[int] = 1
    only: tuple[str, ...]
    answers: tuple[str, ...] = ()
    shows_rest: bool = False
    fills_at_once: ClassVar[bool] = False

    def __post_init__(self):
        only = (self.only,) if isinstance(self.only, str) else tuple(self.only)
        object.__setattr__(self, "only", only)

    @abc.abstractmethod
    def train(self, batch: Batch, rng: np.random.Generator) -> tuple[Inputs, Targets]:
        """What the model reads, and what it has to predict, in a training step."""

    def ask(self, batch: Batch, slots: tuple[str, ...]) -> tuple[Inputs, Targets]:
        """What the model reads, and where it predicts, when the slots that fit are asked for."""
        raise ValueError(f"{self} asks for no slots")

    def fill(self, model: nn.Module, batch: Batch, slots: tuple[str, ...]) -> Answers:
        """Have a model fill in the slots that fit some patterns; a ValueError where it cannot."""
        raise ValueError(f"{self} fills no slots")

    def show(self, batch: Batch) -> Inputs:
        """The batch with nothing hidden."""
        return hide(batch, np.zeros(batch.ids.shape, bool))
