"""The drawings of the notebooks on digits, and the scores by length that they draw."""

import numpy as np
import pandas as pd
import pytest

import numlab as nl
from notebooks.conftest import load
from numlab.encoders.aggregate import DigitSum, WeightedSum

figures, knn = load("digits/figures"), load("digits/knn")

LENGTHS = pd.DataFrame(
    [
        (pool, "MiniLM", name, digits, seed, 0.5 / digits + 0.1 * seed)
        for pool in ("one", "two")
        for name in ("weighted sum", "sum")
        for digits in (1, 2, 3)
        for seed in (0, 1)
    ],
    columns=["pool", "table", "aggregate", "digits", "seed", "f1"],
)


def test_every_axis_is_named_and_the_legend_names_each_line_once():
    figure = figures.f1_by_length(LENGTHS, paper=0.69, below=0.05, chance={"one": {1: 1, 2: 0.1}})
    assert figure.axes[0].get_ylabel() == "neighbours found (kNN-F1)"
    assert {ax.get_xlabel() for ax in figure.axes} == {"number of digits"}
    assert [ax.get_title() for ax in figure.axes] == ["among one, MiniLM", "among two, MiniLM"]
    (legend,) = figure.legends
    texts = [t.get_text() for t in legend.get_texts()]
    assert texts == ["weighted sum", "sum", "paper: below 5 %", "chance", "paper: 69 %"]


def test_lengths_of_vectors_stand_side_by_side_on_a_log_axis():
    figure = figures.norm_by_length(LENGTHS.rename(columns={"f1": "norm"}))
    (ax,) = figure.axes
    assert ax.get_yscale() == "log"
    assert ax.lines[0].get_xdata()[0] < 1 < ax.lines[1].get_xdata()[0]


@pytest.mark.parametrize(
    "figure",
    [
        figures.f1_by_length(LENGTHS),
        figures.norm_by_length(LENGTHS.rename(columns={"f1": "norm"})),
    ],
    ids=["f1", "norm"],
)
def test_no_label_is_clipped(figure):
    figure.draw_without_rendering()
    inside = figure.bbox
    for artist in [*figure.legends, *figure.axes]:
        box = artist.get_tightbbox()
        assert inside.x0 <= box.x0 and box.x1 <= inside.x1
        assert inside.y0 <= box.y0 and box.y1 <= inside.y1


def test_neighbours_stand_in_their_row_as_pale_as_their_chance():
    rows = [("numbers", 46, 1.0), ("numbers", 48, 1.0), ("sum", 74, 1.0), ("sum", 56, 0.25)]
    frame = pd.DataFrame(rows, columns=["line", "neighbour", "chance"])
    (ax,) = figures.number_lines(frame, 47).axes
    numbers, total = ax.collections
    assert numbers.get_offsets().tolist() == [[46, 0], [48, 0]]
    assert total.get_offsets().tolist() == [[74, 1], [56, 1]]
    assert total.get_alpha().tolist() == [1.0, 0.5]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["numbers", "sum"]


def test_dots_are_means_in_percent_with_their_range():
    rows = [("P10", "untrained", 0.2), ("P10", "untrained", 0.4), ("XVal", "trained", 1.0)]
    rows += [("P10", "trained", 0.5)]
    frame = pd.DataFrame(rows, columns=["encoder", "state", "f1"])
    figure = figures.dots(frame, "a title", chance=1.0)
    (ax,) = figure.axes
    dots = [c.get_offsets()[0] for c in ax.collections if c.get_label() in set(frame.state)]
    np.testing.assert_allclose([dot[0] for dot in dots], [30, 50])
    low, high = ax.collections[0].get_paths()[0].get_extents().intervalx
    assert (low, high) == (pytest.approx(20), pytest.approx(40))
    assert [text.get_text() for text in figure.legends[0].texts] == [
        "untrained",
        "trained",
        "chance",
    ]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["XVal", "P10"]  # best first


def test_over_k_what_is_computed_is_a_line_and_what_is_measured_are_marks():
    rows = [(name, 0, k, k / 100) for name in ("computed", "measured") for k in (1, 10, 100)]
    frame = pd.DataFrame(rows, columns=["embedding", "seed", "k", "f1"])
    (ax,) = figures.f1_over_k(frame, "3").axes
    computed, measured, _ = ax.lines
    assert (computed.get_linewidth() > 0, measured.get_linewidth()) == (True, 0)
    assert measured.get_ydata().tolist() == [1, 10, 100]


def test_scores_by_length_are_means_of_digit_f1():
    table = np.random.default_rng(0).normal(size=(10, 8))
    frame = knn.f1_by_length([("mine", 3, table)], {"sum": DigitSum()}, 2)
    assert set(zip(frame.table, frame.seed, frame["aggregate"], strict=True)) == {
        ("mine", 3, "sum")
    }
    f1 = frame.set_index(["pool", "digits"]).f1
    together = knn.digit_f1(np.arange(100), table, DigitSum()).f1
    assert f1["all lengths", 1] == pytest.approx(together[:10].mean())
    assert f1["all lengths", 2] == pytest.approx(together[10:].mean())
    alone = knn.digit_f1(np.arange(10, 100), table, DigitSum()).f1
    assert f1["same length", 2] == pytest.approx(alone.mean())
    assert f1["same length", 1] == 1


@pytest.mark.parametrize("k", [1, 4, 9, 10, 30])
def test_leading_digits_only_is_what_nested_clusters_score(k):
    # vectors at one distance within a ten, at a greater one within a hundred
    n = np.arange(100)
    vectors = np.hstack([100 * np.eye(10)[n // 10], np.eye(100)])
    found = nl.probes.neighbour_f1(nl.Embeddings(n, vectors, "nested"), k).f1
    inner = slice(30, 70)  # the computed score has no ends of the range
    expected = knn.leading_digits_only(k, 2)
    assert found[inner].mean() == pytest.approx(expected, abs=0.02)


RNG = np.random.default_rng(0)
TABLES = [("random", seed, RNG.normal(size=(10, 8))) for seed in (0, 1)]


def test_over_k_every_table_has_its_score():
    frame = knn.f1_over_k(TABLES, 2, [3])
    assert frame.embedding.tolist() == ["leading digits only", *["weighted sum, random"] * 2]
    numbers = knn.of_length(2)
    f1 = [knn.digit_f1(numbers, t, WeightedSum(), 3).f1.mean() for *_, t in TABLES]
    assert frame.f1.tolist() == pytest.approx([knn.leading_digits_only(3, 2), *f1])


def test_over_bases_lengths_are_scored_among_all_lengths():
    frame = knn.f1_over_base(TABLES[:1], [2, 10], 2)
    assert list(zip(frame.base, frame.digits, strict=True)) == [(2, 1), (2, 2), (10, 1), (10, 2)]
    together = knn.f1_by_length(TABLES[:1], {"weighted sum": WeightedSum()}, 2)
    expected = together[together.pool == "all lengths"].f1
    assert frame[frame.base == 10].f1.tolist() == pytest.approx(expected.tolist())
    figure = figures.f1_by_base(frame, 10, 0.69)
    assert [line.get_label() for line in figure.axes[0].lines[:2]] == ["1 digit", "2 digits"]


def test_a_table_of_scores_has_a_row_for_each_table_of_digits():
    scores = knn.f1_by_length(TABLES, {"sum": DigitSum()}, 2)
    wide = knn.by_table(scores[scores.pool == "all lengths"])
    assert wide.index.tolist() == ["random 0", "random 1"]
    assert wide.columns.tolist() == [("sum", 1), ("sum", 2)]


def test_an_invalid_answer_is_infinitely_far_off(monkeypatch):
    class Run:
        def __init__(self, seed):
            self.spec = type("Spec", (), {"encoder": "e", "seed": seed})
            self.examples = lambda part: seed

    answers = {0: [1.0, 2.0, np.nan], 1: [np.nan, np.nan, 9.0]}
    monkeypatch.setattr(
        nl,
        "predict",
        lambda run, seed, slot: pd.DataFrame({"true": [1, 3, 9], "predicted": answers[seed]}),
    )
    errors, trivial = knn.median_errors([Run(0), Run(1)], {"e": "mine"})
    assert errors.mine.tolist() == [1, np.inf] and trivial == 2


def test_lengths_of_vectors_are_in_lengths_of_a_digits():
    frame = knn.norms([("one", 0, np.ones((10, 4)))], {"weighted sum": WeightedSum()}, 3)
    expected = [WeightedSum().weights(n).sum() for n in (1, 2, 3)]
    assert frame.norm.tolist() == pytest.approx(expected)
