"""The drawings of xval/encodings, and what they show of runs."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

import numlab as nl
from notebooks.conftest import load

figures, probes = load("xval/encodings_figures"), load("xval/responses")
largest_jumps, responses = probes.largest_jumps, probes.responses


def sweep(predicted):
    predicted = np.asarray(predicted, float)
    frame = pd.DataFrame({"input": range(len(predicted)), "predicted": predicted})
    return frame.assign(valid=frame.predicted.notna(), encoder="XVal", seed=0)


def test_the_jumps_of_a_smooth_curve_fall_with_the_sweep():
    x = np.linspace(0, 3, 2**10 + 1)
    jumps = largest_jumps(sweep(np.tanh(x))).set_index("points").jump
    assert jumps[2**10 + 1] < jumps[2**7 + 1] / 7.5


def test_the_jumps_of_a_staircase_do_not():
    x = np.linspace(0, 3, 2**10 + 1)
    jumps = largest_jumps(sweep(np.round(x, 1))).set_index("points").jump
    assert jumps[2**10 + 1] == pytest.approx(jumps[2**6 + 1]) == pytest.approx(1 / 30)


def test_invalid_outputs_are_skipped():
    assert largest_jumps(sweep([0, np.nan, 1, 4, 4])).jump.tolist() == [1.0, 0.75, 0.75]


def test_without_a_valid_output_no_jump_is_known():
    assert largest_jumps(sweep([np.nan] * 3)).jump.isna().all()


def test_a_constant_output_has_no_jump():
    assert largest_jumps(sweep([2, 2, 2])).jump.tolist() == [0.0, 0.0]


def test_each_run_has_its_own_jumps():
    both = pd.concat([sweep([0, 1, 2]), sweep([0, 0, 3]).assign(seed=1)])
    assert largest_jumps(both).jump.tolist() == [1.0, 0.5, 1.0, 1.0]


def test_sweeps_that_cannot_be_halved_are_refused():
    with pytest.raises(ValueError, match=r"2\^m \+ 1 points; got 4"):
        largest_jumps(sweep([0, 1, 2, 3]))


def test_one_text_moves_and_another_number_is_predicted():
    with pytest.raises(ValueError, match="1 texts, 'a' and 'a'"):
        responses([], [None], "a", [1.0], "a")


def test_one_number_moves_and_the_others_stay(monkeypatch):
    asked = []

    def predict(runs, examples, slot):
        asked.append((examples[0].numbers.tolist(), slot))
        return pd.DataFrame(
            {"encoder": "XVal", "seed": 0, "example": [0, 1], "predicted": [7, 8], "valid": True}
        )

    monkeypatch.setattr(nl, "predict", predict)
    text = nl.Examples(nl.Layout.of("{a} {b} {c}"), [[1.0, 2.0, 3.0]])
    frame = responses([], text, "b", [5.0, 6.0], "c")
    assert asked == [([[1, 5, 3], [1, 6, 3]], "c")]
    assert frame.input.tolist() == [5, 6] and frame.predicted.tolist() == [7, 8]


def test_coefficients_are_tanh_of_the_scaled_number():
    numbers = np.array([-2.0, 0.03])
    frame = probes.coefficients(1, numbers)
    for scale, rows in frame.groupby("scale"):
        np.testing.assert_allclose(rows.coefficient, np.tanh(numbers * 10.0**scale), rtol=1e-6)


@pytest.fixture(scope="module")
def runs(module_home):
    spec = nl.RunSpec(
        task=nl.tasks.BinaryTrees(operands=2, bounds=(1.0, 2.0)),
        encoder=nl.P10(),
        objective=nl.MaskedLM(slots=1.0, literals=0.0, only=("answer",)),
        model=nl.GPT2(16, 1, 2, context=64),
        n_train=64,
        n_valid=8,
        n_test=8,
        steps=1,
        learning_rate=1e-3,
    )
    return [
        nl.train(dataclasses.replace(spec, encoder=encoder)) for encoder in (nl.P10(), nl.XVal())
    ]


def test_a_text_is_shown_as_each_model_reads_it_and_fills_it_in(runs):
    text = nl.Examples(nl.Layout.of("({a} * {b}) = {answer}"), [[1.32, 1.6, 2.112]])
    p10, xval = (probes.tokens(run, text, "answer") for run in runs)
    read = {name: f[f.part == "read"].word.tolist() for name, f in (("p10", p10), ("xval", xval))}
    assert read["p10"] == ["(", *nl.P10().spell(1.32), "*", *nl.P10().spell(1.6), ") =", *"?????"]
    assert read["xval"] == ["(", "[NUM]", "*", "[NUM]", ") =", "?"]
    assert xval.note[xval.kind == "number"].tolist()[:2] == ["× 1.32", "× 1.6"]
    assert (p10.part == "predicted").sum() == 5 and (xval.part == "predicted").sum() == 1
    assert p10.part.iloc[-1] == "number" and xval.note.iloc[-1] == "number head"


def test_a_figure_has_the_tokens_a_curve_for_each_encoder_and_the_jumps(runs):
    text = nl.Examples(nl.Layout.of("({a} * {b}) = {answer}"), [[1.32, 1.6, 2.112]])
    frame = responses(runs, text, "a", np.linspace(1, 2, 9), "answer")
    outputs = frame.assign(true=1.6 * frame.input, predicted=frame.predicted.where(frame.valid))
    tokens = pd.concat([probes.tokens(run, text, "answer") for run in runs])
    figure = figures.tokens_and_outputs(tokens, outputs, largest_jumps(frame))
    chips, p10, xval, jumps, *_ = figure.axes
    assert {"P10", "XVal", "[NUM]", "number head"} <= {t.get_text() for t in chips.texts}
    assert p10.get_title().startswith("P10: largest jump")
    assert xval.lines[0].get_ydata().tolist() == (1.6 * np.linspace(1, 2, 9)).tolist()
    assert jumps.get_xscale() == "log"


def test_each_scale_has_a_curve_and_a_shaded_decade():
    frame = probes.coefficients(1, np.geomspace(1e-2, 1e2, 9))
    linear, logarithmic = figures.coefficient_curves(frame).axes
    assert [line.get_label() for line in linear.lines] == [
        "[NUM-1]: tanh(x/10)",
        "[NUM+0]: tanh(x)",
        "[NUM+1]: tanh(10 x)",
    ]
    assert len(logarithmic.patches) == 3
