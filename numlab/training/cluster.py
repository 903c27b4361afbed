"""Many runs side by side, on a Dask cluster."""

from __future__ import annotations

import contextlib
import json
import os

from numlab import store
from numlab.training.fit import PROGRESS_SECONDS, fit_in_store
from numlab.training.run import Run
from numlab.training.spec import RunSpec

# glibc (mallopt(3)) keeps freed pages for the next step. By default it returns large ones, and
# Dask makes it return all: a step then takes 1.1 to 2 times as long.
KEEP_PAGES = {
    "MALLOC_TRIM_THRESHOLD_": str(1 << 40),
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_ARENA_MAX": "1",
}


def train_all(specs: list[RunSpec], scheduler: str | None = None) -> list[Run]:
    """The runs of many specs, in order; missing ones are trained side by side.

    Parameters
    ----------
    scheduler : address of a Dask scheduler whose workers see this store; default: the environment
        variable NUMLAB_SCHEDULER, else a LocalCluster with a one-thread worker for each core.

    Raises
    ------
    ValueError
        When the scheduler does not answer.
    """
    keys = {store.digest(spec): spec for spec in specs}
    missing = {k: s for k, s in keys.items() if not _in_store(k)}
    if missing:
        for data in {
            (s.task, s.n_test, s.n_valid, s.n_train, s.seed): s for s in missing.values()
        }.values():
            data.examples("train")  # drawn once, before many workers ask for it
        with _client(scheduler, len(missing)) as client:
            _train_remotely(client, missing)
    return [Run(spec) for spec in specs]


def _in_store(key: str) -> bool:
    """Whether a run is stored and undamaged."""
    entry = store.runs_dir() / key
    if not entry.exists():
        return False
    with store.lock(entry):
        return store.intact(entry)


@contextlib.contextmanager
def _client(scheduler: str | None, n_specs: int):
    """A Dask client of the named scheduler, else of a LocalCluster that lasts for the block."""
    from distributed import Client

    address = scheduler or os.environ.get("NUMLAB_SCHEDULER")
    if address is None:
        with local_cluster(n_specs) as cluster, Client(cluster) as client:
            yield client
        return
    try:
        client = Client(address, timeout=10)
    except (OSError, TimeoutError, ValueError) as error:
        raise ValueError(f"no Dask scheduler answers at {address!r} ({error})") from None
    with client:
        yield client


def local_cluster(n_workers: int | None = None):
    """A Dask cluster on this machine: two one-thread workers beat one of two threads."""
    import dask
    from dask.system import CPU_COUNT
    from distributed import LocalCluster

    environ = {f"distributed.nanny.pre-spawn-environ.{k}": v for k, v in KEEP_PAGES.items()}
    with dask.config.set(environ):
        return LocalCluster(
            n_workers=min(n_workers or CPU_COUNT, CPU_COUNT),
            threads_per_worker=1,
            memory_limit=0,  # none: a large model is not a leak
            dashboard_address=":0",
        )


def _train_remotely(client, missing: dict[str, RunSpec]) -> None:
    from distributed import wait
    from tqdm.auto import tqdm

    futures = {
        client.submit(_train_at, str(store.home()), spec, key=f"numlab-{key}", pure=False): key
        for key, spec in missing.items()
    }
    total = sum(spec.steps for spec in missing.values())
    with tqdm(total=total, desc=f"training {len(missing)} runs", unit="step") as bar:
        pending = set(futures)
        while pending:
            with contextlib.suppress(TimeoutError):
                ended = wait(pending, timeout=PROGRESS_SECONDS, return_when="FIRST_COMPLETED")
                pending = ended.not_done
                for future in ended.done:
                    _check(future, missing[futures[future]], futures[future])
            bar.update(sum(_steps_done(k, s) for k, s in missing.items()) - bar.n)


def _check(future, spec: RunSpec, key: str) -> None:
    """Raise the error of a failed run at once."""
    if future.status == "error":
        raise RuntimeError(f"training {spec.name} failed: {future.exception()!r}")
    if future.status != "finished":
        raise RuntimeError(f"training {spec.name} was {future.status}: is the scheduler gone?")
    if not _in_store(key):
        raise RuntimeError(
            f"the worker trained {spec.name}, but {store.runs_dir()} does not hold it: "
            "the workers must see the same store"
        )


def _train_at(home: str, spec: RunSpec) -> None:
    """Train on a worker, into the store at `home`."""
    os.environ["NUMLAB_HOME"] = home
    fit_in_store(spec, lambda step, loss: None)


def _steps_done(key: str, spec: RunSpec) -> int:
    if (store.runs_dir() / key).exists():
        return spec.steps
    try:
        return json.loads((store.partial_dir(key) / "progress.json").read_text())["step"]
    except (OSError, ValueError, KeyError):
        return 0
