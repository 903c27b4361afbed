"""What a person sees of a batch: a line for each change, and what runs now."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from numlab import store

if TYPE_CHECKING:
    from numlab.figures.batch import Job

HEARTBEAT = 15.0  # seconds between lines about what runs, in a log
RECENT = 60.0  # seconds without progress after which a training is not shown
MARKS = {"running": "▸", "done": "✓", "skipped": "–", "failed": "✗"}


class Display:
    """Prints what happens to jobs; on a terminal, live lines show what runs."""

    def __init__(self, profile: str):
        from rich.console import Console
        from rich.live import Live

        self.profile, self.started, self.printed = profile, time.time(), 0.0
        self.jobs: list[Job] = []
        self.console = Console(highlight=False, markup=False, soft_wrap=True)
        self.live = Live(console=self.console, auto_refresh=False, transient=True)

    def __enter__(self) -> Display:
        self.live.start()
        return self

    def __exit__(self, failure: type | None, *_: Any) -> None:
        self.live.stop()
        count = {s: sum(j.state == s for j in self.jobs) for s in ("done", "skipped", "failed")}
        text = f"{count['done']} done, {count['skipped']} up to date, {count['failed']} failed"
        if count["skipped"] == len(self.jobs):
            text = f"all {len(self.jobs)} notebooks are up to date"
        if failure is None:
            self._print(f"{text} at the profile {self.profile}")

    def report(self, job: Job) -> None:
        """Print the state of a job."""
        seconds = f" in {job.seconds:.0f} s" if job.state in ("done", "failed") else ""
        self._print(f"{MARKS[job.state]} {job.notebook.name} {job.state}{seconds}: {job.note}")

    def show(self) -> None:
        """The notebooks that run, with their cell, and the runs in training, with their step."""
        running = (job for job in self.jobs if job.state == "running")
        now = [f"{job.notebook.name} cell {job.cell} of {job.cells}" for job in running]
        now += trainings()
        if self.console.is_terminal:
            self.live.update("\n".join(f"  {line}" for line in now), refresh=True)
        elif now and time.time() - self.printed > HEARTBEAT:
            self._print(f"  {'; '.join(now)}")

    def _print(self, text: str) -> None:
        self.console.print(f"{time.time() - self.started:6.0f} s {text}")
        self.printed = time.time()


def trainings() -> Iterator[str]:
    """The runs in training: `xVal k=0, seed 1: 1200/4000`."""
    for path in sorted((store.runs_dir() / ".partial").glob("*/progress.json")):
        try:
            progress = json.loads(path.read_text("utf-8"))
            if time.time() - progress["updated"] < RECENT:
                yield f"{progress['name']}: {progress['step']}/{progress['steps']}"
        except (OSError, ValueError, KeyError):  # it has just ended
            continue
