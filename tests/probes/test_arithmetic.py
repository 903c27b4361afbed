"""D9: a small network over encodings, for a second or so."""

import itertools
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import numlab as nl
from numlab.probes.arithmetic import arithmetic
from numlab.probes.desiderata import report_card

NUMBERS = np.arange(1.0, 1000.0)


def test_a_scaled_value_learns_sums_and_untrained_it_does_not(monkeypatch):
    steps = SimpleNamespace(thread_time=itertools.count().__next__)  # a second for each
    monkeypatch.setattr("numlab.probes.arithmetic.time", steps)
    encoder = nl.XVal(scale=500.0)
    trained = arithmetic(encoder, "+", NUMBERS, 300)
    assert trained > arithmetic(encoder, "+", NUMBERS, 0) + 0.05


@pytest.mark.parametrize("encoder", [nl.P10(), nl.Digits(6), nl.BitTokens(16)], ids=str)
def test_words_and_bits_are_written(encoder):
    assert 0 <= arithmetic(encoder, "*", NUMBERS, 0.1) <= 1


def test_where_no_result_is_in_range_nothing_is_measured():
    assert np.isnan(arithmetic(nl.FoNE(2), "*", np.arange(50.0, 100), 0.1))


def test_the_card_has_arithmetic_where_seconds_are_given():
    card = report_card(nl.XVal(), seconds=0.2).set_index("measure")
    assert card.value[["log-sMAPE of sums", "log-sMAPE of products"]].between(0, 1).all()
    assert (card.published[["log-sMAPE of sums", "log-sMAPE of products"]] == 0).all()


def test_no_sum_that_is_tested_is_learned(monkeypatch):
    probe = sys.modules["numlab.probes.arithmetic"]  # its function has the same name
    steps = SimpleNamespace(thread_time=itertools.count().__next__)  # a second for each
    monkeypatch.setattr(probe, "time", steps)
    loss, learned = probe._Values.loss, []
    monkeypatch.setattr(
        probe._Values, "loss", lambda self, h, rows: learned.append(rows) or loss(self, h, rows)
    )
    arithmetic(nl.XVal(scale=500.0), "+", NUMBERS, 20)
    assert len(learned) >= 10 and np.concatenate(learned).min() >= probe.TEST


def test_sums_of_decimals_are_rounded_as_people_write_them(monkeypatch):
    probe = sys.modules["numlab.probes.arithmetic"]
    asked = []
    monkeypatch.setattr(
        probe, "_learned", lambda e, trunk, out, sums, *_: asked.append(sums) or 0.0
    )
    arithmetic(nl.XVal(), "+", np.arange(1, 1000) / 10, 0)
    a, b, y = asked[0]
    assert (y == np.round(a + b, 1)).all() and (y != a + b).any()
