"""Temperatures at reporting stations as JSON texts (Sec. 3.1 and App. D.1, xval)."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from numlab.examples import Examples, Layout
from numlab.tasks.base import Task, check_seed, check_size, child_seed, hold, shard_places, uniforms
from numlab.tasks.climate import Climate
from numlab.tasks.fields import Field, FieldFile

STEP = 8  # hours between two temperatures of a text
HELD_OUT = 0.2  # of the record, for all corpora but the last of a split


@dataclass(frozen=True)
class Temperature(Task):
    """Some days at some stations: where they are, when it begins, how warm it is.

    A text is ``{'description':{'coords':[[1,-.32,.95] ... [.96,.61,.79]],
    'start':[0,1,-.026,-1]}, 'data':[[-2.6,-2.6 ... -3.2,-3.1,-3]]}``: for every station the sine
    of its latitude and the sine and cosine of its longitude; for the first time the sine and
    cosine of the hour of the day, then of the day of the year; and every station's temperatures
    at steps of 8 hours, minus the mean of the field and over its standard deviation. Slots:
    lat{i} lon{i}.sin lon{i}.cos for station i, hour.sin hour.cos day.sin day.cos, then T{i}.{s}
    at step s, and next{i}, its last temperature: "next*" asks for all stations at once.

    Stations are different cells of the grid, each as likely, in random order; their number, the
    number of times and the first time are uniform. The commas between numbers are no tokens: with
    89 stations and 15 times a text has 1,789 tokens under an encoder of one token a number
    (Table 7: 1,798), so that is the paper's longest text, and its "60-90" and "8-16" are ranges
    without their ends.

    Parameters
    ----------
    source : Climate or FieldFile
        Where the field comes from.
    stations, times : (int, int)
        Fewest and most.
    """

    source: Climate | FieldFile = Climate()  # noqa: RUF009 (frozen)
    stations: tuple[int, int] = (60, 89)
    times: tuple[int, int] = (8, 15)

    version: ClassVar[int] = 1

    def __post_init__(self):
        for name, least in (("stations", 1), ("times", 2)):
            limits = tuple(getattr(self, name))
            object.__setattr__(self, name, limits)
            if len(limits) != 2 or not least <= limits[0] <= limits[1]:
                raise ValueError(f"{name} is (fewest, most), {least} or more; got {limits}")

    def layouts(self) -> list[Layout]:
        return [
            layout(k, s)
            for k in range(self.stations[0], self.stations[1] + 1)
            for s in range(self.times[0], self.times[1] + 1)
        ]

    def field(self) -> Field:
        """The field, read once.

        Raises
        ------
        ValueError
            Where its steps do not divide 8 hours, or it has fewer cells than a text stations.
        """
        field = self.source.field()
        if len(field.hours) > 1 and STEP % field.step:
            raise ValueError(f"a field's time step divides {STEP} hours; got {field.step} hours")
        cells = field.kelvin[0].size
        if cells < self.stations[1]:
            raise ValueError(f"{self.stations[1]} stations need as many cells; got {cells}")
        return field

    def sample(self, n: int, seed: int, **fixed) -> list[Examples]:
        """Draw n texts from the whole record; no parameter can be held."""
        hold(fixed, {}, check_size(n))
        return [examples for _, examples in self._texts(range(n), check_seed(seed), 0.0, 1.0)]

    def split(self, sizes: Sequence[int], seed: int) -> tuple[list[Examples], ...]:
        """Draw corpora that share no time, by convention (test, valid, train).

        The last one has the first 80 % of the record; the others have equal parts of what
        follows, the first of them the latest: a model is tested on years after those that it
        learned from. (our choice: the paper does not say how its samples are parted.)
        """
        return tuple(
            [examples for _, examples in self._texts(range(n), *part)]
            for n, *part in self._parts(sizes, seed)
        )

    def shards(self, sizes: Sequence[int], seed: int) -> Iterator[tuple[int, int, Examples]]:
        for i, (n, *part) in enumerate(self._parts(sizes, seed)):
            for places in shard_places(n):
                yield from ((i, j, examples) for j, examples in self._texts(places, *part))

    def _parts(self, sizes: Sequence[int], seed: int) -> Iterator[tuple[int, int, float, float]]:
        """The size of each corpus, its seed and its part of the record."""
        others = len(sizes) - 1
        edges = np.linspace(1.0, 1.0 - HELD_OUT, others + 1) if others else np.ones(1)
        edges = [*edges, 0.0]
        for i, n in enumerate(sizes):
            yield check_size(n), child_seed(seed, i), edges[i + 1], edges[i]

    def _texts(
        self, places: range, seed: int, begin: float, end: float
    ) -> Iterator[tuple[int, Examples]]:
        """Texts whose times all lie in a part of the record, with the place of their layout."""
        if not len(places):
            return
        field = self.field()
        first, stop = (round(share * len(field.hours)) for share in (begin, end))
        stride = STEP // (field.step or STEP)
        window = (self.times[1] - 1) * stride + 1
        if stop - first < window:
            raise ValueError(
                f"{self.times[1]} times at {STEP} hours are {window} steps of the field; got "
                f"{stop - first} (time steps {first} to {stop} of its {len(field.hours)})"
            )
        u = uniforms(seed, places, 3 + 2 * self.stations[1])
        n_stations, n_times = (
            low + (u[:, i] * (high - low + 1)).astype(int)
            for i, (low, high) in enumerate((self.stations, self.times))
        )
        start = first + (u[:, 2] * (stop - first - window + 1)).astype(int)
        cells = distinct_cells(*np.split(u[:, 3:], 2, axis=1), field.kelvin[0].size)
        for k, s in np.unique(np.stack([n_stations, n_times], axis=1), axis=0).tolist():
            own = np.flatnonzero((n_stations == k) & (n_times == s))
            numbers = _numbers(field, start[own], cells[own, :k], s, stride)
            j = (k - self.stations[0]) * (self.times[1] - self.times[0] + 1) + s - self.times[0]
            yield j, Examples(layout(k, s), numbers, None, places.start + own)

    def on_land(self, examples: Examples) -> np.ndarray:
        """(n,) bool: whether the first station of each text stands on land (Table 9, xval)."""
        field = self.field()
        if field.land is None:
            raise ValueError(f"{self.source} has no mask of land and sea")
        sine, lon_sin, lon_cos = stations(examples).coordinates[:, 0].T
        east = np.radians(field.longitudes)
        row = np.abs(np.sin(np.radians(field.latitudes)) - sine[:, None]).argmin(1)
        column = (np.outer(lon_sin, np.sin(east)) + np.outer(lon_cos, np.cos(east))).argmax(1)
        return field.land[row, column]


class Stations(NamedTuple):
    """The numbers of n texts of one layout, as arrays."""

    coordinates: np.ndarray  # (n, stations, 3)
    start: np.ndarray  # (n, 4)
    temperatures: np.ndarray  # (n, stations, times); the last is to be forecast


def stations(examples: Examples) -> Stations:
    """The numbers of texts of `Temperature`, read back from their layout."""
    numbers, n = examples.numbers, len(examples)
    k = sum(name.startswith("next") for name in examples.layout.number_slots)
    coordinates, start, series = np.split(numbers, (3 * k, 3 * k + 4), axis=1)
    return Stations(coordinates.reshape(n, k, 3), start, series.reshape(n, k, -1))


def distinct_cells(u: np.ndarray, order: np.ndarray, n_cells: int) -> np.ndarray:
    """(n, k) cells from uniforms (n, k) twice: k different ones a row, in random order.

    Floyd's algorithm, a column at a time, and a shuffle. The first j of a row are j cells drawn
    at random, too.
    """
    n, k = u.shape
    cells = np.empty((n, k), np.int64)
    for j in range(k):
        last = n_cells - k + j
        drawn = (u[:, j] * (last + 1)).astype(np.int64)
        again = (cells[:, :j] == drawn[:, None]).any(axis=1)
        cells[:, j] = np.where(again, last, drawn)
    return np.take_along_axis(cells, np.argsort(order, axis=1), axis=1)


def _numbers(field: Field, start: np.ndarray, cells: np.ndarray, n_times: int, stride: int):
    """(n, slots): coordinates, start, temperatures, in the order of the text."""
    row, column = np.divmod(cells, len(field.longitudes))
    east = np.radians(field.longitudes)[column]
    north = np.sin(np.radians(field.latitudes))[row]
    coordinates = np.stack([north, np.sin(east), np.cos(east)], axis=-1)
    times = start[:, None, None] + stride * np.arange(n_times)
    kelvin = field.kelvin[times, row[:, :, None], column[:, :, None]].astype(np.float64)
    series = (kelvin - field.mean) / field.std
    parts = (coordinates, clock(field.hours[start]), series)
    return np.concatenate([part.reshape(len(start), -1) for part in parts], axis=1)


def clock(hours: np.ndarray) -> np.ndarray:
    """(n, 4): sine and cosine of the hour along 24 hours and of the day along 365.

    The hour comes first and 1 January is day 1: in the paper's example, [0, 1, -.026, -1], they
    are midnight and 3 July.
    """
    days = hours.astype("datetime64[h]").astype("datetime64[D]")
    day = 1.0 + (days - days.astype("datetime64[Y]")).astype(float)
    phases = 2 * np.pi * np.stack([hours % 24 / 24, day / 365], axis=-1)
    return np.stack([np.sin(phases), np.cos(phases)], axis=-1).reshape(-1, 4)


@functools.cache
def layout(n_stations: int, n_times: int) -> Layout:
    """The JSON text of so many stations and times."""
    last = n_times - 1
    coords = "],[".join(f"{{lat{i}}},{{lon{i}.sin}},{{lon{i}.cos}}" for i in range(n_stations))
    data = "],[".join(
        ",".join([f"{{T{i}.{s}}}" for s in range(last)] + [f"{{next{i}}}"])
        for i in range(n_stations)
    )
    start = "{hour.sin},{hour.cos},{day.sin},{day.cos}"
    description = f"{{{{'coords':[[{coords}]], 'start':[{start}]}}}}"
    written = Layout.of(f"{{{{'description':{description}, 'data':[[{data}]]}}}}")
    return Layout(written.literals, written.slots, silent=(",",))
