import ast
import dataclasses
import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from notebooks.conftest import load

import numlab as nl
from numlab.tasks import Climate, Temperature
from numlab.tasks.temperature import clock, distinct_cells, layout

stations = load("xval/stations").stations

CLIMATE = Climate(years=2, degrees=15.0)
TASK = Temperature(CLIMATE, stations=(3, 5), times=(3, 4))


@pytest.fixture(scope="module")
def many():
    return TASK.sample(3000, seed=0)


@pytest.mark.parametrize(
    ("encoder", "paper"),
    [
        (nl.P10(), 8222),
        (nl.P1000(), 5010),
        (nl.B1999(), 3404),
        (nl.FP15(), 1798),
        (nl.XVal(), 1798),
    ],
    ids=str,
)
def test_the_longest_text_needs_the_context_of_the_paper(encoder, paper):
    """Table 7, as corrected: our literals of it have 9 tokens fewer."""
    task = Temperature(Climate(years=1, degrees=15.0), stations=(89, 89), times=(15, 15))
    corpus = nl.Tokenizer.of(task.layouts(), encoder)(task.sample(1, seed=0))
    assert corpus.lengths.tolist() == [paper - 9]


def test_the_text_is_the_json_of_the_paper():
    examples = TASK.sample(1, seed=0)[0]
    text, told = examples.text(0, repr), stations(examples)
    said = ast.literal_eval(text)
    assert text.startswith("{'description':{'coords':[[") and text.endswith("]]}")
    assert np.array_equal(said["description"]["coords"], told.coordinates[0])
    assert np.array_equal(said["description"]["start"], told.start[0])
    assert np.array_equal(said["data"], told.temperatures[0])


def test_the_last_temperature_of_every_station_is_asked_for_at_once():
    for k, s in ((3, 3), (3, 11)):
        names = [slot.name for slot in layout(k, s).slots]
        last = [n for n in names if n.startswith("next")]
        assert last == ["next0", "next1", "next2"]
        after = [names[names.index(n) - 1] for n in last]
        assert after == [f"T{i}.{s - 2}" for i in range(3)]


def test_numbers_are_those_of_the_field(many):
    field = TASK.field()
    for e in many:
        told = stations(e)
        north = np.degrees(np.arcsin(told.coordinates[:50, :, 0]))
        east = np.degrees(np.arctan2(told.coordinates[:50, :, 1], told.coordinates[:50, :, 2]))
        row = np.abs(north[..., None] - field.latitudes).argmin(-1)
        column = np.abs(east[..., None] - field.longitudes).argmin(-1)
        series = (field.kelvin[:, row, column] - field.mean) / field.std  # (times, texts, stations)
        windows = np.lib.stride_tricks.sliding_window_view(series, told.temperatures.shape[2], 0)
        found = np.isclose(windows, told.temperatures[:50], atol=1e-5).all((2, 3))
        assert found.any(axis=0).all()
        at = found.argmax(axis=0)
        assert np.allclose(clock(field.hours[at]), told.start[:50])


def test_temperatures_are_as_many_hours_apart_as_the_task_says():
    day = dataclasses.replace(TASK, stations=(3, 3), times=(2, 2), step=24)
    field = day.field()
    (e,) = day.sample(50, seed=0)
    told = stations(e)
    north = np.degrees(np.arcsin(told.coordinates[..., 0]))
    east = np.degrees(np.arctan2(told.coordinates[..., 1], told.coordinates[..., 2]))
    row = np.abs(north[..., None] - field.latitudes).argmin(-1)
    column = np.abs(east[..., None] - field.longitudes).argmin(-1)
    series = ((field.kelvin - field.mean) / field.std)[:, row, column]  # (times, texts, stations)
    now, a_day_later = (
        np.isclose(v, told.temperatures[..., i], atol=1e-5).all(-1)
        for i, v in ((0, series[:-3]), (1, series[3:]))
    )
    assert (now & a_day_later).any(axis=0).all()
    with pytest.raises(ValueError, match="divides 4 hours; got 8"):
        dataclasses.replace(TASK, step=4).sample(1, seed=0)


def test_temperatures_have_mean_0_and_standard_deviation_1(many):
    every = np.concatenate([stations(e).temperatures.ravel() for e in many])
    assert every.mean() == pytest.approx(0, abs=0.05)
    assert every.std() == pytest.approx(1, abs=0.05)


def test_numbers_of_stations_and_times_are_uniform(many):
    shapes = {stations(e).temperatures.shape[1:]: len(e) for e in many}
    assert set(shapes) == {(k, s) for k in (3, 4, 5) for s in (3, 4)}
    assert list(shapes.values()) == pytest.approx([500] * 6, rel=0.2)


def test_a_clock_tells_hour_and_day_of_the_year():
    """As in the example of D.1.1, xval: [0, 1, -.026, -1] is midnight of 3 July."""
    now = datetime.datetime(2019, 7, 3, tzinfo=datetime.UTC)
    hours = np.array([now.timestamp() / 3600, now.timestamp() / 3600 + 6]).astype(int)
    assert clock(hours)[0] == pytest.approx([0, 1, -0.026, -1], abs=5e-4)
    assert clock(hours)[1, :2] == pytest.approx([1, 0], abs=1e-9)


@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(0, 4))
def test_cells_of_a_text_are_different_cells_of_the_grid(seed, k, more):
    u = np.random.default_rng(seed).random((2, 20, k))
    cells = distinct_cells(*u, k + more)
    assert cells.min() >= 0 and cells.max() < k + more
    assert all(len(set(row)) == k for row in cells.tolist())


def test_every_order_of_cells_is_as_likely():
    cells = distinct_cells(*np.random.default_rng(0).random((2, 60_000, 3)), 5)
    orders, counts = np.unique(cells, axis=0, return_counts=True)
    assert len(orders) == 60 and counts == pytest.approx(1000, rel=0.15)


def test_corpora_of_a_split_share_no_time_and_the_last_is_the_earliest():
    task = Temperature(Climate(years=1, degrees=30.0), stations=(2, 2), times=(2, 5))
    every = clock(task.field().hours)
    first, last = [], []
    for part in task.split((300, 300, 300), seed=0):
        for_each = [(stations(e).start, stations(e).temperatures.shape[2]) for e in part]
        found = [np.isclose(every[:, None], start).all(-1).argmax(0) for start, _ in for_each]
        first.append(min(at.min() for at in found))
        last.append(max(at.max() + s - 1 for at, (_, s) in zip(found, for_each, strict=True)))
    test, valid, train = zip(first, last, strict=True)
    assert train[1] < valid[0] <= valid[1] < test[0]
    assert train[1] == pytest.approx(0.8 * len(every), abs=30)
    assert valid[1] == pytest.approx(0.9 * len(every), abs=10)


def test_a_split_stays_within_its_share_of_the_record():
    task = Temperature(
        Climate(years=1, degrees=30.0), stations=(2, 2), times=(2, 2), record=(0.2, 0.7)
    )
    records = [part.record for part in task._parts(3)]
    assert np.allclose(records, [(0.65, 0.7), (0.6, 0.65), (0.2, 0.6)])


@pytest.mark.parametrize(
    "settings",
    [{"stations": (0, 3)}, {"times": (1, 3)}, {"times": (4, 3)}, {"times": (3, 4.5)}, {"step": 0}],
    ids=str,
)
def test_settings_out_of_range_are_refused(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        Temperature(CLIMATE, **settings)
