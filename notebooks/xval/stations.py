"""The numbers in texts of `Temperature`, as arrays."""

from typing import NamedTuple

import numpy as np

from numlab.examples import Examples
from numlab.tasks import Temperature


class Stations(NamedTuple):
    """The numbers of n texts of one layout, as arrays."""

    coordinates: np.ndarray  # (n, stations, 3)
    start: np.ndarray  # (n, 4)
    temperatures: np.ndarray  # (n, stations, times); the last is to be forecast


def stations(examples: Examples) -> Stations:
    """Read the numbers of texts of `Temperature` back from their slots."""
    numbers, n = examples.numbers, len(examples)
    k = sum(name.startswith("next") for name in examples.layout.number_slots)
    coordinates, start, series = np.split(numbers, (3 * k, 3 * k + 4), axis=1)
    return Stations(coordinates.reshape(n, k, 3), start, series.reshape(n, k, -1))


def on_land(task: Temperature, examples: Examples) -> np.ndarray:
    """(n,) bool: whether the first station of each text is on land (xval, Table 9).

    A task whose field has no mask of land and sea raises ValueError.
    """
    field = task.field()
    if field.land is None:
        raise ValueError(f"{task.source} has no mask of land and sea")
    sine, lon_sin, lon_cos = stations(examples).coordinates[:, 0].T
    east = np.radians(field.longitudes)
    row = np.abs(np.sin(np.radians(field.latitudes)) - sine[:, None]).argmin(1)
    column = (np.outer(lon_sin, np.sin(east)) + np.outer(lon_cos, np.cos(east))).argmax(1)
    return field.land[row, column]
