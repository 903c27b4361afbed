"""The bits of numbers: what they say, and whether they are those of Python's `struct`."""

import struct
from collections.abc import Sequence

import numpy as np
import pandas as pd

import numlab as nl

PARTS = np.repeat(["sign", "exponent", "significand"], [1, 8, 23])


def bit_table(numbers: Sequence[float]) -> pd.DataFrame:
    """The 32 bits of some numbers, a row for each bit, the sign first.

    The columns are number and meaning (both texts), part and bit.
    """
    features = nl.IEEE754().features(numbers)
    frames = [
        pd.DataFrame({"number": f"{n:,}", "meaning": product(row), "part": PARTS, "bit": row})
        for n, row in zip(numbers, features, strict=True)
    ]
    return pd.concat(frames, ignore_index=True)


def product(bits: np.ndarray) -> str:
    """The 32 bits of a float as a product.

    >>> product(nl.IEEE754().features([-28.5])[0])
    '−1.78125 · $2^{4}$'
    """
    sign, exponent, digits = np.split(bits.astype(int), [1, 9])
    power = int("".join(map(str, exponent)), 2) - 127
    significand = 1 + digits @ 0.5 ** np.arange(1, 24)
    told = f"{significand:.8g}"
    return f"{'' if float(told) == significand else '≈ '}{'−' * sign[0]}{told} · $2^{{{power}}}$"


def unlike_struct(bits: int, n: int) -> int:
    """How many of n random numbers have other bits than in `struct`, or bits that do not give the
    rounded number."""
    encoder = nl.IEEE754(bits=bits)
    values = _any_magnitude(encoder.dtype, n, np.random.default_rng(bits))
    code = {16: "e", 32: "f", 64: "d"}[bits]
    packed = struct.pack(f">{len(values)}{code}", *values.tolist())
    expected = np.unpackbits(np.frombuffer(packed, np.uint8).reshape(len(values), -1), axis=1)
    features = encoder.features(values)
    rounded = values.astype(encoder.dtype).astype(np.float64)
    unlike = (features != expected).any(axis=1) | (encoder.number(features) != rounded)
    return int(unlike.sum())


def _any_magnitude(dtype: np.dtype, n: int, rng: np.random.Generator) -> np.ndarray:
    """Numbers of all magnitudes that a format has, subnormal ones too, and its limits."""
    kind = np.finfo(dtype)
    low, high = (np.log2(np.float64(x)) for x in (kind.smallest_subnormal, kind.max))
    some = rng.choice([-1, 1], n) * 2 ** rng.uniform(low, high, n)
    limits = [0.0, -0.0, kind.smallest_subnormal, kind.tiny, kind.max, -kind.max]
    return np.concatenate([some, np.array(limits, np.float64)])
