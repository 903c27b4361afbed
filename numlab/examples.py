"""Texts with numbered slots, as arrays."""

import fnmatch
import functools
import string
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from numlab.numbers import as_numbers, shown


@dataclass(frozen=True)
class Slot:
    """A part of a layout that texts fill in: with a number, or with one of the `words`.

    >>> nl.Slot("answer")
    Slot(name='answer', words=None)
    """

    name: str
    words: tuple[str, ...] | None = None

    def __post_init__(self):
        if not self.name:
            raise ValueError("a slot needs a name; got an empty one")
        if isinstance(self.words, str):
            raise ValueError(f"slot {self.name!r} needs a tuple of words; got {self.words!r}")
        if self.words is not None:
            object.__setattr__(self, "words", tuple(self.words))
            if not self.words or len(set(self.words)) < len(self.words):
                raise ValueError(f"slot {self.name!r} needs distinct words; got {self.words}")


@dataclass(frozen=True)
class Layout:
    """Fixed text around slots: literals[0] slots[0] literals[1] ... slots[-1] literals[-1].

    Literals in `silent` are part of the text but are not tokenized.

    >>> Layout.of("{a}+{b}={sum}").number_slots
    ('a', 'b', 'sum')
    >>> Layout.of("{a} is {size}", size=("small", "large")).slots[1].words
    ('small', 'large')
    """

    literals: tuple[str, ...]
    slots: tuple[Slot, ...]
    silent: tuple[str, ...] = ()

    def __post_init__(self):
        for name in ("literals", "slots", "silent"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        n = len(self.slots)
        if len(self.literals) != n + 1:
            raise ValueError(f"{n} slots need {n + 1} literals; got {len(self.literals)}")
        names = [slot.name for slot in self.slots]
        if len(set(names)) < len(names):
            raise ValueError(f"a layout's slots have distinct names; got {names}")

    @classmethod
    def of(cls, template: str, /, **words: tuple[str, ...]) -> Self:
        """Read a layout from a template: ``{name}`` is a slot, ``{{`` and ``}}`` are braces.

        `words` gives the words of those slots that hold words; all others hold numbers.
        """
        literals, slots = [""], []
        try:
            pieces = [*string.Formatter().parse(template)]
        except ValueError as error:
            wanted = "braces of the text are written {{ and }}"
            raise ValueError(f"{wanted}; got {template!r} ({error})") from None
        for literal, name, spec, conversion in pieces:
            literals[-1] += literal
            if spec or conversion:
                raise ValueError(f"a slot is written {{name}}; got a format in {template!r}")
            if name is not None:
                slots.append(Slot(name, words.get(name)))
                literals.append("")
        if unknown := set(words) - {slot.name for slot in slots}:
            raise ValueError(f"words for slots that {template!r} lacks: {sorted(unknown)}")
        return cls(literals, slots)

    @functools.cached_property
    def token_literals(self) -> tuple[str, ...]:
        """The literals as they are tokenized: silent ones are empty."""
        return tuple("" if literal in self.silent else literal for literal in self.literals)

    @functools.cached_property
    def number_slots(self) -> tuple[str, ...]:
        """Names of the slots that hold numbers, in reading order: the columns of `numbers`."""
        return tuple(slot.name for slot in self.slots if slot.words is None)

    @functools.cached_property
    def word_slots(self) -> tuple[str, ...]:
        """Names of the slots that hold words, in reading order: the columns of `words`."""
        return tuple(slot.name for slot in self.slots if slot.words is not None)


@dataclass(frozen=True, eq=False)
class Examples:
    """n texts of one layout. A corpus is a list of these.

    Parameters
    ----------
    numbers : (n, number slots) float64, or Python ints of any size in an object array.
    words : (n, word slots) indices into each word slot's `words`; None without word slots.
    index : (n,) index of each text in its corpus, optional.

    >>> (texts,) = nl.parse(["a=1.5, b=2", "a=3, b=4"])
    >>> texts.numbers
    array([[1.5, 2. ],
           [3. , 4. ]])
    """

    layout: Layout
    numbers: np.ndarray
    words: np.ndarray | None = None
    index: np.ndarray | None = None

    def __post_init__(self):
        k = len(self.layout.number_slots)
        object.__setattr__(self, "numbers", as_numbers(self.numbers))
        if self.numbers.ndim != 2 or self.numbers.shape[1] != k:
            raise ValueError(f"numbers have shape (n, {k}) for {k} slots; got {self.numbers.shape}")
        if self.words is not None or self.layout.word_slots:
            object.__setattr__(self, "words", _word_codes(self.words, self.layout, len(self)))
        if self.index is not None:
            object.__setattr__(self, "index", np.asarray(self.index))
            if self.index.shape != (len(self),):
                raise ValueError(f"index has shape ({len(self)},); got {self.index.shape}")

    def __len__(self) -> int:
        return len(self.numbers)

    def column(self, name: str) -> np.ndarray:
        """(n,) numbers of a number slot, or words of a word slot."""
        number_slots, word_slots = self.layout.number_slots, self.layout.word_slots
        if name in word_slots:
            (words,) = (slot.words for slot in self.layout.slots if slot.name == name)
            return np.array(words)[self.words[:, word_slots.index(name)]]
        if name not in number_slots:
            raise ValueError(f"slots are {number_slots + word_slots}; got {name!r}")
        return self.numbers[:, number_slots.index(name)]

    def take(self, rows) -> Self:
        """The examples of some rows: indices, a slice or a mask."""
        words, index = (None if a is None else a[rows] for a in (self.words, self.index))
        return Examples(self.layout, self.numbers[rows], words, index)

    def text(self, i: int, spell: Callable[[float | int], str] = shown) -> str:
        """The i-th text as a person reads it.

        >>> Examples(Layout.of("{a}+{b}"), [[1, 2.5]]).text(0)
        '1+2.5'
        """
        numbers = map(spell, self.numbers[i].tolist())
        codes = iter(() if self.words is None else self.words[i].tolist())
        text = self.layout.literals[0]
        for slot, literal in zip(self.layout.slots, self.layout.literals[1:], strict=True):
            text += (next(numbers) if slot.words is None else slot.words[next(codes)]) + literal
        return text


TEXTS = "texts are a list of Examples, as nl.parse gives"


def as_list(values: Iterable[Any], kind: type = Examples, expected: str = TEXTS) -> list[Any]:
    """A list of instances of one class; ValueError for anything else."""
    found = [*values] if isinstance(values, Iterable) else [None]
    if not all(isinstance(value, kind) for value in found):
        raise ValueError(f"{expected}; got a {type(values).__name__}: {str(values)[:40]}")
    return found


def checked(
    task: Any, sizes: Sequence[int], drawn: Iterable[tuple[int, Examples]]
) -> Iterator[tuple[int, Examples]]:
    """Pass on what a task drew, each with the index of its corpus.

    ValueError for a layout that `task.layouts()` lacks, and for a corpus of another size.
    """
    layouts, counts = set(task.layouts()), Counter()
    for i, examples in drawn:
        if examples.layout not in layouts:
            raise ValueError(f"{task} drew a layout that its layouts() lack: {examples.layout}")
        if i >= len(sizes):
            raise ValueError(f"{task} was asked for {len(sizes)} corpora; it drew more")
        counts[i] += len(examples)
        yield i, examples
    if (found := [counts[i] for i in range(len(sizes))]) != [*sizes]:
        raise ValueError(f"{task} was asked for {', '.join(map(str, sizes))} texts; got {found}")


def by_index(examples: list[Examples]) -> np.ndarray:
    """(n,) the rows of all texts in the order of their index; as they are where one has none."""
    if any(e.index is None for e in examples):
        return np.arange(sum(map(len, examples)))
    return np.argsort(np.concatenate([e.index for e in examples]), kind="stable")


def _word_codes(words, layout: Layout, n: int) -> np.ndarray:
    """Check the words of examples."""
    k = len(layout.word_slots)
    codes = np.asarray([] if words is None else words)
    if codes.shape != (n, k):
        raise ValueError(f"words have shape ({n}, {k}) for {k} slots; got {codes.shape}")
    if codes.dtype.kind not in "iu" and codes.size:
        raise ValueError(f"words are indices into a slot's words; got an array of {codes.dtype}")
    sizes = [len(slot.words) for slot in layout.slots if slot.words is not None]
    for row, column in np.argwhere((codes < 0) | (codes >= np.array(sizes, int))):
        slot = f"slot {layout.word_slots[column]!r} has {sizes[column]} words"
        raise ValueError(f"{slot}; got index {codes[row, column]} in row {row}")
    return codes if codes.size else codes.astype(int)


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether a slot's name fits one of the patterns: "a0", "x*", "*"."""
    return any(name == pattern or fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
