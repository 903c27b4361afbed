"""Runs as jobs of a Slurm made of shell scripts: they end as in one process, and none stays."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import tiny
from waiting import until

import numlab as nl
from numlab import store
from numlab.batch.run import run_notebooks
from numlab.losses import LossTerm
from numlab.training import fit, worker

# Each job has a folder, named by its number. slurmd runs its script, and again when it is requeued.
COMMANDS = {
    "sbatch": """
n=1
until mkdir $SLURM/$n 2>/dev/null; do n=$((n + 1)); done
cp "$1" $SLURM/$n/script
echo "${SBATCH_JOB_NAME:-$(sed -n 's/^#SBATCH --job-name=//p' "$1")}" > $SLURM/$n/name
echo PENDING > $SLURM/$n/state
SLURM_JOB_ID=$n setsid slurmd </dev/null >/dev/null 2>&1 &
echo "Submitted batch job $n"
""",
    "slurmd": """
job=$SLURM/$SLURM_JOB_ID
echo $$ > $job/pid
echo RUNNING > $job/state
touch $job/requeue
while [ -e $job/requeue ]; do
    rm $job/requeue
    state=FAILED
    sh $job/script && state=COMPLETED
done
echo $state > $job/state
""",
    "srun": """
while :; do
    case $1 in
    --unbuffered) shift ;;
    --output) out=$2; shift 2 ;;
    --error) err=$2; shift 2 ;;
    *) break ;;
    esac
done
name() { echo "$1" | sed "s/%j/$SLURM_JOB_ID/; s/%t/0/"; }
env > $SLURM/$SLURM_JOB_ID/env
echo $$ > $SLURM/$SLURM_JOB_ID/task
exec "$@" >> "$(name "$out")" 2>> "$(name "$err")"
""",
    "scontrol": "touch $SLURM/$2/requeue",
    "squeue": "cd $SLURM; grep -lx 'PENDING\\|RUNNING' */state | cut -d/ -f1",
    "scancel": """
[ "$1" = --name ] && set -- $(cd $SLURM; grep -lx "$2" */name | cut -d/ -f1)
for n; do
    if grep -qx "PENDING\\|RUNNING" $SLURM/$n/state; then
        echo CANCELLED > $SLURM/$n/state
        kill -9 -$(cat $SLURM/$n/pid)
    fi
done
""",
}
NOTEBOOK = """
import numlab as nl, test_slurm
size = nl.begin("xval/jobs", profile, SIZES)
nl.train_all([test_slurm.SPEC])
"""
TESTS = str(Path(__file__).parent)
JOB = os.environ.get("SLURM_JOB_ID", "")
if JOB:
    fit.CHECKPOINT_SECONDS = 0  # at each step


@dataclass(frozen=True)
class Waits(LossTerm):
    """No loss; a job counts the calls, and waits at the ninth while the store has a file "hold"."""

    name: str = "waits"
    weight: float = 1.0

    def __call__(self, logits, targets, embed):
        path = store.home() / f"calls {JOB}"
        with path.open("a") as calls:
            calls.write("call\n")
        while len(path.read_text().split()) == 9 and (store.home() / "hold").exists():
            time.sleep(0.05)
        return logits.sum() * 0


SPEC = replace(tiny.SPEC, encoder=nl.P1000(), steps=8)
HELD = replace(SPEC, losses=(Waits(),))
BROKEN = replace(SPEC, encoder=nl.FoNE(1))  # its sums have three digits


@pytest.fixture
def slurm(home, monkeypatch):
    """The folder of the jobs that sbatch starts."""
    folder, jobs = home / "bin", home / "slurm"
    folder.mkdir()
    jobs.mkdir()
    for name, text in COMMANDS.items():
        (folder / name).write_text(f"#!/bin/sh\nSLURM={jobs}\n{text}")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(folder), os.environ["PATH"]]))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([TESTS, os.environ.get("PYTHONPATH", "")]))
    yield jobs
    subprocess.run(["scancel", *os.listdir(jobs)], check=True)


def calls(home: Path) -> int:
    """Of the loss, by the first job."""
    path = home / "calls 1"
    return len(path.read_text().split()) if path.exists() else 0


def states(jobs: Path) -> list[str]:
    """How the jobs ended, when they have."""
    paths = sorted(jobs.glob("*/state"))
    going = {"RUNNING", "PENDING", ""}  # a file that is just being written is empty
    until(lambda: not going & {path.read_text().strip() for path in paths})
    return [path.read_text().strip() for path in paths]


def test_runs_equal_those_trained_here_though_the_time_of_a_job_was_over(home, slurm, monkeypatch):
    monkeypatch.setenv("SBATCH_PARTITION", "gpu")
    (home / "hold").touch()
    left = []
    told = {"scheduler": "slurm", "ended": lambda run, n: left.append(n)}
    with ThreadPoolExecutor(1) as thread:
        training = thread.submit(nl.train_all, [HELD, SPEC], **told)
        until(lambda: calls(home) == 9)
        os.kill(int((slurm / "1/task").read_text()), signal.SIGUSR2)
        (home / "hold").unlink()
        runs = training.result()
    assert states(slurm) == ["COMPLETED", "COMPLETED"] and left == [1, 0]
    assert calls(home) == 9 + 8  # its last four steps once more, each with a validation
    assert not [*store.runs_dir().glob(".slurm/*"), *store.runs_dir().glob(".partial/*")]

    options = (slurm / "1/script").read_text().splitlines()
    assert {"#SBATCH --signal=USR2@90", "#SBATCH --requeue", "#SBATCH --time=60"} < {*options}
    assert not [option for option in options if "wckey" in option]
    assert "SBATCH_PARTITION=gpu" in (slurm / "1/env").read_text()

    shared = [tiny.weights(run) for run in runs]
    monkeypatch.setenv("NUMLAB_HOME", str(home / "alone"))
    assert [tiny.weights(nl.train(spec)) for spec in (HELD, SPEC)] == shared


def test_a_failed_job_is_named_with_its_log_and_the_others_are_cancelled(home, slurm):
    (home / "hold").touch()
    said = r"training Addition · FoNE\S* · seed 0 failed; the log of its job is (\S+)"
    with pytest.raises(RuntimeError, match=said) as raised:
        nl.train_all([HELD, BROKEN], scheduler="slurm")
    log = Path(re.search(said, str(raised.value))[1])
    assert "ValueError: a: FoNE holds" in log.read_text()
    assert states(slurm) == ["CANCELLED", "FAILED"]


def test_what_slurm_refuses_is_said(home, slurm):
    (home / "bin/sbatch").write_text("#!/bin/sh\necho invalid partition >&2\nexit 1\n")
    with pytest.raises(RuntimeError, match="invalid partition"):
        nl.train_all([SPEC], scheduler="slurm")


def test_a_job_that_slurm_ends_is_named(home, slurm, monkeypatch):
    monkeypatch.setattr(worker, "NFS_DELAY", 0)
    monkeypatch.setattr("numlab.training.slurm.QUEUE_SECONDS", 0)
    (home / "bin/sbatch").write_text("#!/bin/sh\necho Submitted batch job 7\n")
    with pytest.raises(RuntimeError, match=r"P1000 · seed 0 failed; the log .*7_0_log\.err"):
        nl.train_all([SPEC], scheduler="slurm")


@pytest.fixture
def interruptible():
    """Ctrl-C interrupts, also where these tests run in the background of a shell."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press_ctrl_c_when_a_job_runs(jobs: Path) -> None:
    def press():
        until((jobs / "1/task").exists)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press).start()


def test_ctrl_c_cancels_the_jobs(home, slurm, interruptible):
    press_ctrl_c_when_a_job_runs(slurm)
    with pytest.raises(KeyboardInterrupt):
        nl.train_all([SPEC], scheduler="slurm")
    assert states(slurm) == ["CANCELLED"]


def test_a_batch_that_is_ended_cancels_its_jobs(home, slurm, write_notebook, interruptible):
    write_notebook(home, "xval/jobs", NOTEBOOK)
    press_ctrl_c_when_a_job_runs(slurm)
    with pytest.raises(KeyboardInterrupt):
        run_notebooks(profile="smoke", scheduler="slurm")
    assert states(slurm) == ["CANCELLED"]


def test_without_slurm_the_error_is_clear(home, monkeypatch):
    with pytest.raises(ValueError, match="no Slurm here: this machine has no sbatch"):
        run_notebooks(scheduler="slurm")
    monkeypatch.setitem(sys.modules, "submitit", None)
    with pytest.raises(
        ValueError, match=r"needs submitit: in numlab's repository, pip install '.\[slurm\]'"
    ):
        nl.train_all([SPEC], scheduler="slurm")
