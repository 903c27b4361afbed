"""What a step costs is measured side by side, once."""

import dataclasses

import pytest
import tiny
import torch

import numlab as nl
from numlab.training import fit, timing

SIZES = {"n_train": 64, "n_valid": 8, "n_test": 8, "steps": 1, "batch_size": 16}
PARTS = {"encoder": nl.P10(), "objective": nl.MaskedLM()}
SPEC = dataclasses.replace(tiny.SPEC, **PARTS, **SIZES)


def test_of_no_specs_no_costs_are_measured():
    with pytest.raises(ValueError, match="one RunSpec or more; got none"):
        nl.step_costs([])


def test_step_costs_are_measured_once_and_kept(home):
    specs = [dataclasses.replace(SPEC, encoder=encoder) for encoder in (nl.P10(), nl.XVal())]
    first, again = (nl.step_costs(specs, rounds=2) for _ in range(2))
    assert first.equals(again)
    assert first.encoder.tolist() == ["P10", "XVal"] and (first.seconds > 0).all()
    lengths = [spec.tokenizer()(spec.examples("train")).lengths.mean() for spec in specs]
    assert first.tokens.tolist() == pytest.approx([16 * n for n in lengths])
    assert not any((home / "data/runs/.partial").glob("*"))


def test_a_step_is_timed_with_its_gradients_where_they_are_off(home, monkeypatch):
    update, on = fit.Fit._update, []

    def timed(*given):
        on.append(torch.is_grad_enabled())
        return update(*given)

    monkeypatch.setattr(fit.Fit, "_update", timed)
    with torch.no_grad():
        nl.step_costs([SPEC], rounds=3)
    assert on and all(on)
    with pytest.raises(ValueError, match="rounds is a whole number, 1 or more; got 0"):
        nl.step_costs([SPEC], rounds=0)


def test_each_spec_is_timed_on_its_own_threads(home, monkeypatch):
    update, threads = fit.Fit._update, []

    def timed(*given):
        threads.append(torch.get_num_threads())
        return update(*given)

    monkeypatch.setattr(fit.Fit, "_update", timed)
    nl.step_costs([dataclasses.replace(SPEC, threads=n) for n in (1, 2)], rounds=1)
    assert threads == [1, 2] * 3


def test_a_step_on_fewer_texts_than_a_batch_has_their_tokens(home):
    spec = dataclasses.replace(SPEC, batch_size=256)
    (tokens,) = nl.step_costs([spec], rounds=1).tokens
    assert tokens == pytest.approx(nl.train(spec).history.tokens.iloc[-1])


def test_a_large_corpus_is_tokenized_batch_by_batch_as_in_training(home, monkeypatch):
    anew, update = [], fit.Fit._update
    monkeypatch.setattr(timing, "KEPT", 300)  # texts and slots; a sum has three slots

    def told(self, step):
        anew.append(self.corpus._kept is None)
        return update(self, step)

    monkeypatch.setattr(fit.Fit, "_update", told)
    spec = dataclasses.replace(SPEC, batch_size=1)
    nl.step_costs([dataclasses.replace(spec, n_train=n) for n in (64, 400)], rounds=1)
    assert anew == [False, True] * 3
