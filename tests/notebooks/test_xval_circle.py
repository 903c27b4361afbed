"""Which numbers follow each other around a circle."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from notebooks.conftest import load

circle = load("xval/circle")
around_a_circle = circle.around_a_circle


def on_a_circle(order, radius=1.0):
    """Numbers at equal angles in this order, the table in another."""
    turn = 2 * np.pi * np.arange(len(order)) / len(order) + 0.1
    frame = pd.DataFrame(
        {"number": order, "pc1": radius * np.cos(turn), "pc2": radius * np.sin(turn)}
    )
    return frame.sample(frac=1, random_state=0)


@pytest.mark.parametrize("direction", [1, -1])
def test_numbers_in_order_are_in_order_in_both_directions_and_at_any_radius(direction):
    radius = np.linspace(0.2, 3, 10)
    frame = around_a_circle(on_a_circle(np.arange(10)[::direction], radius))
    assert frame.number.tolist() == list(range(10))
    assert frame.next.tolist() == [*range(1, 10), 0]
    assert frame.in_order.all()


def test_two_swapped_numbers_break_the_order_around_them():
    frame = around_a_circle(on_a_circle([0, 1, 2, 4, 3, 5, 6, 7]))
    assert frame.in_order.tolist() == [True, True, False, False, False, True, True, True]


def test_numbers_on_a_line_are_in_no_order_around_it():
    pc2 = 0.01 * np.random.default_rng(0).normal(size=8)
    frame = pd.DataFrame({"number": range(8), "pc1": np.arange(8) - 3.5, "pc2": pc2})
    assert around_a_circle(frame).in_order.mean() < 0.7


def test_shuffled_numbers_are_in_order_by_chance_only():
    rng = np.random.default_rng(0)
    share = [around_a_circle(on_a_circle(rng.permutation(10))).in_order.mean() for _ in range(50)]
    assert 0.05 < np.mean(share) < 0.3  # the better of two directions


@pytest.mark.parametrize(
    ("n", "label", "told"),
    [
        (10, "digit", "in order around a circle: 10 of 10"),
        (100, "significand", "neighbours kept: 100 % (chance: 10 %)"),
    ],
)
def test_clouds_name_their_colors_and_say_how_far_the_order_is_kept(n, label, told):
    turn = 2 * np.pi * np.arange(n) / n / (1 if n == 10 else 50)  # a circle, or a line
    frame = pd.DataFrame({"cloud": "one", "number": range(n), "pc1": np.cos(turn)})
    cloud, bar = circle.clouds(frame.assign(pc2=np.sin(turn)), {"one": [0.6, 0.4]}).axes
    assert cloud.get_title() == f"one\n{told}" and bar.get_ylabel() == label
