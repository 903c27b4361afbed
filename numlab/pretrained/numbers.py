"""Number embeddings for a Hugging Face model, which stays unchanged."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from numlab.corpus import Batch
from numlab.encoders import Encoder
from numlab.examples import parse
from numlab.objectives import Inputs, MaskedLM
from numlab.pretrained.text import PretrainedTokenizer, Words

__all__ = ["NumberInputs", "PretrainedEmbedding"]


class PretrainedEmbedding(nn.Module):
    """Inputs to (B, T, d): words by the model's table, numbers by an encoder.

    The parameters are the encoder's and, if the table has no rows for its words, new rows: drawn
    with the mean and spread of the table's.
    """

    def __init__(self, tokenizer: PretrainedTokenizer, table: nn.Embedding):
        super().__init__()
        object.__setattr__(self, "table", table)  # its parameters are the model's
        self.offset, self.encoder, d = tokenizer.offset, tokenizer.encoder, table.embedding_dim
        n_new, self.new = tokenizer.size - table.num_embeddings, None
        if n_new:
            rows = self._rows(0, min(self.offset, 1000)).detach().float()
            self.new = nn.Parameter(rows.mean(0) + rows.std() * torch.randn(n_new, d).to(rows))
        self.values = self.encoder.embedding(d)
        self.to(table.weight.device)

    def _rows(self, start: int, stop: int) -> torch.Tensor:
        return self.table(torch.arange(start, stop, device=self.table.weight.device))

    @property
    def words(self) -> torch.Tensor:
        """(V, d) vectors of the encoder's words; BART's table scales its weights."""
        return self._rows(self.offset, self.table.num_embeddings) if self.new is None else self.new

    def forward(self, inputs: Inputs) -> torch.Tensor:
        ids = inputs.ids.flatten()
        number = (ids >= self.offset).nonzero()[:, 0]
        h = self.table(ids.index_fill(0, number, 0))
        if len(number):
            words = self.words
            vectors = F.embedding(ids[number] - self.offset, words)
            h = h.index_put((number,), vectors.to(h.dtype))
            if len(inputs.carriers):
                carried = self.values(inputs.features, words)
                h = h.index_put((inputs.carriers,), carried.to(h.dtype))
        return h.unflatten(0, inputs.ids.shape)


class NumberInputs(nn.Module):
    """Texts with numbers as `inputs_embeds` of a Hugging Face model.

    The model may be an encoder, a decoder or an encoder-decoder, with any head. It stays
    unchanged; this module's parameters are new.

    Parameters
    ----------
    model, tokenizer : of `transformers`; the tokenizer a fast one.
    encoder : Encoder, optional
        None: numbers stay in the text, in the tokenizer's tokens.

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

    def __init__(self, model, tokenizer, encoder: Encoder | None = None):
        super().__init__()
        self.tokenizer = PretrainedTokenizer.of(Words.of(tokenizer, model.config), encoder)
        self.embed = PretrainedEmbedding(self.tokenizer, model.get_input_embeddings())
        self.pads_left = tokenizer.padding_side == "left"

    def read(self, texts: list[str]) -> Batch:
        """Tokenize texts; a ValueError names one without a number or too long for the model."""
        corpus = self.tokenizer(parse(texts))
        return corpus.batch(np.argsort(np.concatenate([e.index for e in corpus.examples])))

    def forward(self, texts: list[str]) -> dict[str, torch.Tensor]:
        """Arguments for the model: inputs_embeds (n, T, d) and attention_mask (n, T)."""
        batch, device = self.read(texts), self.embed.table.weight.device
        embedded = self.embed(MaskedLM().show(batch).to(device))
        real = torch.from_numpy(batch.real).to(device)
        if self.pads_left:
            T = real.shape[1]
            at = (torch.arange(T, device=device) - (T - real.sum(1))[:, None]) % T
            embedded, real = embedded.take_along_dim(at[..., None], 1), real.take_along_dim(at, 1)
        return {"inputs_embeds": embedded, "attention_mask": real.long()}
