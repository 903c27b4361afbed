"""Training for another process, which finds the run in the store."""

import ctypes
import os
import time

from numlab import store
from numlab.training.fit import PROGRESS_SECONDS, fit_in_store
from numlab.training.own_code import warn_if_changed
from numlab.training.run import Run
from numlab.training.spec import RunSpec

NFS_DELAY = 90.0  # seconds to wait for NFS to show another host's files; nfs(5): 60
M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4  # mallopt(3)


def work(spec: RunSpec, home: str | None) -> Run:
    """Train a spec into the store at `home`, else into this machine's own."""
    if home:
        os.environ["NUMLAB_HOME"] = home
    keep_pages()
    return fit_in_store(spec, lambda step, loss: None)


def keep_pages() -> None:
    """glibc keeps the memory that a step frees for the next one.

    By default it returns large blocks, and Dask makes it return all: a step then takes 1.1 to 2
    times as long.
    """
    if mallopt := getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None:
        mallopt(M_TRIM_THRESHOLD, -1)  # never
        mallopt(M_MMAP_MAX, 0)


def is_stored(run: Run) -> bool:
    """Whether a run is in the store, undamaged; locked only if it is there at all, or shipped."""
    if not (run.folder.exists() or store.is_shipped(run.folder)):
        return False
    with store.lock(run.folder):
        if stored := store.intact(run.folder):
            warn_if_changed(run.folder, run.spec)
    return stored


def appears(run: Run) -> bool:
    """Whether the store holds a run once it shows what other hosts wrote."""
    end = time.monotonic() + NFS_DELAY
    while not (stored := is_stored(run)) and time.monotonic() < end:
        time.sleep(PROGRESS_SECONDS)
    return stored
