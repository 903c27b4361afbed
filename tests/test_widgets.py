"""The slider through the gaps: its numbers, what moves, and what it leaves alone."""

from __future__ import annotations

import asyncio
import dataclasses
import html
import itertools
import json
import re
import threading
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.io as pio
import pytest
import torch
from test_explorer import unpacked
from waiting import until

import numlab as nl
from numlab.plots.sweep import legible
from numlab.widgets import sweep, sweep_answers
from numlab.widgets.spell import tokens_of

SPEC = nl.RunSpec(
    task=nl.tasks.Planets(n_steps=2, n_planets=(2, 2)),
    encoder=nl.XVal(),
    objective=nl.MaskedLM(),
    model=nl.GPT2(16, 1, 2, context=512),
    n_train=128,
    n_valid=8,
    n_test=8,
    steps=25,
    batch_size=8,
    learning_rate=1e-2,
)


def spec(encoder, **changes):
    return dataclasses.replace(SPEC, encoder=encoder, **changes)


@pytest.fixture(scope="module")
def runs(module_home):
    encoders = (nl.P1000(), nl.XVal(), nl.FoNE(int_digits=1, frac_digits=3))
    return [nl.train(spec(encoder)) for encoder in encoders]


@pytest.fixture(scope="module")
def panel(runs):
    return nl.widgets.ood_sweep(runs, "stepsize", n=4)


def drawn(panel):
    return pio.from_json(panel.plot.figure)


def traces(panel):
    return {trace["name"]: trace for trace in drawn(panel).data}


def test_answers_are_the_median_and_the_range_of_each_encoders_predictions(runs):
    frame = nl.widgets.answers(runs, "stepsize", 0.4, n=6)
    assert frame.encoder.tolist() == ["P1000", "XVal", "FoNE"]
    assert (frame.true == 0.4).all()
    asked = nl.predict(runs[1], SPEC.task.sample(6, sweep_answers.SEED, stepsize=0.4), "stepsize")
    row = frame.set_index("encoder").loc["XVal"]
    assert row["median"] == sorted(asked.predicted)[2]
    assert (row.low, row.high) == (asked.predicted.min(), asked.predicted.max())


def test_an_answer_that_is_no_number_counts_as_invalid_alone(runs, monkeypatch):
    part = {"predicted": np.array([0.1, 0.3, 9, 9]), "valid": np.array([1, 1, 0, 0], bool)}
    monkeypatch.setattr(sweep_answers, "predictions", lambda *_: [part])
    (row,) = nl.widgets.answers(runs[:1], "stepsize", 0.4, n=3).itertuples()
    sweep_answers._predictions.cache_clear()
    assert (row.median, row.low, row.high, row.invalid) == (0.1, 0.1, 0.3, 0.5)


def test_seeds_of_an_encoder_count_together(runs):
    again = nl.train(spec(nl.XVal(), seed=1))
    both = nl.widgets.answers([runs[1], again], "stepsize", 0.4, n=4)
    assert both.encoder.tolist() == ["XVal"]
    alone = [nl.widgets.answers([run], "stepsize", 0.4, n=4) for run in (runs[1], again)]
    assert both.low[0] == min(frame.low[0] for frame in alone)


@pytest.mark.parametrize(
    ("encoder", "words", "spelled"),
    [
        (nl.P10(), ["+", "3", "5", "1", "2", "E-3"], {"3": 0.312, "5": 0.512}),
        (nl.P1000(), ["+", "300", "500", "E-3"], {"300": 0.3, "500": 0.5}),
        (nl.B1999(), ["300", "-500", "E-3"], {"300": 0.3, "-500": -0.5}),
        (nl.FP15(), ["300E-3", "500E-3"], {"300E-3": 0.3, "500E-3": 0.5}),
    ],
    ids=str,
)
def test_words_are_those_of_the_significand_and_spell_a_number(encoder, words, spelled):
    places = {nl.P10(): [0, 1, 1, 2, 3, 4], nl.P1000(): [0, 1, 1, 2], nl.B1999(): [0, 0, 1]}
    ids = [encoder.vocabulary.index(word) for word in words]
    logits = torch.full((2, encoder.length, len(encoder.vocabulary)), -50.0)
    logits[:, places.get(encoder, [0, 0]), ids] = torch.linspace(2, 0, len(words))
    read = nl.probes.NumberLogits(encoder, np.array([0.4, 0.4]), logits)
    frame = sweep_answers.spellings(read).head(2)
    assert frame.word.tolist() == list(spelled)
    assert frame.number.to_numpy() == pytest.approx(list(spelled.values()))
    assert frame.probability.is_monotonic_decreasing


def test_probabilities_of_words_are_means_over_the_texts(runs):
    read = nl.probes.number_logits(
        runs[0], sweep_answers.texts_at(SPEC.task, "stepsize", 0.4, 4), "stepsize"
    )
    frame = sweep_answers.spellings(read).head(5).set_index("word")
    scan = nl.probes.logit_scan(read, top=5).query("within == 2").set_index("word")
    assert frame.probability.to_dict() == pytest.approx(scan.probability.to_dict())


def test_the_slider_moves_every_prediction(panel, runs):
    for value in (0.2, 0.65):
        panel.slider.value = value
        there = traces(panel)
        frame = nl.widgets.answers(runs, "stepsize", value, n=4).set_index("encoder")
        assert list(there["true"].x) == [value, value]
        for name, row in frame.iterrows():
            assert there[name].x[0] == pytest.approx(value, abs=0.05)
            median = there[name].customdata[0][1]
            assert (median is None) == np.isnan(row["median"])
            assert median is None or median == row["median"]
    texts = sweep_answers.texts_at(SPEC.task, "stepsize", 0.65, 4)
    words = sweep_answers.spellings(nl.probes.number_logits(runs[0], texts, "stepsize")).dropna()
    assert list(there["words"].x) == pytest.approx(list(words.probability))


SUM = {"combine": "weighted_sum"}  # in 16 dimensions
NEW = [nl.Base10Tokens(3, **SUM), nl.BitTokens(16, **SUM), nl.PLE((0.0, 0.5, 1.0, 2.0, 4.0))]


@pytest.mark.parametrize("encoder", NEW, ids=lambda e: e.label)
def test_the_sweep_and_the_explorer_know_a_new_encoder_by_themselves(encoder, module_home):
    panel = nl.widgets.ood_sweep([nl.train(spec(encoder, steps=1))], "stepsize", n=2)
    assert traces(panel)[encoder.label].x[0] == pytest.approx(0.65, abs=0.05)
    embeddings = nl.embeddings.from_encoder(encoder, np.linspace(0, 2, 20), 64)
    explored = nl.widgets.embedding_explorer([embeddings], encoders=[encoder])
    explored.brush.chosen = "3,4"
    assert "2 of 20 numbers are chosen" in explored.near.value
    explored.brush.hovered = 3
    assert encoder.label in explored.spelling.value


def test_a_visited_value_stays_on_the_line_which_breaks_where_nobody_was(runs):
    panel = nl.widgets.ood_sweep(runs[1:2], "stepsize", n=2)  # it starts at 0.65
    for value in (0.3, 0.2, 0.25):
        panel.slider.value = value
    assert list(traces(panel)["XVal so far"].x) == [0.2, 0.25, 0.3, None, 0.65]


def test_a_move_is_one_change_of_the_figure(panel):
    changes = []
    panel.plot.observe(changes.append, "figure")
    panel.slider.value = 0.745
    assert len(changes) == 1


def test_the_page_gets_plotly_when_it_asks(panel, monkeypatch):
    plot, sent = panel.plot, []
    monkeypatch.setattr(plot, "send", lambda content, buffers: sent.extend(buffers))
    plot._handle_custom_msg("plotly", [])
    assert b"plotly.js v" in sent[0][:200]
    assert len(plot.get_state("figure")["figure"]) < 50_000  # which is all that a move sends


def test_gaps_and_trained_values_are_drawn(panel):
    shapes = drawn(panel).layout.shapes
    gaps = {(shape.x0, shape.x1) for shape in shapes if shape.type == "rect"}
    assert gaps == set(SPEC.task.gaps["stepsize"])
    lines = {shape.x0 for shape in shapes if shape.type == "line" and shape.x0 == shape.x1}
    assert lines == {0.2, 0.3, 0.5, 0.8}
    assert drawn(panel).layout.template.layout.shapedefaults.opacity == 1  # a pale shade is seen


def test_the_slider_reaches_trained_values_and_gaps_in_steps_of_one_key(panel):
    slider = panel.slider
    places = (np.array([0.2, 0.25, 0.3, 0.4, 0.5, 0.65, 0.8]) - slider.min) / slider.step
    assert places == pytest.approx(places.round())
    assert slider.min < 0.2 and slider.max > 0.8


def test_what_lies_beyond_the_axis_is_drawn_at_its_end(runs, monkeypatch):
    row = {"encoder": ["XVal"], "median": [-80.0], "low": [-90.0], "high": [90.0], "invalid": [0.0]}
    monkeypatch.setattr(sweep, "answers", lambda _, __, at, *___: pd.DataFrame({"true": at, **row}))
    panel = nl.widgets.ood_sweep(runs[1:2], "stepsize")
    low, high = drawn(panel).layout.yaxis.range
    assert low < traces(panel)["XVal"].y[0] < low + 0.05 * (high - low)


def test_only_some_of_the_runs_need_exist(runs):
    missing = nl.Run(spec(nl.FP15()))
    panel = nl.widgets.ood_sweep([missing, *runs[1:]], "a0", n=2)
    assert "FP15" in panel.message.value
    assert "words" not in traces(panel)  # no text encoder is left
    with pytest.raises(ValueError, match="1 runs, 0 of them trained"):
        nl.widgets.ood_sweep([missing])


def test_a_parameter_that_the_task_cannot_hold_is_refused(runs):
    with pytest.raises(ValueError, match="can be held: a0, e0, m0, stepsize; got 'x0.1'"):
        nl.widgets.ood_sweep(runs, "x0.1")


def test_a_parameter_without_gaps_is_swept_along_its_limits(runs):
    slider = nl.widgets.ood_sweep(runs[1:2], "e0", n=2).slider
    assert (slider.min, slider.max) == SPEC.task.limits["e0"]


def test_words_that_would_overlap_leave_the_likelier_one():
    assert legible(["300", "301", "500"], [0.3, 0.301, 0.5], 0.7) == ["300", "", "500"]


def test_the_drawn_numbers_stand_below_as_a_table():
    rows = [("P10", 0.4, np.nan, np.nan, np.nan, 1.0), ("XVal", 0.4, 0.41, 0.38, 0.5, 0.0)]
    columns = ["encoder", "true", "median", "low", "high", "invalid"]
    html = sweep._readout(pd.DataFrame(rows, columns=columns))
    cells = re.findall("<t[hd].*?>(.*?)</t", html)
    assert cells == [
        *("", "median", "least", "greatest", "no number", "median - true"),
        *("P10", "–", "–", "–", "100%", "–"),
        *("XVal", "0.410", "0.380", "0.500", "0%", "+0.010"),
    ]


@pytest.mark.parametrize("dimensions", [2, 3])
def test_clouds_show_every_number_at_its_components_and_name_it(dimensions):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(8, 3)), columns=["pc1", "pc2", "pc3"])
    frame = frame.assign(number=range(8), cloud=["a"] * 3 + ["b"] * 5)
    data = pio.from_json(nl.widgets.clouds(frame, dimensions).figure).data
    assert [trace.name for trace in data] == ["a", "b"]
    for trace, (_, rows) in zip(data, frame.groupby("cloud"), strict=True):
        for axis, column in zip("xyz"[:dimensions], rows[["pc1", "pc2", "pc3"]], strict=False):
            assert unpacked(trace[axis]) == pytest.approx(rows[column].to_numpy())
        assert list(map(float, trace.customdata)) == list(trace.marker.color) == list(rows.number)
        assert "customdata" in trace.hovertemplate


def test_clouds_of_one_dimension_are_refused():
    with pytest.raises(ValueError, match="2 or 3 dimensions; got 1"):
        nl.widgets.clouds(pd.DataFrame(), dimensions=1)


@pytest.mark.parametrize(
    ("encoder", "words", "carries", "read"),
    [
        (nl.P1000(), ["-", "602", "E-1"], [None] * 3, -60.2),
        (nl.XVal(), ["[NUM]"], ["-60.25"], -60.25),
        (nl.FoNE(4, 3), ["[NUM]"], ["- 0060.250"], -60.25),
        (nl.FoNE(4), ["[NUM]"], ["- 0060"], -60),
        (nl.IEEE754(16), ["[NUM]"], ["1 10100 1110001000"], -60.25),
        (nl.Base10Tokens(5), ["[NUM]"], ["- 6.0250 E1"], -60.25),
    ],
    ids=str,
)
def test_a_number_is_spelled_and_read_back(encoder, words, carries, read):
    tokens = tokens_of(encoder, -60.25)
    assert [token.word for token in tokens] == words
    assert [token.carries for token in tokens] == carries
    assert (tokens[0].number, tokens[0].read) == (-60.25, read)
    assert tokens[0].error == pytest.approx((read + 60.25) / 60.25)


def test_a_long_integer_is_spelled_to_its_last_digit():
    token = tokens_of(nl.Digits(20), 9007199254740993)[-1]
    assert token.read == token.number == 9007199254740993


def test_an_integer_beyond_float64_is_spelled():
    assert tokens_of(nl.Digits(500), 10**400)[0].error == 0


def test_no_number_is_cut_where_a_long_text_is_cut():
    _, shown, *_ = nl.widgets.spell([nl.XVal()], "a" * 396 + " 12345").children
    assert "123" not in shown.value and "aaa" in shown.value


def test_the_error_of_zero_is_no_percentage():
    _, shown, *_ = nl.widgets.spell([nl.FusedBins((("*", (0.05, 2.0)),))], "x is 0").children
    assert re.search(r"0 → 0.05\s+\(error\s+0.05\)", shown.value)


def test_a_text_is_spelled_in_reading_order_and_what_cannot_be_held_is_refused():
    _, shown, *_ = nl.widgets.spell([nl.P1000()], "x=7, 3.2e11 m").children
    words = re.findall(r'class="word [a-z]+">(.*?)</span>', shown.value)
    assert words[:4] == ["x=", "+", "700", "E-2"] and words[-1].endswith("m")
    assert words[-2] == "P1000 holds |x| &lt; 9.995e9; got 3.2e11"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Nothing to spell yet"),
        ("no number", "no number in"),
        ("1e999", "float64 holds"),
        ("9" * 5000, "Nothing to spell|cannot be held"),
        ("<script>1</script>", "&lt;script&gt;"),
        ("0 " * 900, "first 400 characters"),
    ],
)
def test_whatever_is_typed_the_page_answers(text, said):
    box, shown, _ = nl.widgets.spell([nl.P10(), nl.XVal(), nl.FoNE(6, 3)]).children
    box.value = text
    assert re.search(said, shown.value)
    assert "<script>" not in shown.value


def test_chosen_encoders_and_seeds_alone_are_asked(runs):
    again = nl.train(spec(nl.XVal(), seed=1))
    panel = nl.widgets.ood_sweep([*runs, again], "stepsize", 2)
    next(box for box in panel.boxes if box.description == "FoNE").value = False
    assert "FoNE" not in traces(panel) and "XVal" in traces(panel)
    panel.seed.value = 1
    assert panel.chosen == [again]
    (row,) = nl.widgets.answers([again], "stepsize", 0.65, n=2).itertuples()
    assert traces(panel)["XVal"].customdata[0][1] == row.median
    next(box for box in panel.boxes if box.description == "XVal").value = False
    assert "Choose an encoder" in panel.table.value


def test_another_parameter_has_its_own_range_and_gaps(runs):
    panel = nl.widgets.ood_sweep(runs[1:2], "stepsize", 2)
    panel.parameter.value = "a0"
    assert panel.slider.description == "true orbit size a₀ (AU)"
    gaps = {(s.x0, s.x1) for s in drawn(panel).layout.shapes if s.type == "rect"}
    assert gaps == set(SPEC.task.gaps["a0"])
    assert (panel.slider.min, panel.slider.max) == (0.95, 1.4)  # which is as far as a0 goes


def test_a_value_that_an_encoder_cannot_hold_is_no_number_to_it(runs):
    panel = nl.widgets.ood_sweep(runs, "m0", n=2)
    panel.slider.value = 10.0  # FoNE with one digit before the point ends at 9.9995
    _, xval, fone = panel.answered[panel.answered.true == 10].invalid
    assert (xval, fone) == (0, 1)
    assert "Out of range, so without an answer here: FoNE." in panel.table.value
    panel.slider.value = 9.0
    assert "Out of range" not in panel.table.value


def test_lines_are_filled_in_where_a_gap_ends_beyond_what_can_be_asked(runs, monkeypatch):
    monkeypatch.setattr(sweep, "IDLE", 0)
    panel = nl.widgets.ood_sweep(runs[:1], "a0", n=2)
    assert panel.gaps == ((1.0, 1.5),) and panel.slider.max < 1.5
    for _ in range(3):
        asyncio.run(panel.fill())
    assert len(panel.answered) == 4


def test_the_errors_are_those_of_the_medians(panel, runs):
    panel.slider.value = 0.4
    line = traces(panel)["XVal error"]
    median = nl.widgets.answers(runs[1:2], "stepsize", 0.4, n=4)["median"][0]
    assert dict(zip(line.x, line.y, strict=True))[0.4] == pytest.approx(
        np.clip(abs(median - 0.4), 1e-3 * 0.7, 0.8), rel=0.2
    )


def test_who_answers_a_constant_at_trained_values_hardly_learned():
    known = np.array([0.2, 0.3, 0.5, 0.8])

    def said(**medians):
        frames = [
            pd.DataFrame({"encoder": e, "true": known, "median": m}) for e, m in medians.items()
        ]
        return sweep_answers.hardly_learned(pd.concat(frames), known)

    assert said(flat=0.45, right=known, near=known + 0.05, silent=np.nan) == ["flat", "silent"]
    assert sweep_answers.hardly_learned(pd.DataFrame({"true": [0.2]}), known) == []


def test_a_panel_names_who_hardly_learned_once_it_has_asked(runs):
    panel = nl.widgets.ood_sweep(runs[1:2], "stepsize", n=2)
    assert "Hardly learned" not in panel.table.value
    panel.answered = panel.answered.iloc[:0]
    frame = [nl.widgets.answers(runs[1:2], "stepsize", at, n=2) for at in (*panel.known, panel.at)]
    panel.answered = pd.concat(frame).assign(median=0.45)
    panel.draw()
    assert "Hardly learned: XVal." in panel.table.value


def test_a_curve_is_filled_in_coarse_to_fine_on_the_sliders_positions(runs, monkeypatch):
    monkeypatch.setattr(sweep, "IDLE", 0.0)
    panel = nl.widgets.ood_sweep(runs[1:2], "stepsize", n=2)
    start = panel.slider.value
    for _ in panel.known:
        asyncio.run(panel.fill())
    assert {*panel.answered.true} == {start, 0.2, 0.3, 0.5, 0.8}  # did it learn them?
    for _ in range(2):
        asyncio.run(panel.fill())
    coarse = sorted(panel.answered.true)
    for _ in range(30):
        asyncio.run(panel.fill())
    values = sorted({*panel.answered.true, start})
    assert 25 <= len(values) <= 30
    places = (np.array(values) - panel.slider.min) / panel.slider.step
    assert places == pytest.approx(places.round())
    assert max(np.diff(coarse)) > 3 * max(np.diff(values))
    assert values[0] == panel.slider.min and values[-1] == panel.slider.max


def test_the_page_is_answered_between_two_runs_while_lines_are_filled_in(runs, monkeypatch):
    panel, order = nl.widgets.ood_sweep(runs, "stepsize", n=2), []

    def asked(runs, *rest):
        order.append(len(runs))
        return nl.widgets.answers(runs, *rest)

    async def page():
        filling = asyncio.create_task(panel.fill())
        while not filling.done():
            await asyncio.sleep(0.001)
            order.append("page")

    monkeypatch.setattr(sweep, "answers", asked)
    asyncio.run(page())
    turns = [key for key, _ in itertools.groupby(order)]
    assert [turn for turn in turns if turn == 1] == [1] * len(runs)  # each run has its own turn
    assert turns.count(len(runs)) == 1  # then all, remembered, for the picture


def test_a_move_that_comes_while_the_panel_draws_is_drawn_after_it(runs, monkeypatch):
    panel, finished = nl.widgets.ood_sweep(runs[:2], "stepsize", n=2), threading.Event()
    end, spell, ask = panel.slider.max, sweep.words, sweep.answers
    page = threading.Thread(target=lambda: setattr(panel.slider, "value", end))

    def words(*asked):
        if page.ident is None:
            page.start()
            until(lambda: panel.slider.value == end, "the slider has moved")
        return spell(*asked)

    def answers(runs, slot, value, n):
        if value == end:
            finished.wait(30)  # not yet answered when the panel goes on to draw
        return ask(runs, slot, value, n)

    monkeypatch.setattr(sweep, "words", words)
    monkeypatch.setattr(sweep, "answers", answers)
    panel.slider.value = panel.slider.min
    assert drawn(panel).layout.meta["true"] == panel.slider.min
    finished.set()
    page.join()
    assert drawn(panel).layout.meta["true"] == end and "<td>" in panel.table.value


def test_a_kept_view_is_whole_and_its_cell_makes_the_same(runs, module_home):
    gaps, kept = SPEC.task.gaps["stepsize"], module_home / "figures/quick/explore"
    others = {*kept.glob("*.json")}  # of other tests
    page = sweep.keep(runs, "stepsize", 0.65, [0.2, 0.4, 0.65], 2, gaps)
    (path,) = {*kept.glob("stepsize-0-65-*.json")} - others
    before = {s: path.with_suffix(s).read_bytes() for s in (".png", ".svg", ".csv")}
    assert json.loads(path.with_suffix(".json").read_text())["runs"]
    view = pd.read_csv(path.with_suffix(".csv"))
    assert set(view.part) == {"answer", "word", "argmax", "expectation"}
    assert sorted(view[view.part == "answer"].true.unique()) == [0.2, 0.4, 0.65]
    for file in before:
        path.with_suffix(file).unlink()
    exec(html.unescape(re.search("<pre.*?>(.*)</pre>", page, re.DOTALL)[1]), {})
    assert before == {s: path.with_suffix(s).read_bytes() for s in before}


def test_a_view_that_cannot_be_kept_is_answered_until_the_slider_moves(runs, monkeypatch):
    def full(*_):
        raise OSError("no room")

    monkeypatch.setattr("numlab.figures.filing.save_figure", full)
    panel = nl.widgets.ood_sweep(runs[:1], "stepsize", n=2)
    panel.button.click()
    assert "Not kept: no room" in panel.message.value
    panel.slider.value = panel.slider.max
    assert panel.message.value == ""


@dataclass(frozen=True)
class Outside(nl.XVal):
    """An encoder of a module of one's own."""


def test_a_kept_view_names_the_modules_of_its_encoders(module_home):
    run = nl.train(spec(Outside(), steps=1))
    page = html.unescape(sweep.keep([run], "stepsize", 0.65, [0.65], 1, ((0.5, 0.6),)))
    assert f"nl.Run.stored(digest, ('{__name__}',))" in page
    assert nl.Run.stored(run.digest, (__name__,)) == run


def test_views_of_other_runs_are_figures_of_their_own(runs, module_home):
    view = "stepsize", 0.7, [0.2, 0.4, 0.7], 2, SPEC.task.gaps["stepsize"]
    pages = [sweep.keep(some, *view) for some in (runs[:1], runs)]
    names = {re.search(r"explore/\S+?\.png", page)[0] for page in pages}
    assert len(names) == 2


def test_a_digest_that_the_store_does_not_hold_is_named(module_home):
    with pytest.raises(ValueError, match="no run abc"):
        nl.Run.stored("abc")


def test_a_run_of_an_older_version_is_not_taken_for_one_of_today(runs, monkeypatch):
    digest = runs[0].digest
    assert nl.Run.stored(digest) == runs[0]
    monkeypatch.setattr(nl.P1000, "version", 99, raising=False)
    with pytest.raises(ValueError, match="of an older version"):
        nl.Run.stored(digest)
