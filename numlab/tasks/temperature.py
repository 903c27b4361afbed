"""Temperatures at reporting stations as JSON texts (xval, Sec. 3.1 and App. D.1)."""

import dataclasses
import functools
import itertools
from dataclasses import dataclass
from typing import Self

import numpy as np

from numlab.examples import Layout
from numlab.numbers import check_count, check_tuple
from numlab.tasks.base import Columns, IndependentTask, json_template
from numlab.tasks.climate import Climate
from numlab.tasks.fields import Field, FieldFile

STEP = 8  # hours between two temperatures of a text in the paper
HELD_OUT = 0.2  # share of the record for all corpora but the last of a split


@dataclass(frozen=True)
class Temperature(IndependentTask):
    """Temperatures at some stations over some days, with the stations' coordinates and the start.

    A text is ``{'description':{'coords':[[1,-.32,.95] ... [.96,.61,.79]],
    'start':[0,1,-.026,-1]}, 'data':[[-2.6,-2.6 ... -3.2,-3.1,-3]]}``. coords: the sine of each
    station's latitude, the sine and cosine of its longitude; start: the sine and cosine of the
    hour in the day, then of the day in the year; data: each station's temperatures at equal steps,
    standardized over the field. Slots: lat{i} lon{i}.sin lon{i}.cos for station i,
    hour.sin hour.cos day.sin day.cos, then T{i}.{s} at step s, and next{i} for the last one.

    Stations are different, uniform cells of the grid; their number, the number of times and the
    first time are uniform. Commas between numbers are not tokens: with 89 stations and 15 times a
    text has 1,789 tokens if a number is one token (Table 7: 1,798 for the longest text), so the
    paper's ranges "60-90" and "8-16" exclude their ends. The last corpus of a split has the first
    80 % of the record, the others equal shares of the rest, the first of them the latest: models
    are tested on years after their training (our choice: the paper does not say how its samples
    are parted).

    Parameters
    ----------
    source : where the field comes from.
    stations, times : fewest and most.
    record : the share of the field's record to draw from, (begin, end).
    step : hours between two temperatures.

    >>> nl.tasks.Temperature(stations=(2, 2), times=(2, 2)).layouts()[0].slots[0].name
    'lat0'
    """

    source: Climate | FieldFile = Climate()  # noqa: RUF009 (frozen)
    stations: tuple[int, int] = (60, 89)
    times: tuple[int, int] = (8, 15)
    record: tuple[float, float] = (0.0, 1.0)
    step: int = STEP

    def __post_init__(self):
        for name in ("stations", "times", "record"):
            check_tuple(name, getattr(self, name))
        for name, least in (("stations", 1), ("times", 2)):
            fewest, most = getattr(self, name)
            check_count(f"fewest {name}", fewest, least)
            check_count(f"most {name}", most, fewest)
        if not 0 <= self.record[0] < self.record[1] <= 1:
            raise ValueError(f"record is (begin, end), within 0 and 1; got {self.record}")
        check_count("step", self.step)

    @property
    def n_uniforms(self) -> int:
        return 3 + 2 * self.stations[1]

    @property
    def _sizes(self) -> list[tuple[int, int]]:
        """The numbers of stations and times in each layout."""
        (fewest, most), (shortest, longest) = self.stations, self.times
        return list(itertools.product(range(fewest, most + 1), range(shortest, longest + 1)))

    def layouts(self) -> list[Layout]:
        return [layout(*sizes) for sizes in self._sizes]

    def field(self) -> Field:
        """The field of the source, checked against the settings."""
        field = _field(self.source)
        if len(field.hours) > 1 and self.step % field.step:
            raise ValueError(f"a field's step divides {self.step} hours; got {field.step} hours")
        cells = field.kelvin[0].size
        if cells < self.stations[1]:
            raise ValueError(f"{self.stations[1]} stations need as many cells; got {cells}")
        return field

    def _parts(self, n_corpora: int) -> list[Self]:
        begin, end = self.record
        ends = (begin + (end - begin) * np.linspace(1.0, 1.0 - HELD_OUT, n_corpora)).tolist()
        records = zip([*ends[1:], begin], ends, strict=True)
        return [dataclasses.replace(self, record=record) for record in records]

    def _draw(self, n: int, seed: int, start: int = 0) -> np.ndarray:
        """(n, 3 + stations): uniforms for the layout and the start; different cells."""
        u = super()._draw(n, seed, start)
        cells = distinct_cells(*np.split(u[:, 3:], 2, axis=1), self.field().kelvin[0].size)
        return np.hstack([u[:, :3], cells])

    def _choose(self, rows: np.ndarray) -> np.ndarray:
        n_times = self.times[1] - self.times[0] + 1
        stations, times = (rows[:, :2] * (len(self._sizes) // n_times, n_times)).astype(int).T
        return stations * n_times + times

    def _fill(self, i: int, rows: np.ndarray, held: Columns) -> tuple:
        field, (k, n_times) = self.field(), self._sizes[i]
        first, stop = (round(share * len(field.hours)) for share in self.record)
        stride = self.step // (field.step or self.step)
        window = (self.times[1] - 1) * stride + 1
        if stop - first < window:
            needed = f"{self.times[1]} times at {self.step} hours are {window} steps of the field"
            raise ValueError(f"{needed}; got {stop - first} of {len(field.hours)} in this part")
        start = first + (rows[:, 2] * (stop - first - window + 1)).astype(int)
        row, column = np.divmod(rows[:, 3 : 3 + k].astype(int), len(field.longitudes))
        east = np.radians(field.longitudes)[column]
        north = np.sin(np.radians(field.latitudes))[row]
        coordinates = np.stack([north, np.sin(east), np.cos(east)], axis=-1)
        times = start[:, None, None] + stride * np.arange(n_times)
        kelvin = field.kelvin[times, row[:, :, None], column[:, :, None]].astype(np.float64)
        parts = (coordinates, clock(field.hours[start]), (kelvin - field.mean) / field.std)
        return np.concatenate([part.reshape(len(rows), -1) for part in parts], axis=1), None


@functools.lru_cache(maxsize=2)
def _field(source: Climate | FieldFile) -> Field:
    return source.field()


def distinct_cells(u: np.ndarray, order: np.ndarray, n_cells: int) -> np.ndarray:
    """(n, k) different cells in random order, from two arrays of uniforms (n, k).

    Floyd's algorithm, column by column, and a shuffle: the first j of a row are random cells too.
    """
    n, k = u.shape
    cells = np.empty((n, k), np.int64)
    for j in range(k):
        last = n_cells - k + j
        drawn = (u[:, j] * (last + 1)).astype(np.int64)
        taken = (cells[:, :j] == drawn[:, None]).any(axis=1)
        cells[:, j] = np.where(taken, last, drawn)
    return np.take_along_axis(cells, np.argsort(order, axis=1), axis=1)


def clock(hours: np.ndarray) -> np.ndarray:
    """(n, 4): sine and cosine of the hour in 24 hours and of the day in 365 days.

    The hour comes first and 1 January is day 1, so that the paper's example, [0, 1, -.026, -1],
    is midnight of 3 July.
    """
    days = hours.astype("datetime64[h]").astype("datetime64[D]")
    day = 1.0 + (days - days.astype("datetime64[Y]")).astype(float)
    phases = 2 * np.pi * np.stack([hours % 24 / 24, day / 365], axis=-1)
    return np.stack([np.sin(phases), np.cos(phases)], axis=-1).reshape(-1, 4)


@functools.cache
def layout(n_stations: int, n_times: int) -> Layout:
    coords = [[f"lat{i}", f"lon{i}.sin", f"lon{i}.cos"] for i in range(n_stations)]
    start = ["hour.sin", "hour.cos", "day.sin", "day.cos"]
    data = [[f"T{i}.{s}" for s in range(n_times - 1)] + [f"next{i}"] for i in range(n_stations)]
    text = {"description": {"coords": coords, "start": start}, "data": data}
    return dataclasses.replace(Layout.of(json_template(text)), silent=(",",))
