"""Gates: when a model may be judged."""

import math
from types import SimpleNamespace

import pandas as pd
import pytest

from numlab.claims import gates


def run(losses, name="Planets · P10 · seed 0"):
    """A run of 10 steps with a validation loss after each second one."""
    steps = range(2, 12, 2)
    history = pd.DataFrame({"step": steps, "part": "valid", "loss": losses})
    return SimpleNamespace(history=history, spec=SimpleNamespace(steps=10, name=name, losses=()))


def test_a_run_whose_loss_no_longer_falls_is_at_its_plateau():
    flat = run([3, 2, 1, 1, 0.99])
    assert gates.plateau([flat]).passed
    gate = gates.plateau([flat, run([3, 2, 1, 1, 0.94], "Planets · XVal · seed 1")])
    assert not gate.passed
    assert gate.evidence == (
        "Planets · XVal · seed 1 fell by 6.0% over the last fifth; it must fall by less than 5%"
    )


def test_a_term_added_to_the_loss_has_no_part_in_the_plateau():
    both = run([7, 5, 3, 1.2, 0.2])
    both.history["far"] = [4, 3, 2, 0.2, -0.795]
    assert not gates.plateau([both]).passed
    both.spec.losses = (SimpleNamespace(name="far"),)
    assert gates.plateau([both]).evidence.endswith("it must fall by less than 5%")


def test_a_loss_that_ends_at_the_floor_or_below_no_longer_falls():
    small = run([3, 1, 0.1, 0.02, 0.001])
    assert not gates.plateau([small]).passed
    assert gates.plateau([small], floor=0.01).passed
    assert gates.plateau([small], floor=0.001).passed
    assert not gates.plateau([small], floor=0.0009).passed


def test_each_run_may_have_its_own_floor():
    small, falls = run([3, 1, 0.1, 0.02, 0.001]), run([3, 2, 1, 0.9, 0.8])
    assert gates.plateau([small, falls], floor=[0.02, 0.9]).passed
    assert not gates.plateau([small, falls], floor=[0.02, 0.0]).passed


def test_a_loss_below_zero_that_falls_is_at_no_plateau():
    assert not gates.plateau([run([1, 0, -1, -2, -2.2])]).passed
    assert gates.plateau([run([1, 0, -1, -2, -2.01])]).passed


@pytest.mark.parametrize("floor", [-math.inf, 0.5], ids=["no floor", "a floor"])
@pytest.mark.parametrize("loss", [math.nan, math.inf, -math.inf])
def test_a_run_that_diverged_is_named(loss, floor):
    runs = [run([3, 2, 1, 1, 0.99]), run([3, 2, 1, loss, loss], "mine")]
    gate = gates.plateau(runs, floor)
    assert (gate.passed, gate.evidence) == (False, f"mine has a loss of {loss}")


def test_a_loss_that_stays_at_zero_is_at_its_plateau():
    assert gates.plateau([run([0.1, 0, 0, 0, 0])]).passed


def test_a_run_that_was_validated_once_has_no_plateau():
    once = run([3, 2, 1, 1, 1])
    once.history = once.history.tail(1)
    assert gates.plateau([once]).evidence == "Planets · P10 · seed 0 was validated at its end only"


def record(*rows):
    return pd.DataFrame(rows, columns=["encoder", "learning_rate", "chosen"])


@pytest.mark.parametrize(
    ("chosen", "evidence"), [(0.002, "(0.001, 0.002, 0.004)"), (0.004, "at the edge: P10: 0.004")]
)
def test_the_best_rate_lies_inside_the_grid(chosen, evidence):
    grid = (0.001, 0.002, 0.004)
    gate = gates.rates_inside(record(*(("P10", rate, rate == chosen) for rate in grid)))
    assert (gate.passed, gate.evidence) == (chosen == 0.002, evidence)


def test_encoders_with_different_grids_cannot_be_compared():
    rows = [("P10", r, r == 2) for r in (1, 2, 3)] + [("XVal", r, r == 3) for r in (2, 3, 4)]
    gate = gates.rates_inside(record(*rows))
    assert (gate.passed, gate.evidence) == (False, "the grids differ")


def test_rates_that_nobody_chose_or_searched_are_not_inside():
    searched = record(*((e, rate, rate == 2) for e in ("P10", "XVal") for rate in (1, 2, 3)))
    half = searched.assign(chosen=searched.chosen & (searched.encoder == "P10"))
    assert gates.rates_inside(searched, half).evidence == "an encoder has no rate"
    assert gates.rates_inside(searched, searched[:0]).passed
    gate = gates.rates_inside(searched[:0])
    assert (gate.passed, gate.evidence) == (False, "no rate was searched")


def test_only_the_encoders_that_a_claim_compares_count():
    chosen = {"P10": 2, "XVal": 3}  # XVal's lies at the edge
    searched = record(*((e, rate, rate == chosen[e]) for e in chosen for rate in (1, 2, 3)))
    assert gates.rates_inside(searched, of=["P10"]).passed
    assert not gates.rates_inside(searched, of=["P10", "XVal"]).passed
    gate = gates.rates_inside(searched, of=["P10", "FoNE"])
    assert (gate.passed, gate.evidence) == (False, "an encoder has no rate")


def test_each_search_has_its_own_grid():
    first, second = (record(*(("P10", r, r == 2) for r in grid)) for grid in ((1, 2, 3), (1, 2, 4)))
    gate = gates.rates_inside(first, second)
    assert (gate.passed, gate.evidence) == (True, "(1, 2, 3), (1, 2, 4)")
    second["chosen"] = second.learning_rate == 4
    assert gates.rates_inside(first, second).evidence == "at the edge: P10: 4"


def test_every_model_beats_the_trivial_answer():
    errors = pd.DataFrame({"P10": [1.0, 3.0], "XVal": [0.5, 0.7]})
    assert gates.beats("beats the mean", errors, 3.5).passed
    gate = gates.beats("beats the mean", errors, 1.5)
    assert not gate.passed
    assert gate.evidence == "P10 3 (trivial 1.5)"
    each = gates.beats("beats the mean", errors, pd.Series({"P10": 9.0, "XVal": 1.0}))
    assert (each.passed, each.evidence) == (True, "XVal 0.7 (trivial 1)")
    turned = gates.beats("beats the mean", errors, pd.Series({"XVal": 0.5, "P10": 9.0}))
    assert (turned.passed, turned.evidence) == (False, "XVal 0.7 (trivial 0.5)")
    infinite = errors.assign(P10=[1.0, float("inf")])
    assert gates.beats("beats the mean", infinite, 3.5).evidence == "P10 inf (trivial 3.5)"
    assert not gates.beats("beats the mean", errors.assign(P10=[1.0, float("nan")]), 3.5).passed


def test_a_fall_counts_from_the_last_validation_before_the_last_fifth_not_from_the_least():
    gate = gates.plateau([run([1, 0.5, 1.3, 1.2, 1.0])])  # 0.5 came by and went
    assert not gate.passed and "fell by 16.7%" in gate.evidence


def test_a_fall_of_five_percent_is_no_plateau():
    assert not gates.plateau([run([40, 30, 20, 20, 19])]).passed


def test_no_run_has_no_plateau():
    gate = gates.plateau([])
    assert (gate.passed, gate.evidence) == (False, "no run")


def test_a_model_that_errs_as_a_trivial_answer_does_not_beat_it():
    errors = pd.DataFrame({"P10": [1.0, 1.5], "XVal": [0.5, 0.7]})
    gate = gates.beats("beats the mean", errors, 1.5)
    assert (gate.passed, gate.evidence) == (False, "P10 1.5 (trivial 1.5)")


def test_the_least_rate_of_a_grid_is_at_its_edge():
    gate = gates.rates_inside(record(*(("P10", rate, rate == 1) for rate in (1, 2, 4))))
    assert (gate.passed, gate.evidence) == (False, "at the edge: P10: 1")


def test_whether_a_gate_passed_is_a_truth_of_python_that_json_takes():
    assert gates.Gate("plateau", pd.Series([1.0]).lt(2).iloc[0]).passed is True
