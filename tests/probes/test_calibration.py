"""Whether predicted distributions are true."""

import dataclasses
from statistics import NormalDist

import numpy as np
import pytest
import torch

import numlab as nl
from numlab.heads import Normals, Points
from numlab.heads.value import NARROWEST
from numlab.probes import calibration, scores
from probes.conftest import tiny_spec

SPEC = tiny_spec(nl.XVal(mixture=3, scale=2.0), n_steps=3, n_planets=(2, 3))
WEIGHTS, MEANS, WIDTHS = [0.5, 0.3, 0.2], [-1.0, 0.5, 4.0], [0.3, 1.0, 0.05]


def probability(x: float) -> float:
    """Of a number up to x, in units of the text, twice those of the head."""
    parts = zip(WEIGHTS, MEANS, WIDTHS, strict=True)
    return sum(w * NormalDist(2 * m, 2 * s).cdf(x) for w, m, s in parts)


@pytest.fixture
def predicted(run, monkeypatch):
    """Of a run whose head predicts the same distribution for every number."""
    widths = torch.tensor(WIDTHS) - NARROWEST
    outputs = torch.cat(
        [torch.tensor(WEIGHTS).log(), torch.tensor(MEANS), widths.expm1().log()]  # of softplus
    )
    monkeypatch.setattr(run.model.value_head, "forward", lambda h: outputs.expand(len(h), -1))
    texts = SPEC.task.sample(300, seed=1, m0=np.linspace(0, 10, 300))
    return calibration(run, texts, "m0").sort_values("true")


def test_pit_is_the_probability_of_a_number_up_to_the_true_one(predicted):
    assert predicted.true.tolist() == pytest.approx(np.linspace(0, 10, 300))
    expected = [probability(x) for x in predicted.true]
    assert predicted.pit.tolist() == pytest.approx(expected, abs=1e-5)


def test_the_mixture_has_a_quantiles_probability_below_it(predicted):
    for name, level in (("q5", 0.05), ("q25", 0.25), ("q50", 0.5), ("q75", 0.75), ("q95", 0.95)):
        assert predicted[name].nunique() == 1
        assert probability(predicted[name].iloc[0]) == pytest.approx(level, abs=1e-4)


def test_texts_of_several_layouts_are_calibrated_in_the_order_of_their_index(run):
    texts = SPEC.task.sample(20, seed=1)
    found, answers = calibration(run, texts, "m0"), nl.predict(run, texts, "m0")
    assert len(texts) == 2 and found.true.tolist() == answers.true.tolist()


@pytest.mark.parametrize(
    "head", [nl.heads.HLGauss((0.0, 2.0, 6.0)), nl.heads.DigitHead(2, 2)], ids=["bins", "digits"]
)
def test_heads_over_words_are_calibrated_too(head, module_home):
    run = nl.train(dataclasses.replace(SPEC, encoder=nl.P1000(), head=head))
    frame = calibration(run, SPEC.task.sample(20, seed=1), "m0")
    assert len(frame) == 20 and frame.pit.between(0, 1).all()
    assert (frame.q5 <= frame.q50).all() and (frame.q50 <= frame.q95).all()
    assert frame.log_density.notna().all()


def test_the_answers_of_a_causal_model_are_calibrated_too(module_home):
    task, head = nl.tasks.Addition(2), nl.heads.HLGauss.fit(np.arange(199.0))
    objective, model = nl.CausalLM(only=("answer",)), nl.GPT2(16, 1, 2)
    run_spec = nl.RunSpec(task, nl.Digits(3), objective, model, 256, 20, 1e-2, head=head)
    run, texts = nl.train(run_spec), task.sample(40, seed=1)
    frame = calibration(run, texts, "answer")
    assert frame.true.tolist() == texts[0].column("answer").tolist()
    medians = nl.predict(run, texts, "answer", decide="median").predicted
    np.testing.assert_allclose(frame.q50, medians, rtol=1e-4)
    with pytest.raises(ValueError, match="only a masked LM"):
        nl.probes.number_logits(run, texts, "answer")
    with pytest.raises(ValueError, match="a begins a text"):
        calibration(run, texts, "a")


def test_each_text_has_a_random_share_of_its_own(run, monkeypatch):
    def at_zero(head, outputs):
        return Points(torch.zeros(1, len(outputs)))

    monkeypatch.setattr(type(run.tokenizer.head), "distribution", at_zero)
    frame = calibration(run, SPEC.task.sample(300, seed=1, m0=0.0), "m0")
    assert frame.pit.nunique() == 300


@pytest.mark.parametrize("head", [nl.heads.DigitHead(1, 2), nl.heads.BitHead(16)], ids=str)
def test_a_diverged_run_has_no_distribution(head, module_home, monkeypatch):
    run = nl.train(dataclasses.replace(SPEC, encoder=nl.XVal(), head=head))
    nothing = torch.tensor(torch.nan)
    forward = type(run.model.value_head).forward
    monkeypatch.setattr(
        type(run.model.value_head), "forward", lambda self, h: nothing * forward(self, h)
    )
    frame = calibration(run, SPEC.task.sample(5, seed=1), "m0")
    assert frame[["crps", "q5", "q50", "q95"]].isna().all(axis=None)


def test_scores_take_a_list_and_a_number_for_each_distribution():
    three = Points(torch.arange(6.0).view(2, 3))
    assert scores(three, [1, 2, 3]).true.tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="3 distributions take as many true numbers; got 2"):
        scores(three, [1.0, 2.0])


def test_a_run_that_predicts_single_numbers_is_refused(module_home):
    run = nl.train(dataclasses.replace(SPEC, encoder=nl.XVal()))
    with pytest.raises(ValueError, match="predicts single numbers"):
        calibration(run, SPEC.task.sample(2, seed=1), "m0")


def test_a_quantile_of_samples_is_the_least_of_them_with_that_share_up_to_it():
    found = scores(Points(torch.arange(1.0, 21.0)[:, None]), np.array([3.0]))
    assert found.filter(regex="q").to_numpy().tolist() == [[1, 5, 10, 15, 19]]


def test_pit_is_uniform_where_single_numbers_have_probabilities():
    true = np.random.default_rng(0).integers(0, 10, 2000).astype(float)
    digits = Points(torch.arange(10.0)[:, None].expand(-1, 2000))
    pit = scores(digits, true).pit
    assert np.histogram(pit, 10, (0, 1))[0] == pytest.approx([200] * 10, abs=60)
    sure = scores(Points(torch.from_numpy(true)[None]), true).pit
    assert np.histogram(sure, 10, (0, 1))[0] == pytest.approx([200] * 10, abs=60)


def test_spellings_that_are_not_unique_have_no_density():
    head = nl.heads.FigureHead(figures=2)
    module = head.build(4)
    found = scores(head.distribution(module(torch.zeros(2, 4))), np.zeros(2))
    assert found.log_density.isna().all() and found.crps.notna().all()


def test_the_true_distribution_scores_best():
    true = np.random.default_rng(0).normal(size=4000)

    def score(width: float):
        widths = torch.full((4000, 1), width)
        return scores(Normals(torch.ones(4000, 1), torch.zeros(4000, 1), widths), true).mean()

    best, others = score(1.0), [score(0.7), score(1.4)]
    assert all(best.crps < o.crps and best.log_density > o.log_density for o in others)
    assert best.crps == pytest.approx(np.pi**-0.5, abs=0.02)  # of a normal distribution


@pytest.mark.parametrize(
    "encoder", [nl.P1000(), nl.encoders.FoNEDigits(2), nl.Standardised(nl.XVal(mixture=2))], ids=str
)
def test_a_run_without_a_distribution_of_whole_numbers_is_refused(encoder):
    run = nl.Run(dataclasses.replace(SPEC, task=nl.tasks.Addition(1), encoder=encoder))
    with pytest.raises(ValueError, match="takes a run with a head that predicts a number at once"):
        calibration(run, run.spec.task.sample(2, seed=1), "answer")
