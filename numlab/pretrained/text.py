"""Texts with numbers, as the tokenizer of a pretrained model reads them.

The tokenizer reads every text whole, with one mark [NUM] for each number; each mark then becomes
the tokens of its number. Where there is no encoder, numbers are spelled out in the text and are
the tokenizer's own affair.
"""

from __future__ import annotations

import copy
import functools
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from numlab.encoders import Encoder, Tokens
from numlab.examples import Examples, Slot
from numlab.heads import Head
from numlab.tokenizer import Corpus, Flat, Tokenizer, offsets

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

MARK = "[NUM]"


@dataclass(frozen=True, eq=False)
class Words:
    """The words of a pretrained model: what `tokenizer.Text` is to a model of numlab.

    Parameters
    ----------
    tokenizer : a fast Hugging Face tokenizer to which MARK is one token.
    size : rows of the model's table of words.
    longest : tokens that the model reads at most.
    """

    tokenizer: PreTrainedTokenizerBase
    size: int
    longest: int

    @classmethod
    def of(cls, tokenizer: PreTrainedTokenizerBase, model: PreTrainedModel) -> Words:
        """With a copy of the tokenizer; the caller's stays as it is."""
        from transformers import AddedToken

        name = type(tokenizer).__name__
        if not tokenizer.is_fast:
            raise ValueError(f"numbers are found by the offsets of a fast tokenizer; got {name}")
        own = copy.deepcopy(tokenizer)
        # as RoBERTa's mask: the space before belongs to it
        own.add_tokens(AddedToken(MARK, lstrip=True, normalized=False), special_tokens=True)
        mark = own.convert_tokens_to_ids(MARK)
        if mark in (None, own.unk_token_id) or own(f"a {MARK} b")["input_ids"].count(mark) != 1:
            raise ValueError(
                f"{name} splits {MARK} into {own.tokenize(MARK)}: it must be one token"
            )
        size = model.get_input_embeddings().num_embeddings
        longest = getattr(model.config, "max_position_embeddings", None)
        return cls(own, size, min(longest or own.model_max_length, own.model_max_length))

    def __len__(self) -> int:
        return self.size

    @functools.cached_property
    def mark(self) -> int:
        return self.tokenizer.convert_tokens_to_ids(MARK)

    @property
    def pad(self) -> int:
        return self.tokenizer.pad_token_id or 0  # never attended to

    @property
    def mask(self) -> int:
        if self.tokenizer.mask_token_id is None:
            name = type(self.tokenizer).__name__
            raise ValueError(f"{name} has no mask token: its model fills in no masked words")
        return self.tokenizer.mask_token_id

    @functools.cached_property
    def special(self) -> np.ndarray:
        """Ids of what is no word of a text: [CLS], [SEP], ..."""
        return np.array(self.tokenizer.all_special_ids)


@dataclass(frozen=True, eq=False)
class PretrainedTokenizer(Tokenizer):
    """The model's words first, then the encoder's from `offset` on; encoder None: the model's own.

    deviates: without an encoder a number is spelled plainly, 87600, however its file wrote it.
    """

    text: Words
    encoder: Encoder | None

    @property
    def size(self) -> int:
        return len(self.text) + (len(self.encoder.vocabulary) if self.encoder else 0)

    @functools.cached_property
    def carriers(self) -> np.ndarray:
        return super().carriers if self.encoder else np.zeros(0, np.int64)

    @functools.cached_property
    def input_only(self) -> np.ndarray:
        return super().input_only if self.encoder else np.zeros(0, np.int64)

    @functools.cached_property
    def answer_carriers(self) -> torch.Tensor:
        return super().answer_carriers if self.encoder else torch.zeros(0, dtype=torch.long)

    @property
    def head(self) -> Head | None:
        return super().head if self.encoder else None

    def __call__(self, examples: list[Examples], answers: tuple[str, ...] = ()) -> Corpus:
        """Tokenize a corpus; every slot is spelled by the encoder itself, `answers` or not."""
        return Corpus(self, examples, self._read)

    def _read(self, parts: dict[int, Examples]) -> Flat:
        examples = list(parts.values())
        texts, spans = self._written(examples)
        ids, slot, place, lengths = self._tokenized(texts, spans)
        tokens = self._encoded(examples)
        marked = ids == self.text.mark
        self._check_marks(texts, marked, lengths, spans)
        carries = np.isin(tokens.ids, self.encoder.carriers) & tokens.mask if self.encoder else None
        n_tokens, n_features = np.ones(len(ids), np.int64), np.zeros(len(ids), np.int64)
        if self.encoder:
            n_tokens[marked], n_features[marked] = tokens.mask.sum(1), carries.sum(1)
        own = np.repeat(marked, n_tokens)
        ids, slot, place = (np.repeat(a, n_tokens) for a in (ids, slot, place))
        if self.encoder:
            ids[own] = tokens.ids[tokens.mask] + self.offset
            place[own] = np.cumsum(tokens.mask, 1)[tokens.mask]
        first = offsets(lengths)[:-1]
        lengths = np.add.reduceat(n_tokens, first)
        self._check_lengths(texts, lengths)
        return Flat(
            ids=ids,
            slot=slot.astype(np.int16),
            within=place.astype(np.int16),
            starts=offsets(lengths),
            features=tokens.features,
            labels=tokens.features,
            feature_starts=offsets(np.add.reduceat(n_features, first)),
        )

    # -- texts, and where their slots stand

    def _written(self, examples: list[Examples]) -> tuple[list[str], Spans]:
        texts, parts = [], []
        for e in examples:
            columns = [[literal] * len(e) for literal in e.layout.token_literals]
            for j, slot in enumerate(e.layout.slots):
                columns.insert(2 * j + 1, self._filled(e, slot))
            ends = np.cumsum([[*map(len, column)] for column in columns], 0).T  # (n, 2 slots + 1)
            row = len(texts) + np.arange(len(e))[:, None]
            at = row << 32  # a text's number and a character in it as one integer, in order
            slots = np.broadcast_to(np.arange(len(e.layout.slots)), (len(e), len(e.layout.slots)))
            number = np.array([slot.words is None for slot in e.layout.slots], bool)
            parts.append(
                (
                    (at + ends[:, :-1:2]).ravel(),
                    (at + ends[:, 1::2]).ravel(),
                    slots.ravel(),
                    np.broadcast_to(number, slots.shape).ravel(),
                )
            )
            texts += map("".join, zip(*columns, strict=True))
        return texts, Spans(*map(np.concatenate, zip(*parts, strict=True)))

    def _filled(self, e: Examples, slot: Slot) -> list[str]:
        if slot.words is not None:
            return e.column(slot.name).tolist()
        if self.encoder:
            return [MARK] * len(e)
        return [plain(number) for number in e.column(slot.name).tolist()]

    def _encoded(self, examples: list[Examples]) -> Tokens:
        """Every number of the corpus in reading order, in one encode."""
        if self.encoder is None:
            return Tokens.of(np.zeros((0, 0), np.int32))
        tokens = self.encoder.encode(np.concatenate([e.numbers.ravel() for e in examples]))
        if self.encoder.carriers:
            return tokens
        none = np.zeros((0, self.encoder.n_features), self.encoder.feature_dtype)
        return Tokens(tokens.ids, tokens.mask, none)

    # -- tokens, and the slots that they belong to

    def _tokenized(self, texts: list[str], spans: Spans):
        """ids, slot and place of every token, end to end, and how many a text has."""
        out = self.text.tokenizer(texts, return_offsets_mapping=True, verbose=False)
        lengths = np.array([len(row) for row in out["input_ids"]])
        ids = np.fromiter(itertools.chain.from_iterable(out["input_ids"]), np.int64, lengths.sum())
        mapped = np.array([*itertools.chain.from_iterable(out["offset_mapping"])], np.int64)
        text = np.repeat(np.arange(len(texts)), lengths)
        last = (text << 32) + mapped[:, 1] - 1  # a token belongs to the slot of its last character
        span = np.searchsorted(spans.start, last, side="right") - 1
        within = (span >= 0) & (last < spans.end[span]) & (mapped[:, 1] > mapped[:, 0])
        slot = np.where(within, spans.slot[span], -1)
        number = within & spans.number[span]
        _, first, which = np.unique(span[number], return_index=True, return_inverse=True)
        place = np.zeros(len(ids), np.int64)
        place[number] = np.arange(number.sum()) - first[which] + 1
        return ids, slot, place, lengths

    def _check_marks(self, texts, marked, lengths, spans) -> None:
        found = np.add.reduceat(marked.astype(np.int64), offsets(lengths)[:-1])
        asked = np.bincount(spans.start[spans.number] >> 32, minlength=len(texts))
        wrong = np.flatnonzero(found != (asked if self.encoder else 0))
        if len(wrong):
            raise ValueError(f"text {wrong[0]} holds the mark {MARK} itself: {texts[wrong[0]]!r}")

    def _check_lengths(self, texts, lengths) -> None:
        i = int(lengths.argmax())
        if lengths[i] > self.text.longest:
            raise ValueError(
                f"the model reads {self.text.longest} tokens; "
                f"text {i} has {lengths[i]}: {texts[i][:60]!r}..."
            )


@dataclass(frozen=True, eq=False)
class Spans:
    """Where the slots of texts stand, in reading order: text << 32 + character."""

    start: np.ndarray
    end: np.ndarray
    slot: np.ndarray
    number: np.ndarray  # whether the slot holds a number


def plain(number: float | int) -> str:
    """A number as a text has it, exact.

    >>> plain(87600.0), plain(-0.25), plain(10**20)
    ('87600', '-0.25', '100000000000000000000')
    """
    if isinstance(number, float) and not np.isfinite(number):
        raise ValueError(f"numbers are finite; got {number}")
    whole = isinstance(number, int) or (abs(number) < 1e15 and number == int(number))
    return str(int(number)) if whole else repr(number)
