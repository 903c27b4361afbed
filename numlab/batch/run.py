"""Run notebooks side by side, each in a kernel of its own, and rebuild the gallery."""

from __future__ import annotations

import contextlib
import logging
import os
import tempfile
import time
import uuid
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import papermill
import psutil
from jupyter_client.manager import AsyncKernelManager
from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import NBClientEngine, papermill_engines
from rich.console import Console
from rich.live import Live

from numlab import store
from numlab.batch.kernels import IMPORTED, PRETRAINED, ForkedKernel
from numlab.batch.notebooks import Notebook, find
from numlab.figures import curves, gallery
from numlab.figures.filing import PROFILES, check_profile, saved
from numlab.numbers import check_count
from numlab.training import slurm
from numlab.training.cluster import connect
from numlab.training.forks import start_fork_server
from numlab.training.many import named
from numlab.training.progress import trainings

LIMITS = {"smoke": 600, "quick": 3600, "full": 6 * 3600, "paper": None}  # seconds for a cell
MARK = "NUMLAB_JOB"  # set in every process that a notebook starts
HEARTBEAT = 15.0  # seconds between lines about what runs, in a log
STATES = {"running": "▸", "done": "✓", "skipped": "–", "failed": "✗"}

logging.getLogger("papermill").setLevel(logging.ERROR)  # it warns of a dict over several lines


class Engine(NBClientEngine):
    """papermill's engine, with a forked kernel.

    It talks over sockets in a folder of its own: another program could take a free port first.
    """

    @classmethod
    def execute_managed_notebook(cls, nb_man, kernel_name, job, client, process, **_):
        with tempfile.TemporaryDirectory() as folder:
            sockets = {"transport": "ipc", "connection_file": f"{folder}/kernel.json"}
            kernel = AsyncKernelManager(kernel_name=kernel_name, **sockets)
            job.kernel = ForkedKernel(parent=kernel, kernel_spec=kernel.kernel_spec)
            kernel.provisioner = job.kernel
            notebook = PapermillNotebookClient(nb_man, km=kernel, **client)
            return notebook.execute(cleanup_kc=True, **process)


papermill_engines.register("numlab", Engine)


class Display:
    """What a person sees of a batch: a line for each change and, on a terminal, live ones below."""

    def __init__(self):
        self.start, self.printed = time.time(), 0.0
        self.console = Console(highlight=False, markup=False, soft_wrap=True)
        self.live = Live(console=self.console, auto_refresh=False, transient=True)

    def print(self, text: str) -> None:
        self.printed = time.time()
        self.console.print(f"{self.printed - self.start:6.0f} s {text}")

    def report(self, job: Job, state: str, note: str) -> None:
        """Change the state of a job, and print it."""
        job.state, job.note = state, note
        seconds = f" in {job.seconds:.0f} s" if state in ("done", "failed") else ""
        self.print(f"{STATES[state]} {job.notebook.name} {state}{seconds}: {note}")

    def show(self, jobs: list[Job]) -> None:
        """Show the notebooks that run, with their cell, and the trainings, with their step."""
        now = [f"{job.notebook.name} {job.progress}" for job in jobs if job.state == "running"]
        now += trainings()
        if self.console.is_terminal:
            self.live.update("\n".join(f"  {line}" for line in now), refresh=True)
        elif now and time.time() - self.printed > HEARTBEAT:
            self.print(f"  {'; '.join(now)}")


@dataclass
class Job:
    """A notebook to execute at a profile, and how far it is."""

    notebook: Notebook
    profile: str
    limit: float | None  # seconds for a cell; the notebook gets twice that
    state: str = "waiting"  # or one of STATES
    note: str = ""
    cell: int = 0
    cells: int = 0
    start: datetime | None = None
    stopped: bool = False  # the batch was interrupted
    kernel: ForkedKernel | None = None
    mark: str = field(default_factory=lambda: f"numlab-{uuid.uuid4().hex}")

    @property
    def seconds(self) -> float:
        return (datetime.now(UTC) - self.start).total_seconds() if self.start else 0.0

    @property
    def late(self) -> bool:
        return self.limit is not None and self.seconds > 2 * self.limit

    @property
    def progress(self) -> str:
        return f"cell {self.cell} of {self.cells}"

    def run(self, scheduler: str, display: Display) -> None:
        """Run the notebook; an exception marks the job failed."""
        record = self.notebook.record(self.profile)
        draft = record.with_suffix(".failed.ipynb")  # keeps this name if the run fails
        try:
            with store.lock(record).acquire(cancel_check=lambda: self.stopped):
                current, note = self.notebook.up_to_date(self.profile)
                if current:  # another batch on this home has just executed it
                    display.report(self, "skipped", note)
                    return
                self.start = datetime.now(UTC)
                display.report(self, "running", self.note)
                record.unlink(missing_ok=True)
                key = self.notebook.key()
                self.execute(draft, scheduler)
                n = self.notebook.remember(self.profile, key, self.start)
                draft.replace(record.with_suffix(".ipynb"))
                display.report(self, "done", f"figures and tables: {n}")
        except Exception as error:
            late = f"stopped in {self.progress}: it took more than twice {self.limit} s"
            display.report(self, "failed", late if self.late else str(error))
        self.kill()
        if scheduler == "slurm":
            slurm.cancel("--name", self.mark)

    def execute(self, draft: Path, scheduler: str) -> None:
        """Execute the notebook into the file `draft`; an error names the cell."""

        def count(**_):
            self.cell += 1

        path, home = self.notebook.path, str(store.home().resolve())
        env = {**os.environ, "NUMLAB_HOME": home, "NUMLAB_SCHEDULER": scheduler}
        env |= {MARK: self.mark, "SBATCH_JOB_NAME": self.mark}
        # Not papermill's own `cwd`: it moves the whole process, and other threads execute, too.
        process = {"cwd": str(path.parent), "env": env}
        client = {"timeout": self.limit, "startup_timeout": 300, "on_cell_execute": count}
        options = {"engine_name": "numlab", "kernel_name": "python3", "progress_bar": False}
        options |= {"job": self, "client": client, "process": process}
        self.cells = 1 + sum(bool(code.strip()) for code in self.notebook.code)  # papermill adds 1
        if "profile" not in papermill.inspect_notebook(str(path)):
            raise ValueError("no cell tagged `parameters` sets `profile`")
        try:
            papermill.execute_notebook(path, draft, {"profile": self.profile}, **options)
        except papermill.PapermillExecutionError as error:
            where = f"cell {self.cell} ({_first_line(error.source)})"
            raise RuntimeError(f"{where}: {error.ename}: {_first_line(error.evalue)}") from None
        except Exception as error:  # the kernel died, or a cell took too long
            text = f"{type(error).__name__}: {_first_line(str(error))}"
            raise RuntimeError(f"cell {self.cell}: {text}") from error
        if self.cell < self.cells:  # papermill takes sys.exit(0) for success
            raise RuntimeError(f"stopped before the end, in {self.progress}")

    def draw_curves(self, display: Display) -> None:
        """Draw its learning curves, in the main thread: matplotlib is not made for several."""
        if self.state == "done":
            try:
                curves.draw(self.notebook.name, self.profile)
            except Exception as error:
                self.notebook.record(self.profile).unlink(missing_ok=True)  # the next batch tries
                display.report(self, "failed", f"its learning curves: {error!r}")

    def kill(self) -> None:
        """End the kernel, and every process that the notebook started."""
        session = self.kernel and self.kernel.pid  # of a fork, psutil sees the server's environment
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                ours = process.environ().get(MARK) == self.mark
                if ours or os.getsid(process.pid) == session:
                    process.kill()


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")[:300]


def run_notebooks(
    names: list[str] | tuple[str, ...] = (),
    profile: str = "quick",
    jobs: int = 3,
    scheduler: str | None = None,
) -> list[Job]:
    """Execute the notebooks that are not up to date at a profile, and rebuild the gallery.

    `names` are notebooks (`xval/planets`) and folders (`xval`); empty: all. `jobs` of them run side
    by side; all train on one Dask cluster, or by Slurm jobs. `scheduler` is the address of a Dask
    scheduler, or "slurm"; default: one-thread workers on this machine.
    """
    check_profile(profile)
    check_count("jobs", jobs)
    for name in PROFILES:
        saved(name)  # a damaged file is an error before anything runs
    batch = [Job(notebook, profile, LIMITS[profile]) for notebook in find(names)]
    display = Display()
    with display.live:
        for job in batch:
            current, job.note = job.notebook.up_to_date(profile)
            if current:
                display.report(job, "skipped", job.note)
        waiting = [job for job in batch if job.state == "waiting"]
        waiting.sort(key=lambda job: -job.notebook.seconds(profile))  # no long one runs alone last
        if waiting or scheduler:
            os.environ.setdefault("DASK_LOGGING__DISTRIBUTED", "critical")  # notebooks report
            many = len(waiting) > jobs  # some of them read a pretrained model
            start_fork_server(*IMPORTED, *([PRETRAINED] if many else []))
            if named(scheduler) == "slurm":
                slurm.check()
                _run(waiting, jobs, "slurm", display)
            else:
                with connect(named(scheduler)) as client:
                    _run(waiting, jobs, client.scheduler.address, display)
        gallery.build()
    n = {state: sum(job.state == state for job in batch) for state in STATES}
    counts = f"{n['done']} done, {n['skipped']} up to date, {n['failed']} failed"
    display.print(f"notebooks at the profile {profile}: {counts}")
    return batch


def _run(jobs: list[Job], n_threads: int, address: str, display: Display) -> None:
    """Run jobs in threads; an exception here, such as Ctrl-C, ends every kernel."""
    with ThreadPoolExecutor(n_threads) as threads:
        futures = {threads.submit(job.run, address, display): job for job in jobs}
        try:
            running = set(futures)
            while running:
                done, running = wait(running, timeout=0.5)
                display.show(jobs)
                for job in (job for job in jobs if job.state == "running" and job.late):
                    job.kill()
                for job in (futures[future] for future in done):
                    job.draw_curves(display)
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
            while not all(future.done() for future in futures):
                for job in jobs:  # one may just be starting
                    job.stopped = True
                    job.kill()
                time.sleep(0.1)
