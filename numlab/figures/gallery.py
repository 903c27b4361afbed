"""The gallery: figures and tables beside what the papers show, and a scoreboard of the claims.

figures/README.md and figures/index.html are committed and show the profile full. The profiles
made on this machine go to figures/local.js, which git ignores and index.html loads.
"""

from __future__ import annotations

import html
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from numlab import store
from numlab.figures import deviations
from numlab.figures.catalogue import ITEMS, PAPERS, Item, item_of
from numlab.figures.filing import saved
from numlab.figures.markup import VERDICTS, template

LOCAL = ("quick", "paper")
ROWS = 40  # of a table; its .csv holds all


@dataclass(frozen=True)
class Card:
    """An item of the catalogue, and what was saved of it, as the .json files say."""

    item: Item
    figures: list[dict] = field(default_factory=list)

    @property
    def paper(self) -> str:
        return self.item.id.partition("/")[0]

    @property
    def claims(self) -> list[dict]:
        """Each claim once, though several figures may show it."""
        return list({c["id"]: c for figure in self.figures for c in figure["claims"]}.values())


def build() -> list[Path]:
    """Write figures/README.md, figures/index.html and figures/local.js."""
    cards = collect("full")
    values = {"papers": PAPERS, "cards": cards, "scores": scoreboard(cards)}
    values["deviations"] = deviations.find()
    pages = {name: template(name).render(values) for name in ("README.md", "index.html")}
    macros = template("macros.html").module
    local = {card.item.id: macros.figures(card) for card in collect(*LOCAL) if card.figures}
    boards = {profile: scoreboard(collect(profile)) for profile in LOCAL if saved(profile)}
    local["scores"] = macros.boards(boards)
    pages["local.js"] = f"const LOCAL = {json.dumps(local, indent=1)};\n"
    folder = store.home() / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        store.replace(folder / name, lambda draft, text=text: draft.write_text(text, "utf-8"))
    return [folder / name for name in pages]


def collect(*profiles: str) -> list[Card]:
    """A card for every item of the catalogue, and for every view that a widget kept."""
    cards = {id: Card(item) for id, item in ITEMS.items()}
    for figure in (figure for profile in profiles for figure in saved(profile)):
        figure["path"] = f"{figure['profile']}/{figure['id']}"  # in figures/
        figure["origin"] = f"{figure['notebook']}, commit {str(figure['commit'])[:9]}"
        if figure["kind"] == "table":
            figure["rows"] = _rows(store.home() / "figures" / f"{figure['path']}.md")
        item = item_of(figure["id"])
        cards.setdefault(item, Card(Item(item, figure["title"]))).figures.append(figure)
    return list(cards.values())


def scoreboard(cards: list[Card]) -> list[list[str]]:
    """Items built, and claims by verdict, for each paper and in total; a header first."""
    rows = [["", "built", *VERDICTS.values()]]
    for name in [*PAPERS, "total"]:
        part = [card for card in cards if name in (card.paper, "total")]
        claims = {claim["id"]: claim["holds"] for card in part for claim in card.claims}
        count = Counter(claims.values())
        built = f"{sum(bool(card.figures) for card in part)} of {len(part)}"
        rows.append([name, built, *(str(count[holds]) for holds in VERDICTS)])
    return rows


def _rows(path: Path) -> list[list[str]]:
    """A table's header and rows."""
    lines = path.read_text("utf-8").splitlines()
    rows = [[html.unescape(value.strip()) for value in line.split("|")[1:-1]] for line in lines]
    return rows[:1] + rows[2:][:ROWS]
