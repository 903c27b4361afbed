"""The code of classes outside numlab, whose change no digest tells."""

import ast
import dataclasses
import hashlib
import inspect
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FILE = "own_code.json"  # of a run with such classes


def save(folder: Path, spec: Any) -> None:
    """Note the code of a spec's own classes beside what was trained with it."""
    if code := own_code(spec):
        (folder / FILE).write_text(json.dumps(code, indent=1))


def warn_if_changed(folder: Path, spec: Any) -> None:
    """Warn where a class is not what it was when the run in a folder was trained."""
    if not (folder / FILE).is_file():
        return
    before, now = json.loads((folder / FILE).read_text()), own_code(spec)
    if changed := ", ".join(name for name, code in before.items() if now.get(name) != code):
        since = f"the code of {changed} has changed since this run was trained"
        warnings.warn(f"{since}: raise its `version` to train again", stacklevel=4)


def own_code(spec: Any) -> dict[str, str]:
    """A digest of the code of each class outside numlab, with what it uses of its module.

    Comments and the layout of the code do not count.
    """
    classes = {type(part) for part in _parts(spec)}
    own = [c for c in classes if not c.__module__.startswith("numlab.")]
    named = {f"{c.__module__}.{c.__qualname__}": c for c in own}
    return {name: _digest(named[name]) for name in sorted(named)}


def _parts(value: Any) -> Iterator[Any]:
    """Every dataclass that a spec is made of."""
    if isinstance(value, tuple):
        for part in value:
            yield from _parts(part)
    elif dataclasses.is_dataclass(value):
        yield value
        for field in dataclasses.fields(value):
            yield from _parts(getattr(value, field.name))


def _digest(cls: type) -> str:
    try:
        module = ast.parse(Path(inspect.getfile(cls)).read_text("utf-8"))
    except (OSError, TypeError, SyntaxError):
        return "no source"
    defined = {name: node for node in module.body for name in _names_of(node)}
    used, found = {}, [cls.__name__]
    while found:
        if (name := found.pop()) in defined and name not in used:
            used[name] = ast.dump(defined[name])
            found += [n.id for n in ast.walk(defined[name]) if isinstance(n, ast.Name)]
    return hashlib.sha256(json.dumps(sorted(used.items())).encode()).hexdigest()[:20]


def _names_of(node: ast.stmt) -> list[str]:
    """The names that a statement of a module defines."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return [node.name]
    names = (n for n in ast.walk(node) if isinstance(n, ast.Name))
    return [name.id for name in names if isinstance(name.ctx, ast.Store)]
