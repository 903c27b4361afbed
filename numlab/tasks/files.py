"""Read and check data files."""

import importlib
import json
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any


def read_data(name: str) -> dict[str, Any]:
    """The content of a TOML file in numlab/tasks/data."""
    return tomllib.loads((Path(__file__).parent / "data" / name).read_text("utf-8"))


def optional(name: str) -> Any:
    """A module that only some tasks need; the error without it says what to install."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        raise ImportError(f"{name} is missing: pip install 'numlab[tasks]'") from None


def verify(path: Path, checksum: str | None) -> None:
    """Compare a file with a checksum, "md5:..." or "sha256:..." or only the digits of SHA-256."""
    import pooch

    kind, _, expected = (checksum or "").rpartition(":")
    if expected and (actual := pooch.file_hash(str(path), alg=kind or "sha256")) != expected:
        raise ValueError(f"{path} has the checksum {expected}; got {actual}")


def json_values(path: str | Path) -> Iterator[tuple[str, Any]]:
    """The entries of one JSON list, or of lines of JSON, each with its position, for errors."""
    text = Path(path).read_text("utf-8")
    one_list = text.lstrip().startswith("[")
    for i, part in enumerate([text] if one_list else text.splitlines(), start=1):
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
