"""Nine desiderata D1 to D9 of BitTokens (2510.06824), measured on encoders that are not trained.

`MEASURES` says what is measured. The paper ticks them; the measures are ours. Numbers are uniform
on a log scale over the decades from 1e-14 to 1e14 that the encoder can write; only for "scale" all
decades of float64 are tried. Vectors are those of an untrained model, token by token.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
import torch
from scipy.stats import spearmanr

from numlab.embeddings import Embeddings, token_vectors
from numlab.encoders import Encoder, Tokens
from numlab.metrics import equal_digits
from numlab.numbers import from_figures, to_figures
from numlab.probes.arithmetic import WIDTH, arithmetic
from numlab.probes.neighbours import neighbour_f1

DECADES = range(-14, 15)  # of the numbers
ALL_DECADES = range(-307, 308)  # in which numbers are read back, or not
MANY = 100_000  # numbers that are encoded as tokens
SOME = 1000  # numbers whose vectors are compared
FEW = 300  # numbers that are read back from changed vectors
PAIRS = 20_000
WORST = 8  # numbers that are shown
TIE = 3e-14  # squared distances that differ by less of a vector's square are rounding
NOISE = range(-24, 4)  # powers of 2
MEASURES = {  # by name: the desideratum, its number, and what is measured
    "tokens": ("one token", 1, "How many tokens a number takes, on average."),
    "unique": ("unique", 2, "Different encodings over numbers of 6 digits; 1: none is shared."),
    "read back": ("unique", 2, "The share of numbers that return with all 6 digits right."),
    "rank correlation": ("structure", 3, "Spearman's, of vector distances and log distances."),
    "neighbour F1": ("structure", 3, "Share of the 10 nearest on the log line that lie nearest."),
    "decades, 6 digits": ("scale", 4, "Decades (of 615) whose numbers of 6 digits return whole."),
    "decades, 15 digits": ("scale", 4, "Decades (of 615) whose numbers of 15 digits return whole."),
    "read back, RMSNorm": ("normalised", 5, "The share of numbers still told apart after RMSNorm."),
    "RMS ratio": ("normalised", 5, "The RMS of the longest vector over that of the shortest."),
    "read back, bf16": ("stable", 6, "The share of numbers still told apart in bfloat16."),
    "read back, float8": ("stable", 6, "The share of numbers still told apart in float8 (e4m3)."),
    "step": ("continuous", 7, "Distance of x and x (1 + 2^-20), if told apart, over random pairs."),
    "noise": ("robust", 8, "The most noise, in RMS of the vectors, with 99 % read to 0.1 %."),
    "log-sMAPE of sums": ("arithmetic", 9, "About the share of digits right when an MLP adds."),
    "log-sMAPE of products": ("arithmetic", 9, "The same when it multiplies."),
}
# The paper's table: 0.5 is half a tick, 0 none; all other desiderata of these encoders have a tick.
# It does not judge other encoders.
PUBLISHED = {
    "XVal": {4: 0.0, 6: 0.0, 8: 0.5, 9: 0.0},
    "FoNE": {9: 0.0},
    "BitTokens": {7: 0.5},
}


def report_card(
    encoders: Encoder | Sequence[Encoder], seed: int = 0, seconds: float = 0
) -> pd.DataFrame:
    """Measure encoders against the nine desiderata; each takes a few seconds.

    `numlab.probes.desiderata.MEASURES` says what each measure is. The ninth desideratum,
    arithmetic, trains for `seconds` of CPU time for sums, and as long for products; 0 leaves it
    out. `seed` is that of the untrained model and of the numbers.

    Returns
    -------
    DataFrame [encoder, desideratum, measure, value, score, published]
        `score` says how good the value is, from 0 (worst) to 1 (best): it is full from 29 decades
        on, which is the range of the paper, and for noise from the vector's RMS on, on a log scale.
        `published` is 1, 0.5 or 0, the paper's tick, half tick or none, NaN for encoders that it
        does not judge.

    >>> card = report_card(nl.XVal()).set_index("measure")
    >>> float(card.value["tokens"]), float(card.value["read back, bf16"]) < 0.1
    (1.0, True)
    """
    rows, alike = [], Counter()  # two fits of one encoder have one name
    for encoder in [encoders] if isinstance(encoders, Encoder) else encoders:
        alike[name := str(encoder)] += 1
        name = name if alike[name] == 1 else f"{name} #{alike[name]}"
        published = PUBLISHED.get(encoder.label)
        for measure, value in _Measured(encoder, seed, seconds).measures():
            what, number, _ = MEASURES[measure]
            tick = np.nan if published is None else published.get(number, 1.0)
            score = float(np.clip(_score(measure, value), 0, 1))
            rows.append([name, f"D{number} {what}", measure, value, score, tick])
    columns = ["encoder", "desideratum", "measure", "value", "score", "published"]
    return pd.DataFrame(rows, columns=columns)


def worst(encoder: Encoder, measure: str) -> np.ndarray:
    """(up to 8,) numbers behind a "unique" or a "read back", the worst first; of others, none.

    Of "unique" they are pairs, the least and the greatest that share an encoding, first those that
    share it with most; of "read back", numbers that do not return, by their relative error.
    """
    if measure not in ("unique", "read back"):
        return np.empty(0)
    subject = _Measured(encoder)
    x = subject.draw(MANY, 0, signed=True)
    true, tokens = x.astype(float), encoder.encode(x)
    if measure == "unique":
        _, code = np.unique(_bytes(tokens, encoder.carriers), return_inverse=True)
        shared = pd.Series(true).groupby(code).agg(["idxmin", "idxmax", "size"])
        shared = shared[shared["size"] > 1].sort_values("size", ascending=False, kind="stable")
        return x[shared[["idxmin", "idxmax"]].to_numpy().ravel()][:WORST]
    back = np.array(encoder.decode(tokens), float)
    error = np.nan_to_num(np.abs(back - true) / np.abs(true), nan=np.inf)
    lost = np.flatnonzero(~equal_digits(true, back, 6))
    return x[lost[np.argsort(-error[lost], kind="stable")]][:WORST]


def standard() -> list[Encoder]:
    """The twelve encoders of `numlab bench`, those of fixed digits with 15 of them."""
    from numlab import encoders as e

    values = [e.BitTokens(), e.FoNE(8, 7), e.XVal(), e.XVal(k=2), e.IEEE754()]
    texts = [e.P10(), e.P1000(), e.FP15(), e.ExponentFirst(), e.Digits(8, 7), e.Subword(8, 7)]
    return [*values, *texts, e.UniformBins()]


def _score(measure: str, value: float) -> float:
    """From 0 to 1."""
    if measure in ("tokens", "RMS ratio"):
        return 1 / value
    if measure.startswith("decades"):
        return value / len(DECADES)
    if measure == "step":
        return 0.0 if np.isnan(value) else 1 - value
    if measure == "noise":
        return (np.log2(value) - NOISE[0]) / -NOISE[0] if value else 0.0
    return 0.0 if np.isnan(value) else value


@dataclass(frozen=True)
class _Measured:
    """An encoder under test."""

    encoder: Encoder
    seed: int = 0
    seconds: float = 0

    def measures(self) -> Iterator[tuple[str, float]]:
        yield from self._as_tokens()
        yield from self._structure()
        for digits in (6, 15):
            decades = self._decades(digits, partial(equal_digits, digits=digits))
            yield f"decades, {digits} digits", len(decades)
        yield from self._read_back()
        yield "step", self._step()
        yield "noise", self._noise()
        if self.seconds:
            for name, sign in (("sums", "+"), ("products", "*")):
                draw = self.draw(MANY, 3, digits=3)
                value = arithmetic(self.encoder, sign, draw, self.seconds, self.seed)
                yield f"log-sMAPE of {name}", value

    # --- numbers ---------------------------------------------------------------------------------

    @cached_property
    def decades(self) -> np.ndarray:
        """Decades decoded to within 50 %; if none, all in range."""
        roughly = self._decades(1, lambda x, y: np.abs(x - y) <= np.abs(x) / 2)
        decades = np.intersect1d(roughly or self._decades(1, lambda x, y: x == x), DECADES)
        if not len(decades):
            raise ValueError(f"{self.encoder} writes no decade from 1e-14 to 1e14")
        return decades

    def _decades(self, digits: int, returns: Any) -> list[int]:
        """The decades in which 9 numbers of so many digits all come back."""
        rng, decades = np.random.default_rng(digits), []
        leading = rng.integers(10 ** (digits - 1), 10**digits, (len(ALL_DECADES), 9))
        leading[:, 0] = 10**digits - 1
        for e, row in zip(ALL_DECADES, leading.tolist(), strict=True):
            x = np.array([float(f"{m}e{e - digits + 1}") for m in row])
            asked = self.fitting(x)
            if len(asked) == len(x) and returns(x, self.decoded(asked)).all():
                decades.append(e)
        return decades

    def fitting(self, x: np.ndarray) -> np.ndarray:
        """The numbers within the encoder's bounds; as Python ints if it takes only these."""
        low, high = self.encoder.bounds
        if not isinstance(high, int):
            return x[(x >= low) & (x <= high)]
        whole = [int(v) for v in x.tolist() if v == int(v) and low <= v <= high]
        return np.array(whole, object)

    def decoded(self, numbers: np.ndarray) -> np.ndarray:
        """(n,) float64: numbers after encoding and decoding."""
        return np.array(self.encoder.decode(self.encoder.encode(numbers)), float)

    def draw(self, n: int, stream: int, signed: bool = False, digits: int = 6) -> np.ndarray:
        """Up to n distinct numbers, log-uniform, in random order."""
        rng = np.random.default_rng((self.seed, stream))
        significand = np.floor(10 ** (digits - 1 + rng.random(n)))
        exponent = rng.choice(self.decades, n) - digits + 1
        sign = rng.choice([-1.0, 1.0], n) if signed and self.encoder.bounds[0] < 0 else 1.0
        x = np.unique(self.fitting(sign * from_figures(significand, exponent)))
        return x[rng.permutation(len(x))]

    # --- measures --------------------------------------------------------------------------------

    def _as_tokens(self) -> Iterator[tuple[str, float]]:
        x = self.draw(MANY, 0, signed=True)
        tokens = self.encoder.encode(x)
        yield "tokens", float(tokens.mask.sum(1).mean())
        yield "unique", len(np.unique(_bytes(tokens, self.encoder.carriers))) / len(x)
        back = np.array(self.encoder.decode(tokens), float)
        yield "read back", float(equal_digits(x.astype(float), back, 6).mean())

    def vectors(self, numbers: np.ndarray) -> np.ndarray:
        """(n, L, d) float64."""
        return token_vectors(self.encoder, numbers, WIDTH, self.seed)[0].astype(np.float64)

    def _structure(self) -> Iterator[tuple[str, float]]:
        x = self.draw(SOME, 1)
        line, points = np.log10(x.astype(float)), self.vectors(x).reshape(len(x), -1)
        a, b = np.random.default_rng(self.seed).integers(0, len(x), (2, PAIRS))
        few = zip(np.array_split(a, 40), np.array_split(b, 40), strict=True)  # all need 200 MB
        apart = np.concatenate([np.linalg.norm(points[i] - points[j], axis=1) for i, j in few])
        constant = np.ptp(apart[a != b]) == 0
        correlation = 0.0 if constant else spearmanr(np.abs(line[a] - line[b]), apart).statistic
        yield "rank correlation", float(correlation)
        embeddings = Embeddings(line, points.astype(np.float32), str(self.encoder))
        yield "neighbour F1", float(neighbour_f1(embeddings, k=10).f1.mean())

    @cached_property
    def codes(self) -> _Codes:
        """A few numbers, and for each those that differ by 1 in one of the digits 2 to 6."""
        x = self.draw(FEW, 2)
        significand, exponent = to_figures(x.astype(float), 6)
        unit = 10.0 ** np.arange(5)
        steps = np.concatenate([[0.0], unit, -unit])
        near = from_figures(significand[:, None] + steps, exponent[:, None])
        codes = np.unique(self.fitting(near[near > 0]))
        return _Codes(self.decoded(codes), self.vectors(codes), np.searchsorted(codes, x))

    def _read_back(self) -> Iterator[tuple[str, float]]:
        codes = self.codes
        rms = np.sqrt((codes.vectors**2).mean(2, keepdims=True))
        normed = _Codes(codes.numbers, codes.vectors / np.maximum(rms, 1e-300), codes.asked)
        yield "read back, RMSNorm", normed.read(normed.queries).mean()
        size = np.sqrt((codes.queries**2).sum((1, 2)) / (rms[codes.asked] > 0).sum((1, 2)))
        yield "RMS ratio", float(size.max() / size.min()) if size.min() else np.inf
        for name, dtype in (("bf16", torch.bfloat16), ("float8", torch.float8_e4m3fn)):
            cast = torch.from_numpy(codes.queries).float().to(dtype).double().numpy()
            yield f"read back, {name}", codes.read(cast).mean()

    def _step(self) -> float:
        x = self.draw(MANY, 1)
        next_to = x + (x * 2.0**-20 if x.dtype != object else x // 2**20)
        inside = next_to <= self.encoder.bounds[1]
        x, next_to = x[inside], next_to[inside]
        codes = [_bytes(self.encoder.encode(n), self.encoder.carriers) for n in (x, next_to)]
        differ = np.flatnonzero(codes[0] != codes[1])[:SOME]  # a staircase moves where it jumps
        if len(differ) < 2:
            return np.nan
        here, there = (self.vectors(n[differ]).reshape(len(differ), -1) for n in (x, next_to))
        step = np.linalg.norm(here - there, axis=1).mean()
        apart = np.linalg.norm(here - np.roll(here, 1, 0), axis=1).mean()
        return float(step / apart) if apart else np.nan

    def _noise(self) -> float:
        codes, rng = self.codes, np.random.default_rng((self.seed, 4))
        exists = (codes.queries**2).sum(2, keepdims=True) > 0
        noise = rng.standard_normal(codes.queries.shape) * exists
        total = (codes.queries**2).sum((1, 2), keepdims=True)
        noise *= np.sqrt(total / np.maximum(exists.sum((1, 2), keepdims=True), 1) / WIDTH)
        low, high = -1, len(NOISE)  # the last that is read, the first that is not
        while high - low > 1:
            middle = (low + high) // 2
            read = codes.read(codes.queries + 2.0 ** NOISE[middle] * noise, within=1e-3)
            low, high = (middle, high) if read.mean() >= 0.99 else (low, middle)
        return 2.0 ** NOISE[low] if low >= 0 else 0.0


@dataclass(frozen=True, eq=False)
class _Codes:
    """Reference vectors (c, L, d), decoded numbers (c,); `asked` (q,) indexes the queried ones."""

    numbers: np.ndarray
    vectors: np.ndarray
    asked: np.ndarray

    @property
    def queries(self) -> np.ndarray:
        """(q, L, d)"""
        return self.vectors[self.asked]

    def read(self, queries: np.ndarray, within: float = 0.0) -> np.ndarray:
        """(q,) bool: whether each vector is closest to its own number's code, or to one within the
        relative error `within`; ties fail.
        """
        q, codes = queries.reshape(len(queries), -1), self.vectors.reshape(len(self.vectors), -1)
        true = self.numbers[self.asked][:, None]
        same = np.abs(self.numbers - true) <= within * np.abs(true)
        with np.errstate(invalid="ignore", over="ignore"):
            distance = (codes**2).sum(1) - 2 * q @ codes.T  # less the query's own square
            near = np.where(same, distance, np.inf).min(1)
            far = np.where(same, np.inf, distance).min(1)
            return far - near > TIE * (codes[self.asked] ** 2).sum(1)


def _bytes(tokens: Tokens, carriers: tuple[int, ...]) -> np.ndarray:
    """(n,) each number's tokens and features as one value."""
    ids = np.where(tokens.mask, tokens.ids, -1).astype(np.int32)
    n, length = ids.shape
    parts = [ids.view(np.uint8).reshape(n, -1)]
    if carriers:
        row = np.ascontiguousarray(tokens.features)
        features = np.zeros((n, length, row.shape[1]), row.dtype)
        features[tokens.carry(carriers)] = row
        parts.append(features.reshape(n, -1).view(np.uint8))
    whole = np.ascontiguousarray(np.concatenate(parts, 1))
    return whole.view(f"V{whole.shape[1]}").ravel()
