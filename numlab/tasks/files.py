"""Read and check data files."""

import hashlib
import importlib
import json
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from numlab import store


def read_data(name: str) -> dict[str, Any]:
    """The content of a TOML file in numlab/tasks/data."""
    return tomllib.loads((Path(__file__).parent / "data" / name).read_text("utf-8"))


def optional(name: str) -> Any:
    """A module that only some tasks need; the error without it says what to install."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        needed = "in numlab's repository, pip install '.[tasks]'"
        raise ImportError(f"{name} is missing: {needed}") from None


def checksum(path: Path, kind: str = "sha256") -> str:
    """The checksum of a file, or of all files in a folder (a Zarr store is one)."""
    if not path.is_dir():
        return store.checksum(path, kind)
    files = (p for p in sorted(path.rglob("*")) if p.is_file())
    parts = [f"{p.relative_to(path).as_posix()} {checksum(p, kind)}" for p in files]
    return hashlib.new(kind, "\n".join(parts).encode()).hexdigest()


def verify(path: Path, expected: str) -> None:
    """Compare a file with a checksum, "md5:..." or "sha256:..." or only the digits of SHA-256."""
    kind, _, digits = expected.rpartition(":")
    if (actual := checksum(path, kind or "sha256")) != digits:
        raise ValueError(f"{path} is another file: expected the checksum {digits}; got {actual}")


def json_values(path: str | Path) -> Iterator[tuple[str, Any]]:
    """The entries of one JSON list, or of lines of JSON, each with its position, for errors."""
    text = Path(path).read_text("utf-8-sig")
    one_list = text.lstrip().startswith("[")
    for i, part in enumerate([text] if one_list else text.split("\n"), start=1):
        try:
            value = json.loads(part) if part.strip() else None
        except json.JSONDecodeError as error:
            where = f"{path}, line {i + error.lineno - 1}"
            raise ValueError(f"{where}: not JSON ({error.msg}); got {part[:60]!r}") from None
        if one_list:
            yield from ((f"{path}, entry {j}", entry) for j, entry in enumerate(value, start=1))
        elif value is not None:
            yield f"{path}, line {i}", value


def check_fields(where: str, entry: Any, names: Sequence[str]) -> None:
    """Check that a JSON value is an object with the given fields."""
    if not isinstance(entry, dict) or any(entry.get(name) is None for name in names):
        raise ValueError(f"{where}: expected {', '.join(names)}; got {str(entry)[:60]!r}")
