"""Many runs side by side, each a job of Slurm.

submitit writes the job's script; sbatch reads the variables SBATCH_* of the environment, which go
before what stands in the script (sbatch(1), INPUT ENVIRONMENT VARIABLES).
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time

from numlab import store
from numlab.training.cluster import KEEP_PAGES, is_stored, progress_bar, wait_until_stored
from numlab.training.fit import PROGRESS_SECONDS, fit_in_store
from numlab.training.run import Run
from numlab.training.spec import RunSpec

MINUTES = 60  # of a job, unless SBATCH_TIMELIMIT says otherwise; then it is requeued


def check() -> None:
    """A ValueError where no job can be submitted."""
    if importlib.util.find_spec("submitit") is None:
        raise ValueError("Slurm needs submitit: pip install 'numlab[slurm]'")
    if shutil.which("sbatch") is None:
        raise ValueError("no Slurm here: this machine has no sbatch")


def train(runs: list[Run]) -> None:
    """Train runs that the store lacks, behind one progress bar; an error cancels the jobs left."""
    check()
    import submitit

    place = store.runs_dir() / ".slurm"
    place.mkdir(parents=True, exist_ok=True)
    folder = tempfile.mkdtemp(dir=place)  # private: submitit hands over by pickles
    executor = submitit.SlurmExecutor(folder, max_num_timeout=sys.maxsize)
    executor.update_parameters(
        job_name="numlab",
        time=MINUTES,
        wckey=None,  # submitit's own is refused where keys are enforced
        setup=[f"export {name}={value}" for name, value in KEEP_PAGES.items()],
        additional_parameters={"requeue": True},
    )
    settings = {name: value for name, value in os.environ.items() if name.startswith("SBATCH_")}
    pending = {}
    try:
        with submitit.helpers.clean_env():  # perhaps of a job that this process runs in
            os.environ.update(settings)
            for run in runs:
                job = executor.submit(Training(), str(store.home().resolve()), run.spec)
                pending[job] = run
        with progress_bar(runs) as show:
            while pending:
                time.sleep(PROGRESS_SECONDS)
                for job in [job for job in pending if job.done()]:
                    _collect(job, pending.pop(job))
                show()
    finally:
        if pending:
            cancel(*(job.job_id for job in pending))
    shutil.rmtree(folder)


def _collect(job, run: Run) -> None:
    """See that the run of a job that ended is there; else raise its error."""
    error = job.exception()
    if error and not is_stored(run):
        name, log = run.spec.name, job.paths.stderr
        raise RuntimeError(f"training {name} failed; the log of its job is {log}\n{error}")
    wait_until_stored(run)


def cancel(*which: str) -> None:
    """Cancel jobs by their numbers, or by `--name` and a name."""
    subprocess.run(["scancel", *which], check=False)


class Training:
    """What a job does. Before its time is over, or when others go first, submitit asks for a
    `checkpoint` and requeues the job, which then goes on from the training's own."""

    def __call__(self, home: str, spec: RunSpec) -> None:
        os.environ["NUMLAB_HOME"] = home
        fit_in_store(spec, lambda step, loss: None)

    def checkpoint(self, *arguments):
        from submitit.helpers import DelayedSubmission

        return DelayedSubmission(self, *arguments)
