"""Scientific notation, three significant digits: P10, P1000, B1999, FP15 (Table 1, xval)."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from numlab.encoders.base import END, LARGEST, Encoder, Tokens, as_column

# deviates: the text says exponents E-8 to E+8, the sizes of Table 1 force sixteen.
EXPONENTS = range(-8, 8)
EXPONENT_WORDS = tuple(f"E{exponent:+d}" for exponent in EXPONENTS)
SIGNIFICANDS = range(100, 1000)
SMALLEST, LARGEST_WORD = 1e-6, 9.99e9  # 100E-8, 999E7
OVERFLOW = 9.995e9  # would round to 1000E7
POWERS = 10.0 ** np.arange(23)  # exact in float64


@dataclass(frozen=True)
class Scientific(Encoder):
    """A sign, a significand from 100 to 999 and a power of ten.

    The smallest positive word, 100E-8, stands for 0, and smaller values underflow to it (our
    choice: Table 1 has no word for 0, and zeros occur).

    Parameters
    ----------
    overflow : {"raise", "clip"}
        What becomes of numbers that round beyond 999E7.
    """

    overflow: str = "raise"

    def __post_init__(self):
        if self.overflow not in ("raise", "clip"):
            raise ValueError(f"overflow is 'raise' or 'clip'; got {self.overflow!r}")

    @property
    def bounds(self) -> tuple[float, float]:
        high = LARGEST if self.overflow == "clip" else float(np.nextafter(OVERFLOW, 0))
        return -high, high

    @property
    def holds(self) -> str:
        return "finite numbers" if self.overflow == "clip" else "1e-6 <= |x| < 9.995e9"

    def precision(self, numbers) -> np.ndarray:
        size = np.abs(as_column(numbers).astype(np.float64))
        half_unit = (0.5 + 1e-9) * 10.0 ** _exponents(np.clip(size, SMALLEST, LARGEST_WORD))
        promised = np.maximum(half_unit, size - LARGEST_WORD)
        promised[size < 1.006 * SMALLEST] = 1.006 * SMALLEST  # 100E-8 is read as 0
        return promised

    def split(self, numbers) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(n,) numbers to negative (bool), significand (100..999) and exponent (-8..7)."""
        x = self.in_range(numbers).astype(np.float64, copy=False)
        size = np.clip(np.abs(x), SMALLEST, LARGEST_WORD)
        exponent = _exponents(size)
        # one of the two powers is 1, the other exact: rounded once
        significand = np.rint(
            size * POWERS[np.maximum(-exponent, 0)] / POWERS[np.maximum(exponent, 0)]
        )
        up = significand > 999
        significand[up] = 100
        return x <= -SMALLEST, significand.astype(np.int32), exponent + up

    def join(self, negative, significand, exponent, well_formed) -> np.ndarray:
        """The inverse of `split`; NaN where not well formed."""
        significand = np.where(well_formed, significand, 100)
        exponent = np.where(well_formed, exponent, 0)
        value = significand * POWERS[np.maximum(exponent, 0)] / POWERS[np.maximum(-exponent, 0)]
        value[(significand == 100) & (exponent == EXPONENTS[0]) & ~negative] = 0.0
        value = np.where(negative, -value, value)
        return np.where(well_formed, value, np.nan)

    def columns(self, tokens: Tokens) -> tuple[np.ndarray, np.ndarray]:
        """(length, n) ids, and (n,) whether there are that many and no more."""
        packed = tokens.packed().T[: self.length + 1]
        ids = np.full((self.length + 1, packed.shape[1]), END, np.int32)
        ids[: len(packed)] = packed
        return ids[: self.length], ids[self.length] == END


@dataclass(frozen=True)
class P10(Scientific):
    """Sign, three digits, exponent: five tokens, 28 words.

    >>> P10().spell(-60.2)
    ['-', '6', '0', '2', 'E-1']
    """

    length = 5

    @functools.cached_property
    def vocabulary(self) -> tuple[str, ...]:
        return ("+", "-", *"0123456789", *EXPONENT_WORDS)

    def encode(self, numbers) -> Tokens:
        negative, significand, exponent = self.split(numbers)
        tens = significand // 10
        hundreds = significand // 100
        return _stack(
            negative,
            hundreds + 2,
            tens - 10 * hundreds + 2,
            significand - 10 * tens + 2,
            exponent - EXPONENTS[0] + 12,
        )

    def decode(self, tokens: Tokens) -> np.ndarray:
        (sign, *digits, exponent), well_formed = self.columns(tokens)
        well_formed &= _within(sign, 0, 2) & _within(exponent, 12, 28)
        for digit, least in zip(digits, (3, 2, 2), strict=True):  # no significand below 100
            well_formed &= _within(digit, least, 12)
        significand = 100 * digits[0] + 10 * digits[1] + digits[2] - 222
        return self.join(sign == 1, significand, exponent - 12 + EXPONENTS[0], well_formed)


@dataclass(frozen=True)
class P1000(Scientific):
    """Sign, significand, exponent: three tokens, 918 words.

    >>> P1000().spell(-60.2)
    ['-', '602', 'E-1']
    """

    length = 3

    @functools.cached_property
    def vocabulary(self) -> tuple[str, ...]:
        return ("+", "-", *map(str, SIGNIFICANDS), *EXPONENT_WORDS)

    def encode(self, numbers) -> Tokens:
        negative, significand, exponent = self.split(numbers)
        return _stack(negative, significand - 98, exponent - EXPONENTS[0] + 902)

    def decode(self, tokens: Tokens) -> np.ndarray:
        (sign, significand, exponent), well_formed = self.columns(tokens)
        well_formed &= _within(sign, 0, 2) & _within(significand, 2, 902)
        well_formed &= _within(exponent, 902, 918)
        return self.join(sign == 1, significand + 98, exponent - 902 + EXPONENTS[0], well_formed)


@dataclass(frozen=True)
class B1999(Scientific):
    """Signed significand, exponent: two tokens, 1816 words.

    >>> B1999().spell(-60.2)
    ['-602', 'E-1']
    """

    length = 2

    @functools.cached_property
    def vocabulary(self) -> tuple[str, ...]:
        return (*map(str, SIGNIFICANDS), *(f"-{s}" for s in SIGNIFICANDS), *EXPONENT_WORDS)

    def encode(self, numbers) -> Tokens:
        negative, significand, exponent = self.split(numbers)
        return _stack(900 * negative + significand - 100, exponent - EXPONENTS[0] + 1800)

    def decode(self, tokens: Tokens) -> np.ndarray:
        (signed, exponent), well_formed = self.columns(tokens)
        well_formed &= _within(signed, 0, 1800) & _within(exponent, 1800, 1816)
        return self.join(
            signed >= 900, signed % 900 + 100, exponent - 1800 + EXPONENTS[0], well_formed
        )


@dataclass(frozen=True)
class FP15(Scientific):
    """The whole number as one of 28800 words.

    >>> FP15().spell(-60.2)
    ['-602E-1']
    """

    length = 1

    @functools.cached_property
    def vocabulary(self) -> tuple[str, ...]:
        return tuple(
            f"{sign}{significand}{exponent}"
            for sign in ("", "-")
            for significand in SIGNIFICANDS
            for exponent in EXPONENT_WORDS
        )

    @functools.cached_property
    def word_values(self) -> np.ndarray:
        return self.decode(Tokens.of(np.arange(28800)[:, None]))  # 100E-8 is worth 0

    def encode(self, numbers) -> Tokens:
        negative, significand, exponent = self.split(numbers)
        return _stack((900 * negative + significand - 100) * 16 + exponent - EXPONENTS[0])

    def decode(self, tokens: Tokens) -> np.ndarray:
        (word,), well_formed = self.columns(tokens)
        well_formed &= _within(word, 0, 28800)
        signed = word // 16
        return self.join(signed >= 900, signed % 900 + 100, word % 16 + EXPONENTS[0], well_formed)


def _exponents(size: np.ndarray) -> np.ndarray:
    """floor(log10(size)) - 2 of normal positive numbers, exactly."""
    binary = np.frexp(size)[1] - 1
    guess = binary * 1233 >> 12  # 1233 / 4096 is log10(2): right, or one too low
    return guess - 2 + (size >= EDGES[guess + 7])


EDGES = np.array([float(f"1e{k}") for k in range(-6, 12)])  # EDGES[g + 7] is 10**(g + 1)


def _stack(*columns: np.ndarray) -> Tokens:
    return Tokens.of(np.stack(columns, 1, dtype=np.int32, casting="unsafe"))


def _within(ids: np.ndarray, first: int, end: int) -> np.ndarray:
    return (ids >= first) & (ids < end)
