"""MLP baselines read what they are given, and their tables fit the texts."""

import dataclasses

import numpy as np
import pytest

from notebooks.conftest import load
from numlab.examples import Examples
from numlab.tasks import Climate, Temperature
from numlab.tasks.temperature import clock, layout

MLP = load("xval/baselines").MLP
TASK = Temperature(Climate(years=1, degrees=15.0), stations=(2, 3), times=(3, 4))
QUICK = MLP(widths=(32,), updates=400)


def texts(n, target, seed=0):
    """Texts of two stations and three times whose last temperature is a function of the rest."""
    e = Examples(layout(2, 3), np.random.default_rng(seed).uniform(-1, 1, (n, 16)))
    coordinates, start, past = np.split(e.numbers, [6, 10], axis=1)
    coordinates, past = coordinates.reshape(n, 2, 3), past.reshape(n, 2, 3)
    past[:, :, 2] = target(coordinates, start, past)
    return [Examples(e.layout, np.hstack([e.numbers[:, :10], past.reshape(n, 6)]))]


def error(mlp, target):
    frame = mlp.forecast(texts(2000, target), texts(500, target, seed=1))
    return np.mean((frame.predicted - frame.true) ** 2) / frame.true.var()


CASES = {
    "temperatures": (lambda c, s, t: t[:, :, 1], {}, None),
    "coordinates": (lambda c, s, t: c[:, :, 1], {}, {"coordinates": False}),
    "start": (lambda c, s, t: s[:, 3:] + 0 * t[:, :, 0], {}, {"start": False}),
    "neighbours": (lambda c, s, t: t[:, ::-1, 1], {"together": True}, {"together": False}),
}


@pytest.mark.parametrize(("target", "given", "without"), CASES.values(), ids=CASES)
def test_a_forecast_reads_what_it_is_given_and_nothing_else(target, given, without):
    assert error(dataclasses.replace(QUICK, **given), target) < 0.1
    if without is not None:
        assert error(dataclasses.replace(QUICK, **without), target) > 0.8


@pytest.mark.parametrize("together", [False, True])
def test_a_forecast_has_a_row_a_station_and_its_true_temperature(together):
    test, train = TASK.split((40, 60), seed=0)
    frame = MLP(widths=(4,), updates=1, together=together).forecast(train, test)
    k = [
        2
        if together
        else 2 + (len(e.layout.number_slots) > 16 and "next2" in e.layout.number_slots)
        for e in test
    ]
    columns = [e.column(f"next{i}") for e, n in zip(test, k, strict=True) for i in range(n)]
    assert sorted(frame.true) == pytest.approx(sorted(np.concatenate(columns)), abs=1e-6)
    assert frame.valid.all() and np.isfinite(frame.predicted).all()


def test_a_seed_gives_the_same_forecast():
    train, test = texts(200, CASES["start"][0]), texts(50, CASES["start"][0])
    mlp = MLP(widths=(4,), updates=2)
    first, again, other = (
        dataclasses.replace(mlp, seed=s).forecast(train, test) for s in (0, 0, 1)
    )
    assert first.predicted.equals(again.predicted)
    assert not first.predicted.equals(other.predicted)


def test_a_text_that_is_cut_at_its_beginning_begins_later():
    """The hour that is read is that of the first temperature that is read."""

    def texts(n_times, seed):
        hours = np.random.default_rng(seed).integers(0, 10**6, 2000)
        numbers = np.zeros((len(hours), 6 + 4 + 2 * n_times))
        numbers[:, 6:10] = clock(hours - 8 * (n_times - 3))
        numbers[:, 9 + n_times] = numbers[:, 9 + 2 * n_times] = np.sin(2 * np.pi * hours / 24)
        return [Examples(layout(2, n_times), numbers)]

    train, test = [*texts(3, 0), *texts(5, 1)], [*texts(3, 2), *texts(5, 3)]
    frame = QUICK.forecast(train, test)
    assert np.mean((frame.predicted - frame.true) ** 2) / frame.true.var() < 0.1
