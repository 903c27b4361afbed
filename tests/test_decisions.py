"""Which number a run answers: decided in closed form, or from samples."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tiny import spec

import numlab as nl
from numlab import decisions, heads
from numlab.decisions import Decision
from numlab.heads import HeadModule

CAUSAL, MASKED = nl.CausalLM(only=("answer",)), nl.MaskedLM(slots=0.5, literals=0.0)
BARS = heads.Bars((0.0, 10.0, 20.0, 100.0))
GRID = nl.FusedBins((("*", (1.0, 2.0, 3.0, 4.0, 5.0)),))
WEIGHTS = torch.tensor([0.1, 0.2, 0.05, 0.4, 0.25])  # of the five numbers of GRID


def says(run, logits, monkeypatch):
    """Have a run answer one number, with a head of three outputs that are these logits."""
    monkeypatch.setattr(HeadModule, "forward", lambda self, h: logits.expand(len(h), 3))
    word = int(run.tokenizer.answer_carriers[0])
    sure = torch.nn.functional.one_hot(torch.tensor(word), run.tokenizer.size).float()
    monkeypatch.setattr(run.model, "logits", lambda h: sure.expand(len(h), -1))


@pytest.mark.parametrize("objective", [CAUSAL, MASKED], ids=str)
@pytest.mark.parametrize("encoder", [nl.XVal(), nl.Digits(3)], ids=str)
def test_a_formula_is_used_where_the_head_has_one(encoder, objective, module_home, monkeypatch):
    run = nl.train(spec(encoder, BARS, objective))
    logits = torch.tensor([0.2, 0.7, 0.1]).log()
    says(run, logits, monkeypatch)
    d = BARS.distribution(logits[None])
    expected = {"mean": d.mean, "mode": d.mode, "median": d.quantile(torch.tensor([0.5]))}
    expected[0.75] = d.quantile(torch.tensor([0.75]))
    for decide, number in expected.items():
        frame = nl.predict(run, "test", "answer", decide=decide)
        assert frame.predicted.tolist() == pytest.approx([float(number)] * 16, rel=1e-5)
        assert frame.valid.all() and (frame.dropped == 0).all()


def test_samples_follow_the_models_weights_and_words_of_texts_are_dropped(module_home, monkeypatch):
    run = nl.train(spec(GRID, None, MASKED))
    share = torch.zeros(run.tokenizer.size)
    share[run.tokenizer.offset :] = 0.8 * WEIGHTS
    share[0] = 0.2  # a word of a text
    monkeypatch.setattr(run.model, "logits", lambda h: share.log().expand(len(h), -1))

    def decided(how, **fields):
        return nl.predict(run, "test", "answer", decide=how, samples=800, **fields)

    mean = decided("mean")
    assert mean.predicted.mean() == pytest.approx(3.5, abs=0.05)
    assert mean.dropped.mean() == pytest.approx(0.2, abs=0.02) and mean.valid.all()
    assert (decided("mode").predicted == 4).all() and (decided("median").predicted == 4).all()
    assert (decided(0.2).predicted == 2).all() and (decided("relative").predicted == 2).all()


def test_texts_of_different_batches_have_samples_of_their_own(module_home, monkeypatch):
    run = nl.train(spec(GRID, None, MASKED))
    share = torch.zeros(run.tokenizer.size)
    share[run.tokenizer.offset :] = WEIGHTS
    monkeypatch.setattr(run.model, "logits", lambda h: share.log().expand(len(h), -1))
    means = nl.predict(run, "test", "answer", decide="mean", samples=4, batch_size=1).predicted
    assert means.nunique() > 4


@pytest.mark.parametrize("objective", [CAUSAL, MASKED], ids=str)
@pytest.mark.parametrize(
    ("encoder", "head"),
    [
        (nl.FP15(), None),
        (nl.Digits(3), None),
        (nl.FoNE(3), None),
        (nl.FoNE(3), heads.BitHead(16)),
        (nl.P10(), heads.DigitHead(3)),
    ],
    ids=str,
)
def test_samples_of_a_sure_model_are_the_greedy_answer(encoder, head, objective, module_home):
    run = nl.train(spec(encoder, head, objective, steps=20))
    greedy = nl.predict(run, "test", "answer")
    assert greedy.valid.any()
    with pytest.MonkeyPatch.context() as patch:
        model, module = run.model, run.model.value_head
        logits, outputs = model.logits, module and module.forward
        patch.setattr(model, "logits", lambda h: 1e7 * logits(h))
        if module:
            patch.setattr(module, "forward", lambda h: 1e7 * outputs(h))
        for how in ("mode", "mean"):
            sure = nl.predict(run, "test", "answer", decide=how, samples=3)
            assert sure.valid.tolist() == greedy.valid.tolist()
            assert np.allclose(sure.predicted, greedy.predicted, equal_nan=True)
    warm = nl.predict(run, "test", "answer", decide="median", samples=8, batch_size=7)
    assert ((warm.dropped >= 0) & (warm.dropped <= 1) & (warm.valid == (warm.dropped < 1))).all()


def test_what_cannot_be_decided_is_an_error(module_home):
    run = nl.train(spec(nl.XVal(scale=50.0), None, MASKED))
    with pytest.raises(ValueError, match="or a level above 0 and below 1; got 2"):
        nl.predict(run, "test", "answer", decide=2)
    with pytest.raises(ValueError, match="samples is a whole number, 1 or more; got 0"):
        nl.predict(run, "test", "answer", decide="mean", samples=0)
    for decide in ("mean", "relative"):
        with pytest.raises(ValueError, match="predicts single numbers"):
            nl.predict(run, "test", "answer", decide=decide)
    normals = spec(nl.XVal(mixture=2), None, nl.MaskedLM())
    run = nl.train(dataclasses.replace(normals, task=nl.tasks.Quantities()))
    with pytest.raises(ValueError, match="`decide` takes slots of numbers; unit0 holds words"):
        nl.predict(run, "test", "unit0", decide="mean")
    long = spec(nl.Digits(17), None, nl.CausalLM(only=("answer",)))
    model = dataclasses.replace(long.model, positions=(nl.models.Absolute(64),))
    run = nl.train(dataclasses.replace(long, task=nl.tasks.LongAddition(16), model=model))
    with pytest.raises(ValueError, match="answer has integers beyond float64"):
        nl.predict(run, "test", "answer", decide="mode", samples=2)


@pytest.mark.parametrize(
    "head",
    [
        *(heads.HLGauss.fit([0, 200], 20), heads.BitHead(16), heads.DigitHead(3)),
        *(heads.RoundedHead(3), heads.MixtureHead(2)),
    ],
    ids=str,
)
@pytest.mark.parametrize("factor", [torch.nan, torch.inf])
def test_of_a_diverged_model_no_number_is_read(head, factor, module_home, monkeypatch):
    run = nl.train(spec(nl.XVal(), head, MASKED))
    forward = type(run.model.value_head).forward
    monkeypatch.setattr(
        type(run.model.value_head), "forward", lambda self, h: factor * forward(self, h)
    )
    word = int(run.tokenizer.answer_carriers[0])
    sure = torch.nn.functional.one_hot(torch.tensor(word), run.tokenizer.size).float()
    monkeypatch.setattr(run.model, "logits", lambda h: sure.expand(len(h), -1))
    for decide in (None, "mean", "median", "mode", 0.3):
        frame = nl.predict(run, "test", "answer", decide=decide, samples=2)
        assert frame.predicted.isna().all() and not frame.valid.any(), decide


def test_samples_of_other_texts_of_one_length_are_of_their_own(module_home):
    run = nl.train(spec(nl.P10(), None, MASKED))
    batches = [run.tokenizer(run.examples("test")).batch(np.array(rows)) for rows in ([0], [1])]
    sampler = decisions._Sampler(run.model, torch.Generator())
    with torch.no_grad():
        for inputs, targets in (MASKED.ask(batch, ("answer",)) for batch in batches):
            states = sampler.hidden(inputs, targets.reads)
            torch.testing.assert_close(states, run.model.hidden(inputs, targets.reads))


def test_the_mean_of_an_asinh_transformed_column_is_in_its_own_units(module_home, monkeypatch):
    encoder = nl.Standardised(nl.XVal(mixture=1), (("*", 1.0, 3.0, 2.0),))
    run = nl.train(spec(encoder, None, MASKED))
    width = 0.5
    raw = torch.tensor([0.0, 0.25, np.log(np.expm1(width - 0.01))]).float()
    monkeypatch.setattr(HeadModule, "forward", lambda self, h: raw.expand(len(h), 3))
    word = int(run.tokenizer.answer_carriers[0])
    sure = torch.nn.functional.one_hot(torch.tensor(word), run.tokenizer.size).float()
    monkeypatch.setattr(run.model, "logits", lambda h: sure.expand(len(h), -1))
    normal = 3.0 + 2.0 * (0.25 + width * np.random.default_rng(0).standard_normal(10**6))

    def decided(how):
        frame = nl.predict(run, "test", "answer", decide=how, samples=400)
        return frame.predicted.unique().tolist()

    assert decided("mean") == pytest.approx([np.sinh(normal).mean()], rel=0.01)
    assert decided("median") == pytest.approx([np.sinh(3.5)], rel=1e-5)


def test_where_no_two_samples_are_equal_the_mode_is_the_greedy_answer(module_home, monkeypatch):
    run = nl.train(spec(nl.XVal(), heads.DigitHead(9, signed=False), MASKED))
    logits = torch.eye(10)[7].repeat(9)  # at each place 7 is likeliest
    monkeypatch.setattr(HeadModule, "forward", lambda self, h: logits.expand(len(h), 90))
    frame = nl.predict(run, "test", "answer", decide="mode")
    assert set(frame.predicted[frame.valid]) == {777777777.0}


@pytest.mark.parametrize("level", [0.0, 1.0])
def test_the_ends_of_a_distribution_are_no_quantiles(level):
    with pytest.raises(ValueError, match=f"above 0 and below 1; got {level}"):
        Decision(level)


def test_where_the_greedy_answer_is_no_number_the_mode_is_that_of_the_samples():
    drawn = tuple({"slot": "a", "predicted": np.array([x])} for x in (3.0, 1.0, 2.0, np.nan))
    merged = Decision("mode", samples=3)._merged(drawn)
    assert merged["predicted"].tolist() == [1.0] and merged["valid"].all()


def test_a_head_in_its_own_units_gives_its_own_mean_over_an_asinh_encoder(module_home, monkeypatch):
    encoder = nl.Standardised(nl.XVal(mixture=1), (("*", 1.0, 3.0, 2.0),))
    run = nl.train(spec(encoder, BARS, MASKED))
    logits = torch.tensor([0.2, 0.7, 0.1]).log()
    says(run, logits, monkeypatch)
    mean = float(BARS.distribution(logits[None]).mean)
    found = nl.predict(run, "test", "answer", decide="mean").predicted
    assert found.tolist() == pytest.approx([mean] * 16, rel=1e-5)


def test_one_output_that_is_no_number_makes_an_answer_none_that_is_dropped(
    module_home, monkeypatch
):
    run = nl.train(spec(nl.XVal(), BARS, MASKED))
    logits = torch.tensor([0.0, torch.nan, 0.0])
    says(run, logits, monkeypatch)
    for decide in ("mean", "median", 0.3):
        frame = nl.predict(run, "test", "answer", decide=decide)
        assert not frame.valid.any() and (frame.dropped == 1).all(), decide


@given(st.lists(st.floats(-1e3, 1e3).map(lambda x: round(x, 2)), min_size=1, max_size=9))
def test_the_relative_median_has_the_least_relative_error_of_all_samples(numbers):
    samples = torch.tensor([*numbers, torch.nan], dtype=torch.float64)[:, None]
    found = float(heads.Points(samples).relative_median)
    assert found in numbers
    if 0 in numbers:  # any other answer is infinitely wrong
        assert found == 0
    else:
        true = np.array(numbers)

        def error(answer):
            return np.mean(np.abs((true - answer) / true))

        assert error(found) <= min(map(error, numbers)) * (1 + 1e-9) + 1e-12


def test_a_head_with_a_formula_answers_the_relative_median_of_its_quantiles(
    module_home, monkeypatch
):
    run = nl.train(spec(nl.XVal(), BARS, MASKED))
    says(run, torch.tensor([0.5, 0.5, 1e-9]).log(), monkeypatch)  # uniform from 0 to 20
    frame = nl.predict(run, "test", "answer", decide="relative")
    assert frame.predicted.between(0, 3).all() and frame.valid.all()  # the median is 10
