"""Number embeddings beside a Hugging Face model, which stays as it is."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from numlab.corpus import Batch
from numlab.encoders import Encoder
from numlab.examples import parse
from numlab.objectives import Inputs
from numlab.objectives.base import hide
from numlab.pretrained.text import PretrainedTokenizer, Words

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


class PretrainedEmbedding(nn.Module):
    """Words by the model's own table, numbers by an encoder: (B, T) ids to (B, T, d).

    Its parameters are new: a row for each word of the encoder, drawn with the spread of the
    model's own rows, and the encoder's module.
    """

    def __init__(self, tokenizer: PretrainedTokenizer, table: nn.Module):
        super().__init__()
        object.__setattr__(self, "table", table)  # the model's: none of our parameters
        self.offset, encoder, d = tokenizer.offset, tokenizer.encoder, table.embedding_dim
        with torch.no_grad():  # of what the table puts out: BART's scales its rows
            some = table(torch.arange(min(self.offset, 1000), device=table.weight.device)).float()
        n = len(encoder.vocabulary) if encoder else 0
        self.words = nn.Parameter(some.mean(0) + some.std() * torch.randn(n, d).to(some))
        self.values = encoder.embedding(d) if encoder else None
        self.to(some.device)

    def forward(self, inputs: Inputs) -> torch.Tensor:
        ids = inputs.ids.flatten()
        number = (ids >= self.offset).nonzero()[:, 0]
        h = self.table(inputs.ids.masked_fill(inputs.ids >= self.offset, 0))
        if not len(number):
            return h
        vectors = F.embedding(ids[number] - self.offset, self.words)
        if self.values is not None and len(inputs.carriers):
            at = torch.searchsorted(number, inputs.carriers)
            carried = self.values(inputs.features, self.words)
            vectors = vectors.index_put((at,), carried.to(vectors.dtype))
        return h.flatten(0, 1).index_put((number,), vectors.to(h.dtype)).view_as(h)


class NumberInputs(nn.Module):
    """The way of texts with numbers into a Hugging Face model, by its `inputs_embeds`.

    Encoders, decoders and encoder-decoders, with whatever head they have. The model is not
    changed; what is learned beside it are this module's parameters.

    Parameters
    ----------
    model, tokenizer : of `transformers`; the tokenizer a fast one.
    encoder : Encoder, optional
        None: numbers are the text tokens that they are to the tokenizer.

    Examples
    --------
    >>> import transformers as hf
    >>> from numlab.encoders import IEEE754
    >>> from numlab.pretrained import MINILM, locate
    >>> model, tokenizer = (
    ...     auto.from_pretrained(locate(MINILM)) for auto in (hf.AutoModel, hf.AutoTokenizer)
    ... )
    >>> numbers = NumberInputs(model, tokenizer, IEEE754())
    >>> inputs = numbers(["The whale weighs 140000 kg and lives for 90 years."])
    >>> model(**inputs).last_hidden_state.shape
    torch.Size([1, 13, 384])
    """

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        encoder: Encoder | None = None,
    ):
        super().__init__()
        self.tokenizer = PretrainedTokenizer(Words.of(tokenizer, model), encoder)
        self.embed = PretrainedEmbedding(self.tokenizer, model.get_input_embeddings())
        self.pads_left = tokenizer.padding_side == "left"

    def read(self, texts: list[str]) -> Batch:
        """The tokens of the texts: their ids, and where the numbers stand among them.

        Raises
        ------
        ValueError
            A text without a number; a number that the encoder does not hold; a text that is too
            long for the model.
        """
        corpus = self.tokenizer(parse(texts))
        return corpus.batch(np.argsort(np.concatenate([e.index for e in corpus.examples])))

    def forward(self, texts: list[str]) -> dict[str, torch.Tensor]:
        """What the model takes: inputs_embeds (n, T, d) and attention_mask (n, T)."""
        batch, device = self.read(texts), self.embed.table.weight.device
        inputs = hide(batch, np.zeros(batch.ids.shape, bool)).to(device)
        embedded, real = self.embed(inputs), torch.from_numpy(batch.real).to(device)
        if self.pads_left:
            T = real.shape[1]
            at = (torch.arange(T, device=device) - (T - real.sum(1))[:, None]) % T
            embedded, real = embedded.take_along_dim(at[..., None], 1), real.take_along_dim(at, 1)
        return {"inputs_embeds": embedded, "attention_mask": real.long()}


@contextlib.contextmanager
def frozen(model: nn.Module) -> Iterator[nn.Module]:
    """Within the block the model learns nothing and drops nothing out; after it, it is as before.

    Gradients still pass through it, to the numbers that it reads.
    """
    learns = [(p, p.requires_grad) for p in model.parameters()]
    trains = [(m, m.training) for m in model.modules()]
    try:
        yield model.requires_grad_(False).eval()
    finally:
        for parameter, flag in learns:
            parameter.requires_grad_(flag)
        for module, flag in trains:
            module.training = flag
