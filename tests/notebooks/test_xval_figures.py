"""The drawings and probes of the notebooks on xVal."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from probes.conftest import tiny_spec

import numlab as nl
from notebooks.conftest import load
from numlab.examples import Examples, Layout

figures, calibration, length_cues, trajectories = (
    load(f"xval/{name}") for name in ("figures", "calibration", "length_cues", "trajectories")
)
MIXTURE = tiny_spec(nl.XVal(mixture=3, scale=2.0), n_steps=3, n_planets=(2, 3))


@pytest.fixture(scope="module")
def run(module_home):
    return nl.train(MIXTURE)


# -- figures


def answers(**columns) -> pd.DataFrame:
    frame = pd.DataFrame({"slot": "a0", "seed": 0, **columns})
    return frame.assign(example=range(len(frame)), valid=frame.predicted.notna())


def test_predictions_far_beyond_the_true_numbers_are_counted_in_the_title():
    predicted = [*[1.0, 2.0] * 9, 1.0, 50.0]
    frame = answers(encoder="P10", true=[1.0, 2.0] * 10, predicted=predicted)
    (ax,) = figures.predicted_against_true(frame, frame).axes
    assert notes(ax)[-1].endswith("5.0 % beyond")


def test_the_share_of_invalid_answers_is_written_into_the_title():
    names = ["P10"] * 2 + ["FP15"] * 2
    frame = answers(encoder=names, true=[1.0, 2.0] * 2, predicted=[1.0, np.nan, np.nan, np.nan])
    one, none = figures.predicted_against_true(frame, frame).axes
    assert notes(one) == ["P10", "MSE 0", "50.0 % invalid"]
    assert notes(none) == ["FP15", "no MSE", "100.0 % invalid"]


def test_titles_have_the_mean_of_the_seeds_and_their_range():
    frame = answers(encoder="XVal", true=[0.0, 1.0] * 2, predicted=[1.0, 2.0, 2.0, 3.0])
    frame["seed"] = [0, 0, 1, 1]
    (ax,) = figures.predicted_against_true(frame[frame.seed == 0], frame, {"a0": "axis"}).axes
    assert notes(ax)[:2] == ["XVal", "MSE 2.5 (1.0 to 4.0)"]
    assert ax.get_xlabel() == "true axis"


def test_stripes_draw_the_shares_of_significands_exponents_and_confused_numbers():
    near = pd.DataFrame({"encoder": ["P10", "XVal"], "true": [1.0, -1.0], "predicted": [0.1, -1.0]})
    counts = pd.DataFrame(
        [(100, -2, 0.25), (100, -3, 0.2), (100, -8, 0.1), (112, -3, 0.05), (500, -3, 0.4)],
        columns=["significand", "exponent", "share"],
    )
    figure = figures.stripes(near.assign(seed=0), counts)
    points, significands, exponents, pairs = figure.axes
    assert [t.get_text() for t in points.get_xticklabels()] == ["P10\n100 %", "XVal\n0 %"]
    assert [c.get_offsets()[0, 1] for c in points.collections] == [0.1, 1.0]
    assert significands.lines[0].get_xydata().tolist() == [[100, 45], [112, 5], [500, 40]]
    assert sorted(text.get_text() for text in significands.texts) == [" 100", " 112", " 500"]
    assert "without the zeros (10.0 % of the numbers)" in significands.get_title()
    assert [bar.get_height() for bar in exponents.patches] == pytest.approx([65, 25])
    assert [bar.get_height() for bar in pairs.patches] == pytest.approx([20, 25, 5, 0])


def notes(ax) -> list[str]:
    """The lines of a panel's title."""
    return ax.get_title().replace("\N{NBSP}", " ").splitlines()


def test_a_title_says_that_a_model_failed():
    names = ["P10"] * 3 + ["XVal"] * 3 + ["persistence"] * 3
    predicted = [2.0] * 3 + [1.0, 2.1, 3.0] + [1.2, 2.2, 3.2]
    frame = answers(encoder=names, true=[1.0, 2.0, 3.0] * 3, predicted=predicted)
    useless, good, simple = figures.predicted_against_true(frame, frame).axes
    assert notes(useless)[2] == "R² 0.00, worse than persistence"
    assert len(notes(good)) == len(notes(simple)) == 2


def test_a_title_says_how_many_seeds_failed():
    frame = answers(encoder="P10", true=[1.0, 3.0] * 2, predicted=[1.0, 3.0, 2.0, 2.0])
    frame["seed"] = [0, 0, 1, 1]
    (ax,) = figures.predicted_against_true(frame[frame.seed == 0], frame).axes
    assert notes(ax) == ["P10", "MSE 0.50 (0 to 1.0)", "R² 0.50,", "R² < 0.9 in 1 of 2 seeds"]


def test_more_than_five_encoders_stand_in_two_rows():
    names = [f"P{i}" for i in range(7)]
    frame = answers(encoder=np.repeat(names, 2), true=[1.0, 2.0] * 7, predicted=[1.0, 2.0] * 7)
    axes = figures.predicted_against_true(frame, frame).axes
    assert [notes(ax)[0] for ax in axes] == names
    assert [bool(ax.get_xlabel()) for ax in axes] == [False] * 3 + [True] * 4
    assert [bool(ax.get_ylabel()) for ax in axes] == [True, *[False] * 3, True, False, False]


def test_the_range_of_the_seeds_is_shaded_around_an_expected_number():
    rows = [
        (word, true, 1.0, share)
        for word, share in (("200", 0.9), ("300", 0.1))
        for true in (0.2, 0.3)
    ]
    scan = pd.DataFrame(rows, columns=["word", "true", "logit", "probability"]).assign(seed=0)
    expected = pd.DataFrame({"true": [0.2, 0.3] * 2, "seed": [0, 0, 1, 1]})
    expected["argmax"] = expected["expectation"] = expected["XVal"] = [0.2, 0.3, 0.4, 0.5]
    logits, _, numbers = figures.logit_lines(scan, expected, [0.2, 0.3], "step size").axes
    assert [line.get_label() for line in logits.lines[:2]] == ["200", "300"]
    assert numbers.lines[0].get_ydata().tolist() == pytest.approx([0.3, 0.4])
    low, high = numbers.collections[0].get_paths()[0].get_extents().intervaly
    assert (low, high) == (pytest.approx(0.2), pytest.approx(0.5))


# -- length cues

NUMBERS = [0.23, -0.34, 0.034, -0.034, 0.03, -0.03, 0.0996, 0.005, 0.0, 2.3, -40.0, 0.0101]


@pytest.fixture
def cues() -> pd.DataFrame:
    frame = answers(encoder="P10", true=NUMBERS, predicted=np.roll(NUMBERS, 1))
    return length_cues.length_cues(frame.assign(valid=frame.index != 4))


def test_a_number_has_the_class_of_its_sign_and_size(cues):
    assert cues.true_class.tolist() == [2, -2, 1, -1, 1, -1, 2, 1, 1, 3, -3, 1]


def test_an_answer_has_a_class_unless_it_is_invalid(cues):
    expected = np.roll(cues.true_class.to_numpy(float), 1)
    expected[4] = np.nan
    assert np.array_equal(cues.predicted_class, expected, equal_nan=True)


def test_exceptions_are_small_numbers_as_short_as_larger_ones(cues):
    assert cues[cues.exception].true.tolist() == [0.03, -0.03, 0.0101]


def test_each_class_of_true_numbers_is_shared_out_among_the_answers(cues):
    cues.loc[4, "predicted"] = np.nan
    figure = length_cues.sign_and_size_panels(cues)
    share = figure.axes[1].images[0].get_array()
    assert share.shape == (7, 6)
    np.testing.assert_allclose(share.sum(0), 100)
    assert share[0, 3] == pytest.approx(20)  # one of five numbers from 0 to 0.1 is invalid


def test_the_sign_and_size_of_an_answer_are_right_or_wrong(cues):
    frame = cues.assign(true_class=[1, -2] * 6, predicted_class=[2, -2, -1, np.nan] * 3)
    right = length_cues.right(frame)
    assert right.sign.tolist() == [True, True, False, False] * 3
    assert right["size"].tolist() == [False, True, True, False] * 3


def test_shortened_texts_have_one_figure_in_the_numbers_asked_for():
    e = Examples(Layout.of("{x0} {y0} {x1}"), [[-2.3, 2.3, 0.034]])
    (lie,) = length_cues.shortened([e], ("x*",))
    assert lie.numbers.tolist() == [[-2.0, 2.3, 0.03]]
    assert lie.layout == e.layout


# -- trajectories


def test_each_position_stands_beside_its_prediction(run):
    texts = MIXTURE.task.sample(12, seed=1)
    frame = trajectories.trajectories([run], texts, n_last=2)
    answers = nl.predict(run, texts, ("x*.1", "y*.1", "x*.2", "y*.2")).set_index(
        ["example", "slot"]
    )
    for row in frame.itertuples():
        (text,) = (e for e in texts if row.example in e.index)
        at = np.flatnonzero(text.index == row.example)
        for axis in "xy":
            slot = f"{axis}{row.planet}.{row.step}"
            assert getattr(row, axis) == text.column(slot)[at]
            expected = np.nan if row.step == 0 else answers.predicted[row.example, slot]
            assert getattr(row, f"predicted_{axis}") == pytest.approx(expected, nan_ok=True)
        assert row.hidden == (row.step > 0)


def test_each_planet_of_each_text_has_a_row_for_each_step(run):
    texts = MIXTURE.task.sample(12, seed=1)
    frame = trajectories.trajectories([run], texts, n_last=1)
    planets = {
        i: sum(name[0] == "m" for name in e.layout.number_slots) for e in texts for i in e.index
    }
    assert frame.groupby("example").size().to_dict() == {i: 3 * k for i, k in planets.items()}


@pytest.mark.parametrize("n_last", [0, 3])
def test_some_snapshots_are_hidden_and_some_visible(run, n_last):
    with pytest.raises(ValueError, match=f"1 to 2 can be hidden; got {n_last}"):
        trajectories.trajectories([run], MIXTURE.task.sample(2, seed=1), n_last)


def test_predictions_outside_of_a_panel_are_drawn_at_its_edge():
    frame = pd.DataFrame({"step": [0, 1], "x": [1.0, 0.0], "y": [0.0, 1.0], "planet": 0})
    frame["hidden"], frame["predicted_x"], frame["predicted_y"] = frame.step == 1, 50.0, 1.0
    frame = frame.assign(example=0, encoder="P10")
    rms = pd.DataFrame({"P10": [90.0, 0.05, 10.0], "Kepler's circle": 0.1})
    (ax,) = trajectories.orbits(frame, rms, rms.mean() / 10).axes
    title = "P10", "rms 33 (0.05 to 90)", "above the circle's in 2 of 3 seeds", "median 3"
    assert ax.get_title().splitlines() == [*title]
    crosses = [line for line in ax.lines if line.get_marker() == "x"]
    assert [line.get_xydata().tolist() for line in crosses] == [[[ax.get_xlim()[1], 1.0]]]


# -- calibration


def test_a_calibrated_run_is_drawn_along_the_diagonal():
    true = np.linspace(1, 5, 101)
    frame = pd.DataFrame({"seed": 0, "true": true, "pit": (true - 1) / 4})
    frame[["q5", "q25", "q50", "q75", "q95"]] = [1.2, 2.0, 3.0, 4.0, 4.8]
    _, levels = calibration.calibration_panels(frame, (1.0, 5.0), "mass").axes
    np.testing.assert_allclose(*levels.lines[0].get_data(), atol=0.01)


# -- dots


def test_every_seed_is_a_dot_and_single_tokens_are_hollow():
    names = ["FP15", "P10", "P10, single tokens"]
    rows = [("withheld", name, seed, 0.5) for name in names for seed in range(3)]
    scores = pd.DataFrame(rows, columns=["where", "encoder", "seed", "right"])
    (ax,) = load("xval/figures").every_seed(scores, "right", "right answers").axes
    assert [label.get_text() for label in ax.get_yticklabels()] == names
    assert [len(dots.get_offsets()) for dots in ax.collections] == [3, 3, 3]
    assert [len(dots.get_facecolor()) for dots in ax.collections] == [1, 1, 0]


def test_differences_are_drawn_from_the_error_in_distribution_to_that_in_the_gap():
    rows = [
        ("a0", "P10", setting, part, 0, error)
        for setting, errors in (("ours", (0.01, 0.1)), ("other", (0.0, 9.0)))
        for part, error in zip(("in distribution", "in the gap"), errors, strict=True)
    ]
    columns = ["slot", "encoder", "setting", "part", "seed", "error"]
    frame, mean_answer = pd.DataFrame(rows, columns=columns), pd.Series({"a0": 0.2})
    (ax,) = load("xval/differences").differences(frame, mean_answer, {"a0": "a0"}).axes
    assert [label.get_text() for label in ax.get_yticklabels()] == ["ours", "other"]
    ends = [line.get_segments()[0][:, 0].tolist() for line in ax.collections[::5]]
    assert ends == [[0.01, 0.1], [pytest.approx(0.2 / 3000), 1.0]]  # 0 and 9 are at the edges
