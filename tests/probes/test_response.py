import numpy as np
import pandas as pd
import pytest

import numlab as nl
from numlab import evaluation
from numlab.probes import largest_jumps, response


def sweep(predicted):
    predicted = np.asarray(predicted, float)
    return pd.DataFrame(
        {"input": range(len(predicted)), "predicted": predicted, "valid": ~np.isnan(predicted)}
    )


def test_the_jumps_of_a_smooth_curve_fall_with_the_sweep():
    x = np.linspace(0, 3, 2**10 + 1)
    jumps = largest_jumps(sweep(np.tanh(x))).set_index("points").jump
    assert jumps[2**10 + 1] < jumps[2**7 + 1] / 7.5


def test_the_jumps_of_a_staircase_do_not():
    x = np.linspace(0, 3, 2**10 + 1)
    jumps = largest_jumps(sweep(np.round(x, 1))).set_index("points").jump
    assert jumps[2**10 + 1] == pytest.approx(jumps[2**6 + 1]) == pytest.approx(1 / 30)


def test_invalid_outputs_are_stepped_over():
    assert largest_jumps(sweep([0, np.nan, 1, 4, 4])).jump.tolist() == [1.0, 0.75, 0.75]


def test_a_constant_output_has_no_jump():
    assert largest_jumps(sweep([2, 2, 2])).jump.tolist() == [0.0, 0.0]


def test_sweeps_that_cannot_be_halved_are_refused():
    with pytest.raises(ValueError, match=r"2\^m \+ 1 points; got 4"):
        largest_jumps(sweep([0, 1, 2, 3]))


def test_one_text_is_moved_and_another_number_asked():
    with pytest.raises(ValueError, match="'a' moved and 'a' asked"):
        response(None, [None], "a", [1.0], "a")


def test_the_moved_number_moves_and_all_else_stays(monkeypatch):
    asked = []

    def predict(run, examples, slot):
        asked.append((examples[0].numbers.tolist(), slot))
        return pd.DataFrame({"predicted": [7.0, 8.0], "valid": True})

    monkeypatch.setattr(evaluation, "predict", predict)
    text = nl.Examples(nl.Layout.of("{a} {b} {c}"), [[1.0, 2.0, 3.0]])
    frame = response(None, text, "b", [5.0, 6.0], "c")
    assert asked == [([[1, 5, 3], [1, 6, 3]], "c")]
    assert frame.input.tolist() == [5, 6] and frame.predicted.tolist() == [7, 8]
