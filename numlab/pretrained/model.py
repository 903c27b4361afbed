"""A pretrained model that fills in masked words, with a new head (float, section 4)."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

from numlab import store
from numlab.encoders import Encoder
from numlab.encoders.base import in_float32
from numlab.examples import Layout
from numlab.models import Architecture, Model
from numlab.objectives import Inputs, MaskedWords
from numlab.pretrained.embedding import PretrainedEmbedding
from numlab.pretrained.source import MINILM, config, kept, load, scale
from numlab.pretrained.text import PretrainedTokenizer, Words


class HuggingFace(Architecture):
    """A Hugging Face model. `name`: MINILM, a folder, or a name on the hub (downloaded once)."""

    name: str

    @property
    def d_model(self) -> int:
        return config(self.name).hidden_size

    @property
    def n_layer(self) -> int:
        return config(self.name).num_hidden_layers

    @property
    def outside(self) -> dict[str, str]:
        return _checksums(self.name)

    def check(self, encoder, head, objective, losses) -> None:
        if head:
            raise ValueError(f"{type(self).__name__} predicts words, so head is None; got {head}")

    def tokenizer(self, layouts: Iterable[Layout], encoder: Encoder | None, head=None):
        """The model's words and the encoder's; the layouts add none. None: no encoder."""
        return PretrainedTokenizer.of(_words(self.name), encoder)


@dataclass(frozen=True)
class Pretrained(HuggingFace):
    """A Hugging Face model that fills in masked words: `RunSpec(model=Pretrained(), ...)`.

    Training fits the number embedding and a new head for words, and the model too unless it is
    frozen. Of an encoder-decoder, only the encoder is used. `blocks`: how many of the model's
    blocks are kept, from the first on; None: all.

    >>> nl.pretrained.Pretrained().d_model, nl.pretrained.Pretrained().n_layer
    (384, 6)
    """

    name: str = MINILM
    frozen: bool = True
    blocks: int | None = None

    def __post_init__(self):
        if self.blocks is not None and not 1 <= self.blocks <= super().n_layer:
            raise ValueError(f"{self.name} has {super().n_layer} blocks; got blocks={self.blocks}")

    @property
    def n_layer(self) -> int:
        return self.blocks or super().n_layer

    def check(self, encoder, head, objective, losses) -> None:
        super().check(encoder, head, objective, losses)
        if losses or not isinstance(objective, MaskedWords):
            wanted = "a Pretrained model predicts words: MaskedWords(), without losses"
            raise ValueError(f"{wanted}; got {objective} and losses {losses}")

    def build(self, tokenizer: PretrainedTokenizer) -> Model:
        return PretrainedModel(self, tokenizer)


@kept(4)
def _words(name: str) -> Words:
    from transformers import AutoTokenizer

    return Words.of(load(AutoTokenizer, name), config(name))


@kept(8)
def _checksums(name: str) -> dict[str, str]:
    return {str(file): store.checksum(file) for file in sorted(Path(name).glob("*.safetensors"))}


def _load_trunk(name: str, blocks: int | None):
    """A model without a head, in eval mode; its first blocks, None: all."""
    from transformers import AutoModel
    from transformers.utils import logging

    cut = {} if blocks is None else {"num_hidden_layers": blocks}
    verbosity = logging.get_verbosity()
    logging.set_verbosity_error()  # it warns of the weights that are left out
    try:  # eager attention: as fast as the fused one, and 1.7 times faster in bf16 on CPUs
        model = load(AutoModel, name, attn_implementation="eager", **cut)
    finally:
        logging.set_verbosity(verbosity)
    return (model.get_encoder() if model.config.is_encoder_decoder else model).eval()


@kept(2)
def trunk(name: str, blocks: int | None = None):
    """The frozen copy of a model that all runs of a process share."""
    return _load_trunk(name, blocks).requires_grad_(False)


def states(trunk: nn.Module, h: torch.Tensor, real, layer: int | None, reads=None) -> torch.Tensor:
    """Hidden states of a model without a head, after some blocks; None: at the end.

    From embeddings (B, T, d); (t, d) at the flat positions `reads`, None: at all.
    """
    h = scale(trunk) * h
    if layer != 0:
        mask, every = None if real is None else real.long(), layer is not None
        out = trunk(inputs_embeds=h, attention_mask=mask, output_hidden_states=every)
        h = out.last_hidden_state if layer is None else out.hidden_states[layer]
    return h if reads is None else h.flatten(0, 1)[reads]


class PretrainedModel(Model):
    """A pretrained trunk, a number embedding, and a new head over the model's words.

    The head is that of BERT's training: a layer, GELU, a norm, and the model's table of words
    (tied; frozen in a frozen model).

    deviates: a word is read at its position, as in BERT's training; the paper reads [CLS].
    """

    encoder_parts = ("embed.values.", "embed.new")

    def __init__(self, spec: Pretrained, tokenizer: PretrainedTokenizer):
        super().__init__(tokenizer)
        self.spec = spec
        if spec.frozen:  # not a submodule: a run does not store its weights
            object.__setattr__(self, "trunk", trunk(spec.name, spec.blocks))
        else:
            self.trunk = _load_trunk(spec.name, spec.blocks)
        table = self.trunk.get_input_embeddings()
        self.embed = PretrainedEmbedding(tokenizer, table)
        width, d = self.trunk.config.hidden_size, table.embedding_dim
        self.head = nn.Sequential(nn.Linear(width, d), nn.GELU(), nn.LayerNorm(d))
        self.bias = nn.Parameter(torch.zeros(tokenizer.offset))

    def _apply(self, fn, recurse=True):
        if self.spec.frozen:
            self.trunk._apply(fn, recurse)
        return super()._apply(fn, recurse)

    def start_from(self, other: Model) -> None:
        if self.spec.frozen and not getattr(other.spec, "frozen", True):
            wanted = "expected frozen=False, as in the run that it starts from"
            raise ValueError(f"{wanted}, whose trained trunk would be lost; got frozen=True")
        super().start_from(other)

    def hidden(self, inputs: Inputs, reads=None, layer=None, cache=None) -> torch.Tensor:
        return states(self.trunk, self.embed(inputs), inputs.real, layer, reads)

    def logits(self, h: torch.Tensor) -> torch.Tensor:
        """(t, d) hidden states to (t, words of the model), in float32: in bf16 many tie."""
        with in_float32(h):
            return F.linear(self.head(h.float()), self.embed.table.weight, self.bias)
