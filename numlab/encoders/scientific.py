"""Scientific notation, with three significant digits: P10, P1000, B1999, FP15 (xval, Table 1)."""

import abc
import functools
import itertools
from dataclasses import dataclass

import numpy as np

from numlab.codes import valid_only
from numlab.codes.base import LARGEST
from numlab.encoders.base import END, Encoder, Tokens
from numlab.numbers import check_count, from_figures, to_figures

# deviates: the text has exponents E-8 to E+8; the vocabulary sizes of Table 1 allow sixteen.
EXPONENTS = range(-8, 8)
EXPONENT_WORDS = tuple(f"E{exponent:+d}" for exponent in EXPONENTS)
DIGITS = tuple("0123456789")
SIGNS = ("+", "-")


@dataclass(frozen=True)
class Scientific(Encoder):
    """A sign, a significand from 100 to 999 and a power of ten.

    The smallest positive word, 100E-8, stands for 0, and numbers smaller in size underflow to it
    (our choice: Table 1 has no word for 0, but data has zeros): 1e-6 reads back as 0, -1e-6 as it
    is.

    Parameters
    ----------
    overflow : "raise" or "clip": what to do with numbers that round beyond 999E7.
    figures : digits of the significand, 1 to 4: beyond the paper, whose encoders all have 3. With 2
        it goes from 10 to 99, and FP15 has 2,880 words.
    """

    overflow: str = "raise"
    figures: int = 3

    def __post_init__(self):
        if self.overflow not in ("raise", "clip"):
            raise ValueError(f"overflow is 'raise' or 'clip'; got {self.overflow!r}")
        check_count(f"figures of {type(self).__name__}", self.figures, 1, 4)

    @abc.abstractmethod
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The words of each token, in their order: digits of a mixed-radix index into `parts`."""

    @functools.cached_property
    def vocabulary(self) -> tuple[str, ...]:
        return tuple(itertools.chain(*self.groups()))

    @functools.cached_property
    def columns(self) -> tuple[tuple[int, int], ...]:
        """For each token, (first word, number of words)."""
        return tuple((self.vocabulary.index(words[0]), len(words)) for words in self.groups())

    @functools.cached_property
    def significands(self) -> tuple[str, ...]:
        return tuple(map(str, range(10 ** (self.figures - 1), 10**self.figures)))

    @property
    def _signed(self) -> tuple[str, ...]:
        return *self.significands, *(f"-{s}" for s in self.significands)

    @property
    def parts(self) -> tuple[int, int, int]:
        """How many signs, significands and exponents there are."""
        return 2, len(self.significands), len(EXPONENTS)

    @property
    def ends(self) -> tuple[float, float]:
        """The smallest and the largest positive number: 100E-8, 999E7."""
        least, most = self.significands[0], self.significands[-1]
        return float(f"{least}e{EXPONENTS[0]}"), float(f"{most}e{EXPONENTS[-1]}")

    @property
    def length(self) -> int:
        return len(self.columns)

    @property
    def _overflow(self) -> str:
        """The least number out of range: 9.995e9 rounds to 1000E7, which is not a word."""
        return f"9.{'9' * (self.figures - 1)}5e{EXPONENTS[-1] + self.figures - 1}"

    @property
    def bounds(self) -> tuple[float, float]:
        high = LARGEST if self.overflow == "clip" else float(np.nextafter(float(self._overflow), 0))
        return -high, high

    @property
    def holds(self) -> str:
        return "finite numbers" if self.overflow == "clip" else f"|x| < {self._overflow}"

    def encode(self, numbers) -> Tokens:
        x = self.in_range(numbers).astype(np.float64, copy=False)
        significand, exponent = to_figures(np.clip(np.abs(x), *self.ends), self.figures)
        place = significand.astype(int) - int(self.significands[0])
        parts = x <= -self.ends[0], place, exponent - EXPONENTS[0]
        first, n_words = np.transpose(self.columns)
        ids = np.unravel_index(np.ravel_multi_index(parts, self.parts), n_words)
        return Tokens.of((np.array(ids, np.int32) + first[:, None]).T)

    def decode(self, tokens: Tokens) -> np.ndarray:
        first, n_words = np.transpose(self.columns)
        ids = np.ascontiguousarray(tokens.packed(self.length + 1).T)
        index = ids[: self.length] - first[:, None]
        valid = ((index >= 0) & (index < n_words[:, None])).all(0) & (ids[self.length] == END)
        code = np.ravel_multi_index(tuple(index), n_words, mode="clip")
        negative, place, exponent = np.unravel_index(code, self.parts)
        size = from_figures(place + int(self.significands[0]), exponent + EXPONENTS[0])
        size[code == 0] = 0.0  # 100E-8
        return valid_only(np.where(negative, -size, size), valid)


@dataclass(frozen=True)
class P10(Scientific):
    """Sign, three digits, exponent: five tokens, 28 words.

    With three figures it holds |x| < 9.995e9 (others: ValueError), and a number below about 1e-6 in
    size becomes 0; `holds` says the range of other figures.

    Parameters
    ----------
    overflow : "raise", or "clip": numbers beyond the largest word, 999E7, become it, with their
        sign.
    figures : digits of the significand, 1 to 4 (the paper: 3).

    >>> nl.P10().spell(-60.2)
    ['-', '6', '0', '2', 'E-1']
    """

    vocabulary = (*SIGNS, *DIGITS, *EXPONENT_WORDS)

    def groups(self) -> tuple[tuple[str, ...], ...]:
        return SIGNS, DIGITS[1:], *[DIGITS] * (self.figures - 1), EXPONENT_WORDS


@dataclass(frozen=True)
class P1000(Scientific):
    """Sign, significand, exponent: three tokens, 918 words.

    Its range and its fields are those of `P10`.

    >>> nl.P1000().spell(-60.2)
    ['-', '602', 'E-1']
    """

    def groups(self) -> tuple[tuple[str, ...], ...]:
        return SIGNS, self.significands, EXPONENT_WORDS


@dataclass(frozen=True)
class B1999(Scientific):
    """Signed significand, exponent: two tokens, 1816 words.

    Its range and its fields are those of `P10`.

    >>> nl.B1999().spell(-60.2)
    ['-602', 'E-1']
    """

    def groups(self) -> tuple[tuple[str, ...], ...]:
        return self._signed, EXPONENT_WORDS


@dataclass(frozen=True)
class FP15(Scientific):
    """Sign, significand and exponent together: one token, 28800 words.

    Its range and its fields are those of `P10`.

    >>> nl.FP15().spell(-60.2)
    ['-602E-1']
    """

    def groups(self) -> tuple[tuple[str, ...], ...]:
        return (tuple(map("".join, itertools.product(self._signed, EXPONENT_WORDS))),)

    @functools.cached_property
    def word_values(self) -> np.ndarray:
        return self.decode(Tokens.of(np.arange(len(self.vocabulary))[:, None]))  # 100E-8 is 0
