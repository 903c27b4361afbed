"""Numbers as arrays: floats or exact integers, to significant figures, as a person reads them."""

import re
from collections.abc import Callable
from numbers import Integral, Rational, Real

import numpy as np

EXACT = 2**53  # float64 is exact for every integer below this
FLOAT_DIGITS = 15  # float64 holds every decimal of 15 digits
TENS = np.array([float(f"1e{k}") for k in range(-324, 309)])  # 1e-324 is 0
ONE = 324  # where 1 stands in TENS
LOG_2 = np.log10(2)


def as_numbers(numbers) -> np.ndarray:
    """An array of float64, or of Python ints (dtype object) where float64 would round an integer.

    ValueError for such an integer among floats, and for what is no number.

    >>> as_numbers([1, 2.5]), as_numbers([-1, 2**63])
    (array([1. , 2.5]), array([-1, 9223372036854775808], dtype=object))
    """
    if np.ma.is_masked(numbers):
        raise ValueError("numbers are not masked: leave the masked ones out")
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
        floats = array.astype(np.float64, copy=False)
    except OverflowError:  # of a Python int among floats
        longest = max((x for x in array.flat if isinstance(x, Rational)), key=abs)
        raise ValueError(f"float64 ends at 1.8e308; got {written(int(longest))}") from None
    if array.dtype.kind == "O" and any(issubclass(t, Integral) for t in types):
        pairs = zip(array.flat, floats.flat, strict=True)
        if lost := [x for x, y in pairs if isinstance(x, Integral) and int(x) != int(y)]:
            wanted = "an integer beside floats must be exact in float64"
            raise ValueError(f"{wanted}; got {lost[0]}: pass only integers, or round it")
    return floats


def check_count(name: str, n, least: int = 1, most: float = np.inf) -> None:
    """ValueError for what is no whole number from `least` to `most`.

    >>> check_count("bins", 2.5)
    Traceback (most recent call last):
    ValueError: bins is a whole number, 1 or more; got 2.5
    """
    if isinstance(n, bool) or not isinstance(n, Integral) or not least <= n <= most:
        wanted = f"{least} to {most}" if most < np.inf else f"{least} or more"
        raise ValueError(f"{name} is a whole number, {wanted}; got {n!r}")


def check_tuple(name: str, value, n: int = 2) -> None:
    """ValueError for what is no tuple of n values.

    >>> check_tuple("bounds", 3)
    Traceback (most recent call last):
    ValueError: bounds is a tuple of 2 values; got 3
    """
    if not isinstance(value, (tuple, list)) or len(value) != n:
        raise ValueError(f"{name} is a tuple of {n} values; got {value!r}")


def check_held(numbers: np.ndarray, name: str) -> None:
    """ValueError for NaN, infinity, and integers beyond float64.

    >>> check_held(np.array([1, 10**400]), "ids")
    Traceback (most recent call last):
    ValueError: ids are finite, up to 1.8e308; got an integer of about 400 digits
    """
    held = np.abs(numbers) <= np.finfo(float).max
    if not held.all():
        raise ValueError(f"{name} are finite, up to 1.8e308; got {written(numbers[~held][0])}")


def written(number: float | int) -> str:
    """A number as errors show it: exact and short; of an integer beyond float64 its length.

    >>> written(3.2e11), written(999999.5), written(1234567.0), written(10**20)
    ('3.2e11', '999999.5', '1234567', '100000000000000000000')
    """
    if isinstance(number, int):
        bits = number.bit_length()
        return str(number) if bits <= 1024 else f"an integer of about {bits * LOG_2:.0f} digits"
    short = f"{number:g}"
    exact = short if float(short) == number else repr(float(number)).removesuffix(".0")
    return re.sub(r"e\+0*", "e", exact)


def shown(number: float | int, others: Callable[[float], str] = "{:.6g}".format) -> str:
    """A number as a person reads it: integers in full, others to six digits; by `repr`, exactly.

    >>> shown(0.1234567), shown(1234567.0), shown(10**20), shown(0.1234567, repr)
    ('0.123457', '1234567', '100000000000000000000', '0.1234567')
    """
    whole = isinstance(number, Integral) or (abs(number) < 1e15 and number == int(number))
    return str(int(number)) if whole else others(number)


def to_figures(numbers, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Round finite numbers to n significant figures, 1 to 15.

    It is computed in float64: a tie can go either way, and near n = 15 the last figure can be one
    off.

    Gives significands, float64 integers of n digits with the numbers' signs (0 for 0), and int
    exponents: numbers are about significand * 10^exponent.

    >>> to_figures([-0.02345, 999.6, 0], 3)
    (array([-234.,  100.,    0.]), array([-4,  1, -2]))
    """
    x = np.asarray(numbers, np.float64)
    size = np.abs(x)
    exponent = np.floor(np.log10(np.where(size > 0, size, 1.0))).astype(int)
    exponent -= (size < TENS[exponent + ONE]) & (size > 0)  # log10 can round up
    exponent -= n - 1
    significand = np.rint(from_figures(size, -exponent))
    up = significand >= 10**n
    return np.copysign(np.where(up, 10.0 ** (n - 1), significand), x), exponent + up


def rounded(numbers, n: int) -> np.ndarray:
    """Finite numbers to n significant figures, float64.

    >>> rounded([0.1 + 0.2, -1234], 3).tolist()
    [0.3, -1230.0]
    """
    return from_figures(*to_figures(numbers, n))


def from_figures(significand: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """significand * 10^exponent, infinite where float64 ends.

    The nearest floats up to 10^22 and down to 10^-22; beyond, to a unit or two in the last place.

    >>> from_figures(*to_figures([0.1 + 0.2, -1234], 3))
    array([ 3.00e-01, -1.23e+03])
    """
    first, value = np.clip(exponent, -300, 300), significand
    with np.errstate(over="ignore"):
        for step in (first, exponent - first):  # a power itself can be beyond float64
            if np.any(step):
                power = TENS[ONE + np.abs(step).clip(max=308)]
                value = np.where(step < 0, value / power, value * power)
    return value + 0.0  # -0.0 becomes 0.0
