"""A million float64 numbers: every text encoder takes less than 0.1 s."""

from __future__ import annotations

import numpy as np
import pytest

from numlab.encoders import B1999, FP15, P10, P1000, Digits, FoNE, Subword, XVal

ENCODERS = [P10(), P1000(), B1999(), FP15(), XVal(), FoNE(6, 3), Digits(6, 3), Subword(6, 3)]
every_encoder = pytest.mark.parametrize("encoder", ENCODERS, ids=lambda e: type(e).__name__)


@pytest.fixture(scope="module")
def million() -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.choice([-1, 1], 10**6) * 10 ** rng.uniform(-3, 5.9, 10**6)


@every_encoder
def test_encode(benchmark, encoder, million):
    benchmark(encoder.encode, million)


@every_encoder
def test_decode(benchmark, encoder, million):
    benchmark(encoder.decode, encoder.encode(million))
