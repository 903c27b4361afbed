"""Notice changed code outside numlab and changed weight files: a run's digest has neither."""

import dataclasses
import hashlib
import inspect
import itertools
import json
import os
import sys
import tokenize
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from numlab.models import Architecture

# what reading half-edited code raises
BROKEN = (ImportError, LookupError, StopIteration, SyntaxError, tokenize.TokenError)
OWN_CODE = "own_code.json"  # of a run with such classes: what `own_code` gave when it was trained


def warn_if_changed(folder: Path, spec: Any) -> None:
    """Warn where a class or a file is not what it was when the run in a folder was trained."""
    if not (folder / OWN_CODE).is_file():
        return
    before, now = json.loads((folder / OWN_CODE).read_text()), own_code(spec)
    if changed := ", ".join(name for name, code in before.items() if now.get(name) != code):
        since = f"{changed} has changed since this run was trained"
        again = "to train again, raise the `version` of the class, or rename the file"
        warnings.warn(f"{since}: {again}", stacklevel=4)


def own_code(spec: Any) -> dict[str, str]:
    """A digest of the code of each class outside numlab, with what it uses of its module and the
    whole of the modules that its file imports from the same folder or package; and what a model
    depends on.

    Comments, docstrings and the layout of the code do not count.
    """
    classes = {type(part) for part in _parts(spec)}
    own = [c for c in classes if not c.__module__.startswith("numlab.")]
    named = {f"{c.__module__}.{c.__qualname__}": c for c in own}
    models = [part for part in _parts(spec) if isinstance(part, Architecture)]
    files = {name: digest for model in models for name, digest in model.outside.items()}
    return {name: _digest(named[name]) for name in sorted(named)} | files


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
        code = _used(_statements(Path(inspect.getfile(cls))), cls.__name__)
        read, found = {}, _beside(code, cls.__module__)
        while found:
            if (name := found.pop()) not in (cls.__module__, *read):
                read[name] = _statements(Path(inspect.getfile(sys.modules[name])))
                found += _beside(read[name], name)
    except (OSError, TypeError, ValueError, *BROKEN):
        return "no source"  # none, or one that cannot be read
    code = code + [read[name] for name in sorted(read)]
    return hashlib.sha256(json.dumps(code).encode()).hexdigest()[:20]


def _used(statements: list, name: str) -> list:
    """The statements of a module that define a name, and what they use, and so on."""
    places = defaultdict(list)  # of the statements that define or change a name
    for i, lines in enumerate(statements):
        for defined in _names_of(lines):
            places[defined].append(i)
    used, found = set(), [name]
    while found:
        for i in places.pop(found.pop(), ()):
            used.add(i)
            found += [word for line in statements[i] for word in _words(line)]
    return [statements[i] for i in sorted(used)]


def _beside(statements: list, name: str) -> list[str]:
    """The imported modules of a module's folder, or of its package, that its statements name."""
    words = {word for line in itertools.chain.from_iterable(statements) for word in line}
    folder, package = os.path.dirname(sys.modules[name].__file__), name.partition(".")[0]
    found = []
    for other, module in [*sys.modules.items()]:
        if other.rpartition(".")[2] in words and (file := getattr(module, "__file__", None)):
            near = other.partition(".")[0] == package or os.path.dirname(file) == folder
            found += [other] if near and other != name else []
    return found


def _statements(path: Path) -> list[list[list[str]]]:
    """The statements of a module, each as lines of tokens; without comments and docstrings.

    Not by `ast`: that of Python 3.11 fails where two threads parse (pandas does, too).
    """
    statements, line, depth, decorated = [], [], 0, False
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type in (tokenize.INDENT, tokenize.DEDENT):
                depth += 1 if token.type == tokenize.INDENT else -1
            elif token.type == tokenize.NEWLINE:
                if line[1:] or line[0].isidentifier():  # no docstring
                    if depth == 0 and not decorated:
                        statements.append([])
                    statements[-1].append(line)
                    decorated = depth == 0 and line[0] == "@"
                line = []
            elif token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.ENCODING):
                line = [*line, token.string]
    return statements


def _names_of(lines: list[list[str]]) -> set[str]:
    """The names that a statement of a module defines or changes."""
    first = next(line for line in lines if line[0] != "@")
    if first[0] in ("class", "def"):
        return {first[1]}
    if len(lines) > 1:  # of an `if` or a `try`
        return {word for line in lines for word in _words(line)}
    return {*_words(itertools.takewhile(lambda token: not token.endswith("="), first))}


def _words(line: Iterable[str]) -> list[str]:
    """The names among some tokens, but no attributes."""
    pairs = itertools.pairwise(["", *line])
    return [word for before, word in pairs if word.isidentifier() and before != "."]
