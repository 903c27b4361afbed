"""The papers' figures and tables, and the claims about them, as the .toml files here hold them."""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Item:
    """A figure or table of a paper.

    Parameters
    ----------
    id : str
        `<paper>/<name>`, such as `xval/fig07`.
    shows : str
        What can be seen in it.
    finding : str
        What the paper finds in it.
    """

    id: str
    shows: str
    finding: str = ""


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper that a notebook tests.

    Parameters
    ----------
    id : str
        `<paper>/<slug>`.
    figures : list of str
        The figures and tables that show it.
    text : str
    paper : str
        The paper's numbers or words.
    """

    id: str
    figures: list[str]
    text: str
    paper: str = ""


_CATALOGUE = tomllib.loads((FOLDER / "catalogue.toml").read_text("utf-8"))
PAPERS: dict[str, str] = _CATALOGUE["papers"]
ITEMS = {entry["id"]: Item(**entry) for entry in _CATALOGUE["figure"]}


@functools.cache
def claims(folder: Path = FOLDER / "claims") -> dict[str, Claim]:
    """Every claim by its id, from `claims/<paper>.toml`.

    Raises
    ------
    ValueError
        For an entry with missing or unknown keys, or an id that occurs twice.
    """
    found: dict[str, Claim] = {}
    for path in sorted(folder.glob("*.toml")):
        for entry in tomllib.loads(path.read_text("utf-8"))["claim"]:
            try:
                claim = Claim(**entry)
            except TypeError as error:
                raise ValueError(f"{path.name}, claim {entry.get('id')!r}: {error}") from None
            if claim.id in found:
                raise ValueError(f"{path.name}: two claims have the id {claim.id!r}")
            found[claim.id] = claim
    return found


def claim_of(id: str) -> Claim:
    """The claim with an id; ValueError for an id that no file of claims holds."""
    try:
        return claims()[id]
    except KeyError:
        paper = id.partition("/")[0]
        raise ValueError(f"numlab/figures/claims/{paper}.toml holds no claim {id!r}") from None


def item_of(id: str) -> str:
    """The id in the catalogue that a figure belongs to.

    Raises
    ------
    ValueError
        For an id that is not in the catalogue. Ids `explore/<name>` are free.

    Examples
    --------
    >>> item_of("xval/fig07-masses")  # a second view of xval/fig07
    'xval/fig07'
    """
    paper, _, name = id.partition("/")
    if paper not in PAPERS or not re.fullmatch(r"[a-z0-9]+([-_][a-z0-9]+)*", name):
        raise ValueError(
            f"an id is <paper>/<name>, such as xval/fig07, of {', '.join(PAPERS)}; got {id!r}"
        )
    if paper == "explore":
        return id
    item = f"{paper}/{re.split('[-_]', name)[0]}"
    if item not in ITEMS:
        names = ", ".join(i.partition("/")[2] for i in ITEMS if i.startswith(f"{paper}/"))
        raise ValueError(f"{paper} has {names} (and views of them, such as fig01-more); got {id!r}")
    return item
