"""What encoders do to numbers before any training: range, precision, tokens, geometry."""

import glob

import numpy as np
import pandas as pd

from numlab import probes
from numlab.codes.edges import quantile_edges
from numlab.embeddings import from_encoder
from numlab.encoders import (
    B1999,
    FP15,
    IEEE754,
    P10,
    P1000,
    PLE,
    Digits,
    Encoder,
    FoNE,
    Periodic,
    Standardised,
    Subword,
    XVal,
)
from numlab.encoders.checks import CHECKED, check
from numlab.encoders.columns import asinh_centre_scale
from numlab.numbers import FLOAT_DIGITS

FIGURES = 12  # significant figures beyond these are float64's rounding noise
SIGMA = 0.3  # of Periodic: its first frequencies, in waves over a deviation of a column
NUMBERS = 1000  # that neighbours and spectra are computed from


def choices(
    columns: dict[str, np.ndarray], seen: dict[str, np.ndarray] | None = None
) -> list[Encoder]:
    """Eleven encoders with the digits and units that these columns of numbers need.

    The digits are those of all numbers; units and bins those of `seen`, the numbers outside of the
    gaps that models are tested in (None: all). Without two different ones in float32, the piecewise
    linear encoder is missing.
    """
    int_digits, frac_digits = needed_digits(np.concatenate([*columns.values()]))
    seen = {name: (seen or {}).get(name, x) for name, x in columns.items()}
    scales = tuple((glob.escape(name), *asinh_centre_scale(x)) for name, x in seen.items())
    values = Standardised(XVal(), scales)
    units = np.concatenate([values.at(name).units(x) for name, x in seen.items()])
    edges = np.array(quantile_edges(units))
    edges = edges[np.unique(edges.astype(np.float32), return_index=True)[1]].tolist()
    functions = [Periodic(sigma=SIGMA), *([PLE(edges)] if len(edges) > 1 else [])]
    by_column = [values, *(Standardised(inner, scales) for inner in functions)]
    digits = [encoder(int_digits, frac_digits) for encoder in (FoNE, Digits, Subword)]
    return [P10(), P1000(), B1999(), FP15(), IEEE754(), *by_column, *digits]


def needed_digits(numbers: np.ndarray) -> tuple[int, int]:
    """How many digits numbers have before and after the decimal point, up to 15 together."""
    decimal = {"precision": FIGURES, "fractional": False, "trim": "-"}
    texts = [np.format_float_positional(x, **decimal) for x in np.unique(np.abs(numbers))]
    parts = zip(*(text.partition(".")[::2] for text in texts), strict=True)
    before, after = (max(map(len, part)) for part in parts)
    before = min(before, FLOAT_DIGITS)
    return before, min(after, FLOAT_DIGITS - before)


def encodings(
    columns: dict[str, np.ndarray], encoders: list[Encoder], exactly: list[str] = ()
) -> pd.DataFrame:
    """Measure untrained encoders on columns of numbers; `exactly` are names of ids and codes.

    Returns
    -------
    DataFrame [encoder, held, refused, exact, ids, worst, example, tokens, f1]
        held : share of the numbers in range; refused : one out of range; exact : share that
        decodes to itself, to 12 significant figures; ids : share of ids and codes that do so to
        the last digit (whole numbers are rounded first), NaN without any; worst : largest
        relative error, 0 below 1e-12; example : where it is, as "60.25 → 60.2"; tokens : mean per
        number; f1 : neighbour F1 (k = 10) of up to 1,000 numbers of the column with most, NaN below
        12.
    """
    richest = max(columns, key=lambda name: len(np.unique(columns[name])))
    few = np.unique(columns[richest])
    if len(few) > NUMBERS:
        few = np.sort(np.random.default_rng(0).choice(few, NUMBERS, replace=False))
    rows = []
    for encoder in encoders:
        parts = {name: _round_trip(encoder.at(name), x) for name, x in columns.items()}
        row = {"encoder": str(encoder)} | _precision(pd.concat(parts.values()))
        same = [_same_digits(parts[name]).mean() for name in exactly]
        row |= {"ids": np.mean(same) if same else np.nan, "f1": np.nan}
        own = encoder.at(richest)
        held = few[_held(own, few)]
        if len(held) > 11:
            row["f1"] = probes.neighbour_f1(from_encoder(own, held)).f1.mean()
        rows.append(row)
    return pd.DataFrame(rows)


def _held(encoder: Encoder, numbers) -> np.ndarray:
    """(n,) bool: within the bounds, which may be whole numbers beyond float64."""
    low, high = encoder.bounds
    return np.array([low <= x <= high for x in numbers.tolist()], bool)


def _round_trip(encoder: Encoder, numbers: np.ndarray) -> pd.DataFrame:
    """Each number, what it decodes to, and its tokens; NaN where it is not held."""
    trip = pd.DataFrame({"number": np.sort(numbers), "decoded": np.nan, "tokens": np.nan})
    held = _held(encoder, trip.number)
    if held.any():
        numbers = trip.number[held].to_numpy()
        try:
            check(encoder, numbers[:CHECKED])
            tokens = encoder.encode(numbers)
        except ValueError as error:
            raise ValueError(f"{encoder}: {error}") from None
        trip.loc[held, "decoded"] = encoder.decode(tokens).astype(float)
        trip.loc[held, "tokens"] = tokens.mask.sum(1)
    return trip


def _same_digits(trip: pd.DataFrame) -> pd.Series:
    """Whether numbers come back digit by digit, where a whole number is known to be one."""
    whole = trip.number % 1 == 0
    return trip.decoded.mask(whole, trip.decoded.round()) == trip.number


def _precision(trip: pd.DataFrame) -> dict:
    refused, held = trip[trip.tokens.isna()], trip[trip.tokens.notna()]
    first = {"held": len(held) / len(trip)}
    first["refused"] = None if refused.empty else refused.number.min()
    if held.empty:
        return first | {"exact": 0.0, "worst": np.nan, "example": None, "tokens": np.nan}
    size = held.number.abs().where(held.number != 0, 1.0)
    error = ((held.decoded - held.number).abs() / size).to_numpy()
    error = np.where(error <= 10.0**-FIGURES, 0.0, error)
    worst = int(np.nanargmax(error))
    number, decoded = held.number.iloc[worst], held.decoded.iloc[worst]
    example = f"{number:.12g} → {decoded:.12g}" if error[worst] else None
    precision = {"exact": (error == 0).mean(), "worst": error[worst], "example": example}
    return first | precision | {"tokens": float(held.tokens.mean())}
