"""Number embeddings beside the words of a Hugging Face model."""

import torch
from torch import nn
from torch.nn import functional as F

from numlab.objectives import Inputs
from numlab.pretrained.text import PretrainedTokenizer


class PretrainedEmbedding(nn.Module):
    """Inputs to (B, T, d): words by the model's table, numbers by an encoder.

    The parameters are the encoder's and, if the table has no rows for its words, new rows: drawn
    with the mean and spread of the table's.
    """

    def __init__(self, tokenizer: PretrainedTokenizer, table: nn.Embedding):
        super().__init__()
        object.__setattr__(self, "table", table)  # its parameters are the model's
        self.offset, self.encoder, (n, d) = tokenizer.offset, tokenizer.encoder, table.weight.shape
        n_new, self.new = tokenizer.size - n, None
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
        return self._rows(self.offset, len(self.table.weight)) if self.new is None else self.new

    def forward(self, inputs: Inputs) -> torch.Tensor:
        each = 0 < len(inputs.carriers) == inputs.ids.numel()
        if each and not torch.is_grad_enabled():  # as when each text writes a number
            carried = self.values(inputs.features, self.words)
            return carried.to(self.table.weight.dtype).unflatten(0, inputs.ids.shape)
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
