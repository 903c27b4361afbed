"""What a person sees while the batch runs: a live table on a terminal, lines elsewhere."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from numlab import store

if TYPE_CHECKING:
    from rich.table import Table

    from numlab.figures.pool import Job

HEARTBEAT = 15.0  # seconds of silence at most, where there is no live table
RECENT = 60.0  # a training that said nothing for so long is not shown
MARKS = {"waiting": "·", "running": "▸", "done": "✓", "skipped": "–", "failed": "✗"}
COLORS = {"waiting": "dim", "running": "cyan", "done": "green", "skipped": "dim", "failed": "red"}


class Display:
    """Shows the jobs of a batch; call `show` now and then."""

    def __init__(self, jobs: list[Job], profile: str):
        from rich.console import Console
        from rich.live import Live

        self.jobs, self.profile, self.start = jobs, profile, time.time()
        self.console = Console(highlight=False)
        self.live = Live(console=self.console, auto_refresh=False)
        self.shown: dict[str, str] = {}
        self.spoke = 0.0

    def __enter__(self) -> Display:
        if self.console.is_terminal:
            self.live.start()
        return self

    def __exit__(self, failure: type | None, *_: Any) -> None:
        if self.console.is_terminal:
            self.live.stop()
            for job in self.jobs:
                if job.state == "failed":  # the table has no room for the whole error
                    self._say(job)
        if failure is None:
            self.console.print(self._summary())

    def show(self) -> None:
        if self.console.is_terminal:
            self.live.update(self._table(), refresh=True)
            return
        for job in self.jobs:
            if self.shown.get(job.notebook.name) != job.state and job.state != "waiting":
                self.shown[job.notebook.name] = job.state
                self._say(job)
        running = [j for j in self.jobs if j.state == "running"]
        if running and time.time() - self.spoke > HEARTBEAT:
            cells = [f"{j.notebook.name} cell {j.cell} of {j.cells}" for j in running]
            self._line(f"  {self._clock():>7}  {'; '.join([*cells, *trainings()])}")

    def _say(self, job: Job) -> None:
        text = {
            "running": f"runs: {job.note}",
            "done": f"done in {job.seconds:.0f} s: {job.note}",
            "skipped": f"skipped: {job.note}",
            "failed": f"FAILED after {job.seconds:.0f} s: {job.note}",
        }
        self._line(f"{MARKS[job.state]} {self._clock():>7}  {job.notebook.name} {text[job.state]}")

    def _line(self, text: str) -> None:
        self.console.print(text, markup=False, soft_wrap=True)
        self.spoke = time.time()

    def _clock(self) -> str:
        return f"{time.time() - self.start:.0f} s"

    def _table(self) -> Table:
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, title=f"{self.profile}, {self._clock()}", title_justify="left")
        for header in ("", "notebook", "", "seconds", ""):
            table.add_column(header, justify="right" if header == "seconds" else "left")
        for job in self.jobs:
            seconds = time.time() - job.started if job.state == "running" else job.seconds
            where = f"cell {job.cell} of {job.cells}" if job.state == "running" else job.state
            table.add_row(
                Text(MARKS[job.state], COLORS[job.state]),
                job.notebook.name,
                Text(where, COLORS[job.state]),
                f"{seconds:.0f}" if seconds else "",
                Text(job.note, "dim", overflow="ellipsis", no_wrap=True),
            )
        for training in trainings():
            table.add_row("", Text(f"  {training}", "dim"))
        return table

    def _summary(self) -> str:
        count = {s: sum(j.state == s for j in self.jobs) for s in ("done", "skipped", "failed")}
        if count["skipped"] == len(self.jobs):
            return f"all {len(self.jobs)} notebooks are up to date at the profile {self.profile}"
        told = f"{count['done']} done, {count['skipped']} up to date, {count['failed']} failed"
        return f"{told} at the profile {self.profile}, in {self._clock()}"


def trainings() -> Iterator[str]:
    """The trainings that went on in the last minute: `xVal k=0, seed 1: 1200/4000`."""
    for path in sorted((store.runs_dir() / ".partial").glob("*/progress.json")):
        try:
            said = json.loads(path.read_text("utf-8"))
            if time.time() - said["updated"] < RECENT:
                yield f"{said['name']}: {said['step']}/{said['steps']}"
        except (OSError, ValueError, KeyError):  # it ended just now
            continue
