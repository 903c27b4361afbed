"""Planetary orbits as JSON texts (xval, Sec. 3.2 and App. D.2)."""

import functools
import itertools
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from numlab.examples import Layout
from numlab.numbers import check_count, check_tuple
from numlab.tasks.base import Columns, IndependentTask, json_template, pick
from numlab.tasks.orbits import simulate

A_FINAL = (1.5, 3.0)
STEP_SIZES = (0.01, 2.0)  # shortest and longest
MASS_SCALE = 1e5  # masses of 1e-5 to 5e-5 stars are written 1 to 5
ECCENTRICITY_SCALE = 20.0  # eccentricities of 0 to 0.1 are written 0 to 2


@dataclass(frozen=True)
class Planets(IndependentTask):
    """Planets around a star: their parameters, and their positions at equal time steps.

    A text is ``{'description':{'planet0':{'m':2.38, 'a':2.96, 'e':1.73}, ..., 'stepsize':0.2},
    'data':[[[2.60,-0.75],[0.81,0.42]],[[2.63,-0.63],[0.70,0.60]]...]}``: mass (in 1e-5 stars),
    semimajor axis, eccentricity (times 20) and the (x, y) of every planet at each step, the first
    at time 0. Slots: m0 a0 e0 m1 ... stepsize, then x{i}.{s} y{i}.{s} for planet i at step s.

    Priors (xval, App. D.2): 2 to 4 planets; m uniform in [1, 5]; semimajor axes equally spaced
    from 1 to a_f, uniform in [1.5, 3] (`a_final`); e uniform in [0, 2]; angles at time 0 all zero
    in 30 % of the texts (`aligned`), else uniform within pi/6 (`angles`); the step size uniform in
    `step_sizes`. Planets are shuffled in the text, so a0 is 1 or at least 1.167. The star starts
    at rest in the origin. A lone planet (ours) has the first or the second orbit of four: a0 has
    the same gap, and no other planet reveals it.

    `sample` can hold stepsize, a0, e0 and m0, in the units of the text. With a0, planet0 is the
    innermost, and the semimajor axes are equally spaced from a0, not from 1, to a_f (our choice:
    the paper does not say how it draws a0 in the gap). Of four planets at a0 = 1.16, two come
    within 0.003 of each other in 3 of 1000 systems.

    Parameters
    ----------
    n_steps : recorded times. The longest text of Table 10 has 485 numbers: 59 steps of 4 planets
        (767 tokens in one token a number; 985 here, where commas are tokens, too).
    n_planets : fewest and most planets, within 1 to 5 (the authors' public code has up to 5).
    step_sizes : time between two records; a year at a = 1 lasts 2 pi.
    aligned : share of the texts in which all planets start at the angle 0, their pericentre.
    a_final : least and greatest a_f, within 1.5 and 3.
    angles : the greatest angle at time 0, up to pi; None: pi/6.

    >>> (systems,) = Planets(n_steps=1, n_planets=(2, 2)).sample(100, seed=0)
    >>> systems.layout.number_slots
    ('m0', 'a0', 'e0', 'm1', 'a1', 'e1', 'stepsize', 'x0.0', 'y0.0', 'x1.0', 'y1.0')
    """

    names: ClassVar[dict[str, str]] = {
        "stepsize": "step size (yr / 2π)",
        "a0": "orbit size a₀ (AU)",
        "e0": "20 × eccentricity e₀",
        "m0": "mass (10⁻⁵ of the star's)",
    }

    n_steps: int = 10
    n_planets: tuple[int, int] = (2, 4)
    step_sizes: tuple[float, ...] = (0.2, 0.3, 0.5, 0.8)
    aligned: float = 0.3
    a_final: tuple[float, float] = A_FINAL
    angles: float | None = None

    def __post_init__(self):
        check_count("n_steps", self.n_steps)
        check_tuple("n_planets", self.n_planets)
        check_tuple("a_final", self.a_final)
        fewest, most = self.n_planets
        check_count("the first of n_planets", fewest, 1, 5)
        check_count("the second of n_planets", most, fewest, 5)
        low, high = STEP_SIZES
        if not self.step_sizes or not all(low <= dt <= high for dt in self.step_sizes):
            raise ValueError(f"step_sizes are within {low} and {high}; got {self.step_sizes}")
        if not 0 <= self.aligned <= 1:
            raise ValueError(f"aligned is a share, 0 to 1; got {self.aligned}")
        if not A_FINAL[0] <= self.a_final[0] <= self.a_final[1] <= A_FINAL[1]:
            raise ValueError(f"a_final is within {A_FINAL}; got {self.a_final}")
        if not 0 <= self._widest <= np.pi:
            raise ValueError(f"angles is 0 to pi; got {self.angles}")

    @property
    def _widest(self) -> float:
        return np.pi / 6 if self.angles is None else self.angles

    @property
    def n_uniforms(self) -> int:  # four, and four for each of four planets, or of five
        return 4 + 4 * max(4, self.n_planets[1])

    @property
    def limits(self) -> dict[str, tuple[float, float]]:
        # at the largest a0, neighbours are 0.1 apart where a_f is least: planets must not meet
        others = self.n_planets[1] - 1
        farthest = round(self.a_final[0] - 0.1 * others, 1) if others else A_FINAL[1]
        return {"stepsize": STEP_SIZES, "a0": (0.5, farthest), "e0": (0.0, 3.0), "m0": (0.0, 10.0)}

    @property
    def gaps(self) -> dict[str, tuple[tuple[float, float], ...]]:
        closest = max(map(_orbits, range(self.n_planets[0], self.n_planets[1] + 1)))
        second = 1.0 + (self.a_final[0] - 1.0) / (closest - 1)
        steps = sorted(set(self.step_sizes))
        return {"a0": ((1.0, second),), "stepsize": tuple(itertools.pairwise(steps))}

    def layouts(self) -> list[Layout]:
        fewest, most = self.n_planets
        return [_layout(k, self.n_steps) for k in range(fewest, most + 1)]

    def _fill(self, i: int, u: np.ndarray, held: Columns) -> tuple:
        k, n = self.n_planets[0] + i, len(u)
        *elements, order = np.split(u[:, 4:], 4, axis=1)
        m, e, theta = (planets[:, :k] for planets in elements)
        m, e = 1.0 + 4.0 * m, 0.1 * ECCENTRICITY_SCALE * e
        m[:, 0], e[:, 0] = held.get("m0", m[:, 0]), held.get("e0", e[:, 0])
        theta = np.where(u[:, 3:4] < self.aligned, 0.0, (2 * theta - 1) * self._widest)
        stepsize = held.get("stepsize", pick(self.step_sizes, u[:, 1]))
        rank = np.argsort(order[:, : max(2, k)], axis=1)[:, :k]  # 0: nearest to the star
        if "a0" in held:  # planet0 changes places with the innermost
            rank = np.where(rank == 0, rank[:, :1], rank)
            rank[:, 0] = 0
        nearest = held.get("a0", np.ones(n))[:, None]
        farthest = self.a_final[0] + (self.a_final[1] - self.a_final[0]) * u[:, 2:3]
        a = nearest + (farthest - nearest) * (rank / (_orbits(k) - 1))
        outwards = np.argsort(rank, axis=1)
        elements = (m / MASS_SCALE, a, e / ECCENTRICITY_SCALE, theta)
        times = stepsize[:, None] * np.arange(self.n_steps)
        xy = simulate(*(np.take_along_axis(x, outwards, axis=1) for x in elements), times)
        xy = np.take_along_axis(xy, np.argsort(outwards, axis=1)[:, None, :, None], axis=2)
        parts = (np.stack([m, a, e], axis=-1), stepsize, xy)
        return np.concatenate([part.reshape(n, -1) for part in parts], axis=1), None


def _orbits(k: int) -> int:
    """Equally spaced orbits that a system of k planets has: a lone planet is one of four."""
    return k if k > 1 else 4


@functools.cache
def _layout(k: int, n_steps: int) -> Layout:
    planets = {f"planet{i}": {name: f"{name}{i}" for name in "mae"} for i in range(k)}
    data = [[[f"x{i}.{s}", f"y{i}.{s}"] for i in range(k)] for s in range(n_steps)]
    text = {"description": planets | {"stepsize": "stepsize"}, "data": data}
    return Layout.of(json_template(text))
