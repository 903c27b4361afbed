"""The explorer without a browser: what it draws, answers and refuses."""

import base64
import json

import numpy as np
import pytest

import numlab as nl
from numlab.embeddings import Embeddings, from_encoder
from numlab.widgets import explorer
from numlab.widgets.clouds import color_axis, color_columns

NUMBERS = np.arange(200.0)
FONE, XVAL = (from_encoder(e, NUMBERS, 16) for e in (nl.FoNE(int_digits=3), nl.XVal()))


@pytest.fixture
def panel():
    return nl.widgets.embedding_explorer([FONE, XVAL], [nl.P1000()])


def choose(panel, places):
    panel.brush.chosen = ",".join(map(str, places))


def drawn(panel):
    return json.loads(panel.brush.figure)


def unpacked(array):
    """An array as plotly writes it."""
    return np.frombuffer(base64.b64decode(array["bdata"]), array["dtype"])


def test_two_panes_show_every_number_in_both(panel):
    figure = drawn(panel)
    assert [trace["type"] for trace in figure["data"]] == ["scattergl"] * 2
    titles = [a["text"] for a in figure["layout"]["annotations"]]
    assert ["FoNE" in titles[0], "XVal" in titles[1]] == [True, True]
    assert figure["data"][0]["customdata"][7] == "7"
    panel.projection.value = "PCA, 3-D"
    panel.brush.chosen = "3,4"
    clouds = drawn(panel)["data"]
    assert [trace["type"] for trace in clouds] == ["scatter3d"] * 2
    assert [trace["meta"] for trace in clouds] == ["pane"] * 2  # the page draws rings around 3, 4
    assert panel.brush.indices.tolist() == [3, 4]


def test_what_is_chosen_has_its_neighbours_its_f1_and_its_spectrum(panel):
    choose(panel, range(100))
    f1 = nl.probes.neighbour_f1(XVAL, 10).set_index("number").f1
    asked = np.unique(np.linspace(0, 99, explorer.SAMPLE).astype(int))
    assert f"{XVAL.source}: neighbour F1 of these {f1[asked].mean():.2f}" in panel.near.value
    assert "100 of 200 numbers are chosen" in panel.near.value
    lines = [t for t in json.loads(panel.power.figure)["data"] if t["mode"] == "lines"]
    assert [line["name"] for line in lines] == [FONE.source, XVAL.source]
    assert panel.brush.answered == 1
    choose(panel, [3, 9])
    assert "No spectrum" in panel.near.value
    assert panel.power.layout.display == "none"
    choose(panel, [])
    assert panel.near.value == ""


def test_of_many_numbers_the_same_sample_is_explored_in_both_panes(monkeypatch):
    monkeypatch.setattr(explorer, "MOST", 50)
    panel = nl.widgets.embedding_explorer([FONE, XVAL], [])
    assert "Here are 50 of 200 numbers" in panel.message.value
    left, right = (e.numbers for e in panel.embeddings.values())
    assert len(left) == 50
    assert (left == right).all()
    choose(panel, range(50))
    assert "50 of 50 numbers are chosen" in panel.near.value
    choose(panel, [])
    assert "Here are 50 of 200 numbers" in panel.message.value


def test_numbers_are_chosen_by_typing_and_what_is_no_number_is_said(panel):
    panel.box.value = "7, 100 to 103"
    assert panel.brush.indices.tolist() == [7, 100, 101, 102, 103]
    panel.box.value = "seven"
    assert "Type numbers as in" in panel.message.value and "is not a number" in panel.message.value
    panel.box.value = "7, 1e9, 2000 to 3000"
    assert panel.brush.indices.tolist() == [7]
    assert "Not here: 1e9, 2000 to 3000." in panel.message.value


def test_hovering_spells_the_number_under_each_encoder(panel):
    panel.brush.hovered = 42
    assert "<b>42</b>" in panel.spelling.value
    assert "P1000: <code>+ 420 E-1</code>" in panel.spelling.value


def test_hovering_says_where_an_encoder_cannot_hold_the_number():
    panel = nl.widgets.embedding_explorer([FONE, XVAL], [nl.Digits(1)])
    panel.brush.hovered = 42
    assert f"{nl.Digits(1)}: <code>out of range</code>" in panel.spelling.value


def test_menus_choose_two_of_many(panel):
    many = nl.widgets.embedding_explorer(
        [FONE, XVAL, from_encoder(nl.P10(), NUMBERS, 16)], [nl.P1000()]
    )
    assert many.sides[0] in many.children[0].children
    assert panel.sides[0] not in panel.children[0].children
    many.sides[1].value = many.sides[1].options[2]
    assert "P10" in drawn(many)["layout"]["annotations"][1]["text"]


def test_colours_are_of_values_digits_and_words():
    columns = color_columns(NUMBERS)
    assert list(columns) == ["value", "first digit", "exponent", "last digit", "parity"]
    assert columns["first digit"][[7, 42, 199]].tolist() == [7, 4, 1]
    assert columns["last digit"][[7, 42, 199]].tolist() == [7, 2, 9]
    assert columns["exponent"][[7, 42, 199]].tolist() == [0, 1, 2]
    _, axis = color_axis(columns["parity"])
    bar = axis["colorbar"]
    assert bar["ticktext"] == ["even", "odd"]
    assert list(color_columns(np.array([-0.25, 3.5]))) == ["value", "first digit", "exponent"]
    assert color_columns(np.array([-0.25, 0.0]))["first digit"].tolist() == [2, 0]


def test_integers_beyond_a_float_are_coloured_and_chosen_to_the_last_digit():
    numbers = np.array([2**60 + i for i in range(3)], object)  # 1152921504606846976, ...
    columns = color_columns(numbers)
    assert columns["last digit"].tolist() == [6, 7, 8]
    assert columns["parity"].tolist() == ["even", "odd", "even"]
    assert explorer.typed(f"{2**60 + 1}", numbers)[0].tolist() == [False, True, False]


def test_t_sne_says_how_far_it_is_and_of_many_is_refused_in_words(panel, monkeypatch):
    said = []
    panel.message.observe(lambda change: said.append(change.new), "value")
    panel.projection.value = "t-SNE"
    assert drawn(panel)["data"][0]["type"] == "scattergl"
    for title in panel.seen:
        assert any(f"t-SNE of {title}: 50%" in text for text in said)
    monkeypatch.setattr(explorer, "TSNE_MOST", 100)
    panel.projection.value = "PCA, 2-D"
    panel.projection.value = "t-SNE"
    assert panel.projection.value == "PCA, 2-D"
    assert "at most 100 numbers" in panel.message.value


def test_what_does_not_go_together_is_refused():
    with pytest.raises(ValueError, match="the same numbers in the same order"):
        nl.widgets.embedding_explorer([FONE, from_encoder(nl.XVal(), NUMBERS + 1)])
    with pytest.raises(ValueError, match="at least two numbers; got none"):
        nl.widgets.embedding_explorer([])
    with pytest.raises(ValueError, match="at least two numbers; got 1"):
        nl.widgets.embedding_explorer([from_encoder(nl.XVal(), NUMBERS[:1], 16)])


def test_embeddings_that_are_called_alike_are_counted():
    once = Embeddings(NUMBERS, np.eye(200), "a model", 1)
    assert explorer.titles([once, once]) == ["a model · layer 1", "a model · layer 1 #2"]


def test_what_lies_on_a_line_is_drawn_on_a_line():
    places = explorer.projected(XVAL, "PCA, 3-D")
    assert abs(np.corrcoef(places[:, 0], NUMBERS)[0, 1]) > 0.999999
    assert not places[:, 1:].any()


def test_a_brush_empties_the_box_so_that_the_same_numbers_can_be_typed_again(panel):
    panel.box.value = "7"
    choose(panel, [3, 9])
    assert panel.box.value == "" and panel.brush.indices.tolist() == [3, 9]
    panel.box.value = "7"
    assert panel.brush.indices.tolist() == [7] and panel.box.value == "7"
    panel.box.value = ""
    assert panel.brush.indices.tolist() == []


def test_an_alert_goes_with_its_text_and_what_is_brushed_stays_chosen(panel):
    choose(panel, [3, 9])
    panel.box.value = "seven"
    assert "seven" in panel.message.value
    panel.box.value = ""
    assert panel.message.value == "" and panel.brush.indices.tolist() == [3, 9]


def test_an_alert_stays_with_its_text_when_other_colours_are_drawn(panel):
    panel.box.value = "7, seven"
    panel.color.value = "parity"
    assert "seven" in panel.message.value


def test_a_brush_over_typed_numbers_is_answered_once(panel):
    panel.box.value = "7"
    answered = panel.brush.answered
    choose(panel, [3, 9])
    assert panel.brush.answered == answered + 1


def test_numbers_that_are_typed_again_take_back_an_alert(panel):
    panel.box.value = "7"
    panel.box.value = "seven"
    assert 'role="alert"' in panel.message.value
    panel.box.value = "7"
    assert "1 of 200 numbers are chosen: 7." in panel.near.value


def test_a_spectrum_of_many_numbers_is_of_the_first_and_that_is_said():
    numbers = np.append(np.arange(1100.0), 5000.0)
    panel = nl.widgets.embedding_explorer([from_encoder(nl.FoNE(int_digits=4), numbers, 16)], [])
    choose(panel, range(1100))
    assert "Spectrum of the first 1,024 of them" in panel.near.value
    choose(panel, range(1101))
    assert "No spectrum: a spectrum takes 8 or more consecutive" in panel.near.value


def test_a_peak_has_the_colour_of_its_own_line():
    noise = Embeddings(NUMBERS, np.random.default_rng(0).normal(size=(200, 4)), "noise")
    circle = np.column_stack([np.cos(NUMBERS * np.pi / 5), np.sin(NUMBERS * np.pi / 5)])
    shown = {"noise": noise, "circle": Embeddings(NUMBERS, circle, "circle")}
    _, line, peaks = explorer.spectra(shown, np.arange(200)).data
    assert line.name == peaks.name == "circle"
    assert line.line.color == peaks.marker.color


def test_a_zoom_is_kept_while_the_points_stay_where_they_are(panel):
    def revision():
        return drawn(panel)["layout"]["uirevision"]

    first = revision()
    panel.color.value = panel.color.options[-1]
    assert revision() == first
    panel.projection.value = "t-SNE"
    assert revision() != first


def test_a_range_may_begin_with_its_greater_end_and_a_minus_may_be_that_of_print():
    assert explorer.typed("2 to \u22121", np.arange(-3.0, 4))[0].tolist() == [False] * 2 + [
        True
    ] * 4 + [False]
