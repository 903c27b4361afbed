"""Texts with numbered slots, as arrays: Layout, Examples, and parse, which reads any text."""

from __future__ import annotations

import functools
import re
import string
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np

EXACT = 2**53  # float64 holds all integers below, and rounds no other to one of them
FLOAT_DIGITS = 15  # float64 holds every decimal of 15 digits


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
    def of(cls, template: str, /, **words: tuple[str, ...]) -> Layout:
        """Read a layout from a template: ``{name}`` is a slot, ``{{`` and ``}}`` are braces.

        `words` gives the words of those slots that hold words; all others hold numbers.
        """
        literals, slots = [""], []
        for literal, name, spec, conversion in string.Formatter().parse(template):
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


def shown(number: float | int) -> str:
    """A number as a person reads it: integers in full, others to six digits.

    >>> shown(0.1234567), shown(1234567.0), shown(10**20)
    ('0.123457', '1234567', '100000000000000000000')
    """
    return str(int(number)) if is_whole(number) else f"{number:.6g}"


def is_whole(number: float | int) -> bool:
    """Whether a number is an int, or a whole float that is written without an exponent."""
    return isinstance(number, int) or (abs(number) < 1e15 and number == int(number))


def to_figures(numbers, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Round finite numbers to n significant figures, 1 to 12 (float64 blurs the last of more).

    Gives significands, float64 integers of n digits with the numbers' signs (0 for 0), and int
    exponents: numbers are about significand * 10^exponent. Below 1e-300, numbers are 0.

    >>> to_figures([-0.02345, 999.6, 0], 3)
    (array([-234.,  100.,    0.]), array([-4,  1, -2]))
    """
    x = np.asarray(numbers, np.float64)
    size = np.abs(x)
    exponent = np.floor(np.log10(np.where(size > 0, size, 1.0))).astype(int) - (n - 1)
    exponent = np.maximum(exponent, -300)
    # one of the two powers is 1: rounded once
    significand = np.rint(size * 10.0 ** np.maximum(-exponent, 0) / 10.0 ** np.maximum(exponent, 0))
    up = significand >= 10**n
    return np.copysign(np.where(up, 10.0 ** (n - 1), significand), x), exponent + up


def from_figures(significand: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """The floats nearest to significand * 10^exponent.

    >>> from_figures(*to_figures([0.1 + 0.2, -1234], 3))
    array([ 3.00e-01, -1.23e+03])
    """
    value = significand * 10.0 ** np.maximum(exponent, 0) / 10.0 ** np.maximum(-exponent, 0)
    return value + 0.0  # -0.0 becomes 0.0


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
            raise ValueError(f"number slots are {number_slots}; got {name!r}")
        return self.numbers[:, number_slots.index(name)]

    def take(self, rows) -> Examples:
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


def as_numbers(numbers) -> np.ndarray:
    """An array of float64; of Python ints (object) for Python ints that float64 would round.

    >>> as_numbers([1, 2.5]), as_numbers([-1, 2**63])
    (array([1. , 2.5]), array([-1, 9223372036854775808], dtype=object))
    """
    array = np.asarray(numbers)
    if array.dtype.kind == "f" and isinstance(numbers, (list, tuple)):
        array = np.asarray(numbers, object)  # numpy rounds [-1, 2**63] to floats
    kind = array.dtype.kind
    if kind == "O":
        types = set(map(type, array.flat))
        if types and all(issubclass(t, Integral) for t in types):
            return np.frompyfunc(int, 1, 1)(array)
        kind = "f" if all(issubclass(t, Real) for t in types) else "O"
    if kind in "iu" and ((array >= EXACT) | (array <= -EXACT)).any():
        return array.astype(object)
    if kind not in "iufb":
        raise ValueError(f"numbers are floats or ints; got {array.ravel()[:3]} ({array.dtype})")
    try:
        return array.astype(np.float64, copy=False)
    except OverflowError:  # of a Python int among floats
        raise ValueError(f"float64 ends at 1.8e308; got {max(array.ravel(), key=abs)}") from None


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
    return codes


NUMBER = re.compile(
    r"""
    (   [-+\u2212.0-9]                  # how a number begins, but
        (?<![\w.].)                     # not inside a word ("planet0") or a number ("1.2.3"),
        (?<![)\]}][-+\u2212])           # and no sign where something is subtracted ("(a)-2")
        (?:
            (?<=\.) [0-9]+
          | (?: (?<=[0-9]) | [0-9] ) [0-9]* (?: \.[0-9]+ | \.(?=[eE][-+]?[0-9]) )?
          | (?<=[-+\u2212]) \.[0-9]+
        )
        (?: [eE] [-+]? [0-9]+ )?
    )
    """,
    re.VERBOSE,
)  # begins with a set of characters, which re finds fast


def parse(texts: list[str], bare: bool = False) -> list[Examples]:
    """Find the numbers in texts, at least one in each unless texts may be `bare`.

    A sign after a number or a word subtracts ("1-2" holds 1 and 2), digits in a word do not count
    ("planet0"), and a comma separates, as in JSON ("1,000" holds 1 and 0).

    Gives one Examples for each layout, with slots n0, n1, ...; `index` is the index in `texts`.
    Numbers are float64; Python ints where all numbers of a layout are integers and one of them
    has more than 15 digits.

    >>> parse(["x=-6.02e1, y=.5", "1-2", "x=3, y=4"])[0].numbers
    array([[-60.2,   0.5],
           [  3. ,   4. ]])
    """
    if isinstance(texts, str):
        raise ValueError(f"parse takes a list of texts; got the one text {texts[:60]!r}")
    groups: dict[tuple[str, ...], tuple[list[str], list[int]]] = {}
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"text {i}: expected a str; got {text!r}")
        pieces = NUMBER.split(text)
        if len(pieces) == 1 and not (bare and text):
            got = f"no number in {text[:60]!r}" if text else "the empty text"
            raise ValueError(f"text {i}: expected a number; got {got}")
        numbers, index = groups.setdefault(tuple(pieces[::2]), ([], []))
        numbers += pieces[1::2]
        index.append(i)
    return [_examples(literals, *group) for literals, group in groups.items()]


def _examples(literals: tuple[str, ...], numbers: list[str], index: list[int]) -> Examples:
    k = len(literals) - 1
    numbers = "\n".join(numbers).replace("\u2212", "-").split("\n") if k else []
    integer = re.compile(r"[-+]?[0-9]{1,4299}").fullmatch  # int() reads no more digits
    long = [i for i, s in enumerate(numbers) if len(s.lstrip("+-0")) > FLOAT_DIGITS and integer(s)]
    if long and all(map(integer, numbers)):
        values = np.array([int(number) for number in numbers], object)
    else:
        values = np.fromiter(map(float, numbers), np.float64, len(numbers))
        rounded = [i for i in long if values[i].item() != int(numbers[i])]
        if lost := rounded + np.flatnonzero(np.isinf(values)).tolist():
            expected = "a number that float64 holds (more than 15 digits only among integers)"
            i, number = index[lost[0] // k], numbers[lost[0]]
            raise ValueError(f"text {i}: expected {expected}; got {number}")
    layout = Layout(literals, tuple(Slot(f"n{j}") for j in range(k)))
    return Examples(layout, values.reshape(len(index), k), None, np.array(index))
