"""Where the code says that it deviates from a paper, or decides what a paper leaves open."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
MARK = r"(?:deviates|our\ choice):\s"
NOTE = re.compile(
    rf"""\({MARK}((?:[^()]|\([^()]*\))*)\)  # in parentheses
    | \#.*?(?<!\(){MARK}(.*(?:\n\s*\#.*)*)  # in a comment: to its end
    | \s{MARK}((?:.|\n)+?)(?=\n\s*(?:\n|\w+\ :\ )|\s*\"\"\")  # in a docstring: a paragraph
    """,
    re.IGNORECASE | re.VERBOSE,
)


def find() -> list[list[str]]:
    """[file, note] for each `deviates:` and `our choice:` in numlab and beside the notebooks."""
    files = [
        path for part in ("numlab", "notebooks") for path in sorted(ROOT.glob(f"{part}/**/*.py"))
    ]
    files.remove(Path(__file__))
    return [
        [f"`{p.relative_to(ROOT)}`", note] for p in files for note in read(p.read_text("utf-8"))
    ]


def read(source: str) -> list[str]:
    """The notes in a source.

    >>> read("# Deviates: nines are" + chr(10) + "# tens." + chr(10) + "f(9)  # (our choice: 9)")
    ['nines are tens', '9']
    """
    notes = ("".join(match.groups("")) for match in NOTE.finditer(source))
    return [" ".join(re.sub(r"\n\s*#?", " ", note).split()).rstrip(".") for note in notes]
