"""What the texts of stations say, against the field that they are drawn from."""

import numpy as np
import pytest

from notebooks.conftest import load
from numlab.tasks import Climate, Temperature

told = load("xval/stations")
TASK = Temperature(Climate(years=2, degrees=15.0), stations=(3, 5), times=(3, 4))


def test_land_is_told_by_the_first_station():
    field, many = TASK.field(), TASK.sample(3000, seed=0)
    share = np.concatenate([told.on_land(TASK, e) for e in many]).mean()
    assert share == pytest.approx(field.land.mean(), abs=0.03)
    first = told.stations(many[0]).coordinates[:, 0]
    north = np.degrees(np.arcsin(first[:, 0]))
    east = np.degrees(np.arctan2(first[:, 1], first[:, 2]))
    row = np.searchsorted(field.latitudes, north - 1e-6)
    column = np.searchsorted(field.longitudes, east - 1e-6)
    assert (told.on_land(TASK, many[0]) == field.land[row, column]).all()
