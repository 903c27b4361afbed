"""What the attacks share: children that may die, a small training, and the counts."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import select
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

import numlab as nl
from numlab.training import fit

SECONDS = 60  # after which something hangs
COUNTS = ("lost", "differing", "silently wrong", "hanging", "left behind")
SAID = (ValueError, OSError, ImportError)  # errors that the command line tells in one line
WRITES = ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate")
SPEC = nl.RunSpec(
    task=nl.tasks.Planets(n_steps=2, n_planets=(1, 1)),
    encoder=nl.XVal(),
    objective=nl.MaskedLM(slots=0.3),
    model=nl.GPT2(16, 1, 2),
    n_train=32,
    n_valid=8,
    n_test=8,
    steps=6,
    batch_size=8,
    learning_rate=1e-3,
)


def child(action: Callable[[], str], seconds: float = SECONDS) -> str:
    """What `action` returns in a process of its own; "hanging", "died", or the error it raised.

    The error's text is "said: ..." for one that a person is told in one line, else a traceback.
    """
    reader, writer = os.pipe()
    if (pid := os.fork()) == 0:
        with contextlib.suppress(BaseException):
            os.setpgid(0, 0)
            try:
                text = action()
            except SAID as error:
                text = f"said: {error}"
            except BaseException:
                text = traceback.format_exc()
            os.write(writer, text.encode()[:60_000])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        ready, _, _ = select.select([pipe], [], [], seconds)
        with contextlib.suppress(ProcessLookupError):
            if not ready:
                os.killpg(pid, signal.SIGKILL)
        text = pipe.read().decode() if ready else "hanging"
    os.waitpid(pid, 0)
    return text or "died"


def together(actions: list[Callable[[], str]]) -> list[str]:
    """What several actions return, each in a process of its own, side by side."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(len(actions)) as threads:
        return list(threads.map(child, actions))


def on_write(act: Callable[[], None]) -> None:
    """Do something before each time that this process writes a file, or moves or removes one."""

    def watch(event: str, args: tuple) -> None:
        opens = event == "open" and isinstance(args[1], str) and args[1][0] in "wax+"
        if opens or event in WRITES:
            act()

    sys.addaudithook(watch)


def die_at(moment: int) -> None:
    """Kill this process before its n-th write."""
    moments = itertools.count(1)
    on_write(lambda: next(moments) == moment and os.kill(os.getpid(), signal.SIGKILL))


def writes(action: Callable[[], str]) -> int:
    """How often an action writes."""

    def counting() -> str:
        moments = itertools.count()
        on_write(lambda: next(moments))
        action()
        return str(next(moments))

    return int(child(counting))


@contextlib.contextmanager
def home(copy: Path | None = None) -> Iterator[Path]:
    """An empty NUMLAB_HOME, or a copy of one, that goes afterwards."""
    with tempfile.TemporaryDirectory(prefix="numlab-attack-") as folder:
        place = Path(folder) / "home"
        if copy:
            shutil.copytree(copy, place)
        else:
            (place / "notebooks").mkdir(parents=True)
        with mock.patch.dict(os.environ, NUMLAB_HOME=str(place)):
            yield place


def trained(spec: nl.RunSpec = SPEC) -> str:
    """Train a small run, or find it, with a checkpoint at every step; a digest of its answers."""
    fit.CHECKPOINT_SECONDS = 0.0
    run = fit.fit_in_store(spec, lambda step, loss: None)
    answers = nl.predict(run, "test", "*").to_csv(index=False, float_format="%.9g")
    weights = (run.folder / "weights.safetensors").read_bytes()
    return hashlib.sha256(weights + answers.encode()).hexdigest()


def drafts(place: Path) -> list[Path]:
    """What unfinished writing leaves: drafts, and folders of trainings that have ended."""
    found = [*place.rglob("*.draft"), *place.rglob(".partial/*/*")]
    return [path for path in found if path.name != "progress.json"]


def judge(outcome: str, expected: str) -> Counter:
    """What an outcome counts as: nothing where it is as expected."""
    if outcome == expected:
        return Counter()
    if outcome in ("hanging", "died"):
        return Counter({"hanging" if outcome == "hanging" else "lost": 1})
    return Counter({"differing" if len(outcome) == len(expected) else "lost": 1})
