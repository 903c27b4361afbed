"""A pretrained decoder or encoder-decoder that writes numbers, fine-tuned."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from numlab.corpus import Flat, offsets
from numlab.encoders import Encoder
from numlab.examples import Examples, Layout
from numlab.models import Model
from numlab.objectives import Inputs
from numlab.pretrained.embedding import PretrainedEmbedding
from numlab.pretrained.model import HuggingFace, states
from numlab.pretrained.source import config, load
from numlab.pretrained.text import PretrainedTokenizer, Words

__all__ = ["AnswerTokenizer", "PretrainedWriter", "WriterModel"]


@dataclass(frozen=True)
class PretrainedWriter(HuggingFace):
    """A Hugging Face decoder or encoder-decoder that writes the last slot of a text, a number.

    Use it as `RunSpec(model=PretrainedWriter(name), objective=CausalLM(only=("answer",)))`. The
    encoder's words are added to the model's; those that the model has already, such as digits,
    start as copies. All weights are fine-tuned.
    """

    name: str

    def reader(self, text: Words, encoder: Encoder | None) -> AnswerTokenizer:
        _auto(self.name)
        if encoder is None or encoder.answer.carriers:
            raise ValueError(f"a pretrained model answers in words, as Digits() has; got {encoder}")
        if text.end is None:
            raise ValueError(f"{type(text.tokenizer).__name__} has no token that ends an answer")
        return AnswerTokenizer.of(text, encoder)

    def build(self, tokenizer: AnswerTokenizer) -> WriterModel:
        return WriterModel(self, tokenizer)


def _auto(name: str) -> type:
    """The class of `transformers` that loads the model."""
    import transformers as hf

    if config(name).is_encoder_decoder:
        return hf.AutoModelForSeq2SeqLM
    if not getattr(config(name), "is_decoder", True):  # BERT would see its answer
        raise ValueError(f"{name} ({config(name).model_type}) fills in words and writes none")
    return hf.AutoModelForCausalLM


@dataclass(frozen=True, eq=False)
class AnswerTokenizer(PretrainedTokenizer):
    """A question in the model's tokens, its answer in the encoder's, and the end token."""

    def _read(self, parts: dict[int, Examples]) -> Flat:
        question = super()._read({at: _question(e) for at, e in parts.items()})
        examples, end = list(parts.values()), ((0, 0), (0, 1))
        answer = self.encoder.answer.encode(np.concatenate([e.numbers[:, -1] for e in examples]))
        mask = np.pad(answer.mask, end, constant_values=True)  # (n, L + 1), the end token included
        ids = np.pad(answer.ids + self.offset, end, constant_values=self.text.end)
        within = np.pad(np.cumsum(answer.mask, 1), end)
        last = np.repeat([len(e.layout.slots) - 1 for e in examples], [*map(len, examples)])
        slot = np.where(within > 0, last[:, None], -1)
        starts = question.starts + offsets(mask.sum(1))
        self._check_lengths(examples, np.diff(starts))
        at = question.starts[np.nonzero(mask)[0] + 1]  # after the question
        return dataclasses.replace(
            question,
            ids=np.insert(question.ids, at, ids[mask]),
            slot=np.insert(question.slot, at, slot[mask]),
            within=np.insert(question.within, at, within[mask]),
            starts=starts,
        )


def _question(e: Examples) -> Examples:
    """The texts without their last slot."""
    *literals, before, after = e.layout.literals
    *slots, answer = e.layout.slots
    if after or answer.words is not None:
        raise ValueError(f"a text ends in the number that is asked for; got {e.text(0)!r}")
    layout = Layout((*literals, before.rstrip()), tuple(slots), e.layout.silent)
    return Examples(layout, e.numbers[:, :-1], e.words, e.index)


class WriterModel(Model):
    """A Hugging Face model with the encoder's words among its words."""

    def __init__(self, spec: PretrainedWriter, tokenizer: AnswerTokenizer):
        super().__init__(tokenizer)
        self.model = load(_auto(spec.name), spec.name)
        self._check_logits()
        self.model.resize_token_embeddings(tokenizer.size, mean_resizing=False)
        self.embed = PretrainedEmbedding(tokenizer, self.model.get_input_embeddings())
        self._start_words(tokenizer)

    @torch.no_grad()
    def _start_words(self, tokenizer: AnswerTokenizer) -> None:
        """Draw the encoder's words with the spread of the model's; copy those that it has."""
        known = tokenizer.text.tokenizer.get_vocab()
        for table in (self.model.get_input_embeddings(), self.model.get_output_embeddings()):
            old, new = table.weight[: tokenizer.offset], table.weight[tokenizer.offset :]
            new.copy_(old[:1000].mean(0) + old[:1000].std() * torch.randn_like(new))
            for row, word in zip(new, tokenizer.encoder.vocabulary, strict=True):
                if word in known:
                    row.copy_(old[known[word]])

    def state_dict(self, *args, **kwargs) -> dict[str, torch.Tensor]:
        """Each weight once: tied ones follow."""
        return dict(self.named_parameters())

    def load_state_dict(self, state: dict[str, torch.Tensor], *args, **kwargs) -> None:
        if state.keys() != self.state_dict().keys():
            raise ValueError("these are weights of another model")
        super().load_state_dict(state, strict=False)

    def cache(self) -> dict[str, Any]:
        """Arguments for the next call of the model."""
        return {}

    def hidden(self, inputs: Inputs, reads=None, layer=None, cache=None) -> torch.Tensor:
        """What the output layer reads; with `layer`, states of the part that reads the texts.

        An encoder-decoder needs `reads`: its decoder continues each text from the first of them.
        """
        two_parts = self.model.config.is_encoder_decoder
        if layer is not None:
            trunk = self.model.get_encoder() if two_parts else self.model.base_model
            h = states(trunk, self.embed(inputs), inputs.real, layer)
            return h if reads is None else h.flatten(0, 1)[reads]
        if not two_parts:
            arguments = {"inputs_embeds": self.embed(inputs), **(cache or {})}
        elif cache:
            arguments = {"decoder_input_ids": inputs.ids, **cache}
        else:
            arguments, reads = self._split(inputs, reads)
        h, out = self._run(use_cache=cache is not None, **arguments)
        if cache is not None:
            cache["past_key_values"] = out.past_key_values
            if two_parts:
                cache["attention_mask"] = arguments["attention_mask"]
                cache["encoder_outputs"] = (out.encoder_last_hidden_state,)
        return h if reads is None else h.flatten(0, 1)[reads]

    def _run(self, **arguments):
        """The output layer's input (B, T, d), and the outputs of the Hugging Face model."""
        inputs = []

        def intercept(_, args):
            inputs.append(args[0])
            return args[0][:, :0]  # no logits here: `logits` computes those that are read

        hook = self.model.get_output_embeddings().register_forward_pre_hook(intercept)
        try:
            outputs = self.model(**arguments)
        finally:
            hook.remove()
        return inputs[0], outputs

    def _split(self, inputs: Inputs, reads: torch.Tensor):
        """Arguments of an encoder-decoder, and the reads as flat positions of the decoder.

        The encoder reads each text up to its first read, the decoder continues.
        """
        B, T = inputs.ids.shape
        row, column = reads // T, reads % T
        first = reads.new_full((B,), T - 1).scatter_reduce(0, row, column, "amin")
        steps = torch.arange(int((column - first[row]).max()) + 1, device=reads.device)
        decoded = inputs.ids.gather(1, (first[:, None] + steps).clamp_max(T - 1))
        tokens = self.model.generation_config
        start = tokens.decoder_start_token_id
        decoded[:, 0] = tokens.bos_token_id if start is None else start  # as in `transformers`
        real = torch.arange(int(first.max()) + 1, device=reads.device) <= first[:, None]
        arguments = {
            "inputs_embeds": self.embed(inputs)[:, : real.shape[1]],
            "attention_mask": real.long(),
            "decoder_input_ids": decoded,
        }
        return arguments, row * len(steps) + column - first[row]

    def logits(self, h: torch.Tensor) -> torch.Tensor:
        bias = getattr(self.model, "final_logits_bias", 0)  # BART
        return (self.model.get_output_embeddings()(h) + bias).float()

    @torch.no_grad()
    def _check_logits(self) -> None:
        """Refuse models that scale or cap the logits of their output layer."""
        ids = {"input_ids": torch.zeros(1, 1, dtype=torch.long)}
        if self.model.config.is_encoder_decoder:
            ids["decoder_input_ids"] = ids["input_ids"]
        ours, theirs = self.logits(self._run(**ids)[0]), self.model(**ids).logits.float()
        if not torch.allclose(ours, theirs, rtol=1e-3, atol=1e-3):
            kind = self.model.config.model_type
            raise ValueError(f"logits of the output layer expected; {kind} changes them afterwards")
