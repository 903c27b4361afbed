"""kNN-F1 of digits, 768 dimensions: six digits in 10 s, seven in 3 minutes and 8 GB (make bench).

As a plain test (benchmarks disabled) four digits do: it shows that the benchmark runs.
"""

import resource
import sys

import numpy as np
import pytest
from notebooks.conftest import load

from numlab.encoders import DigitMax, DigitMean, DigitMedian, DigitMin, DigitSum, WeightedSum

digit_f1 = load("digits/aggregates").digit_f1
AGGREGATIONS = (WeightedSum(), DigitSum(), DigitMean(), DigitMax(), DigitMin(), DigitMedian())


@pytest.mark.parametrize(("n_digits", "seconds"), [(6, 10), (7, 180)])
@pytest.mark.parametrize("how", AGGREGATIONS, ids=repr)
def test_digit_f1(benchmark, how, n_digits, seconds):
    table = np.random.default_rng(0).normal(size=(10, 768)).astype(np.float32)
    numbers = np.arange(10 ** (n_digits if benchmark.enabled else 4))
    frame = benchmark.pedantic(digit_f1, (numbers, table, how), rounds=1)
    assert (frame.f1.mean() > 0.69) == (how == WeightedSum())
    if benchmark.enabled:
        assert benchmark.stats.stats.max < seconds
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert peak < 8 * 2**30 / (1 if sys.platform == "darwin" else 1024)
