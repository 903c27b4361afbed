"""A pretrained model that writes its answers: a decoder or an encoder-decoder, fine-tuned whole."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from numlab.encoders import Encoder
from numlab.examples import Examples, Layout
from numlab.models import NumberEmbedding
from numlab.objectives import Inputs, Targets
from numlab.pretrained.source import local_only, locate, quiet
from numlab.pretrained.text import PretrainedTokenizer, Words
from numlab.tokenizer import Flat, offsets, ranges


@dataclass(frozen=True)
class PretrainedWriter:
    """A Hugging Face decoder or encoder-decoder in the place of a ModelSpec.

    It reads a text up to its last slot and writes the number that stands there:
    `RunSpec(model=PretrainedWriter(name), objective=CausalLM(only=("answer",)))`. The words of the
    encoder are added to the model's own. Those that it has already, such as digits, begin as they
    are there. All of it is fine-tuned.

    Parameters
    ----------
    name : str
        A folder, or a name: that is downloaded, once, through the Hugging Face cache.
    """

    version: ClassVar[int] = 1
    name: str

    def tokenizer(self, layouts: Iterable[Layout], encoder: Encoder, head=None) -> AnswerTokenizer:
        """The model's vocabulary is fixed: the layouts add nothing to it."""
        if encoder is None or encoder.answer.carriers:
            raise ValueError(f"a pretrained model answers in words, as Digits() has; got {encoder}")
        return AnswerTokenizer(_words(self.name), encoder)

    def build(self, tokenizer: AnswerTokenizer) -> WriterModel:
        return WriterModel(self, tokenizer)


def _auto(name: str):
    """The class of `transformers` that reads the model, and the model's configuration."""
    import transformers as hf

    config = hf.AutoConfig.from_pretrained(locate(name), **local_only(name))
    if config.is_encoder_decoder:
        return hf.AutoModelForSeq2SeqLM, config
    if not getattr(config, "is_decoder", True):  # of BERT: it would see its answer
        raise ValueError(f"{name} ({config.model_type}) fills in words and writes none")
    return hf.AutoModelForCausalLM, config


@functools.lru_cache(maxsize=2)
def _words(name: str) -> Words:
    from transformers import AutoTokenizer

    auto, config = _auto(name)
    with torch.device("meta"):  # its shape only
        model = auto.from_config(config)
    words = Words.of(AutoTokenizer.from_pretrained(locate(name), **local_only(name)), model)
    if words.tokenizer.eos_token_id is None:
        raise ValueError(f"{type(words.tokenizer).__name__} has no token that ends an answer")
    return words


@dataclass(frozen=True, eq=False)
class AnswerTokenizer(PretrainedTokenizer):
    """A question as the model's tokenizer reads it, then its answer, and the model's last token."""

    def _read(self, parts: dict[int, Examples]) -> Flat:
        """The last slot, the answer, is spelled by `encoder.answer`."""
        asked = super()._read({at: _question(e) for at, e in parts.items()})
        examples = parts.values()
        tokens = self.encoder.answer.encode(np.concatenate([e.numbers[:, -1] for e in examples]))
        n_asked, n_answer = np.diff(asked.starts), tokens.mask.sum(1)
        starts = offsets(n_asked + n_answer + 1)
        if np.diff(starts).max() > self.text.longest:
            texts = [e.text(i) for e in examples for i in range(len(e))]
            self._check_lengths(texts, np.diff(starts))
        ids = np.full(starts[-1], self.text.tokenizer.eos_token_id)
        slot, place = np.full(starts[-1], -1, np.int16), np.zeros(starts[-1], np.int16)
        at = ranges(starts[:-1], n_asked)
        ids[at], slot[at], place[at] = asked.ids, asked.slot, asked.within
        at = ranges(starts[:-1] + n_asked, n_answer)
        last = np.repeat([len(e.layout.slots) - 1 for e in examples], [len(e) for e in examples])
        ids[at], slot[at] = tokens.ids[tokens.mask] + self.offset, np.repeat(last, n_answer)
        place[at] = np.cumsum(tokens.mask, 1)[tokens.mask]
        return Flat(ids, slot, place, starts, asked.features, asked.labels, asked.feature_starts)


def _question(e: Examples) -> Examples:
    """The texts without their last slot."""
    *literals, before, after = e.layout.literals
    *slots, answer = e.layout.slots
    if after or answer.words is not None:
        raise ValueError(f"a text ends in the number that is asked for; got {e.text(0)!r}")
    layout = Layout((*literals, before.rstrip()), tuple(slots), e.layout.silent)
    return Examples(layout, e.numbers[:, :-1], e.words, e.index)


class WriterModel(nn.Module):
    """The model, with the encoder's words among its own, as the objective of a run asks for it."""

    def __init__(self, spec: PretrainedWriter, tokenizer: AnswerTokenizer):
        super().__init__()
        auto, _ = _auto(spec.name)
        with torch.random.fork_rng(devices=[]), quiet():
            self.model = auto.from_pretrained(locate(spec.name), **local_only(spec.name))
        self.model.resize_token_embeddings(tokenizer.size, mean_resizing=False)
        self.embed = WriterEmbedding(tokenizer, self.model.get_input_embeddings())
        self._begin(tokenizer)

    @torch.no_grad()
    def _begin(self, tokenizer: AnswerTokenizer) -> None:
        """The encoder's words are drawn with the spread of the model's; those that it has already
        begin as they are there."""
        known = tokenizer.text.tokenizer.get_vocab()
        for table in (self.model.get_input_embeddings(), self.model.get_output_embeddings()):
            own, new = table.weight[: tokenizer.offset], table.weight[tokenizer.offset :]
            new.copy_(own[:1000].mean(0) + own[:1000].std() * torch.randn_like(new))
            for row, word in zip(new, tokenizer.encoder.vocabulary, strict=True):
                if word in known:
                    row.copy_(own[known[word]])

    @property
    def device(self) -> torch.device:
        return self.embed.table.weight.device

    def state_dict(self, *args, **kwargs) -> dict[str, torch.Tensor]:
        """Each weight once: those that are tied to it follow."""
        return dict(self.named_parameters())

    def load_state_dict(self, state: dict[str, torch.Tensor], *args, **kwargs) -> None:
        if state.keys() != self.state_dict().keys():
            raise ValueError("these are weights of another model")
        super().load_state_dict(state, strict=False)

    def cache(self) -> dict[str, Any]:
        """What the model keeps while it writes."""
        return {}

    def hidden(
        self, inputs: Inputs, reads: torch.Tensor, cache: dict[str, Any] | None = None
    ) -> torch.Tensor:
        """(t, V) logits at the flat positions `reads`, which end the questions and go on to the
        right: with its head a Hugging Face model gives no hidden states that are alike in all."""
        write = self._continue if self.model.config.is_encoder_decoder else self._decode
        return write(inputs, *divmod(reads.cpu().numpy(), inputs.ids.shape[1]), cache)

    def _decode(self, inputs: Inputs, row, column, cache) -> torch.Tensor:
        first = int(column.min())  # padding is on the right, where no answer looks
        out = self.model(
            inputs_embeds=self.embed(inputs),
            past_key_values=cache.get("past_key_values") if cache else None,
            use_cache=cache is not None,
            logits_to_keep=inputs.ids.shape[1] - first,
        )
        if cache is not None:
            cache["past_key_values"] = out.past_key_values
        return out.logits[row, column - first]

    def _continue(self, inputs: Inputs, row, column, cache) -> torch.Tensor:
        """The encoder reads up to the first place of each text that is read, the decoder on."""
        if cache:
            out = self.model(decoder_input_ids=inputs.ids, use_cache=True, **cache)
            cache["past_key_values"] = out.past_key_values
            return out.logits[row, column]
        B, T = inputs.ids.shape
        first = np.full(B, T)
        np.minimum.at(first, row, column)
        step = column - first[row]
        at = torch.from_numpy(np.minimum(first[:, None] + np.arange(step.max() + 1), T - 1))
        said = inputs.ids.gather(1, at.to(inputs.ids.device))
        said[:, 0] = self._start
        real = torch.from_numpy(np.arange(first.max() + 1) <= first[:, None]).to(said.device)
        asked = {"attention_mask": real.long()}
        embedded = self.embed(inputs)[:, : real.shape[1]]
        out = self.model(
            inputs_embeds=embedded, decoder_input_ids=said, use_cache=cache is not None, **asked
        )
        if cache is not None:
            cache |= asked | {"encoder_outputs": (out.encoder_last_hidden_state,)}
            cache["past_key_values"] = out.past_key_values
        return out.logits[row, step]

    @property
    def _start(self) -> int:
        """The token before the first one that a decoder writes."""
        said = self.model.generation_config
        start = said.decoder_start_token_id
        start = said.bos_token_id if start is None else start  # as `transformers` has it
        if start is None:
            raise ValueError(f"{self.model.config.model_type} has no decoder_start_token_id")
        return start

    def logits(self, h: torch.Tensor) -> torch.Tensor:
        return h.float()

    def carries(self, ids: torch.Tensor) -> torch.Tensor:
        """No token of an answer carries a number."""
        return torch.zeros_like(ids, dtype=torch.bool)

    def read(self, h: torch.Tensor) -> np.ndarray:
        return np.zeros((len(h), 0), np.float32)

    def losses(self, inputs: Inputs, targets: Targets, auxiliary=()) -> dict[str, torch.Tensor]:
        """The parts of the loss: cross-entropy of the tokens, the auxiliary ones."""
        logits = self.logits(self.hidden(inputs, targets.reads))
        parts = {"token": F.cross_entropy(logits, targets.ids)}
        return parts | {
            loss.name: loss.weight * loss(logits, targets, self.embed) for loss in auxiliary
        }


class WriterEmbedding(NumberEmbedding):
    """The model's own table, and the encoder's embedding where a token carries a number."""

    def __init__(self, tokenizer: AnswerTokenizer, table: nn.Embedding):
        nn.Module.__init__(self)
        self.offset, self.encoder, self.table = tokenizer.offset, tokenizer.encoder, table
        self.values = tokenizer.encoder.embedding(table.embedding_dim)

    @property
    def words(self) -> torch.Tensor:
        """(V, d) what the table puts out for the encoder's words: BART's scales its rows."""
        rows = self.table.weight
        return self.table(torch.arange(self.offset, len(rows), device=rows.device))
