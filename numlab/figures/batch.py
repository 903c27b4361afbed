"""Run notebooks side by side, each in a kernel of its own, and rebuild the gallery."""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import UTC, datetime

import psutil

from numlab import store
from numlab.figures import gallery, learning
from numlab.figures.display import Display
from numlab.figures.filing import PROFILES, saved
from numlab.figures.notebooks import Notebook, find

LIMITS = {"smoke": 600, "quick": 3600, "full": 6 * 3600, "paper": None}  # seconds for a cell
MARK = "NUMLAB_JOB"  # set in every process that a notebook starts


@dataclass
class Job:
    """A notebook to execute at a profile, and how far it is."""

    notebook: Notebook
    profile: str
    limit: float | None  # seconds for a cell; the notebook gets twice that
    state: str = "waiting"  # running, done, skipped, failed
    note: str = ""
    cell: int = 0
    cells: int = 0
    start: datetime | None = None
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)

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
        from numlab.figures import engine  # papermill takes a second to import

        record = self.notebook.record(self.profile)
        draft = record.with_suffix(".failed.ipynb")  # until it has not failed
        self.start = datetime.now(UTC)
        display.report(self, "running", self.note)
        try:
            record.parent.mkdir(parents=True, exist_ok=True)
            record.unlink(missing_ok=True)
            key = self.notebook.key()
            engine.execute(self, draft, {"NUMLAB_SCHEDULER": scheduler, MARK: self.mark})
            n = self.notebook.remember(self.profile, key, self.start)
            draft.replace(record.with_suffix(".ipynb"))
            display.report(self, "done", f"figures and tables: {n}")
        except Exception as error:
            late = f"stopped in {self.progress}: it took more than twice {self.limit} s"
            display.report(self, "failed", late if self.late else str(error))
        self.kill()

    def kill(self) -> None:
        """End every process that the notebook started."""
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                if process.environ().get(MARK) == self.mark:
                    process.kill()


def run_notebooks(
    names: list[str] | tuple[str, ...] = (),
    profile: str = "quick",
    jobs: int = 3,
    scheduler: str | None = None,
    limit: float | None = None,
) -> list[Job]:
    """Execute the notebooks that are not up to date at a profile, and rebuild the gallery.

    Parameters
    ----------
    names : notebooks (`xval/planets`) and folders (`xval`); empty: all.
    jobs : how many notebooks run side by side; all train on one Dask cluster.
    scheduler : address of a Dask scheduler; default: one-thread workers on this machine.
    limit : seconds for a cell; default: LIMITS.
    """
    if profile not in PROFILES:
        raise ValueError(f"the profiles are {', '.join(PROFILES)}; got {profile!r}")
    if jobs < 1:
        raise ValueError(f"at least one notebook runs at a time; got jobs = {jobs}")
    for name in PROFILES:
        saved(name)  # a damaged file is an error before anything runs
    batch = [Job(notebook, profile, limit or LIMITS[profile]) for notebook in find(names)]
    display = Display()
    with display.live:
        for job in batch:
            current, job.note = job.notebook.up_to_date(profile)
            if current:
                display.report(job, "skipped", job.note)
        waiting = [job for job in batch if job.state == "waiting"]
        if waiting or scheduler:
            with _cluster(scheduler) as address:
                _run(waiting, jobs, address, display)
        for job in batch:
            if job.state == "done":
                learning.draw(job.notebook.name, profile)
        gallery.build()
    n = {state: sum(job.state == state for job in batch) for state in ("done", "skipped", "failed")}
    counts = f"{n['done']} done, {n['skipped']} up to date, {n['failed']} failed"
    display.print(f"{len(batch)} notebooks at the profile {profile}: {counts}")
    return batch


def _run(jobs: list[Job], n_threads: int, address: str, display: Display) -> None:
    """Run jobs in threads; an exception here, such as Ctrl-C, ends every kernel."""
    with ThreadPoolExecutor(n_threads) as threads:
        futures = [threads.submit(job.run, address, display) for job in jobs]
        try:
            while wait(futures, timeout=0.5).not_done:
                display.show(jobs)
                for job in (job for job in jobs if job.state == "running" and job.late):
                    job.kill()
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
            while wait(futures, timeout=0.1).not_done:
                for job in jobs:  # one may just be starting
                    job.kill()


@contextlib.contextmanager
def _cluster(scheduler: str | None) -> Iterator[str]:
    """The address of a Dask scheduler: the named one if it answers, or that of a new cluster."""
    if scheduler is None:
        os.environ["NUMLAB_HOME"] = str(store.home().resolve())  # for its workers
        os.environ.setdefault("DASK_LOGGING__DISTRIBUTED", "critical")  # notebooks report errors
        from numlab.training import local_cluster

        with local_cluster() as cluster:
            yield cluster.scheduler_address
        return
    from distributed import Client

    try:
        Client(scheduler, timeout=8).close()
    except (OSError, ValueError) as error:
        raise ValueError(f"no Dask scheduler answers at {scheduler!r} ({error})") from None
    yield scheduler
