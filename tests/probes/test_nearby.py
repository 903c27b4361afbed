"""The neighbours of a few numbers are those of all numbers."""

import numpy as np
import pytest

import numlab as nl
from numlab.embeddings import Embeddings, from_encoder

CLOUDS = {
    "distinct vectors": from_encoder(nl.FoNE(int_digits=3), np.arange(300.0)),
    "shared vectors": from_encoder(nl.P10(), np.arange(300.0)),
    "two vectors": Embeddings(np.arange(40.0), np.arange(40)[:, None] % 2 * np.ones(3), "parity"),
    "no order": from_encoder(nl.XVal(), np.random.default_rng(0).permutation(200) / 8),
}


@pytest.mark.parametrize("name", CLOUDS)
@pytest.mark.parametrize("k", [1, 10])
def test_they_come_to_the_f1_of_the_whole(name, k):
    e = CLOUDS[name]
    rows = np.array([0, 7, 13, len(e) - 1])
    frame = nl.probes.nearby(e, rows, k)
    by_number = frame.assign(both=frame.embedding * frame.line).groupby("number")
    assert by_number.embedding.sum().tolist() == pytest.approx([k] * 4)
    assert by_number.line.sum().tolist() == pytest.approx([k] * 4)
    whole = nl.probes.neighbour_f1(e, k).set_index("number").f1
    f1 = by_number.both.sum() / k
    assert f1.tolist() == pytest.approx(whole[f1.index].tolist(), abs=1e-9)


def test_a_number_is_no_neighbour_of_itself_and_there_are_so_many():
    frame = nl.probes.nearby(CLOUDS["distinct vectors"], [5], 3)
    assert 5 not in frame.neighbour.tolist()
    with pytest.raises(ValueError, match="1 to 39 neighbours; got k=40"):
        nl.probes.nearby(CLOUDS["two vectors"], [0], 40)
