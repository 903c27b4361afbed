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
    """[file, what its code says after `deviates:` or `our choice:`], of numlab and notebooks/."""
    files = sorted((ROOT / "numlab").rglob("*.py")) + sorted((ROOT / "notebooks").rglob("*.py"))
    return [
        [f"`{path.relative_to(ROOT)}`", note]
        for path in files
        if path != Path(__file__)
        for note in read(path.read_text("utf-8"))
    ]


def read(source: str) -> list[str]:
    """What follows the marks in a source.

    >>> read("# Deviates: nines are" + chr(10) + "# tens." + chr(10) + "f(9)  # (our choice: 9)")
    ['nines are tens', '9']
    """
    notes = ("".join(match.groups("")) for match in NOTE.finditer(source))
    return [" ".join(re.sub(r"\n\s*#?", " ", note).split()).rstrip(".") for note in notes]
