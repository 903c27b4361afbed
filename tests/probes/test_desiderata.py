"""The report card: oracles of each measure, and an encoder of the user's own."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

import numlab as nl
from numlab import plots
from numlab.cli import app
from numlab.codes import ScaledCode
from numlab.encoders.named import named
from numlab.plots.cards import as_text
from numlab.probes import desiderata
from numlab.probes.desiderata import MEASURES, report_card, worst

UNTRAINED = [name for name in MEASURES if not name.startswith("log-sMAPE")]


@dataclass(frozen=True)
class OneLine(ScaledCode, nl.ValueEncoder):
    """The logarithm of a number's size on the first entry, 1 on the second."""

    scale: float = 1.0
    head = None

    def embedding(self, d_model):
        def module(features, words):
            vectors = torch.zeros(len(features), d_model)
            vectors[:, 0] = features[:, 0].abs().log10()
            vectors[:, 1] = 30.0
            return vectors

        return module


@pytest.fixture(scope="module")
def cards():
    graded = [nl.XVal(), nl.FoNE(8, 7), nl.BitTokens(), nl.P10(), nl.IEEE754(16), OneLine()]
    frame = report_card(graded)
    return frame, {name: rows.set_index("measure").value for name, rows in frame.groupby("encoder")}


def test_every_encoder_has_every_measure_and_a_score(cards):
    frame, by_name = cards
    assert all(list(values.index) == UNTRAINED for values in by_name.values())
    assert frame.score.between(0, 1).all()


def test_a_number_is_one_token_or_as_many_as_it_is_spelled_in(cards):
    _, by_name = cards
    assert by_name["XVal"]["tokens"] == 1
    assert by_name["P10"]["tokens"] == 5


def test_all_bits_tell_all_numbers_apart_and_three_figures_only_their_own(cards):
    _, by_name = cards
    assert by_name["BitTokens"][["unique", "read back"]].tolist() == [1, 1]
    assert by_name["P10"]["unique"] < 0.5
    assert by_name["P10"]["read back"] < 0.01


def test_the_worst_numbers_share_their_encoding_or_do_not_return():
    pairs = worst(nl.P10(), "unique").reshape(-1, 2)
    least, greatest = (nl.P10().encode(side).ids for side in pairs.T)
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert (least == greatest).all()
    lost = worst(nl.P10(), "read back")
    errors = np.abs((nl.P10().decode(nl.P10().encode(lost)) - lost) / lost)
    assert errors[0] == pytest.approx(0.005, rel=0.02) and (np.diff(errors) <= 0).all()
    assert [len(worst(nl.XVal(), m)) for m in ("unique", "read back", "step")] == [0, 0, 0]


def test_a_line_of_logarithms_has_the_structure_of_the_log_line(cards):
    _, by_name = cards
    assert by_name["OneLine"]["rank correlation"] == pytest.approx(1, abs=1e-3)
    assert by_name["OneLine"]["neighbour F1"] > 0.97


def test_decades_are_those_that_the_format_holds(cards):
    _, by_name = cards
    digits = [name for name in UNTRAINED if name.startswith("decades")]
    assert by_name["BitTokens"][digits].tolist() == [615, 615]
    assert by_name["FoNE(int_digits=8, frac_digits=7)"][digits].tolist() == [10, 1]
    assert by_name["IEEE754(bits=16)"][digits].tolist() == [0, 0]


def test_a_value_times_a_vector_is_lost_in_a_norm_and_bits_are_not(cards):
    _, by_name = cards
    assert by_name["XVal"]["read back, RMSNorm"] == 0
    assert by_name["XVal"]["RMS ratio"] > 1e20
    assert by_name["BitTokens"]["read back, RMSNorm"] == 1
    assert by_name["BitTokens"]["RMS ratio"] == pytest.approx(1)


def test_bits_and_words_stand_float8_and_a_value_not_even_bf16(cards):
    _, by_name = cards
    for name in ("BitTokens", "P10"):
        assert by_name[name]["read back, float8"] == 1
    assert by_name["XVal"]["read back, bf16"] < 0.1


def test_a_small_step_is_small_on_a_line_and_large_in_bits(cards):
    _, by_name = cards
    assert by_name["OneLine"]["step"] == pytest.approx(2**-20 / np.log(10) / (29 / 3), rel=0.1)
    assert by_name["BitTokens"]["step"] > 0.3
    assert by_name["P10"]["step"] > 0.3  # of the few that round to another word


def test_noise_of_a_value_is_that_of_its_projection(cards):
    """The nearest multiple of v is off by sigma / sqrt(d) of x: 1e-3 at 2.6 deviations."""
    _, by_name = cards
    most = 1e-3 * 256**0.5 / 2.6
    assert most / 4 < by_name["XVal"]["noise"] <= most
    assert by_name["BitTokens"]["noise"] >= 1


def test_the_published_tick_stands_beside_the_numbers_of_those_it_judges(cards):
    frame, _ = cards
    ticks = frame.set_index(["encoder", "measure"]).published
    assert ticks["XVal", "noise"] == 0.5 and ticks["XVal", "tokens"] == 1
    assert ticks["XVal", "decades, 6 digits"] == 0
    assert ticks["XVal", "read back, bf16"] == 0 and ticks["BitTokens", "step"] == 0.5
    assert ticks["P10"].isna().all()
    assert "0.5 ✓" in as_text(frame[frame.encoder == "XVal"], dict.fromkeys(MEASURES, "what"))


def test_two_fits_of_one_encoder_have_two_names():
    fits = [nl.Standardised(columns=[["*", 0, 0, unit]]) for unit in (1.0, 1e6)]
    assert [*report_card(fits).encoder.unique()] == ["XVal (by column)", "XVal (by column) #2"]


def test_the_same_seed_gives_the_same_card(cards):
    frame, _ = cards
    first = frame[frame.encoder == "P10"].reset_index(drop=True)
    assert report_card(nl.P10()).equals(first)
    assert not report_card(nl.P10(), seed=1).equals(first)


@pytest.mark.parametrize(
    "encoder", [nl.FoNE(20), nl.LogBins(), nl.IntegerVocabulary(), nl.Aggregate()], ids=str
)
def test_integers_bins_and_lengths_have_a_card(encoder):
    card = report_card(encoder)
    assert card.measure[card.value.isna()].isin(["step"]).all()  # of wide bins none differ
    assert card.score.between(0, 1).all()


def test_an_encoder_of_other_numbers_than_those_measured_is_refused():
    with pytest.raises(ValueError, match="XVal.* writes no decade from 1e-14 to 1e14"):
        report_card(nl.XVal(scale=1e300))


def test_a_picture_has_a_column_for_each_encoder(cards):
    frame, by_name = cards
    (ax,) = plots.report_card(frame).axes
    assert len(ax.get_xticklabels()) == len(by_name)
    assert len(ax.get_yticklabels()) == len(UNTRAINED)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Nope", "no encoder is named 'Nope'; there are .*BitTokens"),
        ("Encoder", "no encoder is named 'Encoder'; there are .*mymodule:MyEncoder"),
        ("fone(4)", "no encoder is named 'fone'; did you mean FoNE?"),
        ("math:sqrt", "'math:sqrt' is not an encoder: expected a subclass"),
        ("FoNE(", "written like BitTokens"),
        ("FoNE(print(1))", "written like BitTokens"),
        ("FoNE({[]: 1})", "written like BitTokens"),
        ("FoNE(colour=1)", "is not an encoder: .*colour"),
        (
            "FoNE(1, 2, True, (10,), 5, 6, 7, 8)",
            r"it is FoNE\(int_digits, frac_digits, signed, periods, ",
        ),
        ("no_such_module:Mine", "'no_such_module' cannot be imported: No module named"),
    ],
)
def test_what_names_no_encoder_is_refused(text, said):
    with pytest.raises(ValueError, match=said):
        named(text)


def test_an_argument_may_hold_a_colon():
    text = "numlab.encoders:FusedBins(centres=(('a:b', (1.0, 2.0)),))"
    assert named(text) == named(text.partition(":")[2]) == nl.FusedBins((("a:b", (1.0, 2.0)),))


MINE = """
from dataclasses import dataclass
import numlab as nl

@dataclass(frozen=True)
class Mine(nl.P10):
    figures: int = 2
"""


def test_the_command_takes_an_encoder_from_a_file_of_the_users_own(tmp_path, monkeypatch):
    (tmp_path / "mymodule.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path])  # as a command has it
    command = ["bench", "mymodule:Mine(figures=4)", "--json", "--picture", "card.svg"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    card = json.loads(done.stdout)
    assert {row["encoder"] for row in card} == {"Mine(figures=4)"}
    assert [row["measure"] for row in card] == UNTRAINED
    assert (tmp_path / "card.svg").stat().st_size > 1000


@pytest.mark.parametrize(
    ("measure", "value", "score"),
    [
        ("tokens", 5.0, 0.2),
        ("RMS ratio", 4.0, 0.25),
        ("decades, 6 digits", 29, 1.0),
        ("decades, 15 digits", 14.5, 0.5),
        ("step", 0.25, 0.75),
        ("step", np.nan, 0.0),
        ("noise", 1.0, 1.0),
        ("noise", 2.0**-12, 0.5),
        ("noise", 0.0, 0.0),
        ("unique", 0.3, 0.3),
        ("log-sMAPE of sums", np.nan, 0.0),
    ],
)
def test_a_measure_has_its_score(measure, value, score):
    assert desiderata._score(measure, value) == pytest.approx(score)


@dataclass(frozen=True)
class Arc(ScaledCode, nl.ValueEncoder):
    """The logarithm of a number's size as an angle of up to half a turn: chords bend, ranks not."""

    scale: float = 1.0
    head = None

    def embedding(self, d_model):
        def module(features, words):
            angle = features[:, 0].abs().log10() * np.pi / 29
            vectors = torch.zeros(len(features), d_model)
            vectors[:, 0], vectors[:, 1] = angle.cos(), angle.sin()
            return vectors

        return module


def test_the_rank_correlation_is_of_ranks():
    values = report_card(Arc()).set_index("measure").value
    assert values["rank correlation"] == pytest.approx(1, abs=1e-4)


def test_numbers_of_both_signs_are_told_apart_and_read_back():
    assert (desiderata._Measured(nl.XVal()).draw(1000, 0, signed=True) < 0).mean() > 0.4
    assert (desiderata._Measured(nl.XVal()).draw(1000, 0) > 0).all()


def test_the_encodings_that_most_numbers_share_come_first():
    rng = desiderata._Measured(nl.P10())
    x = rng.draw(desiderata.MANY, 0, signed=True).astype(float)
    _, code, size = np.unique(
        nl.P10().encode(x).ids, axis=0, return_inverse=True, return_counts=True
    )
    first = nl.P10().encode(worst(nl.P10(), "unique")[:1]).ids
    assert size[code.ravel()[(nl.P10().encode(x).ids == first).all(1)][0]] == size.max()
