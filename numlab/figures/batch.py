"""Run notebooks side by side, each in a kernel of its own, and rebuild the gallery."""

from __future__ import annotations

import contextlib
import datetime
import os
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from numlab import store
from numlab.figures import gallery
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
    display: Display
    state: str = "waiting"  # running, done, skipped, failed
    note: str = ""
    cell: int = 0
    cells: int = 0
    started: float = 0.0  # seconds of the epoch
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)

    def change(self, state: str, note: str) -> None:
        self.state, self.note = state, note
        self.display.report(self)

    def run(self, scheduler: str) -> None:
        """Run the notebook; an exception marks the job failed."""
        from numlab.figures import engine  # papermill takes a second to import

        record = self.notebook.record(self.profile)
        final, failed = record.with_suffix(".ipynb"), record.with_suffix(".failed.ipynb")
        draft = final.with_name(f".{final.name}")
        self.started, begun = time.time(), datetime.datetime.now(datetime.UTC)
        self.change("running", self.note)
        try:
            record.parent.mkdir(parents=True, exist_ok=True)
            record.unlink(missing_ok=True)
            key = self.notebook.key()
            engine.execute(self, draft, {"NUMLAB_SCHEDULER": scheduler, MARK: self.mark})
            n = self.notebook.remember(self.profile, key, begun)
            draft.replace(final)
            failed.unlink(missing_ok=True)
            self.change("done", f"{n} figures and tables")
        except Exception as error:
            if draft.exists():
                draft.replace(failed)
            late = f"stopped after {2 * (self.limit or 0):.0f} s in cell {self.cell} of {self.cells}"
            self.change("failed", late if self.late else str(error))
        finally:
            self.kill()

    @property
    def seconds(self) -> float:
        return time.time() - self.started

    @property
    def late(self) -> bool:
        return self.limit is not None and self.seconds > 2 * self.limit

    def kill(self) -> None:
        """End every process that the notebook started."""
        import psutil

        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                if process.environ().get(MARK) == self.mark:
                    process.kill()


def run_notebooks(
    names: list[str] | tuple[str, ...] = (),
    profile: str = "quick",
    jobs: int = 2,
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

    Returns
    -------
    list of Job, with `state` done, skipped or failed.
    """
    if profile not in PROFILES:
        raise ValueError(f"the profiles are {', '.join(PROFILES)}; got {profile!r}")
    if jobs < 1:
        raise ValueError(f"at least one notebook runs at a time; got jobs = {jobs}")
    for shown in PROFILES:
        saved(shown)  # a damaged file is an error before anything runs
    limit = limit or LIMITS[profile]
    with Display(profile) as display:
        batch = [Job(notebook, profile, limit, display) for notebook in find(names)]
        display.jobs = batch
        for job in batch:
            current, job.note = job.notebook.up_to_date(profile)
            if current:
                job.change("skipped", job.note)
        waiting = [job for job in batch if job.state == "waiting"]
        if waiting or scheduler:
            with _cluster(scheduler) as address:
                _run(waiting, jobs, address, display)
        gallery.build()
    return batch


def _run(jobs: list[Job], n_threads: int, address: str, display: Display) -> None:
    """Run jobs in threads; an exception here, such as Ctrl-C, ends every kernel."""
    with ThreadPoolExecutor(n_threads) as threads:
        futures = {threads.submit(job.run, address): job for job in jobs}
        try:
            while not all(future.done() for future in futures):
                display.show()
                for job in jobs:
                    if job.state == "running" and job.late:
                        job.kill()
                time.sleep(0.5)
        finally:
            for future in futures:
                future.cancel()
            while running := [job for future, job in futures.items() if not future.done()]:
                for job in running:  # one may just be starting
                    job.kill()
                time.sleep(0.1)


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
