"""Figures: what is drawn comes from the frame, in the house style, and nothing leaks."""

import itertools
import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from numlab import plots

FAMILIES = ("P10", "P1000", "B1999", "FP15", "XVal", "FoNE", "Digits", "Subword")
AGGREGATES = ("weighted sum", "sum", "mean", "median", "max", "min")
FRAME = pd.DataFrame(
    [
        (pool, name, digits, seed, 0.5 / digits + 0.1 * seed)
        for pool in ("one", "two")
        for name in ("weighted sum", "sum")
        for digits in (1, 2, 3)
        for seed in (0, 1)
    ],
    columns=["pool", "aggregate", "digits", "seed", "f1"],
)


@pytest.mark.parametrize("names", [FAMILIES, AGGREGATES, [f"XVal(k={k})" for k in range(5)]])
def test_names_of_one_figure_have_a_color_each(names):
    assert len({plots.encoder_color(n) for n in names}) == len(names)


@pytest.mark.parametrize("names", [FAMILIES, AGGREGATES])
def test_names_of_one_figure_have_a_marker_each(names):
    assert len({plots.encoder_marker(n) for n in names}) == len(names)


def test_an_encoder_keeps_its_color_whatever_its_parameters():
    assert plots.encoder_color("FoNE(int_digits=3, signed=False)") == plots.encoder_color("FoNE")
    assert plots.encoder_color("XVal(k=0, scale=1.0)") == plots.encoder_color("XVal")


def test_an_unknown_encoder_has_a_color_of_its_own():
    color = plots.encoder_color("Mine(base=12)")
    assert mpl.colors.is_color_like(color)
    assert color == plots.encoder_color("Mine")
    assert color not in {plots.encoder_color(n) for n in FAMILIES}


def test_curves_draw_the_mean_and_a_band_from_least_to_greatest():
    figure = plots.curves(FRAME, "digits", "f1", "aggregate", "pool")
    assert [ax.get_title() for ax in figure.axes] == ["one", "two"]
    for ax in figure.axes:
        assert [line.get_label() for line in ax.lines] == ["weighted sum", "sum"]
        np.testing.assert_allclose(ax.lines[0].get_ydata(), 0.5 / np.arange(1, 4) + 0.05)
        low, high = ax.collections[0].get_paths()[0].get_extents().intervaly
        assert (low, high) == (pytest.approx(0.5 / 3), pytest.approx(0.6))


def test_one_panel_needs_no_title():
    figure = plots.curves(FRAME, "digits", "f1", "aggregate")
    assert [ax.get_title() for ax in figure.axes] == [""]


def test_every_axis_is_named_and_the_legend_names_each_line_once():
    figure = plots.curves(FRAME, "digits", "f1", "aggregate", "pool")
    assert [ax.get_ylabel() for ax in figure.axes] == ["f1", ""]
    assert {ax.get_xlabel() for ax in figure.axes} == {"digits"}
    (legend,) = figure.legends
    assert [t.get_text() for t in legend.get_texts()] == ["weighted sum", "sum"]


def test_no_label_is_clipped():
    figure = plots.curves(FRAME, "digits", "f1", "aggregate", "pool")
    figure.draw_without_rendering()
    inside = figure.bbox
    for artist in [*figure.legends, *figure.axes]:
        box = artist.get_tightbbox()
        assert inside.x0 <= box.x0 and box.x1 <= inside.x1
        assert inside.y0 <= box.y0 and box.y1 <= inside.y1


def test_a_notebooks_function_draws_in_the_style_and_leaves_none_behind():
    before = dict(mpl.rcParams)

    @plots.styled
    def mine():
        assert not mpl.rcParams["axes.spines.top"]
        figure, (ax,) = plots.panels(1)
        ax.plot([1, 2])
        return figure

    assert mine().get_layout_engine() is not None
    assert dict(mpl.rcParams) == before


def test_seeds_are_dots_around_the_line_of_their_mean():
    rows = [(x, seed, x * seed) for x in (1, 2) for seed in (0, 3, 9)]
    frame = pd.DataFrame(rows, columns=["n", "seed", "score"]).assign(encoder="FoNE")
    (ax,) = plots.curves(frame, "n", "score", "encoder").axes
    dots = ax.collections[-1].get_offsets().tolist()
    assert dots == [[1, 0], [1, 3], [1, 9], [2, 0], [2, 6], [2, 18]]
    assert ax.lines[0].get_ydata().tolist() == [4, 8]


def test_more_panels_than_fit_a_row_go_on_in_the_next():
    figure, axes = plots.panels(5, columns=3)
    assert len(axes) == len(figure.axes) == 5


def test_drawing_leaves_pyplot_alone_and_the_import_leaves_matplotlib_alone():
    code = """
import sys, numlab.plots
assert "matplotlib" not in sys.modules and "pandas" not in sys.modules
import pandas as pd
numlab.plots.curves(pd.DataFrame({"x": [1], "y": [2], "name": ["sum"]}), "x", "y", "name")
assert "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_spectra_mark_the_peaks_and_each_threshold():
    frequency = np.arange(1, 51) / 100
    frame = pd.concat(
        pd.DataFrame(
            {"frequency": frequency, "power": power, "threshold": 2 + power, "stage": f"{power}"}
        ).assign(source="one", peak=frequency == 0.1)
        for power in (1, 3)
    )
    (ax,) = plots.spectra(frame).axes
    assert [line.get_xdata().tolist() for line in ax.lines[1::3]] == [[0.1], [0.1]]
    assert [set(line.get_ydata()) for line in ax.lines[2::3]] == [{3}, {5}]
    assert [label.get_text() for label in ax.get_xticklabels()] == [
        "20",
        "10",
        "5",
        "3⅓",
        "2.5",
        "2",
    ]


def test_errors_in_a_gap_are_sorted_beside_grey_baselines():
    errors = {"P10": (0.5, 0.9), "XVal": (0.1, 0.2), "boosting": (0.4, 1.5)}
    parts = ("as in training", "in a gap")
    rows = [
        (n, p, e, e / 2, 2 * e)
        for n, own in errors.items()
        for p, e in zip(parts, own, strict=True)
    ]
    frame = pd.DataFrame(rows, columns=["encoder", "part", "error", "low", "high"])
    (ax,) = plots.gap_errors(frame, ["boosting"]).axes
    assert [label.get_text() for label in ax.get_yticklabels()] == ["XVal", "boosting", "P10"]
    at = sorted((y, x) for c in ax.collections for x, y in np.asarray(c.get_offsets()) if y == y)
    expected = [(0, 0.1), (0, 0.2), (1, 0.4), (1, 1.5), (2, 0.5), (2, 0.9)]
    np.testing.assert_allclose([p for p in at if p[1] > 0], expected)


@pytest.mark.parametrize("least", [0.3, 1e-2, 1e-5, 1e-12])
def test_errors_of_many_decades_have_ticks_that_can_be_read(least):
    frame = pd.DataFrame({"encoder": ["P10", "XVal"], "error": [1.0, least]})
    frame = frame.assign(part="as in training", low=frame.error, high=frame.error)
    figure = plots.gap_errors(frame)
    figure.draw_without_rendering()
    (ax,) = figure.axes
    low, high = ax.get_xlim()
    labels = [t for t in ax.get_xticklabels() if low <= t.get_position()[0] <= high]
    boxes = [label.get_window_extent() for label in labels]
    assert len(boxes) > 1
    assert all(a.x1 < b.x0 for a, b in itertools.pairwise(boxes))


def test_intervals_that_miss_their_number_have_another_colour():
    rows = [(1, 1.5, 0, 2), (2, 2, 1, 3), (5, 2, 1, 3)]
    frame = pd.DataFrame(rows, columns=["true", "predicted", "low", "high"])
    (ax,) = plots.intervals(frame, "y").axes
    dots = {c.get_label(): len(c.get_offsets()) for c in ax.collections}
    assert (dots["the interval holds it"], dots["the interval misses it"]) == (2, 1)
    assert ax.get_xlabel() == "true y"


def test_a_name_with_dollars_is_no_mathematics(tmp_path):
    rows = {"true": [1.0, 2.0], "predicted": [1.0, 2.0], "low": [0.0, 1.0], "high": [2.0, 3.0]}
    figure = plots.intervals(pd.DataFrame(rows), "in $, 1% of $")
    figure.savefig(tmp_path / "picture.png")
    assert figure.axes[0].get_xlabel() == r"true in \$, 1% of \$"


def test_a_learning_curve_is_pale_if_another_run_of_its_encoder_went_on():
    ends = {("P10", 0): 50, ("P10", 1): 100, ("FoNE", 2): 300}  # of runs, in steps
    rows = [(e, run, step, 1 / (1 + step)) for (e, run), n in ends.items() for step in (0, n)]
    frame = pd.DataFrame(rows, columns=["encoder", "run", "step", "loss"]).assign(panel="sums")
    (ax,) = plots.learning_curves(frame).axes
    shown = {(line.get_label(), line.get_xdata()[-1]): line.get_alpha() for line in ax.lines}
    assert shown == {("P10", 50): 0.3, ("P10", 100): 1, ("FoNE", 300): 1}


@pytest.mark.parametrize(
    ("losses", "scale"),
    [([5.0, 0.1, 0.1], "log"), ([2.0, -1.0, -1.0], "linear"), ([1e6, -1.0, -1.0], "symlog")],
)
def test_losses_over_decades_have_a_logarithmic_axis(losses, scale):
    frame = pd.DataFrame({"run": 0, "step": range(3), "loss": losses, "encoder": "FoNE"})
    (ax,) = plots.learning_curves(frame.assign(panel="sums")).axes
    assert ax.get_yscale() == scale


def test_losses_that_are_far_lower_than_those_of_another_encoder_have_their_own_panel():
    rows = [("P10", 0, 2.0), ("FP15", 1, 1.5), ("XVal", 2, 0.01)]
    frame = pd.DataFrame(rows, columns=["encoder", "run", "loss"]).assign(panel="sums")
    figure = plots.learning_curves(pd.concat([frame.assign(step=n) for n in (0, 50)]))
    drawn = {ax.get_title(): {line.get_label() for line in ax.lines} for ax in figure.axes}
    assert drawn == {"sums": {"P10", "FP15"}, "sums: lower losses": {"XVal"}}


def test_a_sweep_draws_what_lies_beyond_an_axis_at_its_end():
    rows = {"true": [1.0, 2.0], "median": [50.0, 60.0], "low": [49.0, 59.0], "high": [51.0, 61.0]}
    view = pd.DataFrame(rows).assign(part="answer", encoder="XVal")
    above, below = plots.sweep(view).axes
    for ax in (above, below):
        drawn, (low, high) = ax.lines[-1].get_ydata(), ax.get_ylim()
        assert (low <= drawn).all() and (drawn <= high).all()


def test_sources_may_have_spectra_of_different_stages():
    power = {"frequency": [0.1, 0.2], "power": [1.0, 2.0], "threshold": 3.0, "peak": False}
    rows = [pd.DataFrame(power).assign(source=name, stage=f"of {name}") for name in ("a", "b")]
    assert [len(ax.lines) for ax in plots.spectra(pd.concat(rows)).axes] == [3, 3]


def test_an_error_of_zero_is_drawn_left_of_all_others():
    rows = {"encoder": ["P10", "XVal"], "part": "as in training", "error": [0.0, 0.2]}
    frame = pd.DataFrame(rows)
    (ax,) = plots.gap_errors(frame.assign(low=frame.error, high=frame.error)).axes
    at = [p for c in ax.collections for p in np.asarray(c.get_offsets()).tolist() if p[0] > 0]
    assert at == [[0.1, 0.0], [0.2, 1.0]] and ax.get_xlim()[0] < 0.1


def test_a_sweep_of_one_value_is_drawn(recwarn):
    rows = {"true": [1.0], "median": [1.1], "low": [1.0], "high": [1.2]}
    frame = pd.DataFrame(rows).assign(part="answer", encoder="XVal")
    above, below = plots.sweep(frame).axes
    assert above.get_xlim() == (0.95, 1.05) and not list(recwarn)
    assert below.lines[0].get_ydata() == pytest.approx(0.1)
