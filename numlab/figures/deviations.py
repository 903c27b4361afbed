"""Where the code says that it leaves a paper, or decides what a paper leaves open."""

from __future__ import annotations

import re
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
# In a comment or docstring: to the paragraph's end, or the end of the parenthesis it stands in.
MARK = re.compile(r"(?<=[\s(])(deviates|our choice):\s", re.IGNORECASE)


def find() -> list[list[str]]:
    """Rows of a file of the package and what its code says after `deviates:` or `our choice:`."""
    rows = []
    for path in sorted(PACKAGE.rglob("*.py")):
        where = f"`{path.relative_to(PACKAGE.parent)}`"
        rows += [[where, said] for said in read(path.read_text("utf-8")) if path != Path(__file__)]
    return rows


def read(source: str) -> list[str]:
    """What follows the marks in a source.

    >>> read('''# Deviates: nines are
    ... # tens.
    ... f(9)
    ...
    ... # It counts (our choice: from 0).''')
    ['nines are tens', 'from 0']
    """
    said = []
    for mark in MARK.finditer(source):
        rest = source[mark.end() :]
        line = source[source.rfind("\n", 0, mark.start()) + 1 : mark.start()]
        indent = len(line) - len(line.lstrip())
        if source[mark.start() - 1] == "(":
            text = _parenthesis(rest)
        elif "#" in line:
            text = re.match(r".*(?:\n\s*#.*)*", rest)[0]
        else:
            text = re.match(rf'[^\n]*?(?="""|\n)(?:\n {{{indent}}}(?!""")[^\n]+)*', rest)[0]
        said.append(" ".join(re.sub(r"\n\s*#?", " ", text).split()).rstrip("."))
    return said


def _parenthesis(text: str) -> str:
    """The text up to the closing parenthesis of the one that it begins in."""
    depth = 1
    for i, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if not depth:
            return text[:i]
    return text
