"""Planetary orbits as JSON texts (Sec. 3.2 and App. D.2, xval)."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from numlab.examples import Examples, Layout
from numlab.tasks.base import Task, check_seed, check_size, child_seed, hold, shard_places, uniforms
from numlab.tasks.orbits import simulate

MOST_PLANETS = 4
A_FINAL = (1.5, 3.0)
STEP_SIZES = (0.01, 2.0)  # shortest and longest
MASS_SCALE = 1e5  # masses of 1e-5 to 5e-5 stars are written 1 to 5
ECCENTRICITY_SCALE = 20.0  # eccentricities of 0 to 0.1 are written 0 to 2


@dataclass(frozen=True)
class Planets(Task):
    """Planets around a star: what they are, and where they are at equal time steps.

    A text is ``{'description':{'planet0':{'m':2.38, 'a':2.96, 'e':1.73}, ..., 'stepsize':0.2},
    'data':[[[2.60,-0.75],[0.81,0.42]],[[2.63,-0.63],[0.70,0.60]]...]}``: mass (in 1e-5 stars),
    semimajor axis, eccentricity (times 20) and the (x, y) of every planet at each step, the first
    at time 0. Slots: m0 a0 e0 m1 ... stepsize, then x{i}.{s} y{i}.{s} for planet i at step s.

    Priors (App. D.2, xval): 2 to 4 planets; m uniform in [1, 5]; semimajor axes equally spaced
    from 1 to a_f, uniform in [1.5, 3]; e uniform in [0, 2]; the angle at time 0 is zero for all
    planets of 30 % of the samples and else uniform within pi/6 for each; the step size uniform in
    `step_sizes`. The order of the planets in the text is shuffled, so a0 is 1 or at least 1.167.
    Positions are in REBOUND's inertial frame: the star starts at rest in the origin.

    Parameters
    ----------
    n_steps : int
        Recorded times. At most 59 for the 767 tokens of Table 10.
    n_planets : (int, int)
        Fewest and most planets, within 2 to 4.
    step_sizes : tuple of float
        Time between two records; a year at a = 1 lasts 2 pi.

    Examples
    --------
    >>> (systems,) = Planets(n_steps=1, n_planets=(2, 2)).sample(100, seed=0)
    >>> systems.layout.number_slots
    ('m0', 'a0', 'e0', 'm1', 'a1', 'e1', 'stepsize', 'x0.0', 'y0.0', 'x1.0', 'y1.0')
    >>> sorted(set(systems.column("stepsize").tolist()))
    [0.2, 0.3, 0.5, 0.8]
    """

    n_steps: int = 10
    n_planets: tuple[int, int] = (2, 4)
    step_sizes: tuple[float, ...] = (0.2, 0.3, 0.5, 0.8)

    version: ClassVar[int] = 1

    def __post_init__(self):
        object.__setattr__(self, "n_planets", tuple(self.n_planets))
        object.__setattr__(self, "step_sizes", tuple(self.step_sizes))
        if self.n_steps < 1:
            raise ValueError(f"n_steps >= 1; got {self.n_steps}")
        if len(self.n_planets) != 2 or not 2 <= self.n_planets[0] <= self.n_planets[1] <= 4:
            raise ValueError(f"n_planets is (fewest, most), within 2 to 4; got {self.n_planets}")
        low, high = STEP_SIZES
        if not self.step_sizes or not all(low <= dt <= high for dt in self.step_sizes):
            raise ValueError(f"step_sizes are within {low} and {high}; got {self.step_sizes}")

    @property
    def limits(self) -> dict[str, tuple[float, float]]:
        """The parameters that `sample` can hold fixed, and how far.

        Beyond, planets meet: a0 leaves 0.1 between neighbours where a_f is least.
        """
        farthest = round(A_FINAL[0] - 0.1 * (self.n_planets[1] - 1), 1)
        return {"stepsize": STEP_SIZES, "a0": (0.5, farthest), "e0": (0.0, 3.0), "m0": (0.0, 10.0)}

    @property
    def gaps(self) -> dict[str, tuple[tuple[float, float], ...]]:
        """Open intervals between the values that a parameter takes in a sample.

        >>> Planets().gaps["stepsize"]
        ((0.2, 0.3), (0.3, 0.5), (0.5, 0.8))
        >>> Planets(n_planets=(2, 3)).gaps["a0"]
        ((1.0, 1.25),)
        """
        second = 1.0 + (A_FINAL[0] - 1.0) / (self.n_planets[1] - 1)
        steps = sorted(set(self.step_sizes))
        return {"a0": ((1.0, second),), "stepsize": tuple(itertools.pairwise(steps))}

    def layouts(self) -> list[Layout]:
        fewest, most = self.n_planets
        return [layout(k, self.n_steps) for k in range(fewest, most + 1)]

    def sample(self, n: int, seed: int, **fixed) -> list[Examples]:
        """Draw n texts.

        Parameters
        ----------
        n, seed : int
        **fixed : float or array of shape (n,)
            stepsize, a0, e0 or m0, in the units of the text and within `limits`. With a0,
            planet0 is the innermost and the semimajor axes are equally spaced from a0, not
            from 1, to a_f (our choice: the paper does not say how it draws a0 in the gap). Of
            four planets at a0 = 1.16, two come within 0.003 of each other in 3 of 1000 systems.
        """
        held = hold(fixed, self.limits, check_size(n))
        draws = self._draw(range(n), check_seed(seed)) | held
        return [examples for _, examples in self._texts(draws)]

    def shards(self, sizes: Sequence[int], seed: int) -> Iterator[tuple[int, int, Examples]]:
        for i, n in enumerate(sizes):
            for places in shard_places(check_size(n)):
                draws = self._draw(places, child_seed(seed, i))
                yield from ((i, j, examples) for j, examples in self._texts(draws))

    def _texts(self, draws: dict[str, np.ndarray]) -> Iterator[tuple[int, Examples]]:
        """Texts of each layout that was drawn, with the layout's place."""
        for j, k in enumerate(range(self.n_planets[0], self.n_planets[1] + 1)):
            own = np.flatnonzero(draws["count"] == k)
            if len(own):
                numbers = self._numbers(k, {name: draws[name][own] for name in draws})
                yield j, Examples(layout(k, self.n_steps), numbers, None, draws["index"][own])

    def _draw(self, places: range, seed: int) -> dict[str, np.ndarray]:
        """Columns (n,) a system, (n, 4) a planet. A row of uniforms a text: its place's own."""
        u = uniforms(seed, places, 4 + 4 * MOST_PLANETS)
        m, e, theta, order = np.split(u[:, 4:], 4, axis=1)
        fewest, most = self.n_planets
        steps = np.array(self.step_sizes)
        return {
            "index": np.arange(places.start, places.stop),
            "count": fewest + (u[:, 0] * (most - fewest + 1)).astype(int),
            "stepsize": steps[(u[:, 1] * len(steps)).astype(int)],
            "a_final": A_FINAL[0] + (A_FINAL[1] - A_FINAL[0]) * u[:, 2],
            "m": 1.0 + 4.0 * m,
            "e": 0.1 * ECCENTRICITY_SCALE * e,
            "theta": np.where(u[:, 3:4] < 0.3, 0.0, (2 * theta - 1) * np.pi / 6),
            "order": order,
        }

    def _numbers(self, k: int, draws: dict[str, np.ndarray]) -> np.ndarray:
        """The numbers (n, slots) of systems of k planets, in the order of the text."""
        m, e, theta = (draws[name][:, :k].copy() for name in ("m", "e", "theta"))
        m[:, 0], e[:, 0] = draws.get("m0", m[:, 0]), draws.get("e0", e[:, 0])
        rank, a = _spacing(draws, k)
        times = draws["stepsize"][:, None] * np.arange(self.n_steps)
        outwards = np.argsort(rank, axis=1)
        elements = (m / MASS_SCALE, a, e / ECCENTRICITY_SCALE, theta)
        xy = simulate(*(np.take_along_axis(x, outwards, axis=1) for x in elements), times)
        xy = np.take_along_axis(xy, rank[:, None, :, None], axis=2)
        planets = np.stack([m, a, e], axis=-1).reshape(len(m), 3 * k)
        data = xy.reshape(len(m), -1)
        return np.concatenate([planets, draws["stepsize"][:, None], data], axis=1)


def _spacing(draws: dict[str, np.ndarray], k: int) -> tuple[np.ndarray, np.ndarray]:
    """Each planet's rank by distance from the star and its semimajor axis, (n, k) both."""
    rank = np.argsort(draws["order"][:, :k], axis=1)
    first = np.ones((len(rank), 1))
    if "a0" in draws:  # planet0 changes places with the innermost
        first = draws["a0"][:, None]
        rank = np.where(rank == 0, rank[:, :1], rank)
        rank[:, 0] = 0
    return rank, first + (draws["a_final"][:, None] - first) * (rank / (k - 1))


@functools.cache
def layout(k: int, n_steps: int) -> Layout:
    """The JSON text of k planets at n_steps times."""
    planets = "".join(
        f"'planet{i}':{{{{'m':{{m{i}}}, 'a':{{a{i}}}, 'e':{{e{i}}}}}}}, " for i in range(k)
    )
    data = ",".join(
        "[" + ",".join(f"[{{x{i}.{s}}},{{y{i}.{s}}}]" for i in range(k)) + "]"
        for s in range(n_steps)
    )
    description = f"{{{{{planets}'stepsize':{{stepsize}}}}}}"
    return Layout.of(f"{{{{'description':{description}, 'data':[{data}]}}}}")
