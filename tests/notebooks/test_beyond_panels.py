"""The leaderboard, the report card and the layouts of digits, without a browser."""

import json
import re

import pandas as pd
import pytest
from test_explorer import unpacked

import numlab as nl

from .conftest import load

panels = load("beyond/panels")


def names(plot):
    return [trace["name"] for trace in json.loads(plot.figure)["data"]]


ANSWERS = pd.DataFrame(
    {"encoder": encoder, "task": task, "difficulty": level, "score": score}
    for task in ("sums", "products")
    for encoder, gain in (("FoNE", 0.1), ("XVal", -0.1))
    for level, score in ((1, 0.9), (1, 0.7), (4, 0.2 - 4 * gain))
).assign(text=lambda f: f.task + f.index.astype(str), slot="answer", true=1.0, predicted=2.0)


def test_the_leaderboard_ranks_within_the_brush_and_shows_the_worst_answers_of_a_point():
    panel = panels.Leaderboard(ANSWERS)
    assert (panel.brush.min, panel.brush.max, panel.brush.value) == (1, 4, (1, 4))
    panel.brush.value = 2, 4
    ranked = panel.ranking.value
    assert ranked.index("XVal") < ranked.index("FoNE") and "0.600" in ranked
    panel.plot.clicked = ["FoNE", 1, 0.8]
    shown = panel.examples.value
    assert "FoNE, difficulty 1: 2 of 2 answers" in shown
    assert shown.index("sums1") < shown.index("sums0")
    panel.task.value = "products"
    panel.encoders.value = ("XVal",)
    assert names(panel.plot) == ["XVal"] and "Click on a point" in panel.examples.value


@pytest.fixture(scope="module")
def graded():
    """Two encoders, and their report card."""
    encoders = nl.XVal(), nl.P10()
    return encoders, nl.probes.report_card(encoders)


def test_a_report_card_draws_a_dot_for_each_score_of_what_is_chosen(graded):
    _, card = graded
    panel = panels.ReportCard(card, [])
    first, second = json.loads(panel.plot.figure)["data"]
    assert [first["name"], second["name"]] == ["XVal", "P10"]
    assert unpacked(second["x"]).tolist() == card.score[card.encoder == "P10"].tolist()
    assert first["marker"]["color"] == nl.plots.encoder_color("XVal")
    assert first["text"][-1] == "½" and set(second["text"]) == {""}  # as published
    panel.encoders.value = ("P10",)
    panel.desiderata.value = ("D2 unique",)
    (only,) = json.loads(panel.plot.figure)["data"]
    assert only["y"] == ["D2 unique: unique ↑", "D2 unique: read back ↑"]
    panel.encoders.value = ()
    assert "Click on a dot" in panel.behind.value


def test_a_click_on_a_dot_tells_its_value_and_what_it_means(graded):
    encoders, card = graded
    panel = panels.ReportCard(card, encoders)
    panel.plot.clicked = ["XVal", 0.0, "D5 normalised: read back, RMSNorm ↑"]
    assert "XVal, D5 normalised, read back, RMSNorm: 0, score 0.00 of 1." in panel.behind.value
    assert "still told apart after RMSNorm. The BitTokens paper gives it ✓." in panel.behind.value
    assert "<table" not in panel.behind.value
    panel.encoders.value = ("P10",)  # the dot is gone
    assert "Click on a dot" in panel.behind.value


@pytest.mark.parametrize("measure", ["unique", "read back"])
def test_behind_a_dot_stand_the_numbers_that_fare_worst_as_they_are_spelled(graded, measure):
    encoders, card = graded
    panel = panels.ReportCard(card, encoders)
    panel.plot.clicked = ["P10", 0.0, f"D2 unique: {measure} ↑"]
    number, spelled, back, _ = re.findall("<td>(.*?)</td>", panel.behind.value)[:4]
    assert spelled.split() == nl.P10().spell(float(number))
    assert float(back) == nl.P10().decode(nl.P10().encode([float(number)]))[0] != float(number)
    panel.plot.clicked = ["XVal", 1.0, f"D2 unique: {measure} ↑"]  # which loses none
    assert "<table" not in panel.behind.value


def test_layouts_of_digits_have_a_dot_for_each_seed_and_a_marker_for_their_mean():
    rows = [("sums", "Digits", 0, 20.0), ("sums", "Digits", 1, 40.0), ("sums", "FoNE", 0, 99.0)]
    frame = pd.DataFrame(rows, columns=["task", "layout", "seed", "right"])
    (ax,) = load("beyond/figures").layouts(frame).axes
    drawn = [line.get_xdata().tolist() for line in ax.lines]
    assert drawn == [[20, 40], [30], [99], [99]]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["digits", "FoNE"]
