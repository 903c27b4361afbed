"""Kills, damage and races: a training ends as if nothing had happened."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

import numlab as nl
from attacks.common import child, die_at, drafts, home, judge, together, trained, writes
from numlab import store
from numlab.figures import filing
from numlab.training import fit

DAMAGE: dict[str, Callable[[bytes, int], bytes]] = {
    "a bit flipped": lambda data, i: data[:i] + bytes([data[i] ^ 1]) + data[i + 1 :],
    "cut": lambda data, i: data[:i],
    "emptied": lambda data, i: b"",
}


def kills(times: int, rng: np.random.Generator) -> Counter:
    """Kill a training as it writes, up to three times; then let it end."""
    with home():
        n = writes(trained)

    def dying(moment: int) -> str:
        die_at(moment)
        return trained()

    counts = Counter()
    for expected in _untouched(times):
        with home() as place:
            for moment in rng.integers(1, n + 1, rng.integers(1, 4)).tolist():
                child(partial(dying, moment))
            counts += _ended(place, expected)
    return counts


def kills_by_the_clock(times: int, rng: np.random.Generator) -> Counter:
    """Kill a training at a random time; then let it end."""
    start = time.monotonic()
    with home():
        child(trained)
    seconds = time.monotonic() - start

    def dying() -> str:
        signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
        signal.setitimer(signal.ITIMER_REAL, delay)
        return trained()

    counts = Counter()
    for expected in _untouched(times):
        with home() as place:
            delay = float(rng.uniform(0, seconds))
            child(dying)
            counts += _ended(place, expected)
    return counts


def _untouched(times: int) -> Iterator[str]:
    """What a training gives that nobody attacks, so many times."""
    with home():
        expected = child(trained)
    yield from itertools.repeat(expected, times)


def _ended(place: Path, expected: str) -> Counter:
    """What counts after a training that ends here."""
    return judge(child(trained), expected) + Counter({"left behind": len(drafts(place))})


def damage(times: int, rng: np.random.Generator) -> Counter:
    """Damage each file of a run, of its texts and its checkpoint, at its places; then use it."""
    counts = Counter()
    with home() as pristine:
        n = writes(trained)
        shutil.rmtree(pristine / "data")
        child(lambda: (die_at(n // 2), trained())[1])  # in the middle: texts and a checkpoint
        with home(pristine) as whole:
            expected = child(trained)
            for place in (pristine, whole):
                for path in sorted(p for p in place.rglob("data/**/*") if p.is_file()):
                    counts += _damaged(place, path.relative_to(place), expected, rng)
    return counts


def damage_kept(times: int, rng: np.random.Generator) -> Counter:
    """The same for rows of one's own, a figure with its verdict, and a run that is shipped."""
    counts, kept = Counter(), {_rows: "data/own/*/*", _figure: "figures/**/*.json"}
    kept[_shipped] = "shipped/*/*"
    for use, files in kept.items():
        with home() as pristine:
            expected = child(use)
            for path in sorted(pristine.glob(files)):
                counts += _damaged(pristine, path.relative_to(pristine), expected, rng, use)
    return counts


def _rows() -> str:
    x = np.arange(40.0)
    task = nl.tasks.Table(pd.DataFrame({"x": x, "y": x**2}), "y")
    return str([e.numbers.tolist() for e in task.sample(9, 0)])


def _figure() -> str:
    nl.begin("float/encodings", "smoke", {"smoke": {}})
    if not filing.saved("smoke"):
        nl.save_table("float/fig02", pd.DataFrame({"wrong bits": [0]}))
        nl.claim("float/bits-of-an-example", samples=0)
    return str([(figure["id"], figure["claims"]) for figure in filing.saved("smoke")])


def _shipped() -> str:
    store.SHIPPED = store.home() / "shipped"
    if not store.SHIPPED.exists():
        trained()
        (folder,) = store.runs_dir().glob("[!.]*")
        store.SHIPPED.mkdir()
        folder.rename(store.SHIPPED / folder.name)
    return trained()


def _damaged(
    place: Path, name: Path, expected: str, rng: np.random.Generator, use=trained
) -> Counter:
    counts, data = Counter(), (place / name).read_bytes()
    ends = {0, len(data) // 2, len(data) - 1, int(rng.integers(max(1, len(data))))}
    for how, change in [*DAMAGE.items(), ("deleted", None)]:
        for i in sorted(ends & set(range(len(data)))) if how in ("a bit flipped", "cut") else [0]:
            with home(place) as hurt:
                if change is None:
                    (hurt / name).unlink()
                else:
                    (hurt / name).write_bytes(change(data, i))
                outcome = child(use)
            if not outcome.startswith("said: "):
                found = judge(outcome, expected)
                counts += Counter({"silently wrong": found.pop("differing", 0)}) + found
    return counts


def races(times: int, rng: np.random.Generator) -> Counter:
    """Eight processes want one run at the same time: one trains it, and all get the same."""
    counts = Counter()
    with home():
        expected = child(trained)
    for _ in range(times):
        with home() as place:
            trainings = place / "trainings"

            def counted(trainings=trainings):
                loop = fit.Fit.loop

                def told(self, report):
                    with trainings.open("a") as file:
                        file.write("1")
                    loop(self, report)

                fit.Fit.loop = told
                return trained()

            for outcome in together([counted] * 8):
                counts += judge(outcome, expected)
            counts["differing"] += len(trainings.read_text()) - 1
            counts["left behind"] += len(drafts(place))
    return counts
