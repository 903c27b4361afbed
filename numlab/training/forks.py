"""Processes that start at once: forks of Python's fork server, which has imported torch.

To import torch and what else a worker or a kernel needs takes seconds; forks share its memory, too.
"""

import multiprocessing.forkserver
import os
import sys
import tempfile
from pathlib import Path

WORKER = ("distributed", "pandas", "torch", "torch._dynamo")  # the last: by any optimizer
METHOD = {"distributed.worker.multiprocessing-method": "forkserver"}  # for Dask's configuration
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")  # one, as Dask has it
SERVER = dict.fromkeys(THREADS, "1") | {"PYTHONSAFEPATH": "1"}  # else ./numbers.py is imported
LONGEST = 75  # bytes of the temporary folder's path: the socket's has at most 107


def start_fork_server(*modules: str) -> None:
    """Start this process's fork server, if it has none; it imports `modules`, on Linux.

    Elsewhere each fork imports what it needs: a system library may not bear to be forked.
    RuntimeError for a script that each fork would run again, or cannot read; ValueError for a
    temporary folder with too long a path.
    """
    import dask
    from distributed.utils import get_mp_context

    _check_main()
    if len(os.fsencode(folder := tempfile.gettempdir())) > LONGEST:
        raise ValueError(f"{folder} is too long a path for a socket; set TMPDIR to a shorter one")
    with dask.config.set(METHOD):
        get_mp_context()  # its first call sets Dask's own preload, which the next line replaces
    multiprocessing.forkserver.set_forkserver_preload([*modules] if sys.platform == "linux" else [])
    given = {k: v for k, v in SERVER.items() if k not in os.environ}
    os.environ.update(given)
    try:
        multiprocessing.forkserver.ensure_running()
    finally:
        for name in given:
            del os.environ[name]


def _check_main() -> None:
    """RuntimeError for a script that each fork would run again, or that it cannot read."""
    main = sys.modules["__main__"]
    script = getattr(main, "__file__", None)
    if not script or main.__spec__ is not None:  # a notebook, or python -m
        return
    if not Path(script).is_file():
        raise RuntimeError(f"write a script to a file, which other processes read; got {script}")
    if "__main__" not in Path(script).read_text("utf-8"):
        why = "each worker imports the script and would run it again"
        raise RuntimeError(f'put what {script} does under `if __name__ == "__main__":`: {why}')
