"""Batches and trainings in several processes: signals, kills, and two at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import nbformat
import numpy as np
import psutil
from nbformat import v4

from attacks.common import SECONDS, drafts, home, judge

CELLS = """import numlab as nl, time
nl.train_all([nl.RunSpec(nl.tasks.Addition(2), nl.FoNE(3), nl.CausalLM(only=("answer",)),
    nl.GPT2(16, 1, 2), n_train=64, steps=10**6, learning_rate=1e-3, seed=s) for s in (0, 1)])"""


def signals(times: int, rng: np.random.Generator) -> Counter:
    """Signals to a batch in training: ten seconds later nothing of it runs; ports are local."""
    counts = Counter()
    for i in range(times):
        with home() as place:
            _write_notebooks(place, *5 * [CELLS])  # more than run side by side
            command = [sys.executable, "-m", "numlab", "figures", "--profile", "smoke"]
            with (place / "log").open("w") as log:
                batch = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
            _wait(lambda: any(place.glob("data/runs/.partial/*/progress.json")))
            ports = {c.laddr.ip for p in _ours(place) for c in p.net_connections() if _listens(c)}
            counts["left behind"] += bool(ports - {"127.0.0.1", "::1"})
            names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGKILL")
            batch.send_signal(getattr(signal, names[i % len(names)]))
            try:
                batch.wait(SECONDS)
            except subprocess.TimeoutExpired:
                counts["hanging"] += 1
            counts["left behind"] += _left(place)
    return counts


SIDE_BY_SIDE = """import dataclasses, hashlib, numlab as nl
from attacks.common import SPEC
specs = [dataclasses.replace(SPEC, steps=1500, seed=seed) for seed in range(4)]
weights = [(run.folder / "weights.safetensors").read_bytes() for run in nl.train_all(specs)]
print(hashlib.sha256(b"".join(weights)).hexdigest())"""


def kills_side_by_side(times: int, rng: np.random.Generator) -> Counter:
    """Kill a worker of `train_all`, or its parent with the scheduler; then let it end."""
    counts = Counter()
    with home():
        expected = _said(_python("-c", SIDE_BY_SIDE))
    for i in range(times):
        with home() as place:
            parent = _python("-c", SIDE_BY_SIDE)
            _wait(lambda place=place: any(place.glob("data/runs/.partial/*/progress.json")))
            time.sleep(rng.uniform(0, 4))
            if i % 2:
                parent.kill()
                parent.wait()
                counts["left behind"] += _left(place)
                parent = _python("-c", SIDE_BY_SIDE)
            else:
                started = psutil.Process(parent.pid).children(recursive=True)
                forks = [p for p in started if "forkserver" in " ".join(p.parent().cmdline())]
                forks[0].kill()  # a worker
            counts += judge(_said(parent), expected)
            counts["left behind"] += _left(place) + len(drafts(place))
    return counts


def batches(times: int, rng: np.random.Generator) -> Counter:
    """Two batches on one home at the same time: both end well, and each notebook runs once."""
    counts = Counter()
    for _ in range(times):
        with home() as place:
            _write_notebooks(place, *4 * [SAVES])
            command = ("-m", "numlab", "figures", "--profile", "smoke", "--jobs", "2")
            pair = [_python(*command)]
            time.sleep(rng.uniform(0, 4))
            pair.append(_python(*command))
            ends = [_said(batch).splitlines()[-1:] for batch in pair]
            good = all(end and "0 failed" in end[0] for end in ends)
            ran = (place / "ran").read_text() if (place / "ran").exists() else ""
            counts["lost"] += not good or len(ran) < 4
            counts["differing"] += len(ran) > 4
            counts["left behind"] += _left(place) + len(drafts(place))
    return counts


SAVES = """import numlab as nl, pandas as pd
size = nl.begin("xval/trains{i}", profile, SIZES)
nl.save_table("xval/tab0{i}", pd.DataFrame({{"n": [size.n]}}))
with open(nl.store.home() / "ran", "a") as file:
    file.write("1")"""


def _python(*arguments: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )


def _said(process: subprocess.Popen) -> str:
    """What a process prints until it ends; "hanging" after two minutes."""
    try:
        return process.communicate(timeout=2 * SECONDS)[0].strip() or "died"
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return "hanging"


def _left(place: Path) -> int:
    """How many processes still use this home after ten seconds; they are killed."""
    _wait(lambda: not _ours(place), seconds=10)
    left = _ours(place)
    for process in left:
        process.kill()
    return len(left)


def _listens(connection) -> bool:
    return connection.status == psutil.CONN_LISTEN


def _ours(place: Path) -> list[psutil.Process]:
    """Processes with this home, but the one that attacks."""
    found = []
    for process in psutil.process_iter():
        try:
            home = process.environ().get("NUMLAB_HOME")
            alive = process.status() != psutil.STATUS_ZOMBIE and process.pid != os.getpid()
            found += [process] if home == str(place) and alive else []
        except psutil.Error:
            continue
    return found


def _wait(condition, seconds: float = 2 * SECONDS) -> None:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.2)


def _write_notebooks(place: Path, *sources: str) -> None:
    """Notebooks of two cells, parameters and a source; {i} in it is the notebook's number."""
    sizes = 'profile = "quick"\nSIZES = {"smoke": {"n": 2}}'
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    (place / "notebooks/xval").mkdir(parents=True)
    for i, source in enumerate(sources, start=1):
        cells = [v4.new_code_cell(text) for text in (sizes, source.format(i=i))]
        cells[0].metadata.tags = ["parameters"]
        notebook = v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
        nbformat.write(notebook, place / f"notebooks/xval/trains{i}.ipynb")
