"""Kernels that start at once: forks of a process that has imported what most notebooks import."""

import atexit
import multiprocessing
import os
import sys
import threading
from multiprocessing.context import ForkServerProcess

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning import LocalProvisioner

from numlab.training.forks import WORKER

IMPORTED = (  # by the fork server
    *(*WORKER, "ipykernel.kernelapp", "ipywidgets", "matplotlib.backends.backend_agg"),
    *("matplotlib.backends.backend_svg", "matplotlib.pyplot", "plotly.express", "scipy.stats"),
    *("sklearn.decomposition", "sklearn.neighbors", "typer"),
)
PRETRAINED = "transformers.models.bert.modeling_bert"  # what takes long before a model is read
INLINE = "module://matplotlib_inline.backend_inline"


class ForkedKernel(LocalProvisioner):
    """Starts an IPython kernel of this Python as a fork, the leader of a session of its own."""

    async def launch_kernel(self, cmd: list[str], cwd: str, env: dict, **_) -> KernelConnectionInfo:
        self.process = _Process(target=_serve, args=(self.parent.connection_file, cwd, env))
        self.process.start()
        self.pid = self.pgid = self.process.pid
        return self.connection_info


class _Process(ForkServerProcess):
    """A process with the methods of `subprocess.Popen` that Jupyter calls."""

    stdin = stdout = stderr = None

    def poll(self) -> int | None:
        return self.exitcode

    def wait(self) -> int | None:
        self.join()
        return self.exitcode

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)


def _serve(connection: str, cwd: str, env: dict[str, str]) -> None:
    """Be a kernel until it is shut down."""
    import numpy
    from ipykernel.kernelapp import IPKernelApp
    from matplotlib import rcParams
    from tqdm import tqdm

    from numlab.plots.style import show_figures
    from numlab.training.worker import keep_pages

    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    os.chdir(cwd)
    sys.path.insert(0, cwd)  # the notebook's modules before those beside the batch's script
    os.environ.clear()
    os.environ.update(env)
    rcParams["backend"] = env.get("MPLBACKEND", INLINE)  # it was read at the import
    numpy.random.seed()  # else all kernels draw the same
    tqdm.set_lock(threading.RLock())  # its own has a semaphore, which a kernel that is ended leaks
    keep_pages()
    threading.Thread(target=_end_with, args=[multiprocessing.parent_process()], daemon=True).start()
    try:
        kernel = IPKernelApp.instance()
        kernel.initialize(["-f", connection, "--HistoryManager.hist_file=:memory:"])
        show_figures()  # the module may be older than the shell
        kernel.start()
    finally:
        atexit._run_exitfuncs()  # a fork ends without


def _end_with(batch: multiprocessing.process.BaseProcess) -> None:
    """End the kernel when the process that asked for it has ended."""
    batch.join()
    os._exit(1)
