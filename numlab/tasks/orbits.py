"""Orbits of small planets around a star of mass 1, integrated by REBOUND (G = 1)."""

import ctypes
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from numlab.tasks.files import optional

# deviates: REBOUND's default is 1e-9. IAS15's steps grow with the seventh root. As tasks draw them,
# orbits agree to 1e-12 at both tolerances (the tests: to 1e-9). With numbers held at the ends of
# their limits they agree to 1e-9; over 59 steps of four close, eccentric planets to 5e-6.
EPSILON = 1e-7
FIRST_STEP = 0.4
TIMES_A_THREAD = 500  # for fewer recorded times, another thread costs more than it gains
INTERRUPTED = 6  # REBOUND's status after Ctrl-C


def simulate(m, a, e, theta, times) -> np.ndarray:
    """Positions (x, y) of n planetary systems of k planets each: (n, steps, k, 2) float64.

    IAS15 (Rein & Spiegel, 2015) integrates each system by itself, with adaptive steps cut to end
    at each recorded time. The star starts at rest in the origin; each planet's elements refer to
    the centre of mass of the star and the planets before it, as in `rebound.Simulation.add`.

    Parameters
    ----------
    m, a, e, theta : (n, k) mass, semimajor axis, eccentricity, and true longitude in radians (the
        pericentre is at longitude 0), in order of distance.
    times : (n, steps) when positions are recorded, increasing; a year at a = 1 lasts 2 pi.
    """
    bodies = _bodies(m, a, e, theta)
    out = np.empty((*times.shape, m.shape[1], 2))
    n_threads = min(os.cpu_count() or 1, 1 + times.size // TIMES_A_THREAD)
    shares = (np.array_split(x, n_threads) for x in (bodies, times, out))
    with ThreadPoolExecutor(n_threads) as pool:  # REBOUND releases Python's lock
        list(pool.map(_integrate, *shares))
    return out


def _integrate(bodies, times, out) -> None:
    """Fill out (n, steps, k, 2) by REBOUND's C function: `sim.integrate` holds Python's lock."""
    rebound = optional("rebound")
    sim, fields = rebound.Simulation(), rebound.Particle
    integrate = rebound.clibrebound.reb_simulation_integrate
    for x in range(bodies.shape[1]):
        sim.add(m=1.0, x=float(x))
    doubles = ctypes.cast(sim._particles, ctypes.POINTER(ctypes.c_double))
    shape = bodies.shape[1], ctypes.sizeof(fields) // 8
    particles = np.ctypeslib.as_array(doubles, shape)  # REBOUND's own memory
    columns = [getattr(fields, name).offset // 8 for name in ("x", "y", "vx", "vy", "m")]
    for i, moments in enumerate(times.tolist()):
        sim.integrator = "ias15"  # clears the state that the last system left
        sim.integrator.epsilon = EPSILON
        sim.t, sim.dt = 0.0, FIRST_STEP
        particles[:, columns] = bodies[i]
        for step, t in enumerate(moments):
            status = integrate(ctypes.byref(sim), ctypes.c_double(t))
            if status == INTERRUPTED:
                raise KeyboardInterrupt
            if status:
                raise RuntimeError(f"REBOUND stopped before time {t}, with status {status}")
            out[i, step] = particles[1:, columns[:2]]


def _bodies(m, a, e, theta) -> np.ndarray:
    """x, y, vx, vy and the mass of each star and its planets, (n, 1 + k, 5)."""
    mass = np.concatenate([np.ones((len(m), 1)), m], axis=1)
    total = np.cumsum(mass, axis=1)
    semilatus = a * (1 - e**2)
    r = semilatus / (1 + e * np.cos(theta))
    v = np.sqrt(total[:, 1:] / semilatus)
    position = [r * np.cos(theta), r * np.sin(theta)]
    relative = np.stack([*position, -v * np.sin(theta), v * (e + np.cos(theta))], axis=-1)
    state = np.zeros((*mass.shape, 4))
    centre = np.zeros((len(m), 4))  # of all bodies further in
    for j in range(m.shape[1]):
        state[:, 1 + j] = centre + relative[:, j]
        centre += relative[:, j] * (m[:, j] / total[:, 1 + j])[:, None]
    return np.concatenate([state, mass[..., None]], axis=-1)
