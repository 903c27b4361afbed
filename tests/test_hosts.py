"""Two hosts on one cable: whatever happens to one of them, the store ends whole."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
import pytest
from tiny import SPEC, weights
from waiting import until

import numlab as nl
from numlab import store
from numlab.losses import LossTerm

# Namespaces of the kernel: each host has a network of its own, and all end with this shell, whose
# `cat` ends with the tests.
MAKE = """
mount -t tmpfs none /run
ip netns add h1
ip netns add h2
ip link add wire1 netns h1 type veth peer name wire2 netns h2
for i in 1 2; do
    ip -n h$i address add 10.9.9.$i/24 dev wire$i
    ip -n h$i link set wire$i up
    ip -n h$i link set lo up
done
echo made
exec cat
"""
SCHEDULER = "tcp://10.9.9.1:8786"
BIN = Path(sys.executable).parent
TESTS = str(Path(__file__).parent)
ROOT = Path(__file__).parents[1]
NOTEBOOK = f"""
import sys
sys.path.insert(0, {TESTS!r})
import numlab as nl, pandas as pd, test_hosts
size = nl.begin("xval/hosts", profile, SIZES)
runs = nl.train_all(test_hosts.SPECS)
nl.save_table("xval/tab05", pd.DataFrame({{"loss": [run.valid_loss for run in runs]}}))
"""


@dataclass(frozen=True)
class Waits(LossTerm):
    """No loss; a training says on which host it is, and waits while the store has a file "hold"."""

    name: str = "waits"
    weight: float = 1.0

    def __call__(self, logits, targets, embed):
        (store.home() / f"on {os.environ.get('HOST')}").touch()
        while (store.home() / "hold").exists():
            time.sleep(0.05)
        return logits.sum() * 0


SPECS = [
    replace(SPEC, encoder=nl.P1000(), losses=(Waits(),), steps=8, seed=seed) for seed in range(5)
]


@pytest.fixture
def run_on(home):
    """A function that starts a command on a host, with environment variables; on host 1 there is a
    scheduler."""
    command = ["unshare", "--map-root-user", "--net", "--pid", "--mount-proc", "--kill-child"]
    try:
        pipes = dict.fromkeys(["stdin", "stdout", "stderr"], subprocess.PIPE)
        made = subprocess.Popen([*command, "sh", "-ec", MAKE], **pipes, text=True)
    except FileNotFoundError as error:
        pytest.skip(f"no namespaces here: {error}")
    if made.stdout.readline() != "made\n":
        pytest.skip(f"no namespaces here: {made.stderr.read().strip()}")
    (shell,) = psutil.Process(made.pid).children()
    enter = ["nsenter", f"--target={shell.pid}", "--user", "--preserve-credentials"]
    enter += ["--mount", "--pid", "ip", "netns", "exec"]

    def run_on(host: int, *command: str | Path, to=subprocess.DEVNULL, **environ):
        config = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "12s", "OMP_NUM_THREADS": "1"}
        config["DASK_TEMPORARY_DIRECTORY"] = "/run"
        env = os.environ | config | environ | {"HOST": str(host), "NUMLAB_HOME": str(home)}
        env["PYTHONPATH"] = os.pathsep.join([TESTS, env.get("PYTHONPATH", "")])
        return subprocess.Popen([*enter, f"h{host}", *command], env=env, stdout=to, stderr=to)

    with made:
        options = ["--host", "10.9.9.1", "--port", "8786", "--no-dashboard"]
        options += ["--scheduler-file", home / "scheduler"]
        run_on(1, BIN / "dask", "scheduler", *options)
        until((home / "scheduler").exists, "a scheduler")
        yield run_on


def start_worker(run_on, host: int, *before: str) -> psutil.Process:
    """Start a worker on a host by the README's line; the process that watches over its training."""
    (line,) = re.findall("^ssh desk2 (.*) &$", (ROOT / "README.md").read_text("utf-8"), re.M)
    program, *options = line.replace("desk1", "10.9.9.1").split()
    return psutil.Process(run_on(host, *before, BIN / Path(program).name, *options).pid)


def kill_training(watcher: psutil.Process) -> None:
    for child in watcher.children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if "spawn_main" in " ".join(child.cmdline()):
                child.kill()


def test_a_batch_ends_whole_though_a_worker_dies_and_then_its_host(
    home, run_on, write_notebook, monkeypatch
):
    write_notebook(home, "xval/hosts", NOTEBOOK)
    (home / "hold").touch()
    start_worker(run_on, 1)
    second = start_worker(run_on, 2)
    command = BIN / "numlab", "figures", "--profile", "smoke", "--scheduler", SCHEDULER
    with (home / "log").open("w") as log:
        batch = run_on(1, *command, to=log)

    until(lambda: {"on 1", "on 2"} <= {*os.listdir(home)}, "trainings on both hosts")
    (home / "on 2").unlink()
    kill_training(second)
    until((home / "on 2").exists, "another training on host 2")
    run_on(2, "ip", "link", "set", "wire2", "down").wait()
    run_on(2, "sh", "-c", "kill -9 $(ip netns pids h2 | grep -vw $$)").wait()
    (home / "hold").unlink()

    assert batch.wait(timeout=300) == 0, (home / "log").read_text()
    runs = [nl.Run(spec) for spec in SPECS]
    assert all(store.intact(run.folder) for run in runs)
    assert not [*store.runs_dir().glob(".partial/*"), *store.runs_dir().glob(".seen-*")]
    monkeypatch.setenv("NUMLAB_HOME", str(home / "alone"))
    assert weights(nl.train(SPECS[0])) == weights(runs[0])


def test_a_worker_that_does_not_see_the_store_sends_its_run(home, run_on):
    hide = 'mount -t tmpfs none "$0" && exec "$@"'
    start_worker(run_on, 2, "unshare", "--mount", "sh", "-c", hide, str(home))
    script = "import numlab as nl, test_hosts; nl.train_all(test_hosts.SPECS[:1])"
    assert run_on(1, sys.executable, "-c", script, NUMLAB_SCHEDULER=SCHEDULER).wait() == 0
    assert store.intact(nl.Run(SPECS[0]).folder)
    assert not (home / "on 2").exists()
