"""Numbers as the bits of IEEE 754 floats (float, 3.1)."""

from dataclasses import dataclass

import numpy as np

from numlab.codes.base import LARGEST, Code


@dataclass(frozen=True)
class BitCode(Code):
    """The bits of a float, sign first.

    Parameters
    ----------
    bits : 16, 32 or 64.
    overflow : "raise" or "clip": a number beyond the largest of the format is a ValueError, or
        becomes the largest.
    """

    bits: int = 32
    overflow: str = "raise"
    feature_dtype = np.uint8

    def __post_init__(self):
        name = type(self).__name__
        if self.bits not in (16, 32, 64):
            raise ValueError(f"{name} has 16, 32 or 64 bits; got {self.bits}")
        if self.overflow not in ("raise", "clip"):
            raise ValueError(f"{name} has overflow 'raise' or 'clip'; got {self.overflow!r}")

    @property
    def dtype(self) -> np.dtype:
        """The float type, most significant byte first."""
        return np.dtype(f">f{self.bits // 8}")

    @property
    def n_features(self) -> int:
        return self.bits

    @property
    def largest(self) -> float:
        """The largest number of the format."""
        return float(np.finfo(self.dtype).max)

    @property
    def bounds(self) -> tuple[float, float]:
        high = LARGEST if self.overflow == "clip" else self.largest
        return -high, high

    def spacing(self, numbers) -> np.ndarray:
        kind = self.dtype.type
        last = np.nextafter(kind(self.largest), kind(0))  # beyond it the next is infinite
        x = np.abs(numbers).clip(max=last).astype(kind)
        between = np.nextafter(x, kind(np.inf)) - np.nextafter(x, kind(-np.inf))
        return between.astype(np.float64) / 2  # below a power of 2 numbers stand closer

    def features(self, numbers) -> np.ndarray:
        x = self.in_range(numbers).astype(np.float64)
        return float_bits(x.clip(-self.largest, self.largest), self.dtype)

    def number(self, features: np.ndarray) -> np.ndarray:
        floats = np.packbits(features.astype(np.uint8), axis=1).view(self.dtype)[:, 0]
        with np.errstate(invalid="ignore"):  # a model may predict the bits of a NaN
            values = floats.astype(np.float64)
        return np.where(np.isfinite(values), values, np.nan)

    def readable(self, features: np.ndarray) -> str:
        bits, end = "".join(map(str, features.tolist())), 1 + np.finfo(self.dtype).nexp
        return f"{bits[0]} {bits[1:end]} {bits[end:]}"  # sign, exponent, significand


def float_bits(numbers: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """(n,) float64, infinities and NaN too, to (n, bits) uint8 of big-endian floats, sign first."""
    with np.errstate(over="ignore"):  # overflow becomes infinity
        floats = np.ascontiguousarray(numbers.astype(dtype))
    return np.unpackbits(floats.view(np.uint8).reshape(len(floats), dtype.itemsize), axis=1)
