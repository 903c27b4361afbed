"""Metrics against plain, slow references; predictions in their place."""

from __future__ import annotations

import dataclasses
import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
import tiny
import torch
from encoders.precision import precision
from hypothesis import given
from hypothesis import strategies as st

import numlab as nl
from numlab import evaluation, metrics

finite = st.floats(-1e3, 1e3)
rows = st.lists(st.tuples(finite, finite, st.booleans()), min_size=3, max_size=20)


def frame(values):
    true, predicted, valid = zip(*values, strict=True)
    predicted = np.where(valid, predicted, np.nan)
    return pd.DataFrame({"true": true, "predicted": predicted, "valid": valid})


@given(rows)
def test_metrics_equal_a_plain_reference(values):
    kept = [(t, p) for t, p, v in values if v]
    exact = sum(abs(t - p) <= 0.5 for t, p in kept) / len(values)
    assert metrics.exact_match(frame(values), 0.5) == pytest.approx(exact)
    assert metrics.invalid_rate(frame(values)) == pytest.approx(1 - len(kept) / len(values))
    if kept:
        mse = sum((t - p) ** 2 for t, p in kept) / len(kept)
        assert metrics.mse(frame(values)) == pytest.approx(mse)
        mean = sum(t for t, _ in kept) / len(kept)
        variance = sum((t - mean) ** 2 for t, _ in kept) / len(kept)
        if variance > 1e-9:
            assert metrics.r2(frame(values)) == pytest.approx(1 - mse / variance)


def test_an_invalid_answer_is_wrong_and_not_skipped():
    f = frame([(1.0, 1.0, True), (2.0, 2.0, False)])
    assert metrics.exact_match(f) == 0.5 and metrics.mse(f) == 0.0


def test_integers_beyond_float64_match_to_the_last_digit():
    big = 10**30
    f = pd.DataFrame({"true": np.array([big, big], object), "predicted": [big, big + 1]})
    f["predicted"] = f.predicted.astype(object)
    assert metrics.exact_match(f) == 0.5
    read = pd.DataFrame({"true": [2**53, 2**53 + 1], "predicted": [2**53, 2**53]})  # from a file
    assert metrics.exact_match(read) == metrics.exact_match(read, tolerance=1) == 0.5


@pytest.mark.parametrize("kinds", [*itertools.product(["int64", object], repeat=2)], ids=str)
def test_integers_that_float64_rounds_are_compared_exactly(kinds):
    values = {"true": [2**53 + 1, 2**53 + 1], "predicted": [2**53 + 1, 2**53]}
    f = pd.DataFrame(values).astype(dict(zip(values, kinds, strict=True))).assign(valid=True)
    assert metrics.exact_match(f) == metrics.mse(f) == 0.5
    assert metrics.each_answer(f)["exact number"].tolist() == [1, 0]
    none = f.assign(predicted=np.array([None, 2**53], object))
    assert metrics.exact_match(none) == 0.0


@pytest.fixture(scope="module")
def run(module_home):
    return nl.train(tiny.spec(nl.P1000(), objective=nl.MaskedLM(), steps=3))


def test_a_row_for_every_number_asked_for(run):
    examples = run.spec.task.sample(40, seed=3)
    predicted = nl.predict(run, examples, ("a", "answer"))
    assert len(predicted) == 80 and set(predicted.slot) == {"a", "answer"}
    answers = predicted[predicted.slot == "answer"].sort_values("example")
    assert np.array_equal(answers.true, examples[0].column("answer"))


def test_predictions_do_not_depend_on_the_batch(run):
    examples = run.spec.task.sample(40, seed=3)
    one, many = (nl.predict(run, examples, "answer", batch_size=b) for b in (7, 64))
    pd.testing.assert_frame_equal(one, many)


def test_a_slot_that_no_layout_has_is_refused(run):
    with pytest.raises(ValueError, match=r"no slot fits .'nothing'.*a, b, answer"):
        nl.predict(run, run.spec.task.sample(4, seed=0), "nothing")


def test_nothing_to_predict_is_an_error(run):
    with pytest.raises(ValueError, match="one or more texts to fill in; got none"):
        nl.predict(run, [], "answer")
    with pytest.raises(ValueError, match="expected one or more runs, .*; got none"):
        nl.predict([], "test", "answer")


def test_a_causal_model_is_asked_for_one_slot_at_a_time(module_home):
    spec = nl.RunSpec(
        task=nl.tasks.Addition(int_digits=2),
        encoder=nl.P1000(),
        objective=nl.CausalLM(literals=True),
        model=nl.GPT2(32, 1, 2),
        n_train=64,
        n_valid=16,
        n_test=16,
        steps=3,
        learning_rate=1e-3,
    )
    examples = spec.task.sample(8, seed=3)
    both = nl.predict(nl.train(spec), examples, ("b", "answer"))
    for slot in ("b", "answer"):
        alone = nl.predict(nl.train(spec), examples, slot)
        pd.testing.assert_frame_equal(both[both.slot == slot].reset_index(drop=True), alone)
        assert np.array_equal(alone.true, examples[0].column(slot))


def test_a_slot_is_generated_whose_name_looks_like_a_pattern():
    layout = nl.Layout.of("{x} {y [m]} {y *}")
    tokenizer = nl.Tokenizer.of([layout], nl.P10())
    run = Asking(tokenizer, nl.CausalLM(only=("y*",)))
    run.model = nl.GPT2(8, 1, 1).build(tokenizer)
    found = nl.predict(run, [nl.Examples(layout, [[1.0, 2.0, 3.0]])], "y*")
    assert found.slot.tolist() == ["y *", "y [m]"] and found.true.tolist() == [3.0, 2.0]


def test_a_text_without_an_index_has_its_place_in_every_slot():
    first, second = nl.Layout.of("{a}: {c}"), nl.Layout.of("{a}: {b}={c}")
    tokenizer = nl.Tokenizer.of([first, second], nl.P10())
    run = Asking(tokenizer, nl.CausalLM(only=("b", "c")))
    run.model = nl.GPT2(8, 1, 1).build(tokenizer)
    texts = [nl.Examples(first, [[0.0, 1.0]]), nl.Examples(second, [[0.0, 2.0, 3.0]])]
    found = nl.predict(run, texts, ("b", "c"))
    assert found.example.tolist() == [0, 1, 1] and found.true.tolist() == [1.0, 2.0, 3.0]


def test_a_number_in_place_of_a_word_is_an_invalid_answer():
    layout = nl.Layout.of("{a} {answer}", answer=("yes", "no"))
    tokenizer = nl.Tokenizer.of([layout], nl.IntegerVocabulary())
    examples = [nl.Examples(layout, [[1.0], [2.0], [3.0]], [[0], [1], [1]])]
    said = [tokenizer.size - 1, *(tokenizer.text.words.index(w) for w in ("yes", "no"))]

    class Says(nl.MaskedLM):
        def fill(self, model, batch, slots):
            answers = super().fill(Knows(batch), batch, slots)
            return dataclasses.replace(answers, ids=np.array(said)[batch.rows, None])

    found = nl.predict(Asking(tokenizer, Says()), examples, "answer")
    assert found.predicted.tolist() == ["999", "yes", "no"]
    assert found.true.tolist() == ["yes", "no", "no"]
    assert found.valid.tolist() == [False, True, True]


class Knows:
    """Stands for a model that reads every asked token and number off the batch."""

    device = torch.device("cpu")

    def __init__(self, batch):
        self.batch, self.tokenizer = batch, batch.corpus.tokenizer

    def hidden(self, inputs, reads):
        return reads

    def logits(self, hidden):
        ids = torch.from_numpy(self.batch.ids).long().flatten()[hidden]
        ids[self.lost(hidden)] = nl.tokenizer.Text.unknown
        return torch.nn.functional.one_hot(ids, self.tokenizer.size)

    def lost(self, hidden):
        """Where it says what is no number."""
        return torch.zeros(len(hidden), dtype=torch.bool)

    def carries(self, ids):
        return torch.isin(ids, torch.from_numpy(self.tokenizer.carriers))

    def read(self, hidden):
        return self.batch.features[np.searchsorted(self.batch.carriers, hidden.numpy())]


class Forgets(Knows):
    """It has forgotten the first slot of every text."""

    def lost(self, hidden):
        slots = torch.from_numpy(self.batch.slot).flatten()[hidden]
        return slots == 0


class Asking:
    """Stands for a run without a model."""

    model = None
    examples = nl.Run.examples

    def __init__(self, tokenizer, objective):
        self.tokenizer = tokenizer
        task, model = nl.tasks.Addition(2), nl.GPT2(8, context=999)
        self.spec = nl.RunSpec(task, tokenizer.encoder, objective, model, 64, 2, 1e-3)


@pytest.mark.parametrize("model", [Knows, Forgets], ids=lambda m: m.__name__)
@pytest.mark.parametrize("encoder", [nl.XVal(), nl.FoNE(2, 4), nl.P1000()], ids=str)
def test_what_a_model_knows_is_predicted_in_its_own_row(encoder, model):
    class Answers(nl.MaskedLM):
        def fill(self, _, batch, slots):
            return super().fill(model(batch), batch, slots)

    task = nl.tasks.Planets(n_steps=2)
    texts = task.sample(40, seed=3)
    first = {e.layout.slots[0].name for e in texts}.pop()
    tokenizer = nl.Tokenizer.of(task.layouts(), encoder)
    found = nl.predict(Asking(tokenizer, Answers()), texts, (first, "x*"), batch_size=7)
    lost = found.slot == first if model is Forgets else np.zeros(len(found), bool)
    assert (found.valid == ~lost).all() and found.predicted[lost].isna().all()
    known = found[~lost]
    tolerance = precision(encoder, known.true) + 1e-9
    assert ((known.predicted - known.true).abs() <= tolerance).all()
    for e in texts:
        rows = found[found.example.isin(e.index) & (found.slot == first)]
        assert rows.true.tolist() == e.column(first)[np.argsort(e.index)].tolist()


def seeds(values):
    """Predictions of 0 by three examples a seed, with these errors."""
    rows = [
        {"encoder": "P10", "slot": "a", "seed": seed, "example": i, "true": 0.0, "predicted": x}
        for seed, errors in enumerate(values)
        for i, x in enumerate(errors)
    ]
    return pd.DataFrame(rows).assign(valid=True)


def test_a_score_is_the_mean_over_seeds_with_students_interval():
    errors = [[1.0, 2.0, 3.0], [2.0, 2.0, 2.0], [0.0, 1.0, 5.0]]
    row = metrics.score(seeds(errors), metrics.mse).iloc[0]
    values = [np.mean(np.square(e)) for e in errors]
    half = 4.302652729696 * np.std(values, ddof=1) / 3**0.5  # t of 2 degrees of freedom
    assert row.value == pytest.approx(np.mean(values)) and row.seeds == 3
    assert (row.low, row.high) == pytest.approx((row.value - half, row.value + half))
    assert row.spread == pytest.approx(np.std(values, ddof=1))


def test_the_interval_of_one_seed_is_drawn_from_its_examples():
    rng = np.random.default_rng(0)
    row = metrics.score(seeds([rng.normal(size=400)]), metrics.mse, by=("encoder",)).iloc[0]
    assert row.low < row.value < row.high and np.isnan(row.spread) and row.seeds == 1
    nameless = seeds([[1.0, 2.0, 3.0]]).assign(example=[None, None, 0])
    assert metrics.score(nameless, metrics.mse).low[0] == pytest.approx(2.5)
    assert row.high - row.low == pytest.approx(4 * (2 / 400) ** 0.5, rel=0.3)  # 2 sd of a mean


def test_a_score_of_no_valid_answer_is_none_without_a_warning():
    frame = seeds([[1.0, 2.0]]).assign(predicted=np.nan, valid=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert metrics.score(frame, metrics.mse)[["value", "low", "high"]].isna().all(axis=None)


def test_a_seed_without_a_valid_answer_is_told():
    rows = {"encoder": "a", "slot": "x", "seed": [0, 1], "example": 0, "true": 1.0}
    frame = pd.DataFrame(rows).assign(predicted=[1.0, np.nan], valid=[True, False])
    with pytest.warns(UserWarning, match="mse is NaN for 1 of 2 seeds, and so is its mean: see in"):
        assert np.isnan(nl.score(frame, nl.metrics.mse).value.item())


def test_a_score_takes_one_column_and_seeds_that_are_none():
    one = metrics.score(seeds([[1.0, 2.0], [2.0, 2.0]]), metrics.mse, by="slot")
    assert one.columns[0] == "slot" and one.slot.tolist() == ["a"]
    nameless = metrics.score(seeds([[1.0, 2.0]]).assign(seed=None), metrics.mse, by=())
    assert nameless.value.tolist() == [2.5] and nameless.seeds.tolist() == [1]
    unnamed = metrics.score(seeds([[1.0, 2.0]]).assign(slot=None), metrics.mse)
    assert unnamed.value.tolist() == [2.5]


class Certain:
    """Stands for answers whose intervals are as narrow as can be."""

    def __init__(self, predicted):
        self.predicted = predicted

    def __call__(self, part, decide=None):
        return pd.DataFrame({"predicted": self.predicted})


def test_intervals_that_are_all_too_narrow_are_said():
    true, rows = pd.Series(np.arange(20.0)), {"asked": range(20), "valid": range(20)}
    with pytest.warns(UserWarning, match="holds 84% of 20 validation numbers.*too narrow"):
        evaluation._slot_interval(Certain(true + 1), rows, true, 0.8, closed=True)


@pytest.mark.parametrize(("n", "coverage", "rank"), [(9, 0.8, 8), (19, 0.9, 18), (99, 0.9, 90)])
def test_an_interval_is_as_wide_as_the_validation_numbers_need(n, coverage, rank):
    answers, rows = Certain(np.zeros(n)), {"asked": range(n), "valid": range(n)}
    true = pd.Series(np.random.default_rng(0).permutation(n) + 1.0)  # split conformal: (n + 1) c
    found = evaluation._slot_interval(answers, rows, true, coverage, closed=False)
    assert set(found.high) == {rank} and set(found.low) == {-rank}


def test_an_interval_of_a_distribution_holds_no_more_validation_numbers_than_needed():
    rows, true = {"asked": range(9), "valid": range(9)}, pd.Series(np.arange(9) + 1.0)

    def answers(part, decide=None):
        """Uniform from -10 to 10."""
        return pd.DataFrame({"predicted": np.full(9, 20 * ((decide or 0.5) - 0.5))})

    found = evaluation._slot_interval(answers, rows, true, 0.8, closed=True)
    assert found.high.between(8, 9, inclusive="left").all()  # (n + 1) c, as of other heads


def test_predictions_of_many_runs_are_told_apart(run):
    other = dataclasses.replace(run.spec, seed=1)
    third = dataclasses.replace(run.spec, encoder=nl.P10())
    fourth = dataclasses.replace(run.spec, steps=2)
    fifth = dataclasses.replace(fourth, seed=2)  # no seed of the first, but of the fourth
    examples = run.spec.task.sample(5, seed=3)
    frame = nl.predict([run, *map(nl.train, (other, third, fourth, fifth))], examples, "answer")
    assert frame.groupby(["encoder", "seed"]).size().to_dict() == {
        ("P1000", 0): 5,
        ("P1000", 1): 5,
        ("P10", 0): 5,
        ("P1000 #2", 0): 5,
        ("P1000 #2", 2): 5,
    }


def test_runs_that_differ_in_the_seed_of_their_start_are_told_apart(run):
    starts = run.spec.seeds(2)
    runs = [nl.train(dataclasses.replace(run.spec, start=start)) for start in starts]
    frame = nl.predict(runs, run.spec.task.sample(5, seed=3), "answer")
    assert frame.groupby(["encoder", "seed"]).size().to_dict() == {
        ("P1000", 0): 5,
        ("P1000 #2", 0): 5,
    }


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"runs": "spec"}, "a run is what nl.train gives; got a RunSpec"),
        ({"examples": ["1+2=3"]}, "a list of Examples, as nl.parse gives; got a list: .'1.2=3'"),
        ({"batch_size": 0}, "batch_size is a whole number, 1 or more; got 0"),
    ],
)
def test_what_cannot_be_predicted_is_named(run, given, told):
    given = {"runs": run, "examples": "test", "slots": "answer"} | given
    given["runs"] = run.spec if given["runs"] == "spec" else run
    with pytest.raises(ValueError, match=told):
        nl.predict(**given)


def test_runs_may_come_from_a_dict(run):
    runs, rows = {"only": run}, run.spec.task.sample(5, seed=3)
    assert nl.evaluation.labels(iter([run])) == nl.evaluation.labels([run])
    for several in (runs, runs.values()):
        assert nl.predict(several, rows, "answer").equals(nl.predict(run, rows, "answer"))


def test_encoders_of_one_class_are_labelled_in_full(run):
    encoders = [nl.FoNE(3), nl.FoNE(3, 1), nl.XVal(k=2), nl.XVal(scale=3.0), nl.Digits(2)]
    runs = [nl.Run(dataclasses.replace(run.spec, encoder=e)) for e in encoders]
    names = ["FoNE(int_digits=3)", "FoNE(int_digits=3, frac_digits=1)", "XVal(k=2)", "XVal"]
    assert list(evaluation.labels(runs).values()) == [*names, "Digits"]


def test_encoders_that_look_alike_are_numbered_within_a_seed(run):
    pair = [nl.Standardised(columns=(("*", 0.0, centre, 1.0),)) for centre in (1.0, 2.0)]
    specs = [dataclasses.replace(run.spec, encoder=e, seed=s) for s in (0, 1) for e in pair]
    names = ["XVal (by column)", "XVal (by column) #2"]
    assert list(evaluation.labels([nl.Run(spec) for spec in specs]).values()) == 2 * names


def test_r2_of_a_constant_is_not_a_number():
    frame = pd.DataFrame({"true": [0.1] * 3, "predicted": [0.2] * 3, "valid": True})
    assert np.isnan(metrics.r2(frame))


def test_a_seed_draws_the_data_and_each_run_answers_its_own_test_set(run):
    runs = [nl.train(spec) for spec in run.spec.seeds(2)]
    assert runs[0] == run
    frame = nl.predict(runs, "test", "answer")
    true = [frame[frame.seed == seed].true.tolist() for seed in (0, 1)]
    assert true == [r.examples("test")[0].column("answer").tolist() for r in runs]
    assert true[0] != true[1]
    own = pd.concat([nl.predict(r, r.examples("test"), "answer") for r in runs], ignore_index=True)
    pd.testing.assert_frame_equal(frame, own)


def test_an_interval_of_a_distribution_may_reach_far_into_its_tails():
    rows, true = {"asked": range(99), "valid": range(99)}, pd.Series(np.linspace(-9.7, 9.7, 99))

    def answers(part, decide=None):
        """Uniform from -10 to 10."""
        return pd.DataFrame({"predicted": np.full(99, 20 * ((decide or 0.5) - 0.5))})

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = evaluation._slot_interval(answers, rows, true, 0.96, closed=True)
    assert true.between(found.low, found.high).sum() >= 96


def test_the_prediction_of_several_runs_is_the_mean_of_those_that_answer_a_number(run, monkeypatch):
    runs, said = [run] * 3, iter([1.0, 2.0, 9.0] * 9)
    texts, names = run.spec.task.sample(4, seed=3), ["a", "b", "answer"]

    def predict(run, texts, slots, decide=None):
        rows = [(i, name) for i in range(4) for name in names]
        frame = pd.DataFrame(rows, columns=["example", "slot"])
        return frame.assign(predicted=next(said), true=1.0, valid=True)

    monkeypatch.setattr(evaluation, "predict", predict)
    monkeypatch.setattr(type(run.spec.task), "slots", "*", raising=False)
    found = evaluation.interval(runs, texts, None)
    assert found.predicted.tolist() == [4.0] * len(found)


def test_a_few_answers_that_are_no_numbers_are_said(run, monkeypatch):
    texts = run.spec.task.sample(10, seed=3)

    def predict(run, texts, slots, decide=None):
        frame = pd.DataFrame({"example": range(10), "slot": "answer", "true": 1.0})
        return frame.assign(predicted=[np.nan, *range(9)], valid=True)

    monkeypatch.setattr(evaluation, "predict", predict)
    monkeypatch.setattr(type(run.spec.task), "slots", "answer", raising=False)
    with pytest.warns(UserWarning, match="10% of the answers are not numbers"):
        evaluation.interval([run], texts, None)


def test_a_slot_that_no_validation_text_has_takes_the_errors_of_all(run, monkeypatch):
    texts = run.spec.task.sample(3, seed=3)

    def predict(run, those, slots, decide=None):
        slot, n = ("answer", 3) if those[0] is texts[0] else ("a", 20)
        frame = pd.DataFrame({"example": range(n), "slot": slot, "true": np.arange(n) % 2.0})
        return frame.assign(predicted=0.5, valid=True)

    monkeypatch.setattr(evaluation, "predict", predict)
    monkeypatch.setattr(type(run.spec.task), "slots", "answer", raising=False)
    found = evaluation.interval([run], texts, 0.5)
    assert (found.low == 0).all() and (found.high == 1).all()


def test_an_answer_is_read_in_the_words_of_answers_where_inputs_have_others():
    class Knowing(nl.CausalLM):
        def fill(self, _, batch, slots):
            where = batch.in_slots(slots)
            n = where.sum(1)
            mask = np.arange(n.max()) < n[:, None]
            ids = np.zeros(mask.shape, int)
            ids[mask] = batch.ids[where]
            slot = np.where(where, batch.slot, -1).max(1)
            return nl.objectives.Answers(batch.rows, slot, ids, mask, np.zeros((0, 0), np.float32))

    task = nl.tasks.Addition(2)
    tokenizer = nl.Tokenizer.of(task.layouts(), nl.IntegerVocabulary())  # answers: digit by digit
    asking = Asking(tokenizer, Knowing(only=("answer",)))
    found = nl.predict(asking, task.sample(20, seed=3), "answer")
    assert found.valid.all() and found.predicted.tolist() == found.true.tolist()
