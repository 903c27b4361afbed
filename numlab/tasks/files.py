"""Read and check data files."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

__all__ = ["check_fields", "check_sum", "json_values", "read_data"]


def read_data(name: str) -> dict[str, Any]:
    """The content of a TOML file in numlab/tasks/data."""
    return tomllib.loads((Path(__file__).parent / "data" / name).read_text("utf-8"))


def check_sum(path: Path, checksum: str | None) -> None:
    """Compare a file with "md5:..." or "sha256:...", or with a SHA-256 without its name."""
    import pooch

    kind, _, expected = (checksum or "").rpartition(":")
    if expected and (actual := pooch.file_hash(str(path), alg=kind or "sha256")) != expected:
        raise ValueError(f"{path} has the checksum {expected}; got {actual}")


def json_values(path: str | Path, as_list: bool) -> Iterator[tuple[str, Any]]:
    """The values of one JSON list, or of lines of JSON, each with where it is, for errors."""
    text = Path(path).read_text("utf-8")
    lines = [(1, text)] if as_list else enumerate(text.splitlines(), start=1)
    for number, line in lines:
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except json.JSONDecodeError as error:
            where = f"{path}, line {number + error.lineno - 1}"
            raise ValueError(f"{where}: no JSON ({error.msg}); got {line[:60]!r}") from None
        if not as_list:
            yield f"{path}, line {number}", value
        elif not isinstance(value, list):
            raise ValueError(f"{path}: expected a list; got {type(value).__name__}")
        else:
            yield from ((f"{path}, entry {i}", entry) for i, entry in enumerate(value, start=1))


def check_fields(where: str, entry: Any, names: Sequence[str]) -> None:
    """Check that a JSON value is an object with the given fields."""
    if not isinstance(entry, dict) or any(entry.get(name) is None for name in names):
        raise ValueError(f"{where}: expected {', '.join(names)}; got {str(entry)[:60]!r}")
