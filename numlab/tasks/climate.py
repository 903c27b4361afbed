"""A synthetic climate: the field that `Temperature` reads by default."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from numlab.numbers import check_tuple
from numlab.tasks.fields import Field

HOURS_A_YEAR = 365.2425 * 24
LAND_SHARE = 0.4
WEATHER = 10.0  # degrees over which weather is correlated
DRIFT = 20.0  # degrees that weather moves eastwards in a day
MEMORY = 0.73  # share of a weather anomaly left after a day, where it has moved to


@dataclass(frozen=True)
class Climate:
    """Temperatures of an Earth-like planet from 1970 on, in kelvin.

    The sum of a mean by latitude, a seasonal cycle (late and weak at sea), a daily cycle by local
    time (strong on land), and weather: anomalies that are correlated over 10 degrees, drift
    eastwards by 20 degrees a day and decay in days. So a temperature depends on latitude, season,
    hour, the last days, and the weather to the west.

    Parameters
    ----------
    years : of 365 days each.
    degrees : grid spacing.
    region : south, north, west and east ends, in degrees.
    seed : of the continents and the weather.
    patches : degrees over which land and sea are correlated. If it is small, the coordinates of a
        place do not tell whether it is land or sea.
    contrast : how much land and sea differ in all of this; 0: not at all.

    >>> field = Climate(years=1, degrees=30.0).field()
    >>> field.kelvin.shape, round(float(field.land.mean()), 1)
    ((1095, 6, 12), 0.4)
    """

    years: int = 10
    degrees: float = 5.0
    region: tuple[float, float, float, float] = (-90.0, 90.0, -180.0, 180.0)
    seed: int = 0
    patches: float = WEATHER
    contrast: float = 1.0

    version: ClassVar[int] = 2
    step: ClassVar[int] = 8  # hours

    def __post_init__(self):
        check_tuple("region", self.region, 4)
        south, north, west, east = self.region
        if not (-90 <= south < north <= 90 and -180 <= west < east <= 180):
            raise ValueError(f"a region is (south, north, west, east); got {self.region}")
        if self.years < 1 or not 0 < self.degrees <= min(north - south, east - west):
            wanted = "expected years >= 1, and 0 < degrees <= each side of the region"
            raise ValueError(f"{wanted}; got {self}")
        if not 0 < self.patches < 229 or self.contrast < 0:  # wider ones have no waves
            raise ValueError(f"0 < patches < 229 degrees and contrast >= 0; got {self}")

    def field(self) -> Field:
        south, north, west, east = self.region
        latitudes = np.arange(south + self.degrees / 2, north, self.degrees)
        longitudes = np.arange(west + self.degrees / 2, east, self.degrees)
        hours = np.arange(0, self.years * 365 * 24, self.step)
        rng = np.random.default_rng(self.seed)
        height = weather(latitudes, longitudes, 1, self.step, rng, self.patches)[0]
        land = height > np.quantile(height, 1 - LAND_SHARE)
        kelvin = weather(latitudes, longitudes, len(hours), self.step, rng)
        sine = np.sin(np.radians(latitudes))[:, None]

        def by_side(on_land: float, at_sea: float) -> np.ndarray:
            middle = (on_land + at_sea) / 2
            return middle + self.contrast * (np.where(land, on_land, at_sea) - middle)

        kelvin *= by_side(4.5, 1.5) * (0.4 + 0.6 * np.abs(sine))
        kelvin += 300.0 - 45.0 * sine**2
        hour = hours[:, None, None]
        year = 2 * np.pi * (hour / HOURS_A_YEAR - by_side(205, 235) / 365)
        kelvin += by_side(18.0, 6.0) * sine * np.cos(year)  # warmest in July, August at sea
        local = hour + longitudes / 15.0
        kelvin += by_side(5.0, 0.5) * np.cos(2 * np.pi * (local - 15.0) / 24)  # warmest at 3 p.m.
        kelvin = kelvin.round(3).astype(np.float32)  # the same to the bit on every machine
        return Field(kelvin, hours, latitudes, longitudes, land)


def weather(
    latitudes, longitudes, n: int, step: int, rng: np.random.Generator, degrees: float = WEATHER
) -> np.ndarray:
    """(n, latitudes, longitudes): anomalies of mean 0 and variance 1, `step` hours apart.

    Waves along each circle of latitude, with amplitudes correlated between circles. Each step
    rotates them eastwards, weakens them and adds noise: an AR(1) process of constant variance.
    Correlations in space are Gaussians of that many degrees.
    """
    width = np.radians(degrees)
    wave = np.arange(int(4 / width))
    power = np.exp(-((wave * width) ** 2) / 2)
    power[1:] *= 2  # a cosine and a sine
    gap = (latitudes[:, None] - latitudes) / degrees
    circles = np.linalg.cholesky(np.exp(-(gap**2) / 2) + 1e-6 * np.eye(len(latitudes)))
    kept = MEMORY ** (step / 24) * np.exp(-1j * wave * np.radians(DRIFT) * step / 24)
    noise = np.sqrt(1 - np.abs(kept[0]) ** 2)
    z = circles @ rng.standard_normal((n, len(latitudes), 2 * len(wave))).view(complex)
    for t in range(1, n):
        z[t] = kept * z[t - 1] + noise * z[t]
    around = np.exp(1j * np.outer(wave, np.radians(longitudes))) * np.sqrt(power)[:, None]
    return (z @ (around / np.sqrt(power.sum()))).real
