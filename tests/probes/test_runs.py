"""Probes of runs: logits, expectations and sweeps, on a tiny trained model."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
import torch

import numlab as nl
from probes.conftest import tiny_spec

SPEC = tiny_spec(nl.P1000())


def read(run, stepsize=0.4, n=6):
    texts = SPEC.task.sample(n, seed=1, stepsize=stepsize)
    return nl.probes.number_logits(run, texts, "stepsize")


def test_a_scan_has_the_likeliest_words_at_each_token(run):
    scan = nl.probes.logit_scan(read(run), top=4)
    assert scan.groupby("within").word.nunique().to_dict() == {1: 4, 2: 4, 3: 4}
    assert set(scan.word) <= set(nl.P1000().vocabulary)
    assert scan.probability.between(0, 1).all()


def test_a_scan_holds_means_over_the_texts_of_each_true_number(run):
    texts = SPEC.task.sample(3, seed=1, stepsize=0.4) + SPEC.task.sample(5, seed=1, stepsize=0.7)
    scan = nl.probes.logit_scan(nl.probes.number_logits(run, texts, "stepsize"), top=3)
    for value, n in ((0.4, 3), (0.7, 5)):
        alone = nl.probes.logit_scan(read(run, value, n), top=3)
        both = alone.merge(scan, on=["true", "within", "word"], suffixes=("", "_both"))
        assert len(both) == len(alone)
        for name in ("logit", "probability"):
            assert np.allclose(both[name], both[f"{name}_both"], atol=1e-6)


def test_logits_are_in_the_order_of_the_texts(run):
    steps = [0.7, 0.4, 0.7, 0.2]
    texts = [e for step in steps for e in SPEC.task.sample(1, seed=1, stepsize=step)]
    texts = [nl.Examples(e.layout, e.numbers, index=np.array([i])) for i, e in enumerate(texts)]
    assert nl.probes.number_logits(run, texts, "stepsize").true.tolist() == steps


@pytest.mark.parametrize("encoder", [nl.B1999("clip"), nl.XVal(mixture=2)], ids=str)
def test_a_slot_that_holds_words_is_refused(encoder, module_home):
    probe = nl.probes.calibration if encoder.head else nl.probes.number_logits
    spec = dataclasses.replace(SPEC, encoder=encoder, task=nl.tasks.Quantities())
    with pytest.raises(ValueError, match="expected a slot of numbers; thing holds words"):
        probe(nl.train(spec), "test", "thing")


def test_a_scan_over_all_words_is_a_distribution_over_the_text_and_the_encoder(run):
    scan = nl.probes.logit_scan(read(run), top=918)
    total = scan.groupby("within").probability.sum()
    assert (total <= 1 + 1e-5).all() and (total > 0.8).all()


@pytest.mark.parametrize("encoder", [nl.P10(), nl.B1999(), nl.FP15()], ids=str)
def test_the_expectation_of_one_certain_number_is_that_number(encoder, module_home, monkeypatch):
    run = nl.train(dataclasses.replace(SPEC, encoder=encoder))
    ids = encoder.encode(np.array([0.4])).ids[0] + run.tokenizer.offset

    def certain(hidden):
        logits = hidden.new_full((len(hidden), run.tokenizer.size), -50.0)
        logits.view(-1, encoder.length, run.tokenizer.size)[:, range(encoder.length), ids] = 50.0
        return logits

    monkeypatch.setattr(run.model, "logits", certain)
    frame = nl.probes.expectation(read(run))
    assert (frame["argmax"] - 0.4).abs().max() < 1e-9
    assert (frame.expectation - 0.4).abs().max() < 1e-6


def test_the_expectation_weighs_numbers_by_their_probability(run, monkeypatch):
    encoder = nl.P1000()
    likely, other = encoder.encode(np.array([0.4, 0.2])).ids + run.tokenizer.offset

    def two(hidden):
        logits = hidden.new_full((len(hidden), run.tokenizer.size), -50.0)
        tokens = logits.view(-1, encoder.length, run.tokenizer.size)
        tokens[:, range(encoder.length), other] = 0.0
        tokens[:, range(encoder.length), likely] = np.log(3)
        tokens[:, 0] = tokens[:, 2] = -50.0
        tokens[:, [0, 2], likely[[0, 2]]] = 50.0  # both have one sign and one exponent
        return logits

    monkeypatch.setattr(run.model, "logits", two)
    frame = nl.probes.expectation(read(run))
    assert (frame["argmax"] - 0.4).abs().max() < 1e-9
    assert (frame.expectation - (0.75 * 0.4 + 0.25 * 0.2)).abs().max() < 1e-6
    scan = nl.probes.logit_scan(read(run), top=2)
    significands = scan[scan.within == 2].set_index("word")
    assert significands.probability.to_dict() == pytest.approx({"200": 0.25, "400": 0.75})
    assert significands.logit.to_dict() == pytest.approx({"200": 0, "400": np.log(3)}, abs=1e-6)


def test_an_unlikely_exponent_does_not_move_the_expectation(module_home, monkeypatch):
    encoder = nl.P1000()
    run = nl.train(dataclasses.replace(SPEC, encoder=encoder))
    likely, unlikely = encoder.encode(np.array([0.4, 4e6])).ids + run.tokenizer.offset

    def nearly_certain(hidden):
        logits = hidden.new_full((len(hidden), run.tokenizer.size), -50.0)
        tokens = logits.view(-1, encoder.length, run.tokenizer.size)
        tokens[:, range(encoder.length), unlikely] = 0.0
        tokens[:, range(encoder.length), likely] = 7.0  # 1,100 times as likely
        return logits

    monkeypatch.setattr(run.model, "logits", nearly_certain)
    frame = nl.probes.expectation(read(run))
    assert (frame.expectation - 0.4).abs().max() < 1e-6


def test_a_model_that_diverged_expects_no_number():
    encoder = nl.P1000()
    words = torch.from_numpy(encoder.encode([1.5, 2.0]).ids).long()
    logits = 50.0 * torch.nn.functional.one_hot(words, len(encoder.vocabulary))
    logits[1] = torch.nan
    read = nl.probes.NumberLogits(encoder, np.array([1.5, 2.0]), logits)
    frame = nl.probes.expectation(read)[["argmax", "expectation"]]
    assert frame.iloc[0].tolist() == [1.5, 1.5] and frame.iloc[1].isna().all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"encoder": nl.XVal()}, "text encoder of fixed length"),
        ({"objective": nl.CausalLM()}, "masked LM"),
    ],
    ids=["value encoder", "causal"],
)
def test_a_scan_of_a_run_without_such_logits_is_refused(changes, message, module_home):
    run = nl.train(dataclasses.replace(SPEC, **changes))
    with pytest.raises(ValueError, match=message):
        nl.probes.number_logits(run, SPEC.task.sample(2, seed=1), "stepsize")


@pytest.fixture(scope="module")
def columns(module_home):
    """A task of columns whose names look like patterns of each other's."""
    x = np.arange(32.0)
    return nl.tasks.Table(pd.DataFrame({"w[kg]": 100 + x, "wk": x}))


def column_run(task, encoder):
    sizes = {"n_train": 16, "n_valid": 8, "n_test": 8, "steps": 2, "learning_rate": 1e-3}
    return nl.train(nl.RunSpec(task, encoder, nl.MaskedLM(), nl.GPT2(8, 1, 1), **sizes))


def test_a_slot_is_read_whose_name_looks_like_a_pattern(columns):
    run = column_run(columns, nl.P1000())
    read = [nl.probes.number_logits(run, columns.examples, slot) for slot in ("w[kg]", "wk")]
    assert read[0].logits.shape == read[1].logits.shape == (32, 3, 918)
    assert not read[0].logits.equal(read[1].logits)


def test_the_expectation_is_in_the_units_of_the_slot(columns, monkeypatch):
    run = column_run(columns, nl.Standardised.fit(columns.examples, nl.P1000()))
    words = torch.from_numpy(run.spec.encoder.at("w[kg]").encode([107.0]).ids[0]).long()
    sure = 50.0 * torch.nn.functional.one_hot(run.tokenizer.offset + words, run.tokenizer.size)
    monkeypatch.setattr(run.model, "logits", lambda h: sure.repeat(len(h) // 3, 1))
    read = nl.probes.number_logits(run, columns.examples, "w[kg]")
    assert nl.probes.expectation(read).argmax.tolist() == pytest.approx([107.0] * 32, rel=1e-2)


def spelled(encoder, *numbers_and_shares):
    """Logits of one number, each of whose tokens is that of some numbers, in their shares."""
    logits = torch.full((1, encoder.length, len(encoder.vocabulary)), -60.0)
    for number, share in numbers_and_shares:
        ids = encoder.encode([number]).ids[0]
        logits[0, range(encoder.length), ids] = torch.logaddexp(
            logits[0, range(encoder.length), ids], torch.tensor(np.log(share)).float()
        )
    return logits


def test_spellings_that_are_no_numbers_leave_the_expectation_as_it_is():
    encoder = nl.P10()
    logits = spelled(encoder, (0.4, 1.0))
    logits[0, 0, encoder.vocabulary.index("7")] = logits[0, 0].max()  # a digit for the sign
    read = nl.probes.NumberLogits(encoder, np.array([0.4]), logits)
    assert nl.probes.expectation(read).expectation.tolist() == pytest.approx([0.4], rel=1e-5)


def test_the_expectation_is_of_99_percent_of_what_is_predicted():
    encoder = nl.P1000()
    read = nl.probes.NumberLogits(
        encoder, np.array([0.4]), spelled(encoder, (0.4, 0.95), (0.2, 0.05))
    )
    assert nl.probes.expectation(read).expectation.tolist() == pytest.approx([0.39], rel=1e-4)
