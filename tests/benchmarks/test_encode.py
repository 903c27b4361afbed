"""A million float64 numbers: every encoder takes less than 0.1 s. And texts, to be parsed."""

from __future__ import annotations

import time

import numpy as np
import pytest

from numlab.encoders import (
    B1999,
    FP15,
    P10,
    P1000,
    PLE,
    Base10Tokens,
    BitTokens,
    Digits,
    FoNE,
    FusedBins,
    Periodic,
    SoftBins,
    Subword,
    XVal,
)
from numlab.parsing import parse

pytestmark = pytest.mark.benchmark(timer=time.process_time)  # whatever else the machine does

ENCODERS = [P10(), P1000(), B1999(), FP15(), XVal(), FoNE(6, 3), Digits(6, 3), Subword(6, 3)]
ENCODERS += [BitTokens(16, overflow="clip"), BitTokens(32), BitTokens(), Base10Tokens()]
ENCODERS += [PLE(), Periodic(), SoftBins(), FusedBins()]
every_encoder = pytest.mark.parametrize("encoder", ENCODERS, ids=str)


@pytest.fixture(scope="module")
def million() -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.choice([-1, 1], 10**6) * 10 ** rng.uniform(-3, 5.9, 10**6)


@every_encoder
def test_encode(benchmark, encoder, million):
    benchmark(encoder.encode, million)
    if benchmark.enabled:
        assert benchmark.stats.stats.min < 0.1


@every_encoder
def test_decode(benchmark, encoder, million):
    benchmark(encoder.decode, encoder.encode(million))


def test_the_signs_of_bits_and_of_the_reciprocals(benchmark, million):
    encoder = BitTokens()
    benchmark(lambda: encoder.signs(encoder.features(million)))
    if benchmark.enabled:
        assert benchmark.stats.stats.min < 0.2


def test_parse(benchmark):
    texts = [f"{{'a': [{i}, -3.0, 2.5e-3], 'planet0': {i / 8}}}" for i in range(10_000)]
    benchmark(parse, texts)
