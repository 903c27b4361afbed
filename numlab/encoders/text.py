"""What the text encoders share: tokens from columns of words, and numbers from words."""

import abc

import numpy as np

from numlab.encoders.base import END, Encoder, Tokens


class OneWord(Encoder):
    """An encoder with one word per number: the number reads back as the word's value."""

    @abc.abstractmethod
    def index(self, numbers) -> np.ndarray:
        """(n,) numbers to (n,) indices into `vocabulary`."""

    def encode(self, numbers) -> Tokens:
        return Tokens.of(self.index(numbers)[:, None])

    @property
    def words(self) -> range:
        """The words that a number may have."""
        return range(len(self.vocabulary))

    def decode(self, tokens: Tokens) -> np.ndarray:
        first, second = tokens.packed(2).T[:2]
        known = (first >= self.words.start) & (first < self.words.stop) & (second == END)
        return np.where(known, self.word_values[np.where(known, first, 0)], np.nan)


def from_columns(columns: list[tuple]) -> Tokens:
    """Tokens from an (ids, mask) pair for each column; a scalar fills its column."""
    shape = np.broadcast_shapes(*(np.shape(part) for column in columns for part in column))
    tokens = Tokens.of(np.empty((*shape, len(columns)), np.int32))
    for j, (ids, mask) in enumerate(columns):
        tokens.ids[:, j], tokens.mask[:, j] = ids, mask
    return tokens


def texts(tokens: Tokens, vocabulary: tuple[str, ...], between: str = "") -> list[str]:
    """The words of each number put together; "?" for what is no word."""
    ids = tokens.packed()
    words = [*vocabulary, "", "?"]  # the last two: END, and no word
    rows = np.where(ids < len(vocabulary), ids, -1).tolist()
    return [between.join(map(words.__getitem__, row)).strip() for row in rows]
