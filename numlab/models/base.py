"""What every model is: hidden states, logits and numbers for tokens; and what its spec is."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from numlab.encoders import Encoder
from numlab.examples import Layout
from numlab.heads import Head, HeadModule
from numlab.heads.base import in_float32
from numlab.losses import LossTerm
from numlab.objectives import Inputs, Objective, Targets
from numlab.tokenizer import Tokenizer


class Architecture(abc.ABC):
    """The spec of a model. Subclasses are frozen dataclasses of plain values.

    >>> spec = nl.GPT2(d_model=8, n_layer=1, n_head=1)
    >>> tokenizer = spec.tokenizer([nl.Layout.of("{a}+{b}={sum}")], nl.P10())
    >>> type(spec.build(tokenizer)).__name__, spec.d_model
    ('Transformer', 8)
    """

    version: ClassVar[int] = 1
    d_model: int  # width of the hidden states
    n_layer: int

    def tokenizer(
        self, layouts: Iterable[Layout], encoder: Encoder, head: Head | None = None
    ) -> Tokenizer:
        """The words of the layouts, then those of the encoder; `head` None: the encoder's."""
        return Tokenizer.of(layouts, encoder, head)

    def check(
        self,
        encoder: Encoder | None,
        head: Head | None,
        objective: Objective,
        losses: tuple[LossTerm, ...],
    ) -> None:
        """ValueError for parts of a spec that do not fit the model."""
        if encoder is None:
            raise ValueError(f"a {type(self).__name__} needs an encoder; got None")

    @property
    def outside(self) -> dict[str, str]:
        """Checksums of what a run depends on beside its spec, such as a file of weights."""
        return {}

    @abc.abstractmethod
    def build(self, tokenizer: Tokenizer) -> Model:
        """A new model, its weights drawn from torch's random state."""


class Model(nn.Module, abc.ABC):
    """A model over a tokenizer's words and the numbers that its tokens carry.

    B texts of T tokens, t targets, m numbers, V words, width d.

    >>> texts = nl.parse(["x=1.5", "x=-60.2"])
    >>> tokenizer = nl.Tokenizer.of([texts[0].layout], nl.P10())
    >>> model = nl.GPT2(8, 1, 1).build(tokenizer)
    >>> batch = tokenizer(texts).batch(np.arange(2))
    >>> h = model.hidden(nl.MaskedLM().show(batch))
    >>> h.shape, model.logits(h[:, 0]).shape
    (torch.Size([2, 7, 8]), torch.Size([2, 33]))
    """

    embed: nn.Module  # Inputs to (B, T, d) vectors; has `table`, `words`, `offset`, `encoder`
    value_head: HeadModule | None  # reads numbers off hidden states
    encoder_parts: ClassVar[tuple[str, ...]] = ("embed.values.", "value_head.")  # weights' names
    word_tables: ClassVar[tuple[str, ...]] = ()  # weights with a row for each of tokenizer.words

    def __init__(self, tokenizer: Tokenizer):
        super().__init__()
        self.tokenizer, self.value_head = tokenizer, None
        # the carriers of answers: input-only ones such as [AGG] are ordinary words when generated
        carriers = torch.from_numpy(tokenizer.answer_carriers)
        self.register_buffer("carriers", carriers, persistent=False)

    @abc.abstractmethod
    def hidden(
        self,
        inputs: Inputs,
        reads: torch.Tensor | None = None,
        layer: int | None = None,
        cache: Any = None,
    ) -> torch.Tensor:
        """Hidden states (B, T, d), or (t, d) at the flat positions `reads` (t,).

        With `layer` they are those after that many blocks, without the final norm; 0: the
        embedding. A `cache`, made by `cache()`, is filled with what the next tokens need: the
        inputs continue those that it has seen, and none of them is padding.
        """

    @abc.abstractmethod
    def logits(self, h: torch.Tensor) -> torch.Tensor:
        """(t, d) hidden states to (t, V) float32 logits."""

    def cache(self) -> Any:
        """An empty cache for `hidden`; a ValueError for a model that cannot generate."""
        raise ValueError(f"{type(self).__name__} does not generate text")

    @property
    def device(self) -> torch.device:
        return self.carriers.device

    def carries(self, ids: torch.Tensor) -> torch.Tensor:
        """Whether each token carries a number in an answer."""
        return torch.isin(ids, self.carriers)

    @torch.no_grad()
    def read(self, h: torch.Tensor) -> np.ndarray:
        """(m, d) hidden states to (m, F) features of the numbers that the head reads off them."""
        if self.value_head is None:
            return np.zeros((len(h), 0), np.float32)
        return self.tokenizer.head.read(self.value_head(h)).cpu().numpy()

    @torch.no_grad()
    def right(self, inputs: Inputs, targets: Targets) -> torch.Tensor:
        """(t,) bool: whether the likeliest token, and the number read off, are the target's."""
        h = self.hidden(inputs, targets.reads)
        right = self.logits(h).argmax(-1) == targets.ids
        if len(targets.features):
            read = self.tokenizer.head.read(self.value_head(h[targets.carries]))
            right[targets.carries] &= (read == targets.features).all(1)
        return right

    @torch.no_grad()
    def start_from(self, other: Model) -> None:
        """Copy the weights of another model that have the same name.

        Tables are copied word by word, whatever encoder the words are of; the weights of an
        encoder's module and of the number head from a model of the same encoder and head only.
        ValueError where weights of one name have different shapes.
        """
        learned, here, there = other.state_dict(), self.tokenizer, other.tokenizer
        same_encoder = (here.encoder, here.head) == (there.encoder, there.head)
        for name, weight in self.state_dict().items():
            if name not in learned or (name.startswith(self.encoder_parts) and not same_encoder):
                continue
            start, rows, their_rows = learned[name], ..., ...
            if name in self.word_tables:
                row_of = {word: row for row, word in enumerate(there.words)}
                shared = [(i, row_of[w]) for i, w in enumerate(here.words) if w in row_of]
                rows, their_rows = torch.tensor(shared).T
            if weight[rows].shape != start[their_rows].shape:
                shapes = f"{tuple(start.shape)} in the start and {tuple(weight.shape)} here"
                raise ValueError(f"{name} is {shapes}: start from a run whose model has this shape")
            weight[rows] = start[their_rows]

    def losses(
        self, inputs: Inputs, targets: Targets, terms: Sequence[LossTerm] = ()
    ) -> dict[str, torch.Tensor]:
        """The parts of the loss: "token", "value" where tokens carry numbers, and one per term."""
        h = self.hidden(inputs, targets.reads)
        logits = self.logits(h)
        empty = not len(targets.ids)  # a small batch in which nothing was masked
        parts = {"token": logits.sum() if empty else F.cross_entropy(logits, targets.ids)}
        if len(targets.features):
            outputs = self.value_head(h[targets.carries])
            losses = self.tokenizer.head.loss(outputs, targets.features)
            if losses.shape != (wanted := (len(outputs),)):  # (m, m) by a broadcast, say
                got = tuple(losses.shape)
                raise ValueError(f"a head gives a loss for each number, {wanted}; got {got}")
            parts["value"] = losses.mean()
        for term in terms:
            with in_float32(logits):
                loss = term(logits.float(), targets, self.embed)
            if loss.numel() != 1:
                shape = tuple(loss.shape)
                raise ValueError(f"a LossTerm gives one number a batch; {term} gave {shape}")
            parts[term.name] = term.weight * loss.squeeze()
        return parts
