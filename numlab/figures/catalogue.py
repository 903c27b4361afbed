"""The papers' figures and tables, as catalogue.toml holds them, and the templates of pages."""

import math
import re
import tomllib
from pathlib import Path

import jinja2

FOLDER = Path(__file__).parent
COLORS = {  # of verdicts
    "held": "#009E73",
    "exact": "#0072B2",
    "contradicted": "#D55E00",
    "open": "#8A8A8A",
    "not run": "#C4C4C4",
}
_CATALOGUE = tomllib.loads((FOLDER / "catalogue.toml").read_text("utf-8"))
PAPERS: dict[str, str] = _CATALOGUE["papers"]
SUMMARY: list[dict] = _CATALOGUE["summary"]
OWN: dict[str, str] = _CATALOGUE["own"]
DEPARTURES: dict[str, list[str]] = _CATALOGUE["departures"]
CONTRADICTED: list[str] = _CATALOGUE["contradicted"]["before"]
ITEMS: dict[str, dict[str, str]] = {entry["id"]: entry for entry in _CATALOGUE["figure"]}


def item_of(id: str) -> str:
    """The item that a figure belongs to: `xval/fig07-masses` is a view of `xval/fig07`.

    ValueError for an id that is not in the catalogue; ids `explore/<name>` are free.
    """
    paper, _, name = id.partition("/")
    item = id if paper == "explore" else re.split("[-_]", id)[0]
    well_formed = re.fullmatch(r"[a-z0-9]+([-_][a-z0-9]+)*", name)
    if not well_formed or (item not in ITEMS and paper != "explore"):
        known = [i for i in ITEMS if i.startswith(f"{paper}/")] or [f"{p}/..." for p in PAPERS]
        own = "explore/<name> for your own (a-z, 0-9, - and _)"
        raise ValueError(f"{id!r} is not in the catalogue; ids: {', '.join(known)}, and {own}")
    return item


_TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(FOLDER / "templates"),
    autoescape=jinja2.select_autoescape(["html", "svg"]),
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_TEMPLATES.globals |= {"COLORS": COLORS, "asinh": math.asinh}
template = _TEMPLATES.get_template
