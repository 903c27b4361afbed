"""A pretrained model as the model of a run: masked words by a new head (float, section 4)."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import torch
from torch import nn
from torch.nn import functional as F

from numlab.encoders import Encoder
from numlab.encoders.base import in_float32
from numlab.examples import Layout
from numlab.objectives import Inputs, Targets
from numlab.pretrained.numbers import PretrainedEmbedding
from numlab.pretrained.source import MINILM, local_only, locate, quiet
from numlab.pretrained.text import PretrainedTokenizer, Words

if TYPE_CHECKING:
    from transformers import PreTrainedModel


@dataclass(frozen=True)
class Pretrained:
    """A Hugging Face model in the place of a ModelSpec: `RunSpec(model=Pretrained())`.

    Learned are the embedding of numbers and a head for words; the model itself too unless it is
    frozen. Of an encoder-decoder the encoder is taken.

    Parameters
    ----------
    name : str
        MINILM (from its package), a folder, or a name: that alone is downloaded, once, through
        the Hugging Face cache.
    frozen : bool
    """

    version: ClassVar[int] = 1
    name: str = MINILM
    frozen: bool = True

    @property
    def d_model(self) -> int:
        return trunk(self.name).config.hidden_size

    @property
    def n_layer(self) -> int:
        return trunk(self.name).config.num_hidden_layers

    def tokenizer(
        self, layouts: Iterable[Layout], encoder: Encoder | None, head=None
    ) -> PretrainedTokenizer:
        """The model's vocabulary is fixed: the layouts add nothing to it."""
        return PretrainedTokenizer(_words(self.name), encoder)

    def build(self, tokenizer: PretrainedTokenizer) -> PretrainedModel:
        return PretrainedModel(self, tokenizer)


def load(name: str) -> PreTrainedModel:
    """A model without a head, in eval mode, drawing nothing from the random state."""
    from transformers import AutoModel

    with torch.random.fork_rng(devices=[]), quiet():
        model = AutoModel.from_pretrained(
            locate(name),
            attn_implementation="eager",  # as fast, and in bf16 on CPUs 1.7 times faster than fused
            **local_only(name),
        )
    return (model.get_encoder() if model.config.is_encoder_decoder else model).eval()


@functools.lru_cache(maxsize=2)
def trunk(name: str) -> PreTrainedModel:
    """One frozen copy for all runs of a process."""
    return load(name).requires_grad_(False)


@functools.lru_cache(maxsize=2)
def _words(name: str) -> Words:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(locate(name), **local_only(name))
    return Words.of(tokenizer, trunk(name))


class PretrainedModel(nn.Module):
    """A pretrained trunk, an embedding of numbers, and a new head over the model's words.

    As the head of BERT's own training: a layer, GELU, a norm, and the model's table of words,
    which is tied and, in a frozen model, frozen.

    deviates: a word is read off its own place, as in BERT's training; the paper reads [CLS].
    """

    def __init__(self, spec: Pretrained, tokenizer: PretrainedTokenizer):
        super().__init__()
        self.spec, self.tokenizer = spec, tokenizer
        model = trunk(spec.name) if spec.frozen else load(spec.name)
        if spec.frozen:  # none of a run's weights
            object.__setattr__(self, "trunk", model)
        else:
            self.trunk = model
        table = model.get_input_embeddings()
        self.embed = PretrainedEmbedding(tokenizer, table)
        width, d = model.config.hidden_size, table.embedding_dim
        self.head = nn.Sequential(nn.Linear(width, d), nn.GELU(), nn.LayerNorm(d))
        self.bias = nn.Parameter(torch.zeros(tokenizer.offset))

    @property
    def device(self) -> torch.device:
        return self.bias.device

    def _apply(self, fn, recurse=True):
        if self.spec.frozen:
            self.trunk._apply(fn, recurse)
        return super()._apply(fn, recurse)

    def train(self, mode: bool = True) -> PretrainedModel:
        super().train(mode)
        if self.spec.frozen:
            self.trunk.eval()
        return self

    def hidden(
        self, inputs: Inputs, reads: torch.Tensor | None = None, layer: int | None = None
    ) -> torch.Tensor:
        """Hidden states (B, T, d), or (t, d) at the flat positions `reads`, after some layers."""
        mask = None if inputs.real is None else inputs.real.long()
        out = self.trunk(
            inputs_embeds=self.embed(inputs),
            attention_mask=mask,
            output_hidden_states=layer is not None,
        )
        h = out.last_hidden_state if layer is None else out.hidden_states[layer]
        return h if reads is None else h.flatten(0, 1)[reads]

    def logits(self, h: torch.Tensor) -> torch.Tensor:
        """(t, d) hidden states -> (t, words of the model) logits in float32: in bf16 many tie."""
        with in_float32(h):
            return F.linear(self.head(h.float()), self.embed.table.weight, self.bias)

    def losses(self, inputs: Inputs, targets: Targets, auxiliary=()) -> dict[str, torch.Tensor]:
        """The loss: the cross-entropy of the masked words."""
        if auxiliary or (targets.ids >= len(self.bias)).any():
            raise ValueError("a pretrained model predicts words alone: MaskedWords() is its aim")
        logits = self.logits(self.hidden(inputs, targets.reads))
        none = not len(targets.ids)  # a small batch in which nothing was masked
        return {"token": logits.sum() if none else F.cross_entropy(logits, targets.ids)}
