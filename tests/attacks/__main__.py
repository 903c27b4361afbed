"""python -m attacks [NAME[=TIMES] ...]: attack numlab, and print what each attack counted."""

from __future__ import annotations

import dataclasses
import os
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"  # a child that is forked has no threads but its own

import numpy as np
import torch

from attacks import files, numbers, processes, trainings
from attacks.common import COUNTS, SPEC, home, trained

ATTACKS = {
    trainings.kills: 200,
    trainings.kills_by_the_clock: 200,
    trainings.damage: 1,
    trainings.damage_kept: 1,
    trainings.races: 1000,
    numbers.texts: 1_000_000,
    numbers.doubles: 10_000_000,
    numbers.integers: 10_000,
    files.reports: 50,
    files.disks: 20,
    processes.signals: 8,
    processes.kills_side_by_side: 20,
    processes.batches: 100,
}


def main() -> int:
    torch.set_num_threads(1)
    asked = dict(word.partition("=")[::2] for word in sys.argv[1:])
    known = {attack.__name__: attack for attack in ATTACKS}
    if unknown := asked.keys() - known:
        print(f"the attacks are {', '.join(known)}; got {', '.join(unknown)}", file=sys.stderr)
        return 2
    with home():  # so that a child finds all that is imported, but nothing of its own run
        trained(dataclasses.replace(SPEC, seed=1))
    total = 0
    print(f"| attack | times | {' | '.join(COUNTS)} | seconds |")
    print("| --- " * (len(COUNTS) + 3) + "|")
    for name, attack in known.items():
        if asked and name not in asked:
            continue
        times, start = int(asked.get(name) or ATTACKS[attack]), time.monotonic()
        counts = attack(times, np.random.default_rng(0))
        total += counts.total()
        numbers_ = " | ".join(str(counts[count]) for count in COUNTS)
        text = name.replace("_", " ")
        print(f"| {text} | {times:,} | {numbers_} | {time.monotonic() - start:.0f} |", flush=True)
    return int(total > 0)


if __name__ == "__main__":
    sys.exit(main())
