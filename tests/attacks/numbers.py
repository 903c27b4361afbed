"""Texts and numbers of every kind, through `parse` and through every encoder."""

from __future__ import annotations

from collections import Counter

import numpy as np
from encoders.precision import precision

import numlab as nl
from numlab.probes.desiderata import standard

CHUNK = 100_000
SIGNS = ("", "-", "+")
WORDS = ("<b>", "x1", "é", "\x00", "{}", "1e", "--", "0x1F", ".", "_", "٣", "1,5", "\n", "µ²")


def texts(times: int, rng: np.random.Generator) -> Counter:
    """Random texts: what `parse` reads of one, it reads again from the text that it gives back."""
    counts = Counter()
    for _ in range(0, times, 1000):
        made = [_text(rng) for _ in range(min(times, 1000))]
        for examples in nl.parse(made):
            back = [examples.text(i, repr) for i in range(len(examples))]
            (again,) = nl.parse(back)
            counts["silently wrong"] += int((again.numbers != examples.numbers).sum())
            counts["lost"] += again.layout.literals != examples.layout.literals
    return counts


def _text(rng: np.random.Generator) -> str:
    parts = []
    for _ in range(rng.integers(1, 6)):
        if rng.random() < 0.5:
            parts.append(str(rng.choice(WORDS)))
        else:
            x = np.frombuffer(rng.bytes(8), np.float64)[0]
            kinds = [repr(float(x)), str(rng.integers(-(10**12), 10**12)), f"{rng.normal():.3f}"]
            parts.append(str(rng.choice(SIGNS)) + str(rng.choice(kinds)))
    return " ".join([*parts, f"{rng.normal():.2f}"])  # a text without a number is an error


def doubles(times: int, rng: np.random.Generator) -> Counter:
    """Doubles of all bit patterns: read back within the stated precision, or refused."""
    counts = Counter()
    for _ in range(0, times, CHUNK):
        numbers = np.frombuffer(rng.bytes(8 * min(times, CHUNK)), np.float64)
        for encoder in standard():
            counts += _round_trip(encoder, numbers)
    return counts


def integers(times: int, rng: np.random.Generator) -> Counter:
    """Integers of up to 400 digits: read back within the stated precision, or refused."""
    counts, wide = Counter(), [nl.Digits(400), nl.Subword(400), nl.FoNEDigits(400)]
    for _ in range(0, times, 1000):
        sizes = [10 ** int(digits) for digits in rng.integers(1, 401, 1000)]
        drawn = [int.from_bytes(rng.bytes(170)) % size for size in sizes]
        signs = rng.choice([-1, 1], len(drawn)).tolist()
        numbers = np.array([x * sign for x, sign in zip(drawn, signs, strict=True)], object)
        for encoder in [*standard(), *wide]:
            counts += _round_trip(encoder, numbers)
    return counts


def _round_trip(encoder: nl.Encoder, numbers: np.ndarray) -> Counter:
    low, high = encoder.bounds
    held = np.array((low <= numbers) & (numbers <= high), bool)
    counts, given = Counter(), numbers[held]
    if len(given):
        read = encoder.decode(encoder.encode(given))
        far = np.array(abs(read - given) > precision(encoder, given), bool)
        counts["silently wrong"] += int(far.sum()) + int((read != read).sum())
    for number in numbers[~held][:20]:
        try:
            encoder.encode(np.array([number]))
            counts["silently wrong"] += 1
        except ValueError as error:
            counts["silently wrong"] += not str(error)
    return counts
