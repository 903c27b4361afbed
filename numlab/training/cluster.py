"""Many runs side by side, on a Dask cluster or as Slurm jobs."""

import contextlib
import ctypes
import json
import os
import pickle
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import torch

from numlab import store
from numlab.training.fit import PROGRESS_SECONDS, fit_in_store
from numlab.training.run import Run
from numlab.training.spec import RunSpec

RECENT = 60.0  # seconds without progress after which a training is not listed
ANSWER_SECONDS = 5  # how long a named scheduler may take to answer
NFS_DELAY = 90.0  # seconds to wait for NFS to show another host's files; nfs(5): 60
M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4  # mallopt(3)


def train_all(specs: list[RunSpec], scheduler: str | None = None) -> list[Run]:
    """The runs of many specs, in order; missing ones are trained side by side.

    ValueError where the scheduler does not answer.

    Parameters
    ----------
    scheduler : address of a Dask scheduler, or "slurm"; default: the environment variable
        NUMLAB_SCHEDULER, else a LocalCluster with a one-thread worker for each core. Workers that
        do not see this store train into their own and send the run. With Slurm each run is
        a job, as the variables SBATCH_* ask, such as SBATCH_PARTITION and SBATCH_TIMELIMIT.

    >>> spec = nl.RunSpec(nl.tasks.Addition(2), nl.P10(), nl.MaskedLM(), nl.GPT2(8), 64, 2, 1e-3)
    >>> [nl.train(spec)] == nl.train_all([spec])
    True
    """
    runs = [Run(spec) for spec in specs]
    missing = _missing(runs)
    if missing and named(scheduler) == "slurm":
        from numlab.training import slurm

        if starts := [run.spec.start for run in missing if run.spec.start]:
            train_all(starts, scheduler)  # a job does not wait for another
        slurm.train(_missing(runs))
    elif missing:
        with connect(scheduler, len(missing)) as client:
            _train_remotely(client, missing)
    return runs


def _missing(runs: Iterable[Run]) -> list[Run]:
    """The runs that the store lacks, each behind the one that it starts from."""
    seen: dict[str, Run | None] = {}  # by digest: equal specs may differ in it, as 9 and 9.0 do

    def look(run: Run) -> None:
        if run.digest not in seen:
            stored = _is_stored(run)
            if run.spec.start and not stored:
                look(Run(run.spec.start))
            seen[run.digest] = None if stored else run

    for run in runs:
        look(run)
    return [run for run in seen.values() if run]


def named(scheduler: str | None) -> str | None:
    """The scheduler of this name, else that of the environment."""
    return scheduler or os.environ.get("NUMLAB_SCHEDULER")


def _is_stored(run: Run) -> bool:
    """Whether a run is in the store, undamaged; locked only if it is there at all, or shipped."""
    if not (run.folder.exists() or store.is_shipped(run.folder)):
        return False
    with store.lock(run.folder):
        return store.intact(run.folder)


@contextlib.contextmanager
def connect(scheduler: str | None = None, n_workers: int | None = None):
    """A Dask client of the named scheduler, else of a LocalCluster that lasts for the block."""
    import dask
    from distributed import Client

    with contextlib.ExitStack() as stack:
        address = named(scheduler)
        cluster = address or stack.enter_context(_local_cluster(n_workers))
        try:
            with dask.config.set(scheduler=None):  # else a client that fails stays dask's default
                client = Client(cluster, timeout=ANSWER_SECONDS)
        except (OSError, TimeoutError, ValueError, TypeError) as error:  # TypeError: no certificate
            raise ValueError(f"no Dask scheduler answers at {address!r} ({error})") from None
        yield stack.enter_context(client)


def _local_cluster(n_workers: int | None):
    """A Dask cluster on this machine: two one-thread workers beat one of two threads."""
    from dask.system import CPU_COUNT
    from distributed import LocalCluster

    _check_main()
    return LocalCluster(
        n_workers=min(n_workers or CPU_COUNT, CPU_COUNT),
        threads_per_worker=1,
        memory_limit=0,  # none: a large model is not a leak
        dashboard_address="127.0.0.1:0",  # a free port: Dask's own warns where it is taken
        worker_dashboard_address=None,
    )


def _check_main() -> None:
    """RuntimeError for a script without a __main__ guard: each worker would run it again."""
    main = sys.modules["__main__"]
    script = getattr(main, "__file__", None)
    if script and main.__spec__ is None and "__name__" not in Path(script).read_text("utf-8"):
        raise RuntimeError(f'write `if __name__ == "__main__":` above what {script} trains')


def _train_remotely(client, runs: list[Run]) -> None:
    """Train runs on the workers, behind one progress bar."""
    from distributed import wait

    store.runs_dir().mkdir(parents=True, exist_ok=True)
    with (
        tempfile.NamedTemporaryFile(prefix=".seen-", dir=store.runs_dir()) as mark,
        progress_bar(runs) as show,
    ):
        futures = _submit(client, runs, Path(mark.name))
        pending = set(futures)
        while pending:
            with contextlib.suppress(TimeoutError):
                ended = wait(pending, timeout=PROGRESS_SECONDS, return_when="FIRST_COMPLETED")
                pending = ended.not_done
                for future in ended.done:
                    _collect(future, futures.pop(future))
            show()


def _submit(client, runs: list[Run], mark: Path) -> dict:
    """Futures of runs, each of which waits for the one that it starts from.

    The longest train first, with all that waits for them, so that all workers end at about the
    same time.
    """
    places, of_digest, futures = (str(store.home().resolve()), str(mark.resolve())), {}, {}
    starts = {run.digest: run.spec.start and Run(run.spec.start).digest for run in runs}
    steps = dict.fromkeys(starts.values(), 0)  # of a run and the longest that waits for it
    for run in reversed(runs):
        steps[run.digest] = run.spec.steps + steps.get(run.digest, 0)
        steps[starts[run.digest]] = max(steps[starts[run.digest]], steps[run.digest])
    for run in runs:
        start = of_digest.get(starts[run.digest])
        given = *places, sys.path, pickle.dumps(run.spec), start
        how = {"key": f"numlab-{run.digest}", "priority": steps[run.digest]}
        future = client.submit(_train_at, *given, **how)
        of_digest[run.digest], futures[future] = future, run
    return futures


def _collect(future, run: Run) -> None:
    """Keep the files that a worker sent; raise the error of a failed run at once."""
    name = run.spec.name
    if future.status == "error":
        raise RuntimeError(f"training {name} failed: {future.exception()!r}")
    if future.status != "finished":
        raise RuntimeError(f"training {name} was {future.status}: is the scheduler gone?")
    if files := future.result():
        with store.lock(run.folder):
            store.write(run.folder, lambda folder: _write_all(folder, files))
    if not appears(run):
        raise RuntimeError(f"a worker trained {name}, but {store.runs_dir()} does not hold it")


def appears(run: Run) -> bool:
    """Whether the store holds a run once it shows what other hosts wrote."""
    end = time.monotonic() + NFS_DELAY
    while not (stored := _is_stored(run)) and time.monotonic() < end:
        time.sleep(PROGRESS_SECONDS)
    return stored


def _write_all(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        (folder / name).write_bytes(content)


def _train_at(home: str, mark: str, path: list[str], spec: bytes, start) -> dict[str, bytes]:
    """Train on a worker. If it sees `mark`, it shares the store at `home`; else it trains into its
    own store and returns the run's files. Dask calls it once the run of `start` has ended.

    A class of the user's own is in a module on the `path` of the asking process: the worker looks
    for it there, and the scheduler never does.
    """
    sys.path += [folder for folder in path if folder not in sys.path]
    spec = pickle.loads(spec)
    shared = Path(mark).exists()
    if shared:
        os.environ["NUMLAB_HOME"] = home
    keep_pages()
    _choose_gpu()
    run = fit_in_store(spec, lambda step, loss: None)
    files = () if shared else run.folder.iterdir()
    return {file.name: file.read_bytes() for file in files if file.name != "manifest.json"}


def keep_pages() -> None:
    """glibc keeps the memory that a step frees for the next one.

    By default it returns large blocks, and Dask makes it return all: a step then takes 1.1 to 2
    times as long.
    """
    if mallopt := getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None:
        mallopt(M_TRIM_THRESHOLD, -1)  # never
        mallopt(M_MMAP_MAX, 0)


def _choose_gpu() -> None:
    """The workers of this machine take its GPUs in turn; others see those that they were given."""
    from distributed import get_worker

    name = str(get_worker().name)
    if name.isdecimal() and (n_gpus := torch.cuda.device_count()) > 1:
        torch.cuda.set_device(int(name) % n_gpus)


@contextlib.contextmanager
def progress_bar(runs: list[Run]):
    """A function that shows how far runs are, on one bar over all their steps."""
    from tqdm.auto import tqdm

    total = sum(run.spec.steps for run in runs)
    with tqdm(total=total, desc=f"training {len(runs)} runs", unit="step") as bar:
        yield lambda: bar.update(sum(map(_steps_done, runs)) - bar.n)


def _steps_done(run: Run) -> int:
    return run.spec.steps if run.folder.exists() else _progress(run.digest).get("step", 0)


def _progress(digest: str) -> dict:
    """What a training last wrote to progress.json; empty if there is none."""
    try:
        return json.loads((store.partial_dir(digest) / "progress.json").read_text("utf-8"))
    except (OSError, ValueError):  # it has just begun, or ended
        return {}


def trainings() -> list[str]:
    """The trainings on this machine with recent progress: `Planets · XVal · seed 1: 1200/4000`."""
    folders = sorted((store.runs_dir() / ".partial").glob("*"))
    every = [progress for folder in folders if (progress := _progress(folder.name))]
    recent = [p for p in every if time.time() - p["updated"] < RECENT]
    return [f"{p['name']}: {p['step']}/{p['steps']}" for p in recent]
