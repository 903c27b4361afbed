"""The probes of notebooks/fone: exact match by length, digits read, tokens counted by hand."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import numlab as nl
from notebooks.conftest import load
from numlab.encoders import Digits, FoNE, Subword

probes = load("fone/probes")
SPEC = nl.RunSpec(
    task=nl.tasks.LongAddition(int_digits=2),
    encoder=nl.FoNEDigits(21),
    objective=nl.CausalLM(only=("answer",)),
    model=nl.ModelSpec(16, 1, 2, positions=(nl.Abacus(n=22, offset=20),)),
    n_train=64,
    n_valid=8,
    n_test=8,
    steps=2,
    batch_size=16,
    learning_rate=1e-3,
)


def test_operands_have_the_lengths_asked_for_and_every_first_digit():
    lengths = np.repeat([1, 2, 25], 300)
    numbers = probes.draw_of_lengths(lengths, seed=0)
    assert [len(str(x)) for x in numbers.tolist()] == lengths.tolist()
    firsts = pd.Series([str(x)[0] for x in numbers]).groupby(lengths).agg(set)
    assert firsts[1] == set("0123456789")
    assert firsts[2] == firsts[25] == set("123456789")


@pytest.mark.parametrize("right", [(1, 20), (20, 20), None])
def test_each_pair_of_lengths_has_the_share_of_its_own_answers(right, home, monkeypatch):
    asked = []

    def predict(runs, examples, slot):
        (texts,) = examples
        asked.append(texts)
        true = texts.column("answer")
        lengths = [tuple(len(str(x)) for x in row[:2]) for row in texts.numbers.tolist()]
        kept = [t if pair == right else None for t, pair in zip(true, lengths, strict=True)]
        frame = pd.DataFrame({"true": true, "predicted": pd.Series(kept, dtype=object)})
        return frame.assign(encoder="FoNEDigits", seed=0, example=range(len(frame)))

    monkeypatch.setattr(nl, "predict", predict)
    frame = probes.by_operand_lengths([nl.Run(SPEC)], (1, 20), n=4)
    shares = frame.set_index(["first", "second"]).exact_match.to_dict()
    assert shares == {(i, j): float((i, j) == right) for i in (1, 20) for j in (1, 20)}
    assert (asked[0].numbers[:, 2] == asked[0].numbers[:, 0] + asked[0].numbers[:, 1]).all()


def test_runs_of_short_sums_answer_long_ones(home, trains_here):
    runs = nl.train_all(SPEC.seeds(2))
    frame = probes.by_operand_lengths(runs, (2, 20), n=2)
    assert frame.exact_match.between(0, 1).all()
    assert frame.groupby("seed").size().to_dict() == {0: 4, 1: 4}


def test_digits_are_those_of_the_valid_answers():
    answers = pd.DataFrame({"true": [60.2, 7.0], "predicted": [160.3, np.nan]})
    read, true = probes.read_digits(answers.assign(valid=[True, False]), FoNE(3, 1))
    assert (read.tolist(), true.tolist()) == ([[1, 6, 0, 3]], [[0, 6, 0, 2]])


TABLE = pd.DataFrame(
    {
        "size": [1.5, np.nan, -20.0],
        "score": ["12-3", "none", None],
        "name": ["a", "b", "planet0"],
        "won": [True, False, True],
    }
)
ENCODERS = {"FoNE": FoNE(6, 3), "Digits": Digits(6, 3), "Subword": Subword(6, 3)}


def test_the_numbers_of_each_column_are_counted_and_nothing_else():
    counts = probes.token_counts(TABLE, ENCODERS).set_index(["column", "encoder"])
    assert counts.numbers.unstack().loc[:, "FoNE"].to_dict() == {"score": 2, "size": 2}
    assert counts.tokens.unstack().to_dict("index") == {
        "size": {"FoNE": 2, "Digits": 6, "Subword": 5},  # 1 . 5, - 2 0; 1 . 5, - 20
        "score": {"FoNE": 2, "Digits": 3, "Subword": 2},
    }


def test_a_csv_counts_as_its_frame(tmp_path):
    TABLE.to_csv(tmp_path / "table.csv", index=False)
    again = probes.token_counts(pd.read_csv(tmp_path / "table.csv"), ENCODERS)
    pd.testing.assert_frame_equal(again, probes.token_counts(TABLE, ENCODERS))


def test_a_number_that_an_encoder_does_not_hold_is_named_with_its_column():
    with pytest.raises(ValueError, match="column 'size': Digits holds .*; got 1234"):
        probes.token_counts(pd.DataFrame({"size": [1234.0]}), {"Digits": Digits(3)})


def test_a_table_without_numbers_has_no_counts():
    assert probes.token_counts(TABLE[["name", "won"]], ENCODERS).empty


def test_unexplained_variance_of_answers_without_a_number_and_without_an_error():
    answers = pd.DataFrame({"true": [1.0, 2.0, 3.0], "predicted": [1.0, np.nan, 3.0]})
    valid = answers.predicted.notna()
    assert probes.unexplained(answers.assign(valid=False)) == 1
    assert probes.unexplained(answers.assign(valid=valid)) == 0.5  # the mean is right: 1² / 2
    assert probes.unexplained(answers.assign(valid=valid), unit=0.1) == pytest.approx(0.005)


def test_a_lead_is_that_over_the_best_of_the_others_by_seed():
    rows = [("FoNE", 0.9, 0), ("FoNE", 0.8, 1), ("P10", 0.7, 0), ("P10", 0.9, 1), ("FP15", 0.8, 0)]
    scores = pd.DataFrame([*rows, ("FP15", 0.1, 1)], columns=["encoder", "exact_match", "seed"])
    ahead = probes.lead(scores.assign(over="samples", size=400), ["P10", "FP15"])
    assert ahead["samples", 400].to_dict() == pytest.approx({0: 10, 1: -10})


def test_frequencies_one_bin_beside_a_tenth_are_near():
    frequency = pd.Series(np.arange(1, 51) / 100)
    near = probes.near_tenths(frequency, 100)
    assert near.sum() == 14
    assert frequency[near].head(4).tolist() == [0.09, 0.1, 0.11, 0.19]


def test_the_same_order_counts_pairs():
    one = pd.DataFrame({"a": [3, 1], "b": [2, 1], "c": [1, 0]})
    two = pd.DataFrame({"a": [9, 1], "b": [8, 2], "c": [8.5, 0]})
    assert probes.same_order(one, two).tolist() == pytest.approx([2 / 3, 2 / 3])


def run_with(losses, name):
    steps = 100 * np.arange(1, len(losses) + 1)
    history = pd.DataFrame({"part": "valid", "step": steps, "loss": losses})
    return SimpleNamespace(
        history=history, spec=SimpleNamespace(name=name, steps=steps[-1], losses=())
    )


def test_a_run_that_is_right_often_enough_needs_no_plateau():
    falling, flat = run_with([1, 0.8, 0.6, 0.5, 0.4], "one"), run_with([1.0] * 5, "two")
    assert not probes.plateau([falling, flat], [0.98, 0.1], 0.99).passed
    assert probes.plateau([falling, flat], [0.99, 0.1], 0.99).passed
    assert probes.plateau([falling], [1.0]).passed


def test_against_a_lead_only_the_leader_must_have_stopped():
    falling, flat = run_with([1, 0.8, 0.6, 0.5, 0.4], "falls"), run_with([1.0] * 5, "flat")
    rows = [("FoNE", 0.9, 0), ("P10", 0.95, 0), ("Digits", 0.1, 0)]
    scores = pd.DataFrame(rows, columns=["encoder", "exact_match", "seed"])
    scores = scores.assign(over="samples", size=400)
    gates = probes.plateaus_of_lead(scores, ["P10"], [flat, falling, falling])
    assert [(g.part, g.side, g.passed) for g in gates] == [
        ("samples, 400", "contradicted", True),
        ("samples, 400", "held", False),
    ]
    ahead = -5 * np.ones(3) + [0.1, 0.2, 0.3]
    claim = nl.claims.Claim("fone/x", [], "FoNE leads", "lead", above=-0.5, gates=["plateau"])
    verdict = nl.claims.judge(claim, {("samples", 400): ahead}, gates=gates)
    assert verdict.verdict == "contradicted"


def test_a_leader_that_is_all_but_perfect_cannot_be_overtaken():
    falling, flat = run_with([1, 0.8, 0.6, 0.5, 0.4], "falls"), run_with([1.0] * 5, "flat")
    rows = [("FoNE", 0.996, 0), ("P10", 0.5, 0)]
    scores = pd.DataFrame(rows, columns=["encoder", "exact_match", "seed"])
    gates = probes.plateaus_of_lead(
        scores.assign(over="samples", size=400), ["P10"], [flat, falling]
    )
    assert all(gate.passed for gate in gates)


def test_a_task_is_learned_where_each_column_is():
    exact = pd.DataFrame({("sums", "10"): [1.0, 0.9], ("products", "10"): [0.9, 0.8]})
    gate = probes.learned("10 learns it", exact)
    assert not gate.passed
    assert gate.evidence == "exact match sums, 10 95.0%; products, 10 85.0%"
    assert probes.learned("10 learns it", exact["sums", "10"]).passed


@pytest.mark.parametrize(
    ("after", "target", "passed"),
    [
        (1e-2, 1e-5, True),  # a tenth for 10 times the steps: 1,000 times as many are needed
        (1e-2, 1e-3, False),
        (1e-2, 1e-1, False),  # it is there already
        (1e-1, 1e-3, True),  # the error does not fall
    ],
)
def test_an_error_is_out_of_reach_beyond_100_times_the_steps(after, target, passed):
    errors = pd.DataFrame({10: [1e-1] * 3, 100: [after] * 3})
    assert probes.out_of_reach("gate", errors, pd.Series([target] * 3)).passed is passed


def test_the_samples_needed_are_the_least_from_which_on_enough_are_right():
    exact = pd.DataFrame({100: [1.0, 0.2, 0.1], 200: [0.5, 0.99, 0.1], 400: [1.0, 1.0, 0.9]})
    assert probes.samples_needed(exact, 0.99).tolist() == [400, 200, 400]
    assert probes.samples_needed(exact[[400, 100, 200]], 0.99).tolist() == [400, 200, 400]
