"""Examples to tokens, and answers to numbers.

The texts of a layout differ in their slots only: its literals are tokenized once, all numbers of a
batch are encoded in one call, and arrays are filled from both, with no Python code per text.
"""

import functools
import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np

from numlab.corpus import Corpus, Flat, offsets
from numlab.encoders import Encoder, Tokens
from numlab.encoders.base import carried_numbers
from numlab.examples import Examples, Layout, as_list, matches
from numlab.heads import Head

ANSWER = "[ANSWER]"  # the word that stands for a number read by a head
_WORD = re.compile(r"\s*\S+|\s+")  # words keep the space before them, as in GPT-2


@dataclass(frozen=True)
class Text:
    """The words of literals and word slots, with the special tokens in front."""

    words: tuple[str, ...]
    pad, mask, end, unknown = 0, 1, 2, 3
    special = (end,)  # in every text, never masked as a word

    @classmethod
    def of(cls, layouts: Iterable[Layout]) -> Self:
        """Every word that the layouts can have outside of numbers."""
        seen: dict[str, None] = {}
        for layout in layouts:
            slot_words = (word for slot in layout.slots for word in slot.words or ())
            for text in (*layout.token_literals, *slot_words):
                seen.update(dict.fromkeys(_WORD.findall(text)))
        return cls(("[PAD]", "[MASK]", "[END]", "[UNK]", *seen))

    @functools.cached_property
    def _index(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    def ids(self, text: str) -> list[int]:
        return [self._index.get(word, self.unknown) for word in _WORD.findall(text)]

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True)
class Tokenizer:
    """Text words first, then the encoder's words from `offset` on.

    `other_head`: a head that reads numbers in place of the encoder's head or words. A number is
    then predicted at its first token: the word is the encoder's [NUM], or [ANSWER] where the
    encoder spells answers otherwise, and the head reads the number off the same hidden state.
    Inputs are spelled by the encoder as always.

    >>> spec = nl.RunSpec(nl.tasks.Addition(2), nl.P10(), nl.MaskedLM(), nl.GPT2(8), 64, 2, 1e-3)
    >>> spec.tokenizer().text.words
    ('[PAD]', '[MASK]', '[END]', '[UNK]', '+', '=')
    """

    text: Text
    encoder: Encoder
    other_head: Head | None = None

    @classmethod
    def of(cls, layouts: Iterable[Layout], encoder: Encoder, head: Head | None = None) -> Self:
        """The tokenizer of the words of some layouts and of an encoder."""
        return cls(Text.of(layouts), encoder, head)

    @property
    def head(self) -> Head | None:
        """The head that reads numbers; None where no token carries one."""
        return self.other_head or self.encoder.head

    @property
    def offset(self) -> int:
        """The id of the encoder's first word: words of the text come first."""
        return len(self.text)

    @functools.cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """The words of numbers: the encoder's, and [ANSWER] where it is needed."""
        answer, words = self.encoder.answer, self.encoder.vocabulary
        carried = answer.carriers and answer.length == 1
        return words if carried or not self.other_head else (*words, ANSWER)

    @property
    def size(self) -> int:
        """The number of words, those of the text and of the encoder."""
        return len(self.text) + len(self.vocabulary)

    @property
    def words(self) -> list[tuple[str, str]]:
        """(source, word) pairs: "7" in a number and in a text are different words."""
        text, numbers = self.text.words, self.vocabulary
        return [*(("text", word) for word in text), *(("number", word) for word in numbers)]

    @functools.cached_property
    def carriers(self) -> np.ndarray:
        """(n_carriers,) ids of the words that carry a number."""
        return self.offset + np.asarray(self.encoder.carriers, np.int64)

    @functools.cached_property
    def answer_carriers(self) -> np.ndarray:
        """(n,) ids of the words that carry a number in an answer."""
        own = self.encoder.answer.carriers
        added = range(len(self.encoder.vocabulary), len(self.vocabulary))
        return self.offset + np.asarray((*added,) or own, np.int64)

    @property
    def answer_length(self) -> int:
        """The most tokens that a model puts out for a number."""
        return 1 if self.other_head else self.encoder.answer.length

    @property
    def answer_fixed(self) -> bool:
        """Whether a model puts out `answer_length` tokens for each number; else the first token
        that is no word of the encoder ends it."""
        return bool(self.other_head) or self.encoder.answer.fixed

    def wanted(self, ids: np.ndarray, within: np.ndarray) -> np.ndarray:
        """The token to predict in place of each; -1 for none."""
        if not self.other_head:
            return np.where(np.isin(ids, self.input_only), -1, ids)
        return np.where(within == 0, ids, np.where(within == 1, self.answer_carriers[0], -1))

    @functools.cached_property
    def input_only(self) -> np.ndarray:
        """Ids of the carriers that stand in inputs only, such as [AGG]; they are never targets."""
        return np.setdiff1d(self.carriers, self.answer_carriers)

    def __call__(self, examples: list[Examples], answers: tuple[str, ...] = ()) -> Corpus:
        """Tokenize a corpus. `encoder.answer` spells the slots that fit `answers`."""
        examples = as_list(examples)
        return Corpus(self, examples, _Reader(self, [e.layout for e in examples], answers))

    def decode(
        self,
        ids: np.ndarray,
        mask: np.ndarray,
        features: np.ndarray,
        answers: bool = True,
        slot: str = "",
    ) -> np.ndarray:
        """(n, L) tokens and what the head read to (n,) numbers; NaN or None where malformed.

        `answers`: whether `encoder.answer` reads them, or `encoder` itself. One with `input_only`
        words is always read by `encoder.answer`, for a model never predicts such words. `slot` is
        the name of the slot that they fill, for encoders by column.
        """
        tokens = Tokens(np.where(ids >= self.offset, ids - self.offset, -1), mask, features)
        if self.other_head:
            return carried_numbers(tokens, self.answer_carriers - self.offset, self.other_head)
        spelling = self.encoder.answer if answers or len(self.input_only) else self.encoder
        return (spelling.at(slot) if slot else spelling).decode(tokens)


@dataclass(frozen=True, eq=False)
class _Frame:
    """The tokens of a layout's texts as W columns: literals, and room for what fills each slot."""

    ids: np.ndarray  # (W,) tokens of the literals, -1 in slots
    slot: np.ndarray  # (W,) slot of each column, -1 in literals
    numbers: np.ndarray  # (k, L) columns of each number
    spelling: np.ndarray  # (k,) which of the reader's spellings each number has
    words: list[tuple[np.ndarray, np.ndarray]]  # columns (M,) and words (n, M) of each word slot


class _Reader:
    """Tokenizes texts of some layouts: literals once, all numbers in one call."""

    def __init__(self, tokenizer: Tokenizer, layouts: list[Layout], answers: tuple[str, ...]):
        self.tokenizer, encoder = tokenizer, tokenizer.encoder
        self.length = max(encoder.length, encoder.answer.length)
        self.spellings: list[Encoder] = []
        text_ids = functools.cache(tokenizer.text.ids)
        self.frames = [self._frame(layout, answers, text_ids) for layout in layouts]

    def _frame(self, layout: Layout, answers: tuple[str, ...], text_ids) -> _Frame:
        first, *literals = layout.token_literals
        ids, numbers, words = [*text_ids(first)], [], []
        slots = [-1] * len(ids)
        for j, (slot, literal) in enumerate(zip(layout.slots, literals, strict=True)):
            columns = len(ids) + np.arange(self.length)
            if slot.words is None:
                numbers.append(columns)
            else:
                padded = itertools.zip_longest(*map(text_ids, slot.words), fillvalue=-1)
                table = np.array([*padded], np.int32).reshape(-1, len(slot.words)).T  # (n, longest)
                columns = len(ids) + np.arange(table.shape[1])
                words.append((columns, table))
            ids += [-1] * len(columns) + text_ids(literal)
            slots += [j] * len(columns) + [-1] * len(text_ids(literal))
        return _Frame(
            ids=np.array([*ids, self.tokenizer.text.end], np.int32),
            slot=np.array([*slots, -1], np.int16),
            numbers=np.array(numbers, int).reshape(-1, self.length),
            spelling=np.array([self._spelling(n, answers) for n in layout.number_slots], int),
            words=words,
        )

    def _spelling(self, slot: str, answers: tuple[str, ...]) -> int:
        encoder = self.tokenizer.encoder
        spelling = (encoder.answer if matches(slot, answers) else encoder).at(slot)
        if spelling not in self.spellings:
            self.spellings.append(spelling)
        return self.spellings.index(spelling)

    def __call__(self, parts: dict[int, Examples]) -> Flat:
        """Tokenize some examples of each layout, keyed by the layout's index."""
        filled = [(self.frames[at], e) for at, e in parts.items()]
        numbers = np.concatenate([e.numbers.ravel() for _, e in filled])
        try:
            if numbers.dtype == object:  # floats may stand beside Python ints: one kind for all
                whole = (numbers % 1 == 0).all()
                numbers = np.frompyfunc(int, 1, 1)(numbers) if whole else numbers.astype(float)
            tokens = self._spell(numbers, [np.tile(frame.spelling, len(e)) for frame, e in filled])
            read = self.tokenizer.other_head and self.tokenizer.other_head.features(numbers)
        except (ValueError, OverflowError) as error:
            raise self._located(filled) or error from None
        ends = np.cumsum([e.numbers.size for _, e in filled])[:-1]
        spelled = np.where(tokens.mask, tokens.ids + self.tokenizer.offset, -1)
        columns = map(self._columns, *zip(*filled, strict=True), np.split(spelled, ends))
        ids, slot, within, n_tokens, n_carriers = map(np.concatenate, zip(*columns, strict=True))
        features = labels = tokens.features, offsets(n_carriers)
        if read is not None:
            n_numbers = [np.full(len(e), e.numbers.shape[1]) for e in parts.values()]
            labels = read, offsets(np.concatenate(n_numbers))
        return Flat(ids, slot, within, offsets(n_tokens), *features, *labels)

    def _located(self, filled) -> ValueError | None:
        """The error of the first slot whose numbers cannot be spelled or read, with its name."""
        head = self.tokenizer.other_head
        for frame, e in filled:
            for name, spelling in zip(e.layout.number_slots, frame.spelling, strict=True):
                doing = ""
                try:
                    self.spellings[spelling].encode(e.column(name))
                    doing = "a head must hold all numbers, also those that are only read: "
                    if head:
                        head.features(e.column(name))
                except ValueError as error:
                    return ValueError(f"{name}: {doing}{error}")

    def _spell(self, numbers: np.ndarray, which: list[np.ndarray]) -> Tokens:
        """(N,) numbers as tokens, and which spelling each of them has."""
        if len(self.spellings) == 1 and self.spellings[0].length == self.length:
            return self.spellings[0].encode(numbers)
        which, encoder = np.concatenate(which), self.tokenizer.encoder
        shape = len(numbers), self.length
        ids, mask = np.zeros(shape, np.int32), np.zeros(shape, bool)
        features = [np.zeros((0, encoder.n_features), encoder.feature_dtype)]
        for i, spelling in enumerate(self.spellings):
            rows, n = which == i, spelling.length
            tokens = spelling.encode(numbers[rows])
            ids[rows, :n], mask[rows, :n] = tokens.ids, tokens.mask
            features += [tokens.features] if spelling.carriers else []
        row = np.nonzero(np.isin(ids, encoder.carriers) & mask)[0]  # the number of each carrier
        order = np.argsort(which[row], kind="stable")  # features stand by spelling
        return Tokens(ids, mask, np.concatenate(features)[np.argsort(order)])

    def _columns(self, frame: _Frame, e: Examples, spelled: np.ndarray):
        """ids, slot and index within the number of each token; tokens and carriers of each text."""
        ids = np.tile(frame.ids, (len(e), 1))
        ids[:, frame.numbers] = spelled.reshape(len(e), *frame.numbers.shape)
        for j, (columns, table) in enumerate(frame.words):
            ids[:, columns] = table[e.words[:, j]]
        within, real = np.zeros(ids.shape, np.int16), ids >= 0
        within[:, frame.numbers] = real[:, frame.numbers].cumsum(2)
        slot = np.broadcast_to(frame.slot, ids.shape)
        n_carriers = np.isin(ids, self.tokenizer.carriers).sum(1)
        return ids[real], slot[real], within[real], real.sum(1), n_carriers
