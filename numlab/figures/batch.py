"""The batch: notebooks executed side by side, each in a process of its own; nothing twice."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Iterator

from numlab import store
from numlab.figures import gallery, stamps
from numlab.figures.display import Display
from numlab.figures.filing import PROFILES
from numlab.figures.notebooks import Notebook, find
from numlab.figures.pool import Job, Pool

# Seconds that a cell may take; a notebook may take twice that.
LIMITS = {"smoke": 600, "quick": 3600, "full": 6 * 3600, "paper": None}
TICK = 0.5  # seconds between two looks at what runs
ANSWER = 8  # seconds that a scheduler has to answer


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
    names : list of str
        Notebooks (`xval/planets`) and folders (`xval`); none: all of them.
    profile : str
        smoke, quick, full or paper.
    jobs : int
        How many notebooks run side by side. They train on one Dask cluster that all share.
    scheduler : str, optional
        Address of a Dask scheduler; default: a cluster of one-thread workers on this machine.
    limit : float, optional
        Seconds that a cell may take; default: the profile's of LIMITS.

    Returns
    -------
    list of Job
        With `state` done, skipped or failed.

    Raises
    ------
    ValueError
        For an unknown name or profile, a scheduler that does not answer, or a damaged file among
        those that the gallery reads.
    """
    if profile not in PROFILES:
        raise ValueError(f"the profiles are {', '.join(PROFILES)}; got {profile!r}")
    if jobs < 1:
        raise ValueError(f"at least one notebook runs at a time; got jobs = {jobs}")
    for kept in {profile, gallery.COMMITTED, *gallery.LOCAL}:
        stamps.saved(kept)  # what is damaged is said before anything runs
    batch = [_plan(notebook, profile) for notebook in find(names)]
    waiting = [job for job in batch if job.state == "waiting"]
    limit = limit or LIMITS[profile]
    with Display(batch, profile) as display:
        display.show()
        if waiting or scheduler:
            with _cluster(scheduler) as address, Pool(jobs, profile, address, limit) as pool:
                for job in waiting:
                    pool.submit(job)
                while pool.busy():
                    display.show()
                    time.sleep(TICK)
        display.show()
        gallery.build()
    return batch


def _plan(notebook: Notebook, profile: str) -> Job:
    """A job that waits, or is skipped because it is up to date, or fails because it cannot run."""
    job = Job(notebook)
    try:
        if profile not in notebook.profiles:
            raise ValueError(f"its profiles are {', '.join(notebook.profiles)}; not {profile}")
        job.note = stamps.stale(notebook, profile) or ""
        if not job.note:
            job.end("skipped", f"up to date, made {stamps.made(notebook, profile)}")
    except (ValueError, KeyError) as error:  # no JSON, no notebook, or none that the batch can run
        job.end("failed", str(error))
    return job


@contextlib.contextmanager
def _cluster(scheduler: str | None) -> Iterator[str]:
    """The address of the scheduler: the one that is named if it answers, or one of our own."""
    if scheduler is None:
        os.environ["NUMLAB_HOME"] = str(store.home().resolve())  # for its workers
        os.environ.setdefault("DASK_LOGGING__DISTRIBUTED", "critical")  # errors reach the notebook
        from numlab.training import local_cluster

        with local_cluster() as cluster:
            yield cluster.scheduler_address
        return
    asyncio.run(_ask(scheduler))
    yield scheduler


async def _ask(scheduler: str) -> None:
    from distributed.comm import connect

    try:
        comm = await asyncio.wait_for(connect(scheduler), ANSWER)
        comm.abort()
    except (OSError, ValueError) as error:
        why = str(error) or f"silent for {ANSWER} s"
        raise ValueError(f"no Dask scheduler answers at {scheduler!r} ({why})") from None
