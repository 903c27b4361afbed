"""What a mixture head says of a number, against a plain reference."""

from __future__ import annotations

import dataclasses
from statistics import NormalDist

import numpy as np
import pytest
import torch

import numlab as nl
from numlab.probes.calibration import quantiles
from probes.conftest import tiny_spec

SPEC = tiny_spec(nl.XVal(mixture=3, scale=2.0))
WEIGHTS, MEANS, WIDTHS = [0.5, 0.3, 0.2], [-1.0, 0.5, 4.0], [0.3, 1.0, 0.05]


def probability(x: float) -> float:
    """Of a number up to x, plainly; in units of the text, twice those of the head."""
    parts = zip(WEIGHTS, MEANS, WIDTHS, strict=True)
    return sum(w * NormalDist(2 * m, 2 * s).cdf(x) for w, m, s in parts)


@pytest.fixture
def frame(run, monkeypatch):
    """Of a run whose head says the same of every number."""
    widths = torch.tensor(WIDTHS) - run.model.value_head.narrowest
    said = torch.cat(
        [torch.tensor(WEIGHTS).log(), torch.tensor(MEANS), widths.expm1().log()]  # of softplus
    )
    monkeypatch.setattr(run.model.value_head, "forward", lambda h: said.expand(len(h), -1))
    return nl.probes.calibration(
        run, SPEC.task.sample(300, seed=1, m0=np.linspace(0, 10, 300)), "m0"
    )


def test_a_number_lies_where_the_mixture_has_so_much_below_it(frame):
    assert frame.true.tolist() == pytest.approx(np.linspace(0, 10, 300))
    assert frame.pit.tolist() == pytest.approx([probability(x) for x in frame.true], abs=1e-5)


def test_a_mixture_has_below_a_quantile_what_the_quantile_says(frame):
    for name, level in (("q5", 0.05), ("q25", 0.25), ("q50", 0.5), ("q75", 0.75), ("q95", 0.95)):
        assert frame[name].nunique() == 1
        assert probability(frame[name][0]) == pytest.approx(level, abs=1e-4)


def test_numbers_drawn_from_the_mixture_are_calibrated():
    torch.manual_seed(0)
    outputs = torch.randn(4000, 9)
    said = SPEC.encoder.head.build(16).distribution(outputs)
    inner = quantiles(said, (0.25, 0.75))
    drawn = said.sample()
    assert float(((drawn > inner[0]) & (drawn < inner[1])).float().mean()) == pytest.approx(
        0.5, abs=0.03
    )
    uniform = said.cdf(drawn).sort().values
    assert float((uniform - torch.linspace(0, 1, 4000)).abs().max()) < 0.03


def test_a_run_that_says_one_number_is_refused(module_home):
    run = nl.train(dataclasses.replace(SPEC, encoder=nl.XVal()))
    with pytest.raises(ValueError, match=r"puts out distributions, .* got XVal and MaskedLM"):
        nl.probes.calibration(run, SPEC.task.sample(2, seed=1), "m0")
