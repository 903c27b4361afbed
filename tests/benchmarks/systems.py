"""How much memory a training takes whose examples do not fit: planetary systems, many and few.

`python -m tests.benchmarks.systems [SYSTEMS ...]` makes them on all cores, trains xVal on them for
1,000 steps, and prints the peak of the memory that is the process's own: pages of mapped files do
not count, as the system drops them when it needs room.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

MANY, FEW = 1_250_000, 30_000


def measure(n: int) -> None:
    """Make n systems, train on them, and print what it took."""
    import numlab as nl

    peak, done = [0.0], threading.Event()
    threading.Thread(target=_watch, args=(peak, done), daemon=True).start()
    spec = nl.RunSpec(
        task=nl.tasks.Planets(),
        encoder=nl.XVal(),
        objective=nl.MaskedLM(),
        model=nl.GPT2(64, 2, 4),
        n_train=n,
        steps=1000,
        learning_rate=1e-3,
        batch_size=32,
    )
    start = time.monotonic()
    spec.examples("train")
    made = time.monotonic() - start
    run = nl.train(spec)
    done.set()
    store = sum(f.stat().st_size for f in nl.store.home().rglob("*") if f.is_file()) / 1e6
    trained = run.history.seconds.max()
    line = f"made in {made:5.0f} s, trained in {trained:4.0f} s, store {store:5.0f} MB"
    print(f"{n:>9,} systems: {line}, peak {peak[0]:4.0f} MB")


def _watch(peak: list[float], done: threading.Event) -> None:
    while not done.wait(0.05):
        status = Path("/proc/self/status").read_text()
        peak[0] = max(peak[0], int(re.search(r"RssAnon:\s+(\d+)", status)[1]) / 1e3)


def main() -> None:
    for n in map(int, sys.argv[1:] or (FEW, MANY)):
        with tempfile.TemporaryDirectory() as home:
            command = f"from tests.benchmarks import systems; systems.measure({n})"
            environment = {**os.environ, "NUMLAB_HOME": home, "TQDM_DISABLE": "1"}
            subprocess.run([sys.executable, "-c", command], env=environment, check=True)


if __name__ == "__main__":
    main()
