"""What a person sees of a batch: a line for each change and, on a terminal, live ones below."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live

from numlab.store import runs_dir

if TYPE_CHECKING:
    from numlab.figures.batch import Job

HEARTBEAT = 15.0  # seconds between lines about what runs, in a log
RECENT = 60.0  # seconds without progress after which a training is not shown
MARKS = {"running": "▸", "done": "✓", "skipped": "–", "failed": "✗"}


class Display:
    """Prints what happens to the jobs of a batch; use `live` as a context."""

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
        self.print(f"{MARKS[state]} {job.notebook.name} {state}{seconds}: {note}")

    def show(self, jobs: list[Job]) -> None:
        """Show the notebooks that run, with their cell, and the trainings, with their step."""
        now = [f"{job.notebook.name} {job.progress}" for job in jobs if job.state == "running"]
        now += trainings()
        if self.console.is_terminal:
            self.live.update("\n".join(f"  {line}" for line in now), refresh=True)
        elif now and time.time() - self.printed > HEARTBEAT:
            self.print(f"  {'; '.join(now)}")


def trainings() -> Iterator[str]:
    """The runs in training: `Planets · XVal · seed 1: 1200/4000`."""
    for path in sorted((runs_dir() / ".partial").glob("*/progress.json")):
        try:
            progress = json.loads(path.read_text("utf-8"))
            if time.time() - progress["updated"] < RECENT:
                yield f"{progress['name']}: {progress['step']}/{progress['steps']}"
        except (OSError, ValueError, KeyError):  # it has just ended
            continue
