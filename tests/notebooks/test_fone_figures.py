"""The drawings of notebooks/fone."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.container import BarContainer

from notebooks.conftest import load

figures = load("fone/figures")


def test_a_wrongly_read_digit_names_the_true_one():
    turns = 0.17 - np.arange(10) / 10
    frame = pd.DataFrame({"digit": range(10), "score": np.cos(2 * np.pi * turns), "true": 1})
    frame = frame.assign(period=1.0, remainder=0.17, cos=0.482, sin=0.876)
    scores = figures.number_on_circles(frame).axes[-1]
    assert scores.get_xlabel() == "digit: read 2, is 1"
    bold = [t.get_text() for t in scores.get_xticklabels() if t.get_fontweight() == "bold"]
    assert bold == ["1"]


def test_survivors_are_counted_in_the_title():
    frame = pd.DataFrame(
        [
            ("half", 10 * tens + units, tens, units, units < 5)
            for tens in range(10)
            for units in range(10)
        ],
        columns=["readout", "number", "tens", "units", "survives"],
    )
    assert figures.survivors(frame).axes[0].get_title() == "half:\n50.0 % right"


SHAPES = {(32, 1): 10_000, (64, 1): 70_000}
SCORES = pd.DataFrame(
    [
        (task, encoder, n, min(n, 900), shape, seed, share * (1 - 0.1 * seed))
        for task in ("sums", "products")
        for encoder in ("FoNE", "Digits")
        for n, shape, share in ((400, (64, 1), 0.5), (1600, (64, 1), 0.99), (1600, (32, 1), 0.8))
        for seed in (0, 1)
    ],
    columns=["task", "encoder", "n_train", "samples", "model", "seed", "exact_match"],
)
SCORES["parameters"] = SCORES.model.map(SHAPES)


def test_scaling_draws_the_samples_of_one_model_and_the_models_of_one_sample():
    frame = figures.by_size(SCORES, model=(64, 1), n_train=1600)
    samples, parameters, *products = figures.scaling(frame).axes
    assert [ax.get_title() for ax in (samples, parameters)] == ["sums", "sums"]
    assert [ax.get_title() for ax in products] == ["products", "products"]
    assert [t.get_text() for t in samples.get_xticklabels()] == ["400", "900"]
    assert samples.get_lines()[0].get_ydata().tolist() == pytest.approx([47.5, 94.05])
    assert [t.get_text() for t in parameters.get_xticklabels()] == ["10k", "70k"]
    assert parameters.get_lines()[0].get_ydata().tolist() == pytest.approx([76, 94.05])


def test_tasks_that_none_learns_are_told_below():
    share = SCORES.task.map({"sums": 0.5, "products": 0.0042})
    frame = figures.by_size(SCORES.assign(exact_match=share), model=(64, 1), n_train=1600)
    figure = figures.scaling(frame)
    assert figure.get_suptitle() == "sums" and len(figure.axes) == 2
    assert "products: learned by none, means up to 0.5 %" in figure.get_supxlabel()


def test_length_maps_show_each_pair_and_frame_the_lengths_of_training():
    pairs = [(i, j, i / 100 + j / 10) for i in (2, 4, 6) for j in (2, 4, 6)]
    frame = pd.DataFrame(pairs, columns=["first", "second", "exact_match"]).assign(run="one")
    ax = figures.length_maps(frame, trained=4).axes[0]
    np.testing.assert_allclose(ax.images[0].get_array()[2, 0], 100 * (2 / 100 + 6 / 10))
    assert ax.lines[0].get_xdata().tolist() == [-0.5, 1.5, 1.5]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["2", "4", "6"]


def test_wrong_answers_are_drawn_below_those_of_the_more_frequent_answer():
    frame = figures.by_size(SCORES.assign(exact_match=0.9), model=(64, 1), n_train=1600)
    ax = figures.wrong_answers(frame, majority=0.8).axes[0]
    *lines, guess = ax.get_lines()
    assert {y for line in lines for y in line.get_ydata().round(6)} == {10}
    assert guess.get_ydata()[0] == pytest.approx(20)
    assert ax.get_yscale() == "log"


def test_runs_on_the_same_texts_are_drawn_once():
    more = SCORES[SCORES.n_train == 1600].assign(n_train=6400)  # there are only 900 samples
    frame = figures.by_size(pd.concat([SCORES, more]), model=(64, 1), n_train=1600)
    assert frame.groupby(["task", "over", "size", "encoder", "seed"]).size().eq(1).all()


def test_unexplained_variance_is_drawn_as_powers_of_ten():
    frame = figures.by_size(SCORES.assign(unexplained=1e-3), model=(64, 1), n_train=1600)
    ax, beside, *_ = figures.unexplained_variance(frame).axes
    assert ax.get_ylim() == beside.get_ylim()
    assert ax.get_lines()[0].get_ydata().tolist() == pytest.approx([-3, -3])
    assert "$10^{-3}$" in [t.get_text() for t in ax.get_yticklabels()]


def test_spectra_have_a_map_for_each_run_with_the_longest_training_on_top():
    frequency = np.arange(1, 51) / 100
    parts = [
        pd.DataFrame({"frequency": frequency, "power": power + frequency, "steps": n, "run": run})
        for run in ("one", "two")
        for n, power in ((400, 0.5), (100, 1.0))
    ]
    ax = figures.spectrum_maps(pd.concat(parts)).axes[0]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["100", "400"]
    power = ax.collections[0].get_array()
    assert power.shape == (2, 50)
    assert power[0, 0] > power[1, 0]


def test_mistakes_are_written_so_that_they_can_be_told_apart():
    answers = pd.DataFrame({"predicted": [314.13, 1.0], "true": [314.12, 1.0]})
    frame = answers.assign(valid=True, right=[False, True])
    assert figures.mistakes(frame, 3).to_numpy().tolist() == [["314.130", "314.120"]]


def test_bars_stand_in_the_order_of_the_frame_with_their_heights():
    names, groups = ["Subword", "FoNE"], ["wine", "iris"]
    rows = [(g, n, i + 2 * j) for i, g in enumerate(groups) for j, n in enumerate(names)]
    (ax,) = figures.bars(
        pd.DataFrame(rows, columns=["table", "encoder", "tokens"]), "table", "tokens"
    ).axes
    assert [t.get_text() for t in ax.get_xticklabels()] == groups
    drawn = [c for c in ax.containers if isinstance(c, BarContainer)]
    assert [[bar.get_height() for bar in bars] for bars in drawn] == [[0, 1], [2, 3]]
    assert [bars.get_label() for bars in drawn] == names


def test_a_bar_of_several_runs_is_their_mean_with_their_range():
    frame = pd.DataFrame({"kind": "unit", "encoder": "P10", "top-5": [1.0, 2.0, 6.0]})
    (ax,) = figures.bars(frame, "kind", "top-5").axes
    bars, ranges = ax.containers
    assert bars[0].get_height() == 3
    (line,) = ranges.lines[2][0].get_segments()
    assert line[:, 1].tolist() == [1, 6]
