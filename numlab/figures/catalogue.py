"""The papers' figures and tables, as catalogue.toml holds them."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Item:
    """A figure or table of a paper."""

    id: str  # <paper>/<name>, such as xval/fig07
    shows: str
    finding: str = ""  # the paper's


_CATALOGUE = tomllib.loads((FOLDER / "catalogue.toml").read_text("utf-8"))
PAPERS: dict[str, str] = _CATALOGUE["papers"]
SUMMARY: list[dict[str, str]] = _CATALOGUE["summary"]
DEPARTURES: dict[str, list[str]] = _CATALOGUE["departures"]
ITEMS = {entry["id"]: Item(**entry) for entry in _CATALOGUE["figure"]}


def item_of(id: str) -> str:
    """The item that a figure belongs to: `xval/fig07-masses` is a view of `xval/fig07`.

    ValueError for an id that is not in the catalogue; ids `explore/<name>` are free.
    """
    paper, _, name = id.partition("/")
    item = id if paper == "explore" else re.split("[-_]", id)[0]
    well_formed = re.fullmatch(r"[a-z0-9]+([-_][a-z0-9]+)*", name)
    if not well_formed or (item not in ITEMS and paper != "explore"):
        known = ", ".join(i for i in ITEMS if i.startswith(f"{paper}/")) or ", ".join(PAPERS)
        raise ValueError(f"{id!r} is no figure or table, nor a view of one (<id>-<view>): {known}")
    return item
