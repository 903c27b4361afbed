"""Texts with numbers for the tokenizer of a pretrained model.

The tokenizer reads each text with a mark, [NUM], for each number; then the tokens of the numbers
replace the marks. Without an encoder, numbers stay in the text.
"""

import copy
import functools
import itertools
import re
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from numlab.codes.base import LARGEST
from numlab.corpus import Corpus, Flat, offsets
from numlab.encoders import Encoder, Tokens
from numlab.examples import Examples
from numlab.numbers import shown
from numlab.tokenizer import Tokenizer

MARK = "[NUM]"
FLOAT32 = np.finfo(np.float32)


@dataclass(frozen=True, eq=False)
class Words:
    """The vocabulary of a pretrained model, in the place of `tokenizer.Text`."""

    tokenizer: Any  # a fast Hugging Face tokenizer, to which MARK is one token
    size: int  # rows of the model's table
    longest: int  # tokens of the longest text that the model reads

    @classmethod
    def of(cls, tokenizer, config) -> Self:
        """The words of a Hugging Face model; MARK is added to a copy of its tokenizer."""
        from transformers import AddedToken

        name = type(tokenizer).__name__
        if not tokenizer.is_fast:
            raise ValueError(f"numbers are found by the offsets of a fast tokenizer; got {name}")
        n = 1 + max(i for word, i in tokenizer.get_vocab().items() if word != MARK)
        if n > config.vocab_size:
            sizes = f"the tokenizer has {n} tokens, the model's table {config.vocab_size} rows"
            raise ValueError(f"{sizes}: call model.resize_token_embeddings(len(tokenizer))")
        marked = copy.deepcopy(tokenizer)
        marked.add_tokens(AddedToken(MARK, normalized=False), special_tokens=True)
        mark = marked.convert_tokens_to_ids(MARK)
        if mark in (None, marked.unk_token_id) or marked(f"a {MARK} b").input_ids.count(mark) != 1:
            pieces = marked.tokenize(MARK)
            raise ValueError(f"{name} splits {MARK} into {pieces}: it must be one token")
        longest = getattr(config, "max_position_embeddings", None) or -1  # XLNet's, too: any
        longest = min(longest if longest > 0 else np.inf, marked.model_max_length)
        return cls(marked, config.vocab_size, longest)

    def __len__(self) -> int:
        return self.size

    @property
    def pad(self) -> int:
        """For padding, which attention ignores: the pad token, else the end token, else 0."""
        tokens = self.tokenizer.pad_token_id, self.end, 0
        return next(token for token in tokens if token is not None)

    @property
    def end(self) -> int | None:
        return self.tokenizer.eos_token_id

    @property
    def mask(self) -> int:
        if self.tokenizer.mask_token_id is None:
            raise ValueError(f"{type(self.tokenizer).__name__} has no mask token for hidden words")
        return self.tokenizer.mask_token_id

    @functools.cached_property
    def special(self) -> np.ndarray:
        """Ids of tokens that are not words of a text: [CLS], [SEP], ..."""
        return np.array(self.tokenizer.all_special_ids)


@dataclass(frozen=True)
class InText(Encoder):
    """Numbers stay in the text, in the tokens of the model's tokenizer.

    deviates: a number is written plainly, 87600, however its file wrote it.
    """

    vocabulary = ()
    length = 0
    bounds = (-LARGEST, LARGEST)
    holds = "finite numbers"

    def encode(self, numbers) -> Tokens:
        return Tokens.of(np.zeros((len(self.in_range(numbers)), 0), np.int32))

    def decode(self, tokens: Tokens) -> np.ndarray:
        return np.full(len(tokens.ids), np.nan)


@dataclass(frozen=True, eq=False)
class PretrainedTokenizer(Tokenizer):
    """The model's words first, then the encoder's from `offset` on."""

    whole: bool = True  # with [CLS], [SEP], ... around a text, as the model's tokenizer has them

    @classmethod
    def of(cls, text: Words, encoder: Encoder | None, whole: bool = True) -> Self:
        return cls(text, encoder or InText(), whole=whole)

    def __call__(self, examples: list[Examples], answers: tuple[str, ...] = ()) -> Corpus:
        """Tokenize a corpus; the encoder spells all slots, `answers` or not."""
        return Corpus(self, examples, self._read)

    def _read(self, parts: dict[int, Examples]) -> Flat:
        examples = list(parts.values())
        for slot in {slot for e in examples for slot in e.layout.number_slots}:
            if self.encoder.at(slot) != self.encoder:
                got = f"{self.encoder}, which reads {slot} in its own way"
                raise ValueError(f"a Hugging Face model reads all numbers alike; got {got}")
        each = [self.encoder.encode(e.numbers.ravel()) for e in examples]  # floats or long integers
        joined = (np.concatenate([getattr(t, f.name) for t in each]) for f in fields(Tokens))
        tokens = Tokens(*joined)
        texts, owner = _write(examples, marks=bool(self.encoder.vocabulary))
        ids, starts, (slot, number) = self._tokenize(texts, owner)
        marked = ids == self.text.tokenizer.convert_tokens_to_ids(MARK)
        for token in np.flatnonzero(marked & (number < 0)):
            index, text = _at(examples, int(np.searchsorted(starts, token, side="right")) - 1)
            raise ValueError(f"text {index} holds the mark {MARK} itself: {text!r}")
        n_tokens, n_features = np.ones(len(ids), int), np.zeros(len(ids), int)
        if marked.any():
            carries = tokens.carry(self.encoder.carriers)
            n_tokens[marked], n_features[marked] = tokens.mask.sum(1), carries.sum(1)
        ids, slot, number = (np.repeat(a, n_tokens) for a in (ids, slot, number))
        ids[np.repeat(marked, n_tokens)] = tokens.ids[tokens.mask] + self.offset
        _, begins, which = np.unique(number, return_index=True, return_inverse=True)
        within = np.where(number < 0, 0, np.arange(len(ids)) - begins[which] + 1)
        n_tokens, n_features = (np.add.reduceat(n, starts[:-1]) for n in (n_tokens, n_features))
        self._check_lengths(examples, n_tokens)
        features = tokens.features, offsets(n_features)
        return Flat(ids, slot, within, offsets(n_tokens), *features, *features)

    def _tokenize(self, texts: list[str], owner: np.ndarray) -> tuple[np.ndarray, ...]:
        """(t,) ids, (n + 1,) where each text's tokens begin, (2, t) slot and number of a token."""
        out = self.text.tokenizer(
            texts, return_offsets_mapping=True, add_special_tokens=self.whole, verbose=False
        )
        starts = offsets([len(row) for row in out["input_ids"]])
        ids = np.fromiter(itertools.chain(*out["input_ids"]), np.int64, starts[-1])
        first, end = np.array([*itertools.chain(*out["offset_mapping"])], np.int64).T
        # a token belongs to its last character, counted over all texts
        last = np.repeat(offsets([*map(len, texts)])[:-1], np.diff(starts)) + end - 1
        return ids, starts, np.where(end > first, owner[:, last], -1)  # [CLS] has no characters

    def written(self, ids: np.ndarray, read: list[np.ndarray]) -> list[str]:
        """(n, T) tokens that a model wrote as texts; what they carry was read step by step."""
        tokenizer, answer = self.text.tokenizer, self.encoder
        longest, mark = answer.length + (not answer.fixed), tokenizer.convert_tokens_to_ids(MARK)
        texts, numbers = [], []
        for row in ids.tolist():
            words = []
            for is_number, run in itertools.groupby(row, lambda word: word >= self.offset):
                run = [*run] if is_number else [w for w in run if w not in self.text.special]
                if is_number:
                    parts = [run[i : i + longest] for i in range(0, len(run), longest)]
                    numbers, run = numbers + parts, [mark] * len(parts)
                words += run
            texts.append(tokenizer.decode(words))
        tokens = np.full((len(numbers), longest), -1)
        for row, part in zip(tokens, numbers, strict=True):
            row[: len(part)] = part
        features = np.concatenate([np.zeros((0, answer.n_features), answer.feature_dtype), *read])
        at = np.nonzero(np.isin(ids, self.carriers).T)[1]  # the row of each step's
        tokens = Tokens(tokens - self.offset, tokens >= 0, features[np.argsort(at, kind="stable")])
        values = answer.decode(tokens)
        if self.carriers.size and answer.feature_dtype == np.float32:  # no more digits than it has
            size = np.abs(values)
            held = (size >= FLOAT32.tiny) & (size <= FLOAT32.max)  # scaled, it can be beyond these
            values[held] = values[held].astype(np.float32).astype(str).astype(float)
        numbers = iter(["nan" if x is None else shown(x, repr) for x in values.tolist()])
        texts = [re.sub(r"(?<=[\w,.;:!?)\]])\[NUM\]", f" {MARK}", text) for text in texts]
        return [re.sub(r"\[NUM\]", lambda _: next(numbers, MARK), text) for text in texts]

    def _check_lengths(self, examples: list[Examples], lengths: np.ndarray) -> None:
        i = int(lengths.argmax())
        if lengths[i] > self.text.longest:
            index, text = _at(examples, i)
            got = f"text {index} has {lengths[i]}: {text[:60]!r}..."
            raise ValueError(f"the model reads {self.text.longest} tokens; {got}")


def _at(examples: list[Examples], row: int) -> tuple[int, str]:
    """The index and the text of a row, counted over all examples."""
    place = row
    for e in examples:
        if place < len(e):
            break
        place -= len(e)
    return (row if e.index is None else int(e.index[place])), e.text(place)


def _write(examples: list[Examples], marks: bool) -> tuple[list[str], np.ndarray]:
    """The texts, with a mark for each number or the number in full; and (2, characters), all texts
    end to end: the slot of each character, and an index of the number that it belongs to.

    Outside of slots, and outside of numbers, they are -1.
    """
    texts, pieces = [], []
    for e in examples:
        n, slots, columns = len(e), e.layout.slots, []
        *literals, end = e.layout.token_literals
        for literal, slot in zip(literals, slots, strict=True):
            fill = e.column(slot.name).tolist()
            if slot.words is None and marks:  # a mark stands for the space before it, too
                literal, fill = literal.removesuffix(" "), [MARK] * n
            elif slot.words is None:
                fill = [shown(x, repr) for x in fill]
            columns += [literal] * n, fill
        columns.append([end] * n)
        texts += map("".join, zip(*columns, strict=True))
        length = np.array([[*map(len, column)] for column in columns]).T
        slot, is_number = np.full(len(columns), -1), np.zeros(len(columns), bool)
        slot[1::2], is_number[1::2] = np.arange(len(slots)), [s.words is None for s in slots]
        pieces.append((length.ravel(), np.tile(slot, n), np.tile(is_number, n)))
    length, slot, is_number = map(np.concatenate, zip(*pieces, strict=True))
    number = np.where(is_number, np.arange(len(length)), -1)
    return texts, np.repeat([slot, number], length, axis=1)
