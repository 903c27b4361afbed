"""The gallery: figures and tables beside what the papers show, and the verdicts on the claims.

figures/README.md, figures/index.html and figures/claims.svg are committed and show the profile
full. The profiles made on this machine go to figures/local.js, which git ignores and index.html
loads.
"""

import contextlib
import html
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from numlab import plots, store
from numlab.claims import Claim, claims
from numlab.described import ForeignClass
from numlab.evaluation import labels
from numlab.figures.catalogue import COLORS, DEPARTURES, ITEMS, PAPERS, SUMMARY, item_of, template
from numlab.figures.filing import saved
from numlab.training import Run

LOCAL = ("quick", "paper")
ROWS = 40  # of a table; its .csv holds all
NOT_RUN = {"verdict": "open", "why": "not run yet", "parts": [], "gates": [], "ours": ""}
TICKS = (-10, -3, -1, 0, 1, 3, 10)  # standard deviations; effects beyond 30 are drawn there


@dataclass(frozen=True)
class Card:
    """A figure or table of a paper, and what was saved of it, as the .json files say."""

    id: str  # <paper>/<name>, such as xval/fig07
    shows: str
    finding: str = ""  # the paper's
    figures: list[dict] = field(default_factory=list)

    @property
    def paper(self) -> str:
        return self.id.partition("/")[0]

    @property
    def claims(self) -> dict[str, dict]:
        """The verdict on each claim once, though several figures may show it."""
        return {entry["id"]: entry for figure in self.figures for entry in figure["claims"]}

    @property
    def departures(self) -> list[str]:
        """Where its notebooks depart from the paper."""
        notebooks = sorted({figure["notebook"] for figure in self.figures})
        return [line for notebook in notebooks for line in DEPARTURES.get(notebook, [])]


def build() -> list[Path]:
    """Write figures/README.md, figures/index.html, figures/claims.svg and figures/local.js."""
    folder = store.home() / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    judged, cards = verdicts("full"), collect("full")
    facts = {"papers": PAPERS, "findings": SUMMARY, "cards": cards, "known": claims()}
    facts |= {
        "scores": scoreboard(cards, judged),
        "amended": [c for c in claims().values() if c.amended],
        "waiting": sum(entry is NOT_RUN for _, entry in judged.values()),
        "effects": _effects(judged),
        "ticks": TICKS,
        "x": lambda effect: round(405 + 48 * float(np.arcsinh(np.clip(effect, -30, 30))), 1),
    }
    pages = {n: template(n).render(facts) for n in ("README.md", "index.html", "claims.svg")}
    pages["local.js"] = f"const LOCAL = {json.dumps(_local(), indent=1)};\n"
    for name, text in pages.items():
        store.replace(folder / name, lambda draft, text=text: draft.write_text(text, "utf-8"))
    return [folder / name for name in pages]


def collect(*profiles: str) -> list[Card]:
    """A card for every item of the catalogue, and for every view that a widget kept."""
    cards, folder = {id: Card(**item) for id, item in ITEMS.items()}, store.home() / "figures"
    for figure in (figure for profile in profiles for figure in saved(profile)):
        figure["path"] = f"{figure['profile']}/{figure['id']}"  # in figures/
        figure["origin"] = f"{figure['notebook']}, commit {str(figure['commit'])[:9]}"
        curves = _curves_path(figure["notebook"], figure["profile"])
        figure["curves"] = str(curves.relative_to(folder)) if curves.exists() else ""
        if figure["kind"] == "table":
            figure["rows"] = _rows(folder / f"{figure['path']}.md")
        item = item_of(figure["id"])
        cards.setdefault(item, Card(item, figure["title"])).figures.append(figure)
    return list(cards.values())


def verdicts(profile: str) -> dict[str, tuple[Claim, dict]]:
    """Each claim with its verdict at a profile, by id."""
    judged = {entry["id"]: entry for figure in saved(profile) for entry in figure["claims"]}
    return {id: (claim, judged.get(id, NOT_RUN)) for id, claim in claims().items()}


def scoreboard(cards: list[Card], judged: dict[str, tuple[Claim, dict]]) -> list[list[str]]:
    """Items built, and claims by verdict: the papers' for each and in total, then our own."""
    count = Counter()
    for claim, entry in judged.values():
        paper = claim.id.partition("/")[0]
        for name in ["our own"] if claim.ours else [paper, "all papers"]:
            count[name, entry["verdict"]] += 1
    rows = [["", "built", *COLORS]]
    for name in [*PAPERS, "all papers", "our own"]:
        part = [card for card in cards if card.paper == name]
        built = f"{sum(bool(card.figures) for card in part)} of {len(part)}" if part else ""
        rows.append([name, built, *(str(count[name, verdict]) for verdict in COLORS)])
    return rows


def draw_curves(notebook: str, profile: str) -> None:
    """Draw the validation loss of every run that a notebook's figures used.

    Runs of classes outside of numlab are left out.
    """
    figures = [figure for figure in saved(profile) if figure["notebook"] == notebook]
    digests = dict.fromkeys(digest for figure in figures for digest in figure["runs"])
    runs = []
    for digest in digests:
        with contextlib.suppress(ForeignClass):
            runs.append(Run.stored(digest))
    names = labels(runs)
    if not names:
        return
    curves = [
        run.history.query("part == 'valid'").assign(
            task=str(run.spec.task), encoder=name, run=run.digest
        )
        for run, name in names.items()
    ]
    path, figure = _curves_path(notebook, profile), plots.learning_curves(pd.concat(curves))
    path.parent.mkdir(parents=True, exist_ok=True)
    store.replace(path, lambda draft: figure.savefig(draft, dpi=110, bbox_inches="tight"))


def _curves_path(notebook: str, profile: str) -> Path:
    """The picture of a notebook's learning curves."""
    paper, _, name = notebook.partition("/")
    return store.home() / "figures" / profile / paper / "learning" / f"{name}.png"


def _local() -> dict[str, str]:
    """The figures and the scores of the other profiles, as HTML by id."""
    macros = template("macros.html").module
    cards = [card for card in collect(*LOCAL) if card.figures]
    local = {card.id: macros.figures(card, claims()) for card in cards}
    made = [profile for profile in LOCAL if saved(profile)]
    boards = {profile: scoreboard(collect(profile), verdicts(profile)) for profile in made}
    return local | {"scores": macros.boards(boards)}


def _effects(judged: dict[str, tuple[Claim, dict]]) -> dict[str, list[dict]]:
    """For each paper the effects of the claims that samples have judged: of the deciding part."""
    effects = {paper: [] for paper in PAPERS}
    for id, (_, entry) in judged.items():
        paper, _, name = id.partition("/")
        for part in entry["parts"][:1]:
            if part["effect"] is not None:
                effect = {"effect": part["effect"], "half": part["effect_half"]}
                effects[paper].append({"name": name, "verdict": entry["verdict"]} | effect)
    return effects


def _rows(path: Path) -> list[list[str]]:
    """A table's header and rows."""
    lines = path.read_text("utf-8").splitlines()
    rows = [[html.unescape(value.strip()) for value in line.split("|")[1:-1]] for line in lines]
    return rows[:1] + rows[2:][:ROWS]
