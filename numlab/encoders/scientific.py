"""Scientific notation with three significant digits: P10, P1000, B1999, FP15 (Table 1, xval)."""

import functools
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from numlab.codes import valid_only
from numlab.encoders.base import END, LARGEST, Encoder, Tokens, as_column
from numlab.encoders.text import half_unit
from numlab.examples import from_figures, to_figures

__all__ = ["B1999", "FP15", "P10", "P1000", "Scientific"]

# deviates: the text has exponents E-8 to E+8; the vocabulary sizes of Table 1 allow sixteen.
EXPONENTS = range(-8, 8)
FIGURES = 3
PARTS = (2, 900, len(EXPONENTS))  # signs, significands and exponents
EXPONENT_WORDS = tuple(f"E{exponent:+d}" for exponent in EXPONENTS)
SIGNIFICANDS = tuple(map(str, range(100, 1000)))
SIGNED = (*SIGNIFICANDS, *(f"-{s}" for s in SIGNIFICANDS))
SMALLEST, LARGEST_WORD = 1e-6, 9.99e9  # 100E-8, 999E7


@dataclass(frozen=True)
class Scientific(Encoder):
    """A sign, a significand from 100 to 999 and a power of ten.

    The smallest positive word, 100E-8, stands for 0, and smaller numbers underflow to it (our
    choice: Table 1 has no word for 0, but data has zeros).

    >>> P10().spell(-60.2), P1000().spell(-60.2), B1999().spell(-60.2), FP15().spell(-60.2)
    (['-', '6', '0', '2', 'E-1'], ['-', '602', 'E-1'], ['-602', 'E-1'], ['-602E-1'])

    Parameters
    ----------
    overflow : {"raise", "clip"}
        What to do with numbers that round beyond 999E7.

    Attributes
    ----------
    columns : tuple of (int, int)
        Of each token, the first of its words and how many there are. The tokens are a number's
        place among the PARTS, written in this mixed radix.
    """

    columns: ClassVar[tuple[tuple[int, int], ...]]
    overflow: str = "raise"

    def __post_init__(self):
        if self.overflow not in ("raise", "clip"):
            raise ValueError(f"overflow is 'raise' or 'clip'; got {self.overflow!r}")

    @property
    def length(self) -> int:
        return len(self.columns)

    @property
    def bounds(self) -> tuple[float, float]:
        # 9.995e9 rounds to 1000E7, which is no word
        high = LARGEST if self.overflow == "clip" else float(np.nextafter(9.995e9, 0))
        return -high, high

    @property
    def holds(self) -> str:
        return "finite numbers" if self.overflow == "clip" else "|x| < 9.995e9"

    def precision(self, numbers) -> np.ndarray:
        size = np.abs(as_column(numbers).astype(np.float64))
        error = half_unit(np.clip(size, SMALLEST, LARGEST_WORD), FIGURES)
        error = np.maximum(error, size - LARGEST_WORD)
        error[size < 1.006 * SMALLEST] = 1.006 * SMALLEST  # 100E-8 reads back as 0
        return error

    def encode(self, numbers) -> Tokens:
        x = self.in_range(numbers).astype(np.float64, copy=False)
        significand, exponent = to_figures(np.clip(np.abs(x), SMALLEST, LARGEST_WORD), FIGURES)
        parts = x <= -SMALLEST, significand.astype(int) - 100, exponent - EXPONENTS[0]
        first, n_words = np.transpose(self.columns)
        ids = np.unravel_index(np.ravel_multi_index(parts, PARTS), n_words)
        return Tokens.of((np.array(ids, np.int32) + first[:, None]).T)

    def decode(self, tokens: Tokens) -> np.ndarray:
        first, n_words = np.transpose(self.columns)
        ids = np.ascontiguousarray(tokens.packed(self.length + 1).T)
        index = ids[: self.length] - first[:, None]
        valid = ((index >= 0) & (index < n_words[:, None])).all(0) & (ids[self.length] == END)
        code = np.ravel_multi_index(tuple(index), n_words, mode="clip")
        negative, significand, exponent = np.unravel_index(code, PARTS)
        size = from_figures(significand + 100, exponent + EXPONENTS[0])
        size[code == 0] = 0.0  # 100E-8
        return valid_only(np.where(negative, -size, size), valid)


@dataclass(frozen=True)
class P10(Scientific):
    """Sign, three digits, exponent: five tokens, 28 words."""

    columns = ((0, 2), (3, 9), (2, 10), (2, 10), (12, 16))  # the first digit is not 0
    vocabulary = ("+", "-", *"0123456789", *EXPONENT_WORDS)


@dataclass(frozen=True)
class P1000(Scientific):
    """Sign, significand, exponent: three tokens, 918 words."""

    columns = ((0, 2), (2, 900), (902, 16))
    vocabulary = ("+", "-", *SIGNIFICANDS, *EXPONENT_WORDS)


@dataclass(frozen=True)
class B1999(Scientific):
    """Signed significand, exponent: two tokens, 1816 words."""

    columns = ((0, 1800), (1800, 16))
    vocabulary = (*SIGNED, *EXPONENT_WORDS)


@dataclass(frozen=True)
class FP15(Scientific):
    """The whole number as one of 28800 words."""

    columns = ((0, 28800),)

    @functools.cached_property
    def vocabulary(self) -> tuple[str, ...]:
        return tuple(f"{signed}{exponent}" for signed in SIGNED for exponent in EXPONENT_WORDS)

    @functools.cached_property
    def word_values(self) -> np.ndarray:
        return self.decode(Tokens.of(np.arange(28800)[:, None]))  # 100E-8 is 0
