"""kNN-F1 of all six-digit numbers with embeddings of 768 dimensions: seconds (make bench).

As a plain test (benchmarks disabled) four digits do: it shows that the benchmark runs.
"""

import numpy as np
import pytest

from numlab.embeddings import from_digits
from numlab.encoders import aggregate
from numlab.probes import neighbour_f1


@pytest.mark.parametrize("name", ["weighted_sum", "digit_sum", "digit_max", "digit_median"])
def test_neighbour_f1(benchmark, name):
    n_digits = 6 if benchmark.enabled else 4
    table = np.random.default_rng(0).normal(size=(10, 768)).astype(np.float32)
    numbers = np.arange(10 ** (n_digits - 1), 10**n_digits)
    e = from_digits(numbers, table, getattr(aggregate, name))
    frame = benchmark.pedantic(neighbour_f1, (e,), rounds=1)
    assert (frame.f1.mean() > 0.69) == (name == "weighted_sum")
    if benchmark.enabled:
        assert benchmark.stats.stats.max < 15
