"""Many runs side by side, each a job of Slurm.

submitit writes the job's script; sbatch reads the environment variables SBATCH_*, which override
the options in the script (sbatch(1), INPUT ENVIRONMENT VARIABLES).
"""

import importlib.util
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable

from numlab import store
from numlab.training.fit import PROGRESS_SECONDS
from numlab.training.progress import progress_bar
from numlab.training.run import Run
from numlab.training.worker import appears, work

QUEUE_SECONDS = 10.0  # between two looks at the queue, to spare Slurm
MINUTES = 60  # of a job, unless SBATCH_TIMELIMIT says otherwise; then it is requeued


def check() -> None:
    """A ValueError where no job can be submitted."""
    if importlib.util.find_spec("submitit") is None:
        raise ValueError("Slurm needs submitit: in numlab's repository, pip install '.[slurm]'")
    if shutil.which("sbatch") is None:
        raise ValueError("no Slurm here: this machine has no sbatch")


def train(runs: list[Run], ended: Callable[[Run, int], None]) -> None:
    """Train runs that the store lacks, behind one progress bar; an error cancels the jobs left.

    `ended` is as in `train_all`.
    """
    check()
    import submitit

    place = store.runs_dir() / ".slurm"
    place.mkdir(parents=True, exist_ok=True)
    folder = tempfile.mkdtemp(dir=place)  # private: submitit hands over by pickles
    name = f"numlab-{uuid.uuid4().hex}"
    executor = submitit.SlurmExecutor(folder, max_num_timeout=sys.maxsize)
    executor.update_parameters(
        job_name=name,
        time=MINUTES,
        wckey=None,  # submitit's own is refused where keys are enforced
        additional_parameters={"requeue": True},
    )
    pending, submitted = {}, False
    try:
        for run in runs:
            training = submitit.helpers.FunctionSequence()  # when its time is over, it is requeued
            training.add(work, run.spec, str(store.home().resolve()))
            pending[executor.submit(training)] = run
        submitted = True
        _wait(pending, ended)
    finally:
        if not submitted:
            cancel("--name", name)  # also the job that sbatch was just starting
        cancel(*(job.job_id for job in pending))
    shutil.rmtree(folder)


def _wait(pending: dict, ended: Callable[[Run, int], None]) -> None:
    """Wait for jobs; remove those that ended from `pending`, which maps each job to its run."""
    queue, asked = {job.job_id for job in pending}, time.monotonic()
    with progress_bar([*pending.values()]) as show:
        while pending:
            time.sleep(PROGRESS_SECONDS)
            if time.monotonic() - asked > QUEUE_SECONDS:
                # not by submitit, which calls sacct: many Slurm clusters keep no accounting records
                command, asked = ["squeue", "--me", "--noheader", "--format=%i"], time.monotonic()
                answer = subprocess.run(command, capture_output=True, text=True)
                if not answer.returncode:  # else Slurm is too busy to answer
                    queue = set(answer.stdout.split())
            for job in [*pending]:
                if job.paths.result_pickle.exists() or job.job_id not in queue:
                    run = pending.pop(job)
                    _collect(job, run)
                    ended(run, len(pending))
            show()


def _collect(job, run: Run) -> None:
    """See that the run of a job that ended is in the store; else raise its error."""
    error = job.exception() if job.paths.result_pickle.exists() else None
    if error or not appears(run):
        name, log = run.spec.name, job.paths.stderr
        raise RuntimeError(f"training {name} failed; the log of its job is {log}\n{error or ''}")


def cancel(*which: str) -> None:
    """Cancel jobs by their ids, or by `--name` and a name."""
    if which:
        subprocess.run(["scancel", *which], check=False)
