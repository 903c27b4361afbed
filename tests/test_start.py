"""Runs that start from the weights of other runs."""

from __future__ import annotations

import dataclasses
import shutil

import pytest
import tiny
import torch

import numlab as nl
from numlab import store
from numlab.training import worker

SIZES = {"n_train": 128, "n_valid": 16, "n_test": 16, "steps": 4, "batch_size": 16}
PARTS = {"encoder": nl.Digits(3), "model": nl.Llama(16, 1, 2, 2, 8)}
BASE = dataclasses.replace(tiny.SPEC, **PARTS, **SIZES)
NEXT = dataclasses.replace(BASE, start=BASE, learning_rate=1e-30)  # it learns next to nothing

pytestmark = pytest.mark.usefixtures("home")


def weights(run: nl.Run) -> dict[str, torch.Tensor]:
    return run.model.state_dict()


def test_a_run_begins_with_the_weights_of_its_start():
    base, after = weights(nl.train(BASE)), weights(nl.train(NEXT))
    drawn = weights(nl.train(dataclasses.replace(NEXT, start=None)))
    for name, weight in base.items():
        torch.testing.assert_close(after[name], weight)
    assert not torch.equal(drawn["blocks.0.up.weight"], base["blocks.0.up.weight"])


def test_a_start_that_is_missing_is_trained_first(trains_here):
    nl.train_all([NEXT])
    assert store.intact(nl.Run(BASE).folder)


def test_runs_train_side_by_side_each_behind_the_one_that_it_starts_from(trains_here, monkeypatch):
    last = dataclasses.replace(NEXT, start=NEXT, seed=1)
    alone = dataclasses.replace(BASE, seed=2)
    fitted, fit = [], worker.fit_in_store
    monkeypatch.setattr(
        worker, "fit_in_store", lambda spec, report: fitted.append(spec) or fit(spec, report)
    )
    runs = nl.train_all([last, alone, NEXT])
    assert [run.spec for run in runs] == [last, alone, NEXT]
    assert len(fitted) == 4 and fitted.index(BASE) < fitted.index(NEXT) < fitted.index(last)
    nl.train_all([last])
    assert len(fitted) == 4


def test_a_start_that_is_missing_is_not_trained_for_a_run_that_is_stored(trains_here):
    nl.train_all([NEXT])
    shutil.rmtree(nl.Run(BASE).folder)
    nl.train_all([NEXT])
    assert not nl.Run(BASE).folder.exists()


def test_the_words_that_both_know_keep_their_vectors_and_the_others_are_drawn():
    problems = dataclasses.replace(
        NEXT, encoder=nl.Aggregate(3), task=nl.tasks.Subtraction(int_digits=2)
    )
    base, after = nl.train(BASE), nl.train(problems)
    before = dict(zip(base.tokenizer.words, base.model.embed.table.weight, strict=True))
    table = dict(zip(after.tokenizer.words, after.model.embed.table.weight, strict=True))
    shared = before.keys() & table.keys()
    assert {("number", "7"), ("text", "=")} <= shared
    assert {("number", "[AGG]"), ("text", "-")} <= table.keys() - before.keys()
    for word in shared:
        torch.testing.assert_close(table[word], before[word])


def test_what_an_encoder_adds_is_left_to_models_of_the_same_encoder():
    fone = dataclasses.replace(BASE, encoder=nl.FoNE(3))
    wider = dataclasses.replace(NEXT, start=fone, encoder=nl.FoNE(3, periods=(5,)))
    base, after = nl.train(fone).model, nl.train(wider).model
    assert base.embed.values.state_dict().keys() == after.embed.values.state_dict().keys()
    torch.testing.assert_close(after.norm.weight, base.norm.weight)
    pairs = zip(after.embed.values.parameters(), base.embed.values.parameters(), strict=True)
    assert not any(torch.equal(a, b) for a, b in pairs if a.ndim > 1)


def test_a_model_of_another_shape_cannot_start_from_a_run():
    other = dataclasses.replace(NEXT, model=nl.Llama(24, 1, 2, 2, 8))
    with pytest.raises(ValueError, match=r"in the start and .* here"):
        nl.train(other)


def test_only_trainable_parameters_change():
    spec = dataclasses.replace(NEXT, learning_rate=1e-2, trainable=("embed.*",))
    base, after = weights(nl.train(BASE)), weights(nl.train(spec))
    changed = {name for name, weight in base.items() if not torch.equal(after[name], weight)}
    assert changed == {"embed.table.weight"}
    assert dataclasses.replace(spec, trainable="embed.*") == spec, "one pattern is one pattern"


def test_patterns_that_fit_no_parameter_are_an_error_that_names_some():
    with pytest.raises(ValueError, match=r"no parameter fits .*embed\.table\.weight"):
        nl.train(dataclasses.replace(BASE, trainable=("head.*",)))
    with pytest.raises(ValueError, match="no parameter fits"):
        nl.train(dataclasses.replace(BASE, trainable=()))


def test_a_pretrained_head_is_shared_and_only_the_numbers_are_trained():
    base = dataclasses.replace(
        BASE,
        task=nl.tasks.Quantities(),
        encoder=None,
        objective=nl.MaskedWords(),
        model=nl.pretrained.Pretrained(),
        steps=2,
    )
    spec = dataclasses.replace(base, start=base, encoder=nl.IEEE754(), trainable=("embed.*",))
    before, after = weights(nl.train(base)), weights(nl.train(spec))
    assert all(torch.equal(after[name], weight) for name, weight in before.items())
    assert any(name.startswith("embed.values") for name in after.keys() - before.keys())


def test_the_seeds_of_a_spec_start_from_the_seeds_of_its_start():
    assert [spec.start.seed for spec in NEXT.seeds(2)] == [0, 1]


def test_a_halved_run_differs_in_its_steps_alone():
    half = NEXT.halved()
    assert half.steps == NEXT.steps // 2
    assert dataclasses.replace(half, steps=NEXT.steps) == NEXT


def test_a_weight_that_is_a_single_number_is_copied():
    one, two = (BASE.model.build(BASE.tokenizer()) for _ in range(2))
    for value, model in enumerate((one, two)):
        model.register_buffer("sharpness", torch.tensor(float(value)))
    one.start_from(two)
    assert one.sharpness == 1
