"""Systems a second in one process: pytest tests/benchmarks/test_planets.py --benchmark-enable."""

import pytest

from numlab.tasks import Planets


@pytest.mark.parametrize("n_steps", [5, 10, 20, 59])
def test_planets_sampled_in_one_process(benchmark, n_steps):
    n = 4000 // n_steps
    task = Planets(n_steps=n_steps)
    corpus = benchmark(task.sample, n, seed=0)
    benchmark.extra_info["samples"] = n
    assert sum(map(len, corpus)) == n
