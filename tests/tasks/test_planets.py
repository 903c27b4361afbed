import ast
import itertools

import numpy as np
import pytest

from numlab.tasks import Planets
from numlab.tasks.orbits import simulate

rebound = pytest.importorskip("rebound")


def columns(examples, letter):
    """(n, planets) of m, a or e; or (n, steps, planets) of x or y."""
    slots = [slot for slot in examples.layout.number_slots if slot[0] == letter]
    table = np.stack([examples.column(slot) for slot in slots if slot != "stepsize"], axis=1)
    if letter in "mae":
        return table
    k = len(columns(examples, "m")[0])
    return table.reshape(len(table), -1, k)


def test_the_longest_text_has_the_numbers_of_the_papers():
    """Table 10: 2707 tokens with 5 a number and 767 with 1."""
    (layout,) = Planets(n_steps=59, n_planets=(4, 4)).layouts()
    assert len(layout.number_slots) == (2707 - 767) / 4


def plain_rebound(m, a, e, theta, times):
    """The loop that one would write: sim.add planet by planet, sim.integrate time by time."""
    sim = rebound.Simulation()
    sim.integrator = "ias15"
    sim.add(m=1.0)
    for elements in zip(m, a, e, theta, strict=True):
        sim.add(**dict(zip(("m", "a", "e", "theta"), map(float, elements), strict=True)))
    positions = []
    for t in times:
        sim.integrate(t)
        positions.append([(p.x, p.y) for p in sim.particles[1:]])
    return np.array(positions)


def angles(examples):
    """(n, planets) angles at time 0, seen from the star: exact for the innermost planet only."""
    return np.arctan2(columns(examples, "y")[:, 0], columns(examples, "x")[:, 0])


@pytest.fixture(scope="module")
def many():
    """4000 systems, at time 0 only."""
    return Planets(n_steps=1).sample(4000, seed=1)


@pytest.mark.parametrize(("n_steps", "n"), [(10, 24), (59, 6)])
def test_orbits_are_those_of_a_plain_rebound_loop(n_steps, n):
    rng = np.random.default_rng(n)
    for k in (2, 3, 4):
        m, e = rng.uniform(1e-5, 5e-5, (n, k)), rng.uniform(0, 0.1, (n, k))
        theta = rng.uniform(-np.pi / 6, np.pi / 6, (n, k)) * (rng.random((n, 1)) > 0.3)
        a = 1 + (rng.uniform(1.5, 3, (n, 1)) - 1) * np.arange(k) / (k - 1)
        times = rng.choice([0.2, 0.3, 0.5, 0.8], (n, 1)) * np.arange(n_steps)
        fast = simulate(m, a, e, theta, times)
        plain = [plain_rebound(*system) for system in zip(m, a, e, theta, times, strict=True)]
        np.testing.assert_allclose(fast, plain, rtol=0, atol=1e-9)


def test_a_text_holds_the_orbits_of_the_planets_that_it_describes():
    for examples in Planets(n_steps=8).sample(30, seed=2):
        m, a, e = columns(examples, "m") / 1e5, columns(examples, "a"), columns(examples, "e") / 20
        x, y = columns(examples, "x"), columns(examples, "y")
        for i in range(len(examples)):
            out = np.argsort(a[i])
            theta = angle_of_elements(m[i, out], a[i, out], e[i, out], x[i, 0, out], y[i, 0, out])
            times = examples.column("stepsize")[i] * np.arange(8)
            xy = plain_rebound(m[i, out], a[i, out], e[i, out], theta, times)
            np.testing.assert_allclose(x[i][:, out], xy[..., 0], rtol=0, atol=1e-9)
            np.testing.assert_allclose(y[i][:, out], xy[..., 1], rtol=0, atol=1e-9)


def angle_of_elements(m, a, e, x, y):
    """True longitudes at time 0 of planets in order of distance, about the mass further in."""
    total, centre, angle = 1.0, np.zeros(2), []
    for mass, position in zip(m, np.stack([x, y], axis=1), strict=True):
        angle.append(np.arctan2(*(position - centre)[::-1]))
        centre = (total * centre + mass * position) / (total + mass)
        total += mass
    return angle


def test_orbits_do_not_depend_on_those_integrated_before_or_beside_them():
    rng = np.random.default_rng(0)
    n = 60  # enough for several threads
    m, e = rng.uniform(1e-5, 5e-5, (n, 3)), rng.uniform(0, 0.1, (n, 3))
    a, theta = np.tile([1.0, 1.4, 1.8], (n, 1)), np.zeros((n, 3))
    times = np.tile(0.5 * np.arange(20), (n, 1))
    together = simulate(m, a, e, theta, times)
    assert (together[::-1] == simulate(m[::-1], a, e[::-1], theta, times)).all()
    alone = [simulate(*(x[i : i + 1] for x in (m, a, e, theta, times)))[0] for i in range(n)]
    assert (together == alone).all()


def test_planets_go_round_in_keplers_time():
    """A year at a = 1 is 2 pi: a light planet on a circle is back where it began."""
    one = np.ones((1, 1))
    times = 2 * np.pi * np.array([[0.0, 0.25, 1.0]])
    xy = simulate(1e-12 * one, one, 0 * one, 0 * one, times)[0, :, 0]
    np.testing.assert_allclose(xy, [[1, 0], [0, 1], [1, 0]], atol=1e-9)


def test_masses_and_eccentricities_are_uniform_in_the_units_of_the_text(many):
    for letter, low, high in (("m", 1, 5), ("e", 0, 2)):
        drawn = np.concatenate([columns(examples, letter).ravel() for examples in many])
        assert low <= drawn.min() < drawn.max() <= high
        assert np.histogram(drawn, 4, (low, high))[0] / len(drawn) == pytest.approx(0.25, abs=0.03)


def test_semimajor_axes_are_equally_spaced_from_1_to_a_f(many):
    for examples in many:
        a = np.sort(columns(examples, "a"), axis=1)
        assert (a[:, 0] == 1).all()
        assert (a[:, -1] >= 1.5).all() and (a[:, -1] <= 3).all()
        np.testing.assert_allclose(np.ptp(np.diff(a), axis=1), 0, atol=1e-12)
        assert a[:, -1].mean() == pytest.approx(2.25, abs=0.06)


def test_the_order_of_the_planets_is_shuffled_so_that_a0_is_1_or_beyond_the_gap(many):
    a0 = np.concatenate([examples.column("a0") for examples in many])
    ((_, beyond),) = Planets().gaps["a0"]
    assert beyond == pytest.approx(1.16, abs=0.01)
    assert ((a0 == 1) | (a0 >= beyond)).all()
    ranks = [np.argsort(columns(examples, "a"), axis=1) for examples in many]
    for rank in ranks:
        orders, counts = np.unique(rank, axis=0, return_counts=True)
        assert len(orders) == len(list(itertools.permutations(rank[0])))
        assert counts / len(rank) == pytest.approx(1 / len(orders), rel=0.5)


def test_the_angle_is_zero_for_all_planets_of_30_percent_and_else_within_30_degrees(many):
    for examples in many:
        y, at = columns(examples, "y")[:, 0], angles(examples)
        zero = (y == 0).all(axis=1)
        assert zero.mean() == pytest.approx(0.3, abs=0.05)
        assert (y[~zero] != 0).all()
        assert np.abs(at).max() < np.pi / 6 + 1e-3
        assert np.abs(at[~zero]).mean() == pytest.approx(np.pi / 12, rel=0.05)


def test_all_planets_can_start_at_their_pericentre():
    (examples,) = Planets(n_steps=1, n_planets=(2, 2), aligned=1.0).sample(100, seed=1)
    assert (columns(examples, "y") == 0).all()
    nearest = columns(examples, "a") * (1 - columns(examples, "e") / 20)
    np.testing.assert_allclose(columns(examples, "x")[:, 0], nearest, rtol=1e-4)


def test_the_outermost_orbit_can_have_a_narrower_prior():
    (examples,) = Planets(n_steps=1, n_planets=(3, 3), a_final=(1.5, 2.0)).sample(200, seed=1)
    outermost = columns(examples, "a").max(axis=1)
    assert 1.5 <= outermost.min() < 1.52 and 1.98 < outermost.max() <= 2


def test_numbers_of_planets_and_step_sizes_are_uniform(many):
    sizes = np.array([len(examples) for examples in many])
    assert sizes / 4000 == pytest.approx(1 / 3, abs=0.04)
    steps = np.concatenate([examples.column("stepsize") for examples in many])
    values, counts = np.unique(steps, return_counts=True)
    assert values.tolist() == [0.2, 0.3, 0.5, 0.8]
    assert counts / 4000 == pytest.approx(0.25, abs=0.04)


def test_a_planet_starts_on_its_ellipse(many):
    for examples in many:
        out = np.argsort(columns(examples, "a"), axis=1)[:, :1]  # the innermost: about the star
        letters = ("a", "e")
        a, e = (np.take_along_axis(columns(examples, s), out, axis=1)[:, 0] for s in letters)
        x, y = (np.take_along_axis(columns(examples, s)[:, 0], out, axis=1)[:, 0] for s in "xy")
        r = a * (1 - (e / 20) ** 2) / (1 + e / 20 * np.cos(np.arctan2(y, x)))
        np.testing.assert_allclose(np.hypot(x, y), r, rtol=1e-12)


def test_a_lone_planet_is_the_first_or_the_second_of_four():
    (alone,) = Planets(n_steps=1, n_planets=(1, 1)).sample(4000, seed=1)
    a = alone.column("a0")
    assert (a == 1).mean() == pytest.approx(0.5, abs=0.03)
    ((_, beyond),) = gap = Planets(n_planets=(1, 1)).gaps["a0"]
    assert gap == Planets(n_planets=(4, 4)).gaps["a0"]
    assert beyond <= a[a > 1].min() < beyond + 0.01 and 1.66 < a.max() <= 5 / 3


def test_a_lone_planet_follows_its_ellipse():
    (alone,) = Planets(n_steps=6, n_planets=(1, 1)).sample(30, seed=2)
    (held,) = Planets(n_steps=6, n_planets=(1, 1)).sample(30, seed=2, a0=1.2)
    assert (held.column("a0") == 1.2).all()
    for examples in (alone, held):
        m, a, e = (columns(examples, letter) for letter in "mae")
        x, y = columns(examples, "x"), columns(examples, "y")
        for i, theta in enumerate(angles(examples)):
            times = examples.column("stepsize")[i] * np.arange(6)
            xy = plain_rebound(m[i] / 1e5, a[i], e[i] / 20, theta, times)
            np.testing.assert_allclose(np.stack([x[i], y[i]], -1), xy, rtol=0, atol=1e-9)


def test_angles_can_go_all_around():
    (examples,) = Planets(n_steps=1, n_planets=(1, 1), aligned=0.3, angles=np.pi).sample(4000, 1)
    angle = angles(examples)[:, 0]
    assert (np.abs(angle) < 1e-9).mean() == pytest.approx(0.3, abs=0.03)
    around = np.histogram(angle[np.abs(angle) > 1e-9], bins=4, range=(-np.pi, np.pi))[0]
    assert around / around.sum() == pytest.approx(np.full(4, 0.25), abs=0.03)


def test_five_planets_are_equally_spaced():
    (examples,) = Planets(n_steps=1, n_planets=(5, 5)).sample(100, seed=1)
    a = np.sort(columns(examples, "a"))
    assert (a[:, 0] == 1).all() and a[:, 1].min() >= 1.125
    np.testing.assert_allclose(np.diff(a, 2), 0, atol=1e-12)


def test_the_text_is_the_json_of_the_paper():
    (examples,) = Planets(n_steps=3, n_planets=(3, 3)).sample(1, seed=0)
    text = examples.text(0, repr)
    said = ast.literal_eval(text)
    assert text.startswith("{'description':{'planet0':{'m':") and text.endswith("]]]}")
    assert list(said["description"]) == ["planet0", "planet1", "planet2", "stepsize"]
    assert said["description"]["planet2"]["a"] == examples.column("a2")[0]
    assert said["data"][1][2] == [examples.column("x2.1")[0], examples.column("y2.1")[0]]
    assert np.shape(said["data"]) == (3, 3, 2)


def test_a_held_a0_is_the_innermost_of_planets_equally_spaced_to_the_same_a_f():
    task = Planets(n_steps=1)
    free, held = task.sample(200, seed=3), task.sample(200, seed=3, a0=1.1)
    for ours, theirs in zip(free, held, strict=True):
        a = columns(theirs, "a")
        assert (a[:, 0] == 1.1).all() and (a[:, 0] == a.min(axis=1)).all()
        assert (a.max(axis=1) == columns(ours, "a").max(axis=1)).all()
        np.testing.assert_allclose(np.ptp(np.diff(np.sort(a)), axis=1), 0, atol=1e-12)


def test_holding_what_was_drawn_changes_nothing():
    (free,) = Planets(n_steps=4, n_planets=(3, 3)).sample(20, seed=4)
    drawn = {name: free.column(name) for name in ("stepsize", "m0", "e0")}
    (held,) = Planets(n_steps=4, n_planets=(3, 3)).sample(20, seed=4, **drawn)
    assert (free.numbers == held.numbers).all()


def test_a_held_step_size_only_changes_when_positions_are_recorded():
    task = Planets(n_steps=5, n_planets=(2, 2))
    (slow,), (fast,) = (task.sample(10, seed=5, stepsize=dt) for dt in (0.2, 0.4))
    np.testing.assert_allclose(
        columns(slow, "x")[:, [0, 2, 4]], columns(fast, "x")[:, :3], atol=1e-9
    )


def test_gaps_follow_the_settings():
    gaps = Planets(n_planets=(2, 2), step_sizes=(0.8, 0.3)).gaps
    assert gaps == {"a0": ((1.0, 1.5),), "stepsize": ((0.3, 0.8),)}


@pytest.mark.parametrize("n_planets", [(1, 1), (1, 2), (1, 3), (2, 4), (1, 5)])
def test_no_planet_is_in_the_gap_of_a0(n_planets):
    task = Planets(n_steps=1, n_planets=n_planets)
    ((low, high),) = task.gaps["a0"]
    a0 = np.concatenate([e.column("a0") for e in task.sample(400, seed=0)])
    assert not ((a0 > low) & (a0 < high)).any() and a0.min() == low


@pytest.mark.parametrize(
    "settings",
    [
        {"n_steps": 0},
        {"n_planets": (0, 4)},
        {"n_planets": (4, 2)},
        {"n_planets": (2, 6)},
        {"n_planets": (3,)},
        {"n_planets": 3},
        {"n_planets": (2, 3.5)},
        {"step_sizes": ()},
        {"step_sizes": (0.0,)},
        {"aligned": 1.1},
        {"a_final": (1.5, 3.5)},
        {"a_final": 1.5},
        {"angles": 3.2},
    ],
    ids=str,
)
def test_settings_out_of_range_are_refused(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        Planets(**settings)
