"""The store under `data/`: runs, drawn examples and tables, addressed by digest.

A run is in `runs/<digest>/`, drawn examples in `corpora/<digest>/`. An entry is written
to a draft folder, its manifest last, and then renamed: a reader sees a complete entry or none.
Nothing is pickled.
"""

import functools
import hashlib
import json
import math
import os
import shutil
import sysconfig
import time
import uuid
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs
from filelock import FileLock

from numlab.described import describe
from numlab.examples import Examples, Layout, Slot, checked

__all__ = ["home", "runs_dir", "table"]

PACKAGE = Path(__file__).resolve().parent
SHIPPED = PACKAGE / "shipped"  # runs that come with numlab, read-only
INSTALLED = Path(sysconfig.get_path("data")) / "share/numlab/notebooks"  # by a wheel
TEXT = "text"  # how Python ints of any length are stored, a line each; else an array's dtype
MAPPED = 2**20  # bytes; a larger array of a corpus stays on disk

used: dict[str, Any] = {}  # the specs of the runs that this process has read, by digest


def home() -> Path:
    """The folder of data/ and figures/: NUMLAB_HOME, else the repository, else the user's own.

    >>> from unittest import mock
    >>> with mock.patch.dict("os.environ", NUMLAB_HOME="my/lab"):
    ...     nl.store.home().as_posix()
    'my/lab'
    """
    if named := os.environ.get("NUMLAB_HOME"):
        return Path(named).expanduser()  # a shell leaves a quoted ~ as it is
    if (PACKAGE.parent / "pyproject.toml").is_file():
        return PACKAGE.parent
    return platformdirs.user_data_path("numlab")  # installed, not checked out


def runs_dir() -> Path:
    """The run store.

    >>> nl.store.runs_dir().relative_to(nl.store.home()).as_posix()
    'data/runs'
    """
    return home() / "data" / "runs"


def figures_dir(profile: str = "") -> Path:
    """The folder of the figures; with a profile, of those made at it.

    >>> nl.store.figures_dir("quick").relative_to(nl.store.home()).as_posix()
    'figures/quick'
    """
    return home() / "figures" / profile


def notebooks_dir() -> Path:
    """The folder of the notebooks: of the home, else of the repository, else those installed.

    FileNotFoundError where there is none.
    """
    places = [home() / "notebooks", PACKAGE.parent / "notebooks", INSTALLED]
    for place in places:
        if place.is_dir():
            return place
    raise FileNotFoundError(f"there are no notebooks in {', '.join(map(str, places))}")


def partial_dir(key: str) -> Path:
    """The folder of a run in training: its checkpoint and its progress."""
    return runs_dir() / ".partial" / key


def digest(spec: Any) -> str:
    """The address of a spec: SHA-256 of its description, 20 hexadecimal digits."""
    text = json.dumps(describe(spec), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def lock(entry: Path):
    """A lock across processes: of two that want the same entry, one makes it."""
    entry.parent.mkdir(parents=True, exist_ok=True)
    return FileLock(entry.parent / f".{entry.name}.lock")


def replace(path: Path, write: Callable[[Path], Any]) -> None:
    """Write a draft and rename it: a reader sees the old file or the new one."""
    draft = path.with_name(f".{uuid.uuid4().hex}.{path.name}")  # threads and hosts write, too
    try:
        write(draft)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def write(entry: Path, fill: Callable[[Path], None]) -> None:
    """Make an entry: `fill` writes its files into a draft folder, which is then renamed.

    An older entry, such as a checkpoint, is moved away first and deleted last, so one complete copy
    exists at every moment.
    """
    draft, old = _beside(entry, "draft"), _beside(entry, "old")  # the writer holds the lock
    shutil.rmtree(draft, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)
    draft.mkdir(parents=True)
    fill(draft)
    manifest = {f.name: checksum(f) for f in sorted(draft.iterdir())}
    (draft / "manifest.json").write_text(json.dumps({"files": manifest}, indent=1))
    if entry.is_dir():
        entry.rename(old)
    draft.rename(entry)
    shutil.rmtree(old, ignore_errors=True)


def _beside(entry: Path, kind: str) -> Path:
    return entry.parent / f".{entry.name}.{kind}"


def intact(entry: Path) -> bool:
    """Whether an entry exists and every file has its checksum; a damaged one is set aside.

    A missing entry is first restored from a complete draft, or from the runs shipped with numlab.
    """
    draft = _beside(entry, "draft")
    if not entry.is_dir() and is_shipped(entry):
        shutil.copytree(SHIPPED / entry.name, draft, dirs_exist_ok=True)
    if not entry.is_dir() and draft.is_dir() and fault_of(draft) is None:
        draft.rename(entry)
    if not entry.is_dir():
        return False
    fault = fault_of(entry)
    if fault is None:
        return True
    aside = entry.parent / ".damaged" / f"{entry.name}-{time.time_ns()}"
    aside.parent.mkdir(exist_ok=True)
    entry.rename(aside)
    warnings.warn(f"{entry.name} is damaged ({fault}): set aside as {aside}", stacklevel=2)
    return is_shipped(entry) and intact(entry)


def is_shipped(entry: Path) -> bool:
    """Whether numlab comes with the run of this address."""
    return (SHIPPED / entry.name).is_dir()


def fault_of(entry: Path) -> str | None:
    """What is wrong with an entry's files; None: nothing.

    OSError where a file is there but cannot be read now, as without permission.
    """
    try:
        files = json.loads((entry / "manifest.json").read_text())["files"]
        for name, expected in files.items():
            if checksum(entry / name) != expected:
                return f"{name} has another checksum than its manifest"
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        return f"{type(error).__name__}: {error}"
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return f"{type(error).__name__}: {error}"
    return None


def checksum(path: Path, kind: str = "sha256") -> str:
    """The checksum of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, kind).hexdigest()


def table(folder: str, key: Any, make: Callable[[], Any]):
    """The DataFrame of a key in `data/<folder>/`: made once, then read.

    It is kept as CSV: of texts that look like numbers numbers come back, and of empty ones NaN.

    >>> nl.store.table("examples", (1, "a"), lambda: pd.DataFrame({"x": [2.5]})).x.tolist()
    [2.5]
    """
    import pandas as pd

    entry = home() / "data" / folder / digest(key)
    with lock(entry):
        if not intact(entry):
            frame = make()
            write(entry, lambda draft: frame.to_csv(draft / f"{folder}.csv", index=False))
    # pandas reads the float64 that it wrote, to the bit; "None" is a text
    return pd.read_csv(entry / f"{folder}.csv", keep_default_na=False, na_values=[""])


@functools.lru_cache(maxsize=8)
def split(
    task: Any, sizes: tuple[int, ...], seed: int, code: tuple = ()
) -> tuple[list[Examples], ...]:
    """`task.split(sizes, seed)`, drawn once and kept on disk if `task.stored`.

    All arrays are read-only, as callers share them; large ones stay on disk, memory-mapped.
    `code`: digests of the code of a task outside numlab, so that an edited task draws anew.
    """
    if task.stored:
        entry = home() / "data" / "corpora" / digest((task, *sizes, seed, *code))
        with lock(entry):
            if not intact(entry):
                write(entry, lambda folder: _save_examples(folder, task, sizes, seed))
        drawn = _load_examples(entry)
    else:
        corpora = enumerate(task.split(sizes, seed))
        drawn = checked(task, sizes, ((i, e) for i, corpus in corpora for e in corpus))
    parts = [[] for _ in sizes]
    for i, examples in drawn:
        arrays = {name: array.view() for name, array in _arrays(examples).items()}  # not the task's
        for array in arrays.values():
            array.flags.writeable = False
        parts[i].append(Examples(examples.layout, **arrays))
    return tuple(parts)


def _arrays(examples: Examples) -> dict[str, np.ndarray]:
    return {k: v for k, v in vars(examples).items() if isinstance(v, np.ndarray)}


def _save_examples(folder: Path, task: Any, sizes: tuple[int, ...], seed: int) -> None:
    """Append the shards of each part and layout to one file per array, without a header."""
    place = {layout: j for j, layout in enumerate(task.layouts())}
    layouts: dict[tuple[int, int], dict] = {}
    for i, e in checked(task, sizes, task.shards(sizes, seed)):
        j = place[e.layout]
        arrays = _arrays(e)
        kinds = {k: TEXT if v.dtype == object else v.dtype.str for k, v in arrays.items()}
        described = {
            "literals": e.layout.literals,
            "slots": [(slot.name, slot.words) for slot in e.layout.slots],
            "silent": e.layout.silent,
            "arrays": {k: (kinds[k], v.shape[1:]) for k, v in arrays.items()},
        }
        if layouts.setdefault((i, j), described) != described:
            raise ValueError(f"shards of a layout are alike; got {layouts[i, j]} and {described}")
        for name, rows in arrays.items():
            with (folder / f"{i}-{j}.{name}").open("ab") as file:
                if rows.dtype == object:
                    file.writelines(f"{number}\n".encode() for number in rows.flat)
                else:
                    rows.tofile(file)
    (folder / "layouts.json").write_text(json.dumps(sorted(layouts.items())))


def _load_examples(folder: Path) -> Iterator[tuple[int, Examples]]:
    """Each part's examples, with the number of the part."""
    for (i, j), described in json.loads((folder / "layouts.json").read_text()):
        stored = [
            (name, _load(folder / f"{i}-{j}.{name}", dtype), shape)
            for name, (dtype, shape) in described["arrays"].items()
        ]
        n = max(len(flat) // math.prod(shape) for _, flat, shape in stored if math.prod(shape))
        arrays = {name: flat.reshape(n, *shape) for name, flat, shape in stored}
        slots = tuple(Slot(name, words) for name, words in described["slots"])
        yield i, Examples(Layout(described["literals"], slots, described["silent"]), **arrays)


def _load(path: Path, dtype: str) -> np.ndarray:
    """An array on disk; in memory where it is small: every map keeps a file open."""
    if dtype == TEXT:
        return np.array([int(line) for line in path.read_text().split()], object)
    if path.stat().st_size > MAPPED:
        return np.memmap(path, dtype, "r")
    return np.fromfile(path, dtype)
