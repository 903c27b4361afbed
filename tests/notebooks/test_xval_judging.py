"""What the claims of the notebooks on xVal share, and answers that need no training."""

import numpy as np
import pandas as pd
import pytest

import numlab as nl
from notebooks.conftest import load
from numlab.examples import Examples, Layout

judging, kepler, trajectories, baselines = (
    load(f"xval/{name}") for name in ("judging", "kepler", "trajectories", "baselines")
)
SYSTEMS = nl.tasks.Planets(n_steps=4, n_planets=(2, 3))


# -- judging


def test_an_invalid_answer_is_filled_in():
    frame = pd.DataFrame({"predicted": [1.0, np.nan], "valid": [True, False]})
    full = judging.filled(frame, 3.0)
    assert full.predicted.tolist() == [1.0, 3.0]
    assert full.valid.all()


def test_each_error_stands_beside_that_of_the_same_slot():
    columns = pd.MultiIndex.from_product([["a0", "e0"], ["P10", "FP15", "XVal"]])
    errors = pd.DataFrame([[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]], columns=columns)
    samples, beside = judging.pairs(errors, ["P10", "FP15"], "XVal")
    assert samples.columns.tolist() == beside.columns.tolist()
    assert samples.to_numpy().tolist() == [[1, 2, 4, 5], [7, 8, 10, 11]]
    assert beside.to_numpy().tolist() == [[3, 3, 6, 6], [9, 9, 12, 12]]


def test_a_jump_is_fast_and_a_perfect_answer_is_not():
    paths = pd.DataFrame({"seed": 0, "true": [0.2, 0.3, 0.4] * 3, "text": np.repeat([0, 1, 2], 3)})
    paths["jump"], paths["perfect"] = [0.2, 0.2, 0.5] * 3, paths.true
    assert judging.speeds(paths, "jump").tolist() == pytest.approx([3.0])
    assert judging.speeds(paths, "perfect").tolist() == pytest.approx([1.0])


def test_an_answer_is_unseen_if_no_text_has_a_number_like_it():
    texts = [Examples(Layout.of("{a0}"), [[1.0], [2.001]])]
    answers = pd.DataFrame({"slot": "a0", "predicted": [1.005, 2.0, 1.5, np.nan]}, [7, 5, 3, 1])
    new = judging.unseen(answers.assign(valid=answers.predicted.notna()), texts)
    assert new.to_dict() == {7: False, 5: False, 3: True, 1: False}


def test_a_loss_under_other_masks_is_the_runs_own_where_they_are_its_own(home):
    fewer, more = (nl.MaskedLM(slots=p, literals=0.0) for p in (0.2, 0.9))
    task, model = nl.tasks.Addition(2), nl.GPT2(8, 1, 1)
    run = nl.train(nl.RunSpec(task, nl.XVal(), fewer, model, 64, 2, 1e-3, n_valid=300))
    assert judging.loss_under(run, fewer) == pytest.approx(run.valid_loss, rel=1e-6)
    assert judging.loss_under(run, more) != pytest.approx(run.valid_loss, rel=1e-3)


def test_gates_are_of_the_encoders_that_are_compared_each_of_which_has_runs(home):
    task, model = nl.tasks.Addition(2), nl.GPT2(8, 1, 1)
    both = [nl.XVal(), nl.XVal(mixture=2)]
    runs = [nl.train(nl.RunSpec(task, e, nl.MaskedLM(), model, 64, 2, 1e-3)) for e in both]
    rates = pd.DataFrame({"encoder": [str(e) for e in both for _ in range(3)]})
    rates["learning_rate"], rates["chosen"] = (
        [1, 2, 3] * 2,
        [False, True, False, True, False, False],
    )
    plateau, inside = judging.trained(runs, rates, ["XVal"])
    assert (plateau.name, inside.name) == ("plateau", "rates inside the grid")
    assert inside.passed
    assert judging.searched(runs, rates, ["XVal"]) == inside
    assert not judging.trained(runs, rates, ["XVal(mixture=2)"])[1].passed
    with pytest.raises(ValueError, match=r"the runs are of XVal.*; got Xval"):
        judging.trained(runs, rates, ["XVal", "Xval"])


# -- Kepler


@pytest.mark.parametrize(("slot", "error"), [("a0", 1e-5), ("e0", 2e-3), ("stepsize", 1e-5)])
def test_keplers_laws_give_the_elements_of_the_first_orbit(slot, error):
    frame = kepler.ellipse(SYSTEMS.sample(500, seed=0), slot)
    assert frame.valid.all() and len(frame) == 500
    assert nl.metrics.mse(frame) < error
    assert frame.true.var() > 1000 * error / 20


def test_an_ellipse_beats_a_circle_and_a_circle_beats_persistence(home):
    model = nl.GPT2(8, 1, 1)
    run = nl.train(nl.RunSpec(SYSTEMS, nl.XVal(), nl.MaskedLM(), model, 64, 2, learning_rate=1e-3))
    texts = SYSTEMS.sample(60, seed=1)
    paths = trajectories.trajectories([run], texts, n_last=2)
    simple = kepler.forecasts(paths, texts)
    assert simple.predicted_x.notna().equals(simple.hidden)
    distance = trajectories.distances(simple).loc[0]
    assert distance["Kepler"] < 0.005 < 0.03 < distance["Kepler's circle"] < 0.12
    assert distance["persistence"] > 0.12
    still = simple[simple.encoder == "persistence"].set_index(["example", "planet", "step"])
    seen = still.x.xs(1, level="step")
    np.testing.assert_allclose(still.predicted_x.xs(3, level="step"), seen, rtol=0.0051)


def test_an_invalid_position_counts_as_the_stars_place():
    paths = pd.DataFrame({"encoder": "P10", "seed": 0, "x": [3.0, 1.0, 1.0], "y": [4.0, 0.0, 1.0]})
    x, y = [np.nan, 1.0, np.nan], [np.nan, 0.0, 1.0]
    paths = paths.assign(hidden=True, predicted_x=x, predicted_y=y)
    assert trajectories.distances(paths).loc[0, "P10"] == pytest.approx((27 / 3) ** 0.5)


def test_a_sweep_asks_the_same_texts_at_each_value():
    texts = kepler.swept(SYSTEMS, "stepsize", [0.25, 0.4], 5)
    numbers = {i: (e, row) for e in texts for row, i in enumerate(e.index)}
    assert sorted(numbers) == list(range(10))
    for i in range(5):
        (first, a), (second, b) = numbers[i], numbers[5 + i]
        assert first.column("stepsize")[a] == 0.25 and second.column("stepsize")[b] == 0.4
        assert first.column("m0")[a] == second.column("m0")[b]


def test_values_of_a_sweep_are_in_the_gaps_and_at_their_edges():
    values = kepler.gap_values(SYSTEMS, "stepsize", 9)
    assert {0.2, 0.3, 0.5, 0.8} <= {*values}
    assert len(values) >= 13 and values.max() == 0.8


def test_a_slot_is_learned_if_it_is_with_every_seed():
    errors = pd.DataFrame({"P10": [0.01, 0.02], "XVal": [0.001, 0.2]})
    assert kepler.learned(errors[["P10"]], "a0", 0.03).passed
    assert kepler.learned(errors, "a0", 0.03).name == "a0 is learned"
    assert not kepler.learned(errors, "a0", 0.03).passed
    assert not kepler.learned(errors[["P10"]].assign(P10=np.nan), "a0", 0.03).passed


@pytest.mark.parametrize(
    ("off", "wild", "passed"),
    [(0.11, 0, True), (0.12, 0, False), (0.11, 90, True), (0.11, 110, False), (np.nan, 0, False)],
)
def test_e0_is_learned_if_most_answers_are_near_with_every_seed(off, wild, passed):
    true = np.linspace(0, 2, 201)  # 0.5 is their median distance from 1: 0.117 the bound
    keys = {"encoder": "P10", "true": true, "valid": True}
    good, other = (pd.DataFrame(keys | {"seed": s, "predicted": true + 0.01}) for s in (0, 1))
    other["predicted"] = true + np.where(np.arange(201) < wild, 99.0, off)
    assert kepler.learned_e0(good).passed
    assert kepler.learned_e0(pd.concat([good, other], ignore_index=True)).passed == passed


# -- forecasts of temperatures


def test_persistence_answers_the_temperature_before():
    task = nl.tasks.Temperature(nl.tasks.Climate(years=1, degrees=15.0), (2, 3), (3, 4))
    (texts, _) = task.split((30, 1), seed=0)
    frame = baselines.persistence(texts).set_index(["example", "slot"])
    for e in texts:
        steps = sum(name.startswith("T0.") for name in e.layout.number_slots)
        for row, i in enumerate(e.index):
            assert frame.predicted[i, "next1"] == e.column(f"T1.{steps - 1}")[row]
            assert frame.true[i, "next1"] == e.column("next1")[row]


def test_mlps_that_use_all_their_updates_were_not_trained_to_the_end():
    ended = pd.DataFrame({"ended": [True, True]})
    assert baselines.to_the_end(ended).passed
    assert not baselines.to_the_end(ended.assign(ended=[True, False])).passed
