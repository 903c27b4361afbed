"""The notebooks of a batch in processes of their own, side by side."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numlab import store
from numlab.figures import stamps
from numlab.figures.notebooks import Notebook


@dataclass
class Job:
    """A notebook in this batch, as the display shows it."""

    notebook: Notebook
    state: str = "waiting"  # waiting, running, done, skipped, failed
    note: str = ""
    cell: int = 0
    cells: int = 0
    started: float = 0.0
    seconds: float = 0.0

    def end(self, state: str, note: str) -> None:
        self.seconds = time.time() - self.started if self.started else 0.0
        self.state, self.note = state, note


class Pool:
    """Runs jobs side by side; leaving it early ends those that run."""

    def __init__(self, jobs: int, profile: str, address: str, limit: float | None):
        self.profile, self.limit = profile, limit
        # The mark by which every process that a notebook starts is found again.
        self.mark = uuid.uuid4().hex
        self.environment = {
            **os.environ,
            "NUMLAB_HOME": str(store.home().resolve()),
            "NUMLAB_SCHEDULER": address,
            "JUPYTER_PREFER_ENV_PATH": "1",  # the kernel of this virtual environment
            "PYDEVD_DISABLE_FILE_VALIDATION": "1",  # no warning about frozen modules
        }
        self.threads = ThreadPoolExecutor(jobs)
        self.futures = []

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: Any) -> None:
        self.threads.shutdown(wait=False, cancel_futures=True)
        while not all(future.done() for future in self.futures):  # one may be about to start
            _end_marked(self.mark)
            time.sleep(0.1)
        self.threads.shutdown(wait=True)

    def submit(self, job: Job) -> None:
        self.futures.append(self.threads.submit(self._attempt, job))

    def busy(self) -> bool:
        for future in self.futures:
            if future.done():
                future.result()
        return not all(future.done() for future in self.futures)

    def _attempt(self, job: Job) -> None:
        """One notebook's trouble, a full disk or a damaged file, does not stop the others."""
        try:
            self._run(job)
        except Exception as error:
            job.end("failed", f"{type(error).__name__}: {error}")

    def _run(self, job: Job) -> None:
        notebook, profile = job.notebook, self.profile
        job.started, job.state = time.time(), "running"
        digest = notebook.digest
        stamps.remove(notebook, profile)
        final = store.home() / "figures" / profile / "notebooks" / f"{notebook.name}.ipynb"
        failed = final.with_suffix(".failed.ipynb")
        draft = final.with_name(f".{final.name}")
        final.parent.mkdir(parents=True, exist_ok=True)
        error = self._execute(job, draft) or _unwritten(notebook, profile, job.started)
        if error:
            if draft.exists():
                draft.replace(failed)
            job.end("failed", error)
            return
        draft.replace(final)
        failed.unlink(missing_ok=True)
        outputs = stamps.write(notebook, digest, profile, job.started)
        job.end("done", f"{len(outputs)} figures and tables")

    def _execute(self, job: Job, draft: Path) -> str:
        """Run the notebook in a process of its own; what went wrong, or nothing."""
        order = {
            "source": str(job.notebook.path),
            "target": str(draft),
            "parameters": {"profile": self.profile},
            "seconds": self.limit,
        }
        mark = f"{self.mark}:{job.notebook.name}:"
        too_late = threading.Event()
        with tempfile.TemporaryFile("w+", errors="replace") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "numlab.figures.execute", json.dumps(order)],
                env={**self.environment, "NUMLAB_BATCH": mark},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )
            clock = threading.Timer(
                2 * self.limit if self.limit else threading.TIMEOUT_MAX,
                lambda: (too_late.set(), _end_marked(mark)),
            )
            clock.daemon = True
            clock.start()
            try:
                error = _follow(process, job)
                process.wait()
            finally:
                clock.cancel()
                _end_marked(mark)  # what the notebook started and left behind
            log.seek(0)
            if too_late.is_set():
                return f"stopped after {2 * self.limit:.0f} s in cell {job.cell} of {job.cells}"
            if process.returncode and not error:
                last = (log.read().strip().splitlines() or ["nothing was said"])[-1]
                return f"its process ended with status {process.returncode}: {last}"
            return error


def _follow(process: subprocess.Popen, job: Job) -> str:
    """Read the reports of `numlab.figures.execute` to their end; the error among them."""
    error = ""
    for line in process.stdout:
        said = json.loads(line)
        if "error" in said:
            source = f" ({said['source']})" if said["source"] else ""
            error = f"cell {said['cell']}{source}: {said['error']}"
        else:
            job.cell, job.cells = said["cell"], said["cells"]
    return error


def _unwritten(notebook: Notebook, profile: str, since: float) -> str:
    """What the notebook declares and did not write in this run, whatever its cells say."""
    written = stamps.written(notebook, profile, since)
    missing = [id for id in notebook.declared if id not in written]
    return f"it ran, but did not save {', '.join(missing)}" if missing else ""


def _end_marked(mark: str) -> None:
    """Kill every process that was started with this mark: kernels, and whatever those started."""
    import psutil

    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.environ().get("NUMLAB_BATCH", "").startswith(mark):
                process.kill()
