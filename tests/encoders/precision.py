"""How precisely encoders read numbers back: what the tests hold them to."""

import functools

import numpy as np

from numlab.codes import BitCode, Decimal, FigureCode, ScaledCode, as_column
from numlab.encoders import (
    ExponentFirst,
    FusedBins,
    LogBins,
    Standardised,
    UniformBins,
    VariableLength,
)
from numlab.encoders.scientific import Scientific
from numlab.encoders.variable_length import FIGURES, SMALLEST
from numlab.numbers import from_figures


@functools.singledispatch
def precision(encoder, numbers) -> np.ndarray:
    """(n,) the largest error of each number after it is encoded and decoded."""
    raise NotImplementedError(f"register the precision of {type(encoder).__name__} here")


@precision.register
def _(encoder: ScaledCode, numbers):
    x = as_column(numbers).astype(np.float64)
    return np.abs(x) * 2.0**-23 + encoder.scale * 2.0**-149  # float32: rounding, underflow


@precision.register
def _(encoder: FigureCode, numbers):
    size = np.abs(as_column(numbers).astype(np.float64))
    decade = np.floor(np.log10(np.where(size > 0, size, 1.0))).astype(int)
    unit = from_figures(np.ones_like(size), decade - (encoder.figures - 1))
    return (0.5 + 1e-9) * unit + size * 2.0**-51 + 2.0**-1074


@precision.register
def _(encoder: BitCode, numbers):
    kind = np.finfo(encoder.dtype)
    x = np.abs(as_column(numbers).astype(np.float64))
    rounding = x * float(kind.epsneg) + float(kind.smallest_subnormal)
    return np.maximum(rounding, x - encoder.largest)  # the second: what clipping takes


@precision.register
def _(encoder: Decimal, numbers):
    x = as_column(numbers)
    if encoder.long:
        return np.zeros(len(x))
    return 0.5 * 10.0**-encoder.frac_digits + np.abs(x.astype(np.float64)) * 2.0**-52


@precision.register
def _(encoder: LogBins, numbers):
    size = np.abs(as_column(numbers).astype(np.float64))
    relative = np.sqrt(encoder.edges[1] / encoder.edges[0]) - 1
    return np.where(size < encoder.low, size, size * relative * (1 + 1e-9))


@precision.register
def _(encoder: VariableLength, numbers):
    size = np.abs(as_column(numbers).astype(np.float64))
    return np.where(size < SMALLEST, size, _half_unit(np.maximum(size, SMALLEST), FIGURES))


@precision.register
def _(encoder: Scientific, numbers):
    size, (smallest, largest) = np.abs(as_column(numbers).astype(np.float64)), encoder.ends
    error = _half_unit(np.clip(size, smallest, largest), encoder.figures)
    error = np.maximum(error, size - largest)
    zero = (1 + 0.6 / int(encoder.significands[0])) * smallest
    error[size < zero] = zero  # 100E-8 reads back as 0
    return error


@precision.register
def _(encoder: ExponentFirst, numbers):
    size = np.abs(as_column(numbers).astype(np.float64))
    smallest = 10.0 ** (1 - 10**encoder.exponent_digits)
    cut = 2 * _half_unit(np.maximum(size, smallest), encoder.figures)
    return np.where(size < smallest, size, cut)


@precision.register(FusedBins)
@precision.register(UniformBins)
def _(encoder, numbers):
    return np.abs(as_column(numbers).astype(float) - encoder.word_values[encoder.index(numbers)])


@precision.register
def _(encoder: Standardised, numbers):
    (asinh_scale, centre, scale), x = encoder._transform, as_column(numbers).astype(float)
    y = np.arcsinh(x / asinh_scale) if asinh_scale else x
    slope = scale * (np.hypot(x, asinh_scale) if asinh_scale else 1.0)
    rounded = 2.0**-50 * (1 + np.abs(y) + abs(centre)) / scale
    return slope * (precision(encoder.inner, encoder.units(x)) + rounded)


def _half_unit(size: np.ndarray, figures: int) -> np.ndarray:
    """Half a unit of the last of the significant figures of positive numbers, and a little more."""
    return (0.5 + 1e-9) * 10.0 ** (np.floor(np.log10(size)) - (figures - 1))
