"""Many runs side by side on a Dask cluster."""

import contextlib
import logging
import os
import pickle
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import torch

from numlab import store
from numlab.training import forks
from numlab.training.fit import PROGRESS_SECONDS
from numlab.training.progress import progress_bar
from numlab.training.run import Run
from numlab.training.worker import appears, work

ANSWER_SECONDS = 5  # how long a named scheduler may take to answer


@contextlib.contextmanager
def connect(address: str | None, n_workers: int | None = None):
    """A Dask client of the scheduler there, else of a LocalCluster that lasts for the block."""
    import dask
    from distributed import Client

    with contextlib.ExitStack() as stack:
        cluster = address or stack.enter_context(_local_cluster(n_workers))
        try:
            with dask.config.set(scheduler=None):  # else a client that fails stays dask's default
                client = Client(cluster, timeout=ANSWER_SECONDS)
        except (OSError, ValueError, TypeError) as error:  # TypeError: no certificate
            raise ValueError(f"no Dask scheduler answers at {address!r} ({error})") from None
        yield stack.enter_context(client)


def _local_cluster(n_workers: int | None):
    """A Dask cluster on this machine: two one-thread workers beat one of two threads."""
    import dask
    from dask.system import CPU_COUNT
    from distributed import LocalCluster

    forks.start_fork_server(*forks.WORKER)
    with dask.config.set(forks.METHOD):
        return LocalCluster(
            n_workers=min(n_workers or CPU_COUNT, CPU_COUNT),
            threads_per_worker=1,
            env=dict(os.environ),  # that of now: the fork server has that of its start
            memory_limit=0,  # none: a large model is not a leak
            dashboard_address="127.0.0.1:0",  # a free port: Dask's own warns where it is taken
            worker_dashboard_address=None,
            silence_logs=logging.ERROR,  # of one that is slow to end; `_collect` tells of others
        )


def train(client, runs: list[Run], ended: Callable[[Run, int], None]) -> None:
    """Train runs on the workers, behind one progress bar; `ended` is as in `train_all`."""
    from distributed import wait

    store.runs_dir().mkdir(parents=True, exist_ok=True)
    with (
        tempfile.NamedTemporaryFile(prefix=".seen-", dir=store.runs_dir()) as mark,
        progress_bar(runs) as show,
    ):
        futures = _submit(client, runs, Path(mark.name))
        pending = set(futures)
        while pending:
            done = set()
            with contextlib.suppress(TimeoutError):
                done, pending = wait(pending, PROGRESS_SECONDS, "FIRST_COMPLETED")
            for future in done:
                run = futures.pop(future)
                _collect(future, run)
                ended(run, len(futures))
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
        if isinstance(error := future.exception(), ValueError):  # in the user's own parts
            raise ValueError(f"training {name} failed: {error}")
        raise RuntimeError(f"training {name} failed: {error!r}")
    if future.status != "finished":
        raise RuntimeError(f"training {name} was {future.status}: is the scheduler gone?")
    if files := future.result():
        with store.lock(run.folder):
            store.write(run.folder, lambda d: [(d / k).write_bytes(v) for k, v in files.items()])
    if not appears(run):
        raise RuntimeError(f"a worker trained {name}, but {store.runs_dir()} does not hold it")


def _train_at(home: str, mark: str, path: list[str], spec: bytes, start) -> dict[str, bytes]:
    """Train on a worker. If it sees `mark`, it shares the store at `home`; else it trains into its
    own store and returns the run's files. Dask calls it once the run of `start` has ended.

    A class of the user's own is in a module on the `path` of the asking process: the worker looks
    for it there, and the scheduler never does.
    """
    sys.path += [folder for folder in path if folder not in sys.path]
    spec = pickle.loads(spec)
    shared = Path(mark).exists()
    _choose_gpu()
    run = work(spec, home if shared else None)
    files = () if shared else run.folder.iterdir()
    return {file.name: file.read_bytes() for file in files if file.name != "manifest.json"}


def _choose_gpu() -> None:
    """The workers of this machine take its GPUs in turn; others see those that they were given."""
    from distributed import get_worker

    name = str(get_worker().name)
    if name.isdecimal() and (n_gpus := torch.cuda.device_count()) > 1:
        torch.cuda.set_device(int(name) % n_gpus)
