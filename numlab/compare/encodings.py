"""What encoders do to numbers before any training: range, precision, tokens, geometry."""

import numpy as np
import pandas as pd

from numlab import probes
from numlab.compare.table import Table
from numlab.embeddings import from_encoder
from numlab.encoders import B1999, FP15, IEEE754, P10, P1000, Digits, Encoder, FoNE, Subword, XVal
from numlab.examples import from_figures, to_figures
from numlab.tokenizer import Text

FIGURES = 12  # significant figures beyond these are float64's rounding noise
MOST_DIGITS = 15
NUMBERS = 1000  # that neighbours and spectra are computed from


def choices(numbers: np.ndarray) -> list[Encoder]:
    """Nine encoders with the digits and scales that these numbers (n,) need."""
    int_digits, frac_digits = needed_digits(numbers)
    fifth = float(np.abs(numbers).max()) / 5 or 1.0  # to about [-5, 5], as xVal's data (section 3)
    scale = float(from_figures(*to_figures([fifth], 2))[0])
    fixed = [P10(), P1000(), B1999(), FP15(), IEEE754(), XVal(scale=scale)]
    return [*fixed, *(cls(int_digits, frac_digits) for cls in (FoNE, Digits, Subword))]


def needed_digits(numbers: np.ndarray) -> tuple[int, int]:
    """How many digits numbers have before and after the decimal point, up to 15 together."""
    decimal = {"precision": FIGURES, "fractional": False, "trim": "-"}
    texts = [np.format_float_positional(x, **decimal) for x in np.unique(np.abs(numbers))]
    parts = zip(*(text.partition(".")[::2] for text in texts), strict=True)
    before, after = (max(map(len, part)) for part in parts)
    before = min(before, MOST_DIGITS)
    return before, min(after, MOST_DIGITS - before)


def encodings(table: Table, encoders: list[Encoder]) -> pd.DataFrame:
    """Measure untrained encoders on the numbers of a table.

    Returns
    -------
    DataFrame [encoder, held, refused, exact, worst, example, tokens, text_tokens, f1, periods]
        held : share of the numbers in range; refused : one that is not; exact : share that decodes
        to itself; worst : largest relative error; example : where, as "60.25 → 60.2"; tokens,
        text_tokens : mean for a number, for a row; f1 : neighbour F1 (k = 10) of up to 1,000
        numbers, NaN below 12; periods : up to three peaks of the spectrum, "–" for none, NaN with
        fewer than 8 consecutive integers.
    """

    numbers, texts = table.numbers, table.examples
    few = different = np.unique(numbers)
    if len(different) > NUMBERS:
        few = np.sort(np.random.default_rng(0).choice(different, NUMBERS, replace=False))
    words = Text.of([e.layout for e in texts])
    literals = [len(e) * sum(map(len, map(words.ids, e.layout.token_literals))) for e in texts]
    in_texts = sum(e.numbers.size for e in texts)  # a single column is shown twice
    rows = []
    for encoder in encoders:
        held, few_held, different_held = (_held(encoder, x) for x in (numbers, few, different))
        refused = np.setdiff1d(different, different_held)
        row = {"encoder": str(encoder), "held": len(held) / len(numbers)}
        row |= {"refused": refused[0] if len(refused) else None} | _round_trip(encoder, held)
        tokens = sum(literals) + row["tokens"] * in_texts * row["held"]
        row |= {"text_tokens": tokens / len(table.frame), "f1": np.nan}
        if len(few_held) > 11:
            row["f1"] = probes.neighbour_f1(from_encoder(encoder, few_held)).f1.mean()
        rows.append(row | {"periods": _periods(encoder, different_held)})
    return pd.DataFrame(rows)


def _held(encoder: Encoder, numbers: np.ndarray) -> np.ndarray:
    low, high = encoder.bounds
    return numbers[(numbers >= low) & (numbers <= high)]


def _round_trip(encoder: Encoder, numbers: np.ndarray) -> dict:
    """Precision and tokens of numbers that are encoded and decoded."""
    if not len(numbers):
        return {"exact": 0.0, "worst": np.nan, "example": None, "tokens": np.nan}
    tokens = encoder.encode(numbers)
    decoded = encoder.decode(tokens).astype(float)
    error = np.abs(decoded - numbers) / np.where(numbers == 0, 1.0, np.abs(numbers))
    error = np.where(error <= 1e-12, 0.0, error)  # float64's own
    worst = int(np.nanargmax(error))
    example = f"{numbers[worst]:.12g} → {decoded[worst]:.12g}" if error[worst] else None
    precision = {"exact": (error == 0).mean(), "worst": error[worst], "example": example}
    return precision | {"tokens": float(tokens.mask.sum(1).mean())}


def _periods(encoder: Encoder, numbers: np.ndarray) -> str | float:
    """Peaks of the spectrum of the longest run of consecutive integers among sorted numbers."""
    integers = numbers[numbers == np.rint(numbers)]
    runs = np.split(integers, np.flatnonzero(np.diff(integers) != 1) + 1)
    longest = max(runs, key=len)[:NUMBERS]
    if len(longest) < 8:
        return np.nan
    try:
        frame = probes.spectrum(from_encoder(encoder, longest), n_permutations=20, level=0.05)
    except ValueError:  # the embeddings lie on a line
        return "–"
    peaks = frame[frame.peak].nlargest(3, "power").period
    return ", ".join(f"{period:.3g}" for period in peaks) or "–"
