"""How long a file of numbers takes to be understood, beside pandas, which only reads it."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd

from numlab import compare

ROUNDS = 5


def test_a_file_is_understood_in_a_hundred_times_what_pandas_takes(tmp_path, capsys):
    """Each column is asked for units, dates, separators and ids: of plain numbers, in one look."""
    path = tmp_path / "numbers.csv"
    draws = np.random.default_rng(0).lognormal(size=(20_000, 20)).round(4)
    pd.DataFrame(draws).add_prefix("c").to_csv(path, index=False)
    took = np.zeros((ROUNDS + 1, 2))
    for times in took:  # in turn: both meet the same machine
        for way, read in enumerate((pd.read_csv, compare.read)):
            began = time.process_time()
            read(path)
            times[way] = time.process_time() - began
    plain, ours = took[1:].min(0)  # the first round also loads
    with capsys.disabled():
        print(f"\n400,000 numbers: {plain:.2f} s by pandas, {ours:.2f} s: {ours / plain:.0f} times")
    assert ours < 100 * plain
