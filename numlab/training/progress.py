"""How far trainings are, in this process and in others."""

import contextlib
import json
import time

from numlab import store
from numlab.training.run import Run

RECENT = 60.0  # seconds without progress after which a training is not listed


@contextlib.contextmanager
def progress_bar(runs: list[Run]):
    """A function that shows how far runs are, on one bar over all their steps."""
    from tqdm.auto import tqdm

    total = sum(run.spec.steps for run in runs)
    with tqdm(total=total, desc=f"training {len(runs)} runs", unit="step") as bar:
        yield lambda: bar.update(sum(map(_steps_done, runs)) - bar.n)


def _steps_done(run: Run) -> int:
    return run.spec.steps if run.folder.exists() else _progress(run.digest).get("step", 0)


def _progress(digest: str) -> dict:
    """What a training last wrote to progress.json; empty if there is none."""
    try:
        return json.loads((store.partial_dir(digest) / "progress.json").read_text("utf-8"))
    except (OSError, ValueError):  # it has just begun, or ended
        return {}


def trainings() -> list[str]:
    """The trainings of recent progress here: `Planets · XVal · seed 1 · rate 0.002: 120/400`."""
    folders = sorted((store.runs_dir() / ".partial").glob("*"))
    every = [progress for folder in folders if (progress := _progress(folder.name))]
    recent = [p for p in every if time.time() - p["updated"] < RECENT]
    return [f"{p['name']}: {p['step']}/{p['steps']}" for p in recent]
