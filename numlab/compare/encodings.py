"""What each encoder makes of numbers before any training: range, precision, tokens, geometry."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from numlab import probes
from numlab.compare.table import Table
from numlab.embeddings import Embeddings, from_encoder
from numlab.encoders import (
    B1999,
    FP15,
    IEEE754,
    P10,
    P1000,
    Digits,
    Encoder,
    FoNE,
    Subword,
    XVal,
)
from numlab.examples import from_figures, to_figures
from numlab.tokenizer import Text

if TYPE_CHECKING:
    import pandas as pd

FIGURES = 12  # more significant figures than that are rounding noise of float64
MOST_DIGITS = 15
NUMBERS = 1000  # of which neighbours and spectra are taken


def choices(numbers: np.ndarray) -> list[Encoder]:
    """Nine encoders, their digits and scales as these numbers (n,) need them.

    Examples
    --------
    >>> [str(encoder) for encoder in choices(np.array([0.25, 130.0]))[5:7]]
    ['XVal(scale=26.0)', 'FoNE(int_digits=3, frac_digits=2)']
    """
    digits = dict(zip(("int_digits", "frac_digits"), places(numbers), strict=True))
    fifth = float(np.abs(numbers).max()) / 5 or 1.0  # to about [-5, 5], as xVal's data (section 3)
    scale = float(from_figures(*to_figures([fifth], 2))[0])
    return [
        P10(),
        P1000(),
        B1999(),
        FP15(),
        IEEE754(),
        XVal(scale=scale),
        FoNE(**digits),
        Digits(**digits),
        Subword(**digits),
    ]


def places(numbers: np.ndarray) -> tuple[int, int]:
    """How many digits numbers have before and behind the point, up to 15 in all.

    >>> places(np.array([0.25, 130.0])), places(np.array([1e20, 0.1 + 0.2]))
    ((3, 2), (15, 0))
    """
    largest = float(np.abs(numbers).max())
    before = max(1, math.floor(math.log10(largest)) + 1 if largest else 1)
    if before >= MOST_DIGITS:
        return MOST_DIGITS, 0
    significand, exponent = to_figures(numbers, FIGURES)
    behind = 0
    while behind < MOST_DIGITS - before:  # the last digit that is not 0 of any number
        step = 10.0 ** np.minimum(np.maximum(-exponent - behind, 0), FIGURES)
        if (significand % step == 0).all():
            break
        behind += 1
    return before, behind


def encodings(table: Table, encoders: list[Encoder], seed: int = 0) -> pd.DataFrame:
    """Every encoder on the numbers of a table, untrained.

    Returns
    -------
    DataFrame [encoder, held, refused, exact, worst, example, tokens, text_tokens, f1, periods]
        A row an encoder. held : share of the numbers in range; refused : one that is not, or None;
        exact : share that comes back as it was; worst : largest relative error of those that come
        back; example : where it is, as "60.25 → 60.2"; tokens : mean a number; text_tokens : mean
        a row; f1 : neighbour F1 (k = 10) of up to 1,000 different numbers, NaN of fewer than 12;
        periods : up to three that stand out in the spectrum, "–" for none, NaN where there are no
        8 consecutive whole numbers.
    """
    import pandas as pd

    different = np.unique(table.numbers)
    rng = np.random.default_rng(seed)
    few = different
    if len(different) > NUMBERS:
        few = np.sort(rng.choice(different, NUMBERS, replace=False))
    texts = table.examples
    words = Text.of([e.layout for e in texts])
    literal = sum(
        len(e) * sum(len(words.ids(text)) for text in e.layout.token_literals) for e in texts
    )
    rows = []
    for encoder in encoders:
        low, high = encoder.bounds
        held = (table.numbers >= low) & (table.numbers <= high)
        refused = float(table.numbers[~held][0]) if not held.all() else None
        row = {"encoder": str(encoder), "held": held.mean(), "refused": refused}
        row |= _read_back(encoder, table.numbers[held])
        n = _tokens(encoder, table.numbers[held])
        said = sum(e.numbers.size for e in texts) * held.mean()  # one column is said twice
        row |= {"tokens": n, "text_tokens": (literal + n * said) / len(table.frame)}
        rows.append(row | _geometry(encoder, few[(few >= low) & (few <= high)], different))
    return pd.DataFrame(rows)


def _read_back(encoder: Encoder, numbers: np.ndarray) -> dict:
    if not len(numbers):
        return {"exact": 0.0, "worst": np.nan, "example": None}
    read = encoder.decode(encoder.encode(numbers)).astype(float)
    error = np.abs(read - numbers) / np.where(numbers == 0, 1.0, np.abs(numbers))
    error = np.where(error <= 1e-12, 0.0, error)  # of float64 itself
    worst = int(np.nanargmax(error))
    example = f"{numbers[worst]:.12g} → {read[worst]:.12g}" if error[worst] else None
    return {"exact": (error == 0).mean(), "worst": error[worst], "example": example}


def _tokens(encoder: Encoder, numbers: np.ndarray) -> float:
    return float(encoder.encode(numbers).mask.sum(1).mean()) if len(numbers) else np.nan


def _geometry(encoder: Encoder, numbers: np.ndarray, different: np.ndarray) -> dict:
    f1 = np.nan
    if len(numbers) > 11:
        f1 = probes.neighbour_f1(from_encoder(encoder, numbers)).f1.mean()
    low, high = encoder.bounds
    whole = consecutive(different[(different >= low) & (different <= high)])
    if len(whole) < 8:
        return {"f1": f1, "periods": np.nan}
    return {"f1": f1, "periods": _periods(from_encoder(encoder, whole))}


def consecutive(different: np.ndarray) -> np.ndarray:
    """The longest run of consecutive whole numbers among sorted ones, its first 1,000.

    >>> consecutive(np.array([1.0, 2.0, 2.5, 7.0, 8.0, 9.0]))
    array([7., 8., 9.])
    """
    whole = different[different == np.rint(different)]
    runs = np.split(whole, np.flatnonzero(np.diff(whole) != 1) + 1)
    return max(runs, key=len)[:NUMBERS]


def _periods(e: Embeddings) -> str:
    try:
        frame = probes.spectrum(e, n_permutations=20, level=0.05)
    except ValueError:  # on a line
        return "–"
    peaks = frame[frame.peak].nlargest(3, "power").period
    return ", ".join(f"{period:.3g}" for period in peaks) or "–"
