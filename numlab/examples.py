"""Texts with numbered slots, as arrays: Layout, Examples, and parse, which reads any text."""

from __future__ import annotations

import functools
import re
import string
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np

EXACT = 2**53  # below, every integer is a float64, and no other integer is rounded to it
FLOAT_DIGITS = 15  # every decimal of 15 digits survives in a float64


@dataclass(frozen=True)
class Slot:
    """A place of a layout that is filled in.

    Parameters
    ----------
    name : str
    words : tuple of str, optional
        The words that the slot can hold. None: it holds a number.
    """

    name: str
    words: tuple[str, ...] | None = None

    def __post_init__(self):
        if not self.name:
            raise ValueError("a slot needs a name; got an empty one")
        if self.words is None:
            return
        object.__setattr__(self, "words", tuple(self.words))
        if not self.words or len(set(self.words)) < len(self.words):
            raise ValueError(f"slot {self.name!r} needs distinct words; got {self.words}")


@dataclass(frozen=True)
class Layout:
    """Fixed text around slots: literals[0] slots[0] literals[1] ... slots[-1] literals[-1].

    Parameters
    ----------
    literals : tuple of str
    slots : tuple of Slot
    silent : tuple of str
        Literals that stand in the text and are no tokens.

    Examples
    --------
    >>> Layout.of("{a}+{b}={sum}").number_slots
    ('a', 'b', 'sum')
    >>> Layout.of("{a} is {size}", size=("small", "large")).slots[1].words
    ('small', 'large')
    """

    literals: tuple[str, ...]
    slots: tuple[Slot, ...]
    silent: tuple[str, ...] = ()

    def __post_init__(self):
        object.__setattr__(self, "literals", tuple(self.literals))
        object.__setattr__(self, "silent", tuple(self.silent))
        object.__setattr__(self, "slots", tuple(self.slots))
        if len(self.literals) != len(self.slots) + 1:
            raise ValueError(
                f"a layout of {len(self.slots)} slots has {len(self.slots) + 1} literals; "
                f"got {len(self.literals)}"
            )
        names = [slot.name for slot in self.slots]
        if len(set(names)) < len(names):
            raise ValueError(f"a layout's slots have distinct names; got {names}")

    @classmethod
    def of(cls, template: str, /, **words: tuple[str, ...]) -> Layout:
        """Read a layout from a template: ``{name}`` is a slot, ``{{`` and ``}}`` are braces.

        Parameters
        ----------
        template : str
        **words : tuple of str
            The words of those slots that hold words; all others hold numbers.
        """
        literals, slots, text = [], [], ""
        for literal, name, spec, conversion in string.Formatter().parse(template):
            text += literal
            if name is None:
                continue
            if spec or conversion:
                raise ValueError(f"a slot is written {{name}}; got a format in {template!r}")
            literals.append(text)
            slots.append(Slot(name, words.get(name)))
            text = ""
        unknown = set(words) - {slot.name for slot in slots}
        if unknown:
            raise ValueError(f"words for slots that {template!r} has not: {sorted(unknown)}")
        return cls((*literals, text), tuple(slots))

    @functools.cached_property
    def token_literals(self) -> tuple[str, ...]:
        """The literals as they are tokenized: nothing where one is silent."""
        return tuple("" if literal in self.silent else literal for literal in self.literals)

    @functools.cached_property
    def number_slots(self) -> tuple[str, ...]:
        """Names of the slots that hold numbers, in reading order: the columns of `numbers`."""
        return tuple(slot.name for slot in self.slots if slot.words is None)

    @functools.cached_property
    def word_slots(self) -> tuple[str, ...]:
        """Names of the slots that hold words, in reading order: the columns of `words`."""
        return tuple(slot.name for slot in self.slots if slot.words is not None)

    def column(self, name: str) -> int:
        """Column of a number slot in `Examples.numbers`."""
        if name not in self.number_slots:
            raise ValueError(f"number slots are {self.number_slots}; got {name!r}")
        return self.number_slots.index(name)


def shown(number: float | int) -> str:
    """A number as a person reads it: whole numbers in full, others to six digits.

    >>> shown(0.1234567), shown(1234567.0), shown(10**20)
    ('0.123457', '1234567', '100000000000000000000')
    """
    if isinstance(number, int):
        return str(number)
    whole = abs(number) < 1e15 and number == int(number)
    return str(int(number)) if whole else f"{number:.6g}"


def to_figures(numbers, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers rounded to n significant figures: significands and powers of ten.

    Parameters
    ----------
    numbers : array of float
        Finite.
    n : int
        Figures, 1 to 12: of more, float64 blurs the last.

    Returns
    -------
    significand : array of float
        Whole, of n figures, with the number's sign; 0 for 0.
    exponent : array of int
        The number is about significand * 10^exponent. Below 1e-300, numbers are 0.

    Examples
    --------
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
    return value + 0.0  # of -0.0, 0.0


@dataclass(frozen=True, eq=False)
class Examples:
    """n texts of one layout. A corpus is a list of these.

    Parameters
    ----------
    layout : Layout
    numbers : array of shape (n, number slots)
        float64; or object, where they are Python ints (of any size).
    words : array of shape (n, word slots), optional
        Indices into each word slot's `words`.
    index : array of shape (n,), optional
        Each text's place in its corpus.
    """

    layout: Layout
    numbers: np.ndarray
    words: np.ndarray | None = None
    index: np.ndarray | None = None

    def __post_init__(self):
        object.__setattr__(self, "numbers", _number_table(self.numbers, self.layout))
        n = len(self.numbers)
        if self.words is not None or self.layout.word_slots:
            object.__setattr__(self, "words", _word_table(self.words, self.layout, n))
        if self.index is not None:
            index = np.asarray(self.index)
            if index.shape != (n,):
                raise ValueError(f"index has shape ({n},); got {index.shape}")
            object.__setattr__(self, "index", index)

    def __len__(self) -> int:
        return len(self.numbers)

    def column(self, name: str) -> np.ndarray:
        """(n,) numbers of a number slot, or words of a word slot."""
        if name in self.layout.word_slots:
            slot = next(slot for slot in self.layout.slots if slot.name == name)
            return np.array(slot.words)[self.words[:, self.layout.word_slots.index(name)]]
        return self.numbers[:, self.layout.column(name)]

    def take(self, rows) -> Examples:
        """The examples of some rows: indices, a slice or a mask."""
        words, index = (None if a is None else a[rows] for a in (self.words, self.index))
        return Examples(self.layout, self.numbers[rows], words, index)

    def text(self, i: int, spell: Callable[[float | int], str] = shown) -> str:
        """The i-th text as a person reads it.

        >>> Examples(Layout.of("{a}+{b}"), [[1, 2.5]]).text(0)
        '1+2.5'
        """
        numbers = iter(self.numbers[i].tolist())
        words = iter(() if self.words is None else self.words[i].tolist())
        filled = [
            spell(next(numbers)) if slot.words is None else slot.words[next(words)]
            for slot in self.layout.slots
        ]
        pieces = zip(self.layout.literals, (*filled, ""), strict=True)
        return "".join(literal + filling for literal, filling in pieces)


def as_numbers(numbers) -> np.ndarray:
    """An array of float64; or of Python ints (object), where they are such or float64 rounds them.

    >>> as_numbers([1, 2.5]), as_numbers([-1, 2**63])
    (array([1. , 2.5]), array([-1, 9223372036854775808], dtype=object))
    """
    array = np.asarray(numbers)
    if array.dtype.kind == "f" and isinstance(numbers, (list, tuple)):
        array = np.asarray(numbers, object)  # numpy has made floats of [-1, 2**63]: look again
    kind = array.dtype.kind
    if kind == "O":
        types = set(map(type, array.ravel().tolist()))
        if types and all(issubclass(t, Integral) for t in types):
            return np.frompyfunc(int, 1, 1)(array)
        kind = "f" if all(issubclass(t, Real) for t in types) else "O"
    if kind in "iu" and ((array >= EXACT) | (array <= -EXACT)).any():
        return array.astype(object)
    if kind not in "iufb":
        raise ValueError(f"numbers are floats or ints; got {array.ravel()[:3]} ({array.dtype})")
    try:
        return array.astype(np.float64, copy=False)
    except OverflowError:  # numpy's, of an int beside floats
        raise ValueError(f"float64 ends at 1.8e308; got {max(array.ravel(), key=abs)}") from None


def _number_table(numbers, layout: Layout) -> np.ndarray:
    table = as_numbers(numbers)
    k = len(layout.number_slots)
    if table.ndim != 2 or table.shape[1] != k:
        raise ValueError(f"numbers have shape (n, {k}), a column a number slot; got {table.shape}")
    return table


def _word_table(words, layout: Layout, n: int) -> np.ndarray:
    k = len(layout.word_slots)
    codes = np.asarray(words if words is not None else [])
    if words is None or codes.shape != (n, k):
        raise ValueError(f"words have shape ({n}, {k}), a column a word slot; got {codes.shape}")
    if codes.dtype.kind not in "iu" and codes.size:
        raise ValueError(f"words are indices into a slot's words; got an array of {codes.dtype}")
    sizes = np.array([len(slot.words) for slot in layout.slots if slot.words is not None])
    wrong = (codes < 0) | (codes >= sizes) if k else np.zeros((n, 0), bool)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(
            f"slot {layout.word_slots[column]!r} has {sizes[column]} words; "
            f"got index {codes[row, column]} in row {row}"
        )
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
)  # begins with a set of characters, which re looks for fast


def parse(texts: list[str]) -> list[Examples]:
    """Find the numbers in texts.

    A sign after a number or a word subtracts ("1-2" are 1 and 2), digits within a word are none
    ("planet0"), and a comma separates, as in JSON ("1,000" are 1 and 0).

    Parameters
    ----------
    texts : list of str
        Every text holds at least one number.

    Returns
    -------
    list of Examples
        One for each layout; slots are named n0, n1, ... and `index` is the place in `texts`.
        Numbers are float64; where all numbers of a layout are integers and one of them has more
        than 15 digits they are Python ints.

    Examples
    --------
    >>> parse(["x=-6.02e1, y=.5", "1-2", "x=3, y=4"])[0].numbers
    array([[-60.2,   0.5],
           [  3. ,   4. ]])
    >>> parse(["planet0: 1-2"])[0].numbers
    array([[1., 2.]])
    """
    if isinstance(texts, str):
        raise ValueError(f"parse takes a list of texts; got the one text {_short(texts)}")
    groups: dict[tuple[str, ...], tuple[list[str], list[int]]] = {}
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"text {place}: expected a str; got {text!r}")
        pieces = NUMBER.split(text)
        if len(pieces) == 1:
            found = f"no number in {_short(text)}" if text else "the empty text"
            raise ValueError(f"text {place}: expected a number; got {found}")
        numbers, index = groups.setdefault(tuple(pieces[::2]), ([], []))
        numbers += pieces[1::2]
        index.append(place)
    return [_group(literals, *group) for literals, group in groups.items()]


def _group(literals: tuple[str, ...], numbers: list[str], index: list[int]) -> Examples:
    k = len(literals) - 1
    numbers = "\n".join(numbers).replace("\u2212", "-").split("\n")
    long = [at for at, number in enumerate(numbers) if _is_long_integer(number)]
    if long and all(_is_integer(number) for number in numbers):
        values = np.array([int(number) for number in numbers], object)
    else:
        values = np.fromiter(map(float, numbers), np.float64, len(numbers))
        lost = [at for at in long if values[at].item() != int(numbers[at])]
        lost.extend(np.flatnonzero(np.isinf(values)).tolist())
        if lost:
            raise ValueError(
                f"text {index[lost[0] // k]}: expected a number that float64 holds (up to 1.8e308; "
                f"integers of more than 15 digits only among integers); got {numbers[lost[0]]}"
            )
    layout = Layout(literals, tuple(Slot(f"n{j}") for j in range(k)))
    return Examples(layout, values.reshape(-1, k), None, np.array(index))


def _is_integer(number: str) -> bool:
    return number.lstrip("+-").isdigit() and len(number) < 4300  # the longest that int() reads


def _is_long_integer(number: str) -> bool:
    return len(number) > 15 and _is_integer(number) and len(number.lstrip("+-0")) > 15


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
