"""Ten encoders with five heads: every pair trains two steps and predicts."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tiny import spec

import numlab as nl
from numlab import heads

TASK = nl.tasks.Addition(2)
SEEN = np.arange(199.0)
ENCODERS = [
    nl.XVal(scale=50.0),
    nl.FoNE(3),
    nl.IEEE754(),
    nl.BitTokens(32),
    nl.Base10Tokens(3, combine="weighted_sum"),
    nl.PLE.fit(SEEN),
    nl.Periodic.fit(SEEN),
    nl.SoftBins.fit(SEEN),
    nl.P1000(),
    nl.Digits(3),
]
HEADS = [
    heads.BitHead(16),
    heads.DigitHead(3),
    heads.HLGauss.fit(SEEN, bins=32),
    heads.Bars.fit(SEEN, bins=16),
    heads.MixtureHead(3, scale=50.0),
]
OBJECTIVES = nl.CausalLM(only=("answer",)), nl.MaskedLM(slots=0.5, literals=0.0)


def test_every_pair_of_an_encoder_and_a_head_trains_and_predicts(module_home):
    for i, (encoder, head) in enumerate(itertools.product(ENCODERS, HEADS)):
        run = nl.train(spec(encoder, head, OBJECTIVES[i % 2], model=nl.GPT2(64, 1, 2)))
        frame = nl.predict(run, "test", "answer")
        assert len(frame) == 16 and np.isfinite(run.valid_loss), (encoder, head)
        assert np.isfinite(frame.predicted[frame.valid].to_numpy(float)).all()


@pytest.mark.parametrize("head", HEADS, ids=lambda head: type(head).__name__)
def test_a_pair_predicts_alike_in_one_batch_and_in_many(head, module_home):
    runs = [nl.train(spec(nl.Digits(3), head, objective)) for objective in OBJECTIVES]
    whole, parts = (nl.predict(runs, "test", "answer", batch_size=n) for n in (16, 3))
    assert whole.valid.any()
    assert whole.valid.tolist() == parts.valid.tolist()
    both = [frame.predicted.to_numpy(float) for frame in (whole, parts)]
    assert np.allclose(*both, equal_nan=True, rtol=1e-3, atol=1e-3)
