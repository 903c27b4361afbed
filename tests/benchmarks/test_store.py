"""A store of 10,000 runs: listing them, opening one and checking one."""

from __future__ import annotations

import shutil

import pytest

import numlab as nl
from numlab import store


@pytest.fixture(scope="module")
def runs(module_home):
    task, model = nl.tasks.Addition(2), nl.GPT2(8, 1, 1)
    run = nl.train(nl.RunSpec(task, nl.P10(), nl.MaskedLM(), model, 64, 2, 1e-3))
    for i in range(10_000 - 1):
        shutil.copytree(run.folder, run.folder.with_name(f"{i:020x}"))
    return run


def test_a_store_of_10_000_runs_is_listed(benchmark, runs):
    assert len(benchmark(nl.stored_runs)) == 10_000


def test_one_of_10_000_runs_is_opened_and_checked(benchmark, runs):
    def open_one():
        return store.intact(runs.folder) and nl.Run.stored(runs.digest).history

    assert len(benchmark(open_one))
