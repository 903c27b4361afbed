"""The drawings of the notebooks on pretrained models."""

import pandas as pd

from notebooks.conftest import load

figures = load("explore/figures")


def test_numbers_of_one_token_and_of_several_have_different_marks_and_one_scale_of_colours():
    rows = [
        (cloud, n, "one token" if n < 2 else "several tokens") for cloud in "ab" for n in (0, 1, 5)
    ]
    frame = pd.DataFrame(rows, columns=["cloud", "number", "tokens"]).assign(pc1=0.0, pc2=1.0)
    figure = figures.clouds(frame)
    panels = [ax for ax in figure.axes if ax.get_title()]
    assert [ax.get_title() for ax in panels] == ["a", "b"]
    for ax in panels:
        one, several = ax.collections
        assert (len(one.get_offsets()), len(several.get_offsets())) == (2, 1)
        assert one.get_clim() == several.get_clim() == (0, 5)
    (legend,) = figure.legends
    assert [t.get_text() for t in legend.get_texts()] == ["one token", "several tokens"]


def test_each_way_has_a_panel_with_its_errors_and_their_median():
    rows = [(way, 0, p, p + off, off) for way, off in (("a", 2.0), ("b", 0.5)) for p in (5, 9)]
    frame = pd.DataFrame(rows, columns=["numbers", "seed", "price", "answer", "error"])
    frame.loc[len(frame)] = ["a", 0, None, None, None]  # no price was asked for
    left, right = figures.answers(frame, ["#000000", "#C1272D"]).axes
    assert left.get_title() == "numbers a\nmedian error 2.00 euros, 100 % answered"
    assert right.collections[0].get_offsets().tolist() == [[5, 0.5], [9, 0.5]]
    assert len(left.collections[0].get_offsets()) == 2


def test_a_price_has_its_exponent():
    said = pd.Series([" It costs 1e-05 euros.", " It costs 1e+16 euros.", " It costs 12.5 euros."])
    assert load("explore/parcels").price(said).tolist() == [1e-5, 1e16, 12.5]
