"""Orbits of small planets around a star of mass 1, integrated by REBOUND (G = 1)."""

import ctypes
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

# deviates: REBOUND's default is 1e-9. IAS15's steps grow with the seventh root, and at both
# tolerances the orbits agree to 1e-12: the tests hold them to 1e-9.
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
    mass, state = _initial_states(m, a, e, theta)
    out = np.empty((*times.shape, m.shape[1], 2))
    n_threads = min(os.cpu_count() or 1, 1 + times.size // TIMES_A_THREAD)
    shares = (np.array_split(x, n_threads) for x in (mass, state, times, out))
    with ThreadPoolExecutor(n_threads) as pool:  # REBOUND releases Python's lock
        list(pool.map(_integrate, *shares))
    return out


def _integrate(mass, state, times, out) -> None:
    """Fill out (n, steps, k, 2) by REBOUND's C function: `sim.integrate` holds Python's lock."""
    import rebound

    sim = rebound.Simulation()
    for x in range(mass.shape[1]):
        sim.add(m=1.0, x=float(x))
    positions = np.empty((mass.shape[1], 3))
    for i, moments in enumerate(times.tolist()):
        sim.integrator = "ias15"  # clears the state that the last system left
        sim.integrator.epsilon = EPSILON
        sim.t, sim.dt = 0.0, FIRST_STEP
        sim.set_serialized_particle_data(m=mass[i], xyzvxvyvz=state[i])
        for step, t in enumerate(moments):
            integrate = rebound.clibrebound.reb_simulation_integrate
            status = integrate(ctypes.byref(sim), ctypes.c_double(t))
            if status == INTERRUPTED:
                raise KeyboardInterrupt
            if status:
                raise RuntimeError(f"REBOUND stopped before time {t}, with status {status}")
            sim.serialize_particle_data(xyz=positions)
            out[i, step] = positions[1:, :2]


def _initial_states(m, a, e, theta) -> tuple[np.ndarray, np.ndarray]:
    """Masses (n, 1 + k) and x, y, z, vx, vy, vz (n, 1 + k, 6) of the star and its planets."""
    mass = np.concatenate([np.ones((len(m), 1)), m], axis=1)
    total = np.cumsum(mass, axis=1)
    semilatus = a * (1 - e**2)
    r = semilatus / (1 + e * np.cos(theta))
    v = np.sqrt(total[:, 1:] / semilatus)
    relative = np.zeros((*m.shape, 6))
    relative[..., 0], relative[..., 1] = r * np.cos(theta), r * np.sin(theta)
    relative[..., 3], relative[..., 4] = -v * np.sin(theta), v * (e + np.cos(theta))
    state = np.zeros((*mass.shape, 6))
    centre = np.zeros((len(m), 6))  # of all bodies further in
    for j in range(m.shape[1]):
        state[:, 1 + j] = centre + relative[:, j]
        centre += relative[:, j] * (m[:, j] / total[:, 1 + j])[:, None]
    return mass, state
