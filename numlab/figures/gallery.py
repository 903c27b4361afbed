"""The gallery: what was saved, beside what the papers show, with the scoreboard of the claims.

figures/README.md and figures/index.html are committed, so they show the committed profile, full,
alone. What other profiles hold goes to figures/local.js, which git ignores and index.html shows
beside the rest where it is there.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from numlab import store
from numlab.figures import deviations, notebooks, page, stamps, tables
from numlab.figures.catalogue import ITEMS, PAPERS, Item, item_of
from numlab.figures.verdicts import VERDICTS

COMMITTED = "full"
LOCAL = ("quick", "paper")
ROWS = 40  # of a table; the rest is in its .csv


@dataclass(frozen=True)
class Saved:
    """A figure or table as it was saved at a profile."""

    id: str
    kind: str
    profile: str
    notebook: str
    claims: list[dict]
    stale: str  # what changed since it was made, or nothing
    n_runs: int

    @property
    def place(self) -> str:
        """Its files, without their suffix, seen from figures/."""
        return f"{self.profile}/{self.id}"

    def rows(self) -> list[list[str]]:
        """A table's header and rows, as text."""
        path = store.home() / "figures" / f"{self.place}.csv"
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = list(csv.reader(file)) or [[]]
        return [header, *([_short(value) for value in row] for row in rows[:ROWS])]


@dataclass(frozen=True)
class Shown:
    """An item of the catalogue with what was saved of it at one profile."""

    item: Item
    saved: list[Saved] = field(default_factory=list)

    @property
    def paper(self) -> str:
        return self.item.id.partition("/")[0]

    @property
    def claims(self) -> list[dict]:
        return [claim for saved in self.saved for claim in saved.claims]


def build() -> list[Path]:
    """Write figures/README.md, figures/index.html and, for the other profiles, figures/local.js."""
    figures = store.home() / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    shown = collect(COMMITTED)
    local = {profile: collect(profile) for profile in LOCAL if stamps.saved(profile)}
    return [
        _replaced(figures / "README.md", readme(shown)),
        _replaced(figures / "index.html", page.index(shown, scoreboard(shown))),
        _replaced(
            figures / "local.js",
            page.local(local, {p: scoreboard(s) for p, s in local.items()}),
        ),
    ]


def collect(profile: str) -> list[Shown]:
    """Every item of the catalogue, and what the explorations add, with what is saved of it."""
    shown = {id: Shown(item) for id, item in ITEMS.items()}
    known = {notebook.name: notebook for notebook in notebooks.find()}
    for notebook in known.values():
        for id, heading in _headings(notebook).items():
            if id.startswith("explore/"):
                shown[id] = Shown(Item(id, f"{heading} (notebook {notebook.name})."))
    for figure in stamps.saved(profile):
        item = item_of(figure["id"])
        kept = shown.setdefault(item, Shown(Item(item, figure["title"])))
        kept.saved.append(
            Saved(
                figure["id"],
                figure["kind"],
                profile,
                figure["notebook"],
                figure["claims"],
                _stale(figure, known.get(figure["notebook"])),
                len(figure["runs"]),
            )
        )
    return list(shown.values())


def _headings(notebook: notebooks.Notebook) -> dict[str, str]:
    """What a notebook saves; nothing where its file is no notebook, which the batch has said."""
    try:
        return notebook.headings
    except ValueError:
        return {}


def scoreboard(shown: Iterable[Shown]) -> list[list[str]]:
    """Items built and claims by verdict, for each paper and in total; a header first."""
    shown = list(shown)
    rows = [["", "built", *VERDICTS.values()]]
    for name in [*PAPERS, "total"]:
        part = [s for s in shown if name in (s.paper, "total")]
        if part:
            count = Counter(VERDICTS[c["holds"]] for s in part for c in s.claims)
            built = f"{sum(bool(s.saved) for s in part)} of {len(part)}"
            rows.append([name, built, *(str(count[v]) for v in VERDICTS.values())])
    return rows


def readme(shown: list[Shown]) -> str:
    """The gallery as Markdown."""
    header, *rows = scoreboard(shown)
    parts = [
        "# Figures\n",
        "Made by `numlab figures`, at the profile `full`. [index.html](index.html) shows the same "
        "as a page,\nwith the figures of other profiles that were made on this machine beside "
        "them.\n",
        "## Claims\n",
        tables.markdown(header, rows),
    ]
    for paper, title in PAPERS.items():
        part = [s for s in shown if s.paper == paper]
        built = [s for s in part if s.saved]
        missing = ", ".join(s.item.id.partition("/")[2] for s in part if not s.saved)
        parts += [f"## {paper}: {title}\n"] if part else []
        parts += [_section(s) for s in built]
        parts += [f"Not built yet: {missing}.\n"] if missing else []
    parts += [
        "## Where numlab leaves the papers\n",
        "And where it decides what they leave open, as the code says. What each figure's runs are "
        "smaller in\nthan the paper's stands at the head of its notebook: the profiles `full` and "
        "`paper`.\n",
        tables.markdown(["where", "what"], deviations.find()),
    ]
    return "\n".join(parts)


def _section(shown: Shown) -> str:
    parts = [f"### {shown.item.id}\n", f"{shown.item.shows}\n"]
    if shown.item.finding:
        parts.append(f"The paper: {shown.item.finding}\n")
    for saved in shown.saved:
        if saved.stale:
            parts.append(f"**Stale**: {saved.stale}.\n")
        if saved.kind == "figure":
            parts.append(f"![{saved.id}]({saved.place}.png)\n")
        else:
            header, *rows = saved.rows()
            parts.append(tables.markdown(header, rows))
    if shown.claims:
        rows = [[VERDICTS[c["holds"]], c["text"], c["ours"], c["paper"]] for c in shown.claims]
        parts.append(tables.markdown(["", "claim", "here", "the paper"], rows))
    return "\n".join(parts)


def _stale(figure: dict, notebook: notebooks.Notebook | None) -> str:
    if figure["sources"]["notebook"] is None:  # a kept view: no file made it
        return ""
    if notebook is None:
        return f"the notebook {figure['notebook']} is gone"
    try:
        if figure["sources"]["notebook"] != notebook.code_digest:
            return f"the code of {notebook.name} changed"
    except ValueError as error:
        return str(error)
    changed = stamps.changed_modules(figure["sources"]["modules"])
    return f"{', '.join(changed)} changed" if changed else ""


def _short(value: str) -> str:
    """A number of a .csv to four digits; whole numbers, words and -602E-1 as they are."""
    try:
        return value if value.lstrip("-").isdigit() or "E" in value else tables.cell(float(value))
    except ValueError:
        return value


def _replaced(path: Path, text: str) -> Path:
    store.replace(path, lambda draft: draft.write_text(text, "utf-8"))
    return path
