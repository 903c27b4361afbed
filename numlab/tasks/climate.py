"""A synthetic climate: what `Temperature` reads where there is no real field."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from numlab.tasks.fields import Field

HOURS_A_YEAR = 365.2425 * 24  # so that seasons keep their place in the calendar
LAND_SHARE = 0.4
WEATHER = 10.0  # degrees over which weather is correlated
DRIFT = 20.0  # degrees a day that weather moves eastwards
MEMORY = 0.73  # what is left of a weather anomaly after a day, where it has moved to


@dataclass(frozen=True)
class Climate:
    """Temperatures of a planet like ours, in kelvin.

    The sum of a mean by latitude, a seasonal cycle (late and weak over the sea), a daily cycle by
    the local time (strong over land), and weather: anomalies that are correlated over 10 degrees,
    drift eastwards by 20 degrees a day and decay in days. So the next temperature at a place
    follows from its latitude, its season and hour, its own last days, and from what lies to
    the west of it.

    Parameters
    ----------
    years : int
        From 1970 on.
    degrees : float
        Between the centres of two cells of the grid.
    region : (south, north, west, east)
        In degrees.
    seed : int
        Of the continents and the weather.

    Examples
    --------
    >>> field = Climate(years=1, degrees=30.0).field()
    >>> field.kelvin.shape, round(float(field.land.mean()), 1)
    ((1095, 6, 12), 0.4)
    """

    years: int = 10
    degrees: float = 5.0
    region: tuple[float, float, float, float] = (-90.0, 90.0, -180.0, 180.0)
    seed: int = 0

    version: ClassVar[int] = 2
    step: ClassVar[int] = 8  # hours

    def __post_init__(self):
        object.__setattr__(self, "region", tuple(self.region))
        south, north, west, east = self.region
        if not (-90 <= south < north <= 90 and -180 <= west < east <= 180):
            raise ValueError(
                f"a region is (south, north, west, east), within -90, 90, -180, 180; got "
                f"{self.region}"
            )
        if self.years < 1 or not 0 < self.degrees <= min(north - south, east - west):
            raise ValueError(f"years >= 1, and cells that fit the region; got {self}")

    def field(self) -> Field:
        """The field at 8-hour steps."""
        return _field(self)


@functools.lru_cache(maxsize=2)
def _field(climate: Climate) -> Field:
    south, north, west, east = climate.region
    latitudes = np.arange(south + climate.degrees / 2, north, climate.degrees)
    longitudes = np.arange(west + climate.degrees / 2, east, climate.degrees)
    hours = np.arange(0, climate.years * 365 * 24, climate.step)
    rng = np.random.default_rng(climate.seed)
    continents = weather(latitudes, longitudes, 1, climate.step, rng)[0]
    land = continents > np.quantile(continents, 1 - LAND_SHARE)
    kelvin = weather(latitudes, longitudes, len(hours), climate.step, rng)
    sine = np.sin(np.radians(latitudes))[:, None]
    kelvin *= np.where(land, 4.5, 1.5) * (0.4 + 0.6 * np.abs(sine))
    kelvin += 300.0 - 45.0 * sine**2
    kelvin += _seasons(hours, sine, land)
    kelvin += _days(hours, longitudes, land)
    kelvin = kelvin.round(3).astype(np.float32)  # the same to the bit on every machine
    return Field(kelvin, hours, latitudes, longitudes, land)


def _seasons(hours: np.ndarray, sine: np.ndarray, land: np.ndarray) -> np.ndarray:
    """(times, latitudes, longitudes): warmest in late July on northern land, a month later on
    the sea."""
    phase = 2 * np.pi * (hours[:, None, None] / HOURS_A_YEAR - np.where(land, 205, 235) / 365)
    return np.where(land, 18.0, 6.0) * sine * np.cos(phase)


def _days(hours: np.ndarray, longitudes: np.ndarray, land: np.ndarray) -> np.ndarray:
    """(times, latitudes, longitudes): warmest at three in the afternoon, local time."""
    local = hours[:, None, None] + longitudes / 15.0
    return np.where(land, 5.0, 0.5) * np.cos(2 * np.pi * (local - 15.0) / 24)


def weather(
    latitudes: np.ndarray, longitudes: np.ndarray, n: int, step: int, rng: np.random.Generator
) -> np.ndarray:
    """(n, latitudes, longitudes): anomalies of mean 0 and variance 1.

    Waves around each circle of latitude, whose amplitudes are correlated between circles and
    are, at each step, turned eastwards, weakened and renewed: an AR(1) process that keeps its
    variance. Correlations over space are normal curves of width `WEATHER`.
    """
    width = np.radians(WEATHER)
    wave = np.arange(int(4 / width))
    power = np.exp(-((wave * width) ** 2) / 2)
    power[1:] *= 2  # a cosine and a sine
    gap = (latitudes[:, None] - latitudes) / WEATHER
    circles = np.linalg.cholesky(np.exp(-(gap**2) / 2) + 1e-6 * np.eye(len(latitudes)))
    kept = MEMORY ** (step / 24) * np.exp(-1j * wave * np.radians(DRIFT) * step / 24)
    renewed = np.sqrt(1 - np.abs(kept[0]) ** 2)
    z = circles @ rng.standard_normal((n, len(latitudes), 2 * len(wave))).view(complex)
    for t in range(1, n):
        z[t] = kept * z[t - 1] + renewed * z[t]
    around = np.exp(1j * np.outer(wave, np.radians(longitudes))) * np.sqrt(power)[:, None]
    around /= np.sqrt(power.sum())
    return (z @ around).real
