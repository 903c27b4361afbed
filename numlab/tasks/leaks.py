"""Whether a task keeps texts of test and validation out of the training: users write their own."""

import functools
import itertools
import warnings
from collections.abc import Iterator

from numlab import store
from numlab.examples import Examples
from numlab.tasks.base import Task

MOST = 100_000  # texts of the training that are looked at
LEAK = 0.02  # share of a part's texts in the training, above which there is a warning


@functools.lru_cache(maxsize=8)
def warn_of_leak(task: Task, sizes: tuple[int, ...], seed: int, code: tuple = ()) -> None:
    """Warn, once, where the default split, which knows nothing of repetitions, draws texts of test
    or validation for the training, too. `sizes`: of test, validation and training; `code` as in
    `store.split`."""
    if not _tells_repetitions(task):
        test, valid, train = store.split(task, sizes, seed, code)
        known = [{text for e in part for text in _texts(e)} for part in (test, valid)]
        drawn = itertools.islice((text for e in train for text in _texts(e)), MOST)
        drawn = {text for text in drawn if text in known[0] or text in known[1]}
        for name, own in zip(("test", "validation"), known, strict=True):
            if (share := len(own & drawn) / max(1, len(own))) > LEAK:
                few = f"{share:.0%} of the {name} texts of {task} are in its training, too"
                advice = "derive it from nl.tasks.PopulationTask, or override its split()"
                what = f"{few}: {advice}"
                warnings.warn(what, stacklevel=3)


def _tells_repetitions(task: Task) -> bool:
    parts = getattr(task, "tasks", ())  # of a mixture, perhaps of mixtures
    return all(map(_tells_repetitions, parts)) if parts else type(task).split is not Task.split


def _texts(e: Examples) -> Iterator[tuple[str, bytes, bytes]]:
    """What tells texts apart: literals, numbers and words."""
    literals, exact = "".join(e.layout.literals), e.numbers.dtype == object  # Python ints
    for i, row in enumerate(e.numbers):
        numbers = repr(row.tolist()).encode() if exact else row.tobytes()
        yield literals, numbers, b"" if e.words is None else e.words[i].tobytes()
