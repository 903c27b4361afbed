"""Where a figure came from, as digests that only a change of code moves."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.metadata
import platform
import subprocess
import threading
from collections.abc import Iterable
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
LIBRARIES = ("torch", "numpy", "scipy", "pandas", "scikit-learn", "matplotlib", "rebound", "dask")
# CPython 3.11's ast.parse counts its depth for all threads together (gh-106905): one at a time.
_PARSING = threading.Lock()


def text_digest(text: str) -> str:
    """16 hexadecimal digits of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def parsed(source: str) -> ast.Module:
    """The syntax tree of code."""
    with _PARSING:
        return ast.parse(source)


@functools.lru_cache(maxsize=1024)
def code_digest(source: str) -> str:
    """16 hexadecimal digits of what code does: comments, docstrings and line breaks are not in it.

    Examples
    --------
    >>> code_digest("x = 1  # one") == code_digest("x=1")
    True
    """
    try:
        return text_digest(repr(_shape(parsed(source))))
    except SyntaxError:  # an IPython magic: by its text
        return text_digest(source.strip())


def _shape(node: object) -> object:
    """The syntax tree without positions, docstrings, and fields that only some Pythons have."""
    if isinstance(node, list):
        return [_shape(n) for n in node]
    if not isinstance(node, ast.AST):
        return node
    fields = {name: value for name, value in ast.iter_fields(node) if value not in (None, [])}
    if isinstance(node, ast.Constant):
        fields["value"] = node.value  # the constant None is a value
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
        fields["body"] = fields["body"][1:]
    return type(node).__name__, [(name, _shape(value)) for name, value in sorted(fields.items())]


def module_path(name: str) -> Path | None:
    """The file of a module of numlab, found without importing it."""
    path = PACKAGE.joinpath(*name.split(".")[1:])
    return next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.is_file()), None)


def module_digests(names: Iterable[str]) -> dict[str, str | None]:
    """The digest of each module's code; None where the module is gone."""
    paths = {name: module_path(name) for name in sorted(names)}
    return {name: path and code_digest(path.read_text("utf-8")) for name, path in paths.items()}


@functools.cache
def all_modules() -> frozenset[str]:
    """Every module of numlab that can be a source of a figure."""
    files = (p.relative_to(PACKAGE.parent).with_suffix("") for p in PACKAGE.rglob("*.py"))
    names = {".".join(p.parts).removesuffix(".__init__") for p in files}
    return frozenset(m for m in names - {"numlab"} if _is_source(m))


def _is_source(module: str) -> bool:
    """A package's __init__ only names what its modules do, and numlab.figures only files it."""
    path = module_path(module)
    if path is None or path.name == "__init__.py":
        return False
    return module.split(".")[1] not in ("figures", "cli", "__main__")


@functools.cache
def versions() -> dict[str, str]:
    """Python's version and those of the libraries that decide what a figure shows."""
    found = {"python": platform.python_version()}
    for library in LIBRARIES:
        try:
            found[library] = importlib.metadata.version(library)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


@functools.cache
def commit() -> str | None:
    """The commit of the checkout that numlab runs from, if it is one."""
    said = _git("rev-parse", "HEAD")
    return (said and said.strip()) or None


def committed_digest(module: str) -> str | None:
    """The digest of a module's code as it was last committed; None where it never was."""
    path = module_path(module)
    source = path and _git("show", f"HEAD:./{path.relative_to(PACKAGE)}")
    return source and code_digest(source)


def _git(*arguments: str) -> str | None:
    """What git says about the checkout that numlab runs from, if it is one."""
    command = ["git", "-C", str(PACKAGE), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
