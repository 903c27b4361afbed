"""The gallery: figures and tables beside what the papers show, and the verdicts on the claims.

figures/README.md, figures/index.html and figures/claims.svg are committed and show the profile
full. The profiles made on this machine go to figures/local.js, which git ignores and index.html
loads.
"""

import html
import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
from PIL import Image

from numlab import encoders, plots, store
from numlab.claims import Claim, claims
from numlab.figures import catalogue, curves
from numlab.figures.catalogue import COLORS, ITEMS, PAPERS, item_of, template
from numlab.figures.filing import earlier, saved

LOCAL = ("quick", "paper")
ROWS = 40  # of a table; its .csv holds all
NOT_RUN = {"verdict": "not run", "why": "", "parts": [], "gates": [], "ours": ""}
BINS = encoders.LogBins()
SPELLED = {  # in the page, with what each does
    encoders.P10(): "a sign, three digits, an exponent",
    encoders.P1000(): "the three digits as one word",
    encoders.B1999(): "the sign goes with them",
    encoders.FP15(): "all of it as one word",
    encoders.Digits(6, 3): "digit by digit",
    encoders.Subword(6, 3): "three digits a word, from the left",
    BINS: "the sign and the decade",
    encoders.IEEE754(): "one token that carries 32 bits",
    encoders.FoNE(6, 3): "one token that carries digits, on circles",
    encoders.XVal(): "one token times the number",
}
LIVE = {  # figures whose data the page draws itself
    "gap": "xval/fig07",
    "cloud": "explore/pretrained-clouds",
    "spectrum": "explore/pretrained-spectra",
}


@dataclass(frozen=True)
class Card:
    """A figure or table of a paper, with what was saved of it (the .json files), and verdicts."""

    id: str  # <paper>/<name>, such as xval/fig07
    shows: str
    finding: str = ""  # the paper's
    figures: list[dict] = field(default_factory=list)
    verdicts: list[tuple[Claim, dict]] = field(default_factory=list)

    @property
    def paper(self) -> str:
        return self.id.partition("/")[0]


def build() -> list[Path]:
    """Write figures/README.md, figures/index.html, figures/claims.svg and figures/local.js."""
    folder = store.figures_dir()
    folder.mkdir(parents=True, exist_ok=True)
    judged, cards = verdicts("full"), collect("full")
    facts = {"catalogue": catalogue, "papers": PAPERS, "cards": cards, "judged": judged}
    facts |= {"scores": scoreboard(cards, judged), "live": _live()}
    facts["of"] = {p: [c for id, c in judged.items() if id.startswith(f"{p}/")] for p in PAPERS}
    facts["amendments"] = _amendments(claim for claim, _ in judged.values())
    facts["count"] = Counter(entry["verdict"] for _, entry in judged.values())
    pages = {n: template(n).render(facts) for n in ("README.md", "index.html", "claims.svg")}
    pages["local.js"] = f"const LOCAL = {json.dumps(_local(), indent=1)};\n"
    for name, text in pages.items():
        store.replace(folder / name, lambda draft, text=text: draft.write_text(text, "utf-8"))
    return [folder / name for name in pages]


def collect(profile: str) -> list[Card]:
    """A card for every item of the catalogue, and for every view that a widget kept."""
    cards, folder = {id: Card(**item) for id, item in ITEMS.items()}, store.figures_dir()
    figures = saved(profile)
    old = earlier(figures)
    for figure in figures:
        figure["earlier"] = figure["id"] in old
    for figure in sorted(figures, key=lambda f: (f["earlier"], f["id"])):
        figure["path"] = f"{profile}/{figure['id']}"  # in figures/
        commit = figure["commit"]  # None: numlab was installed
        figure["origin"] = figure["notebook"] + (f", commit {commit[:9]}" if commit else "")
        picture = curves.picture(figure["notebook"], profile)
        figure["curves"] = str(picture.relative_to(folder)) if picture.exists() else ""
        if figure["kind"] == "table":
            figure["rows"] = _rows(folder / f"{figure['path']}.md")
        else:
            with Image.open(folder / f"{figure['path']}.png") as image:
                figure["size"] = [round(n / 1.4) for n in image.size]
        item = item_of(figure["id"])
        card = cards.setdefault(item, Card(item, figure["title"]))
        card.figures.append(figure)
        own = "" if figure["id"] == item else figure["title"]  # of another view of the item
        figure["shows"] = own or card.shows
    for claim, entry in verdicts(profile).values():
        for item in dict.fromkeys(map(item_of, claim.figures)):
            cards[item].verdicts.append((claim, entry))
    return list(cards.values())


def verdicts(profile: str) -> dict[str, tuple[Claim, dict]]:
    """Each claim with its verdict at a profile, by id; one of an older wording does not count."""
    judged = {entry["id"]: entry for figure in saved(profile) for entry in figure["claims"]}
    found = {}
    for id, claim in claims().items():
        entry = judged.get(id, NOT_RUN)
        gates = {gate["name"] for gate in entry["gates"]}
        of_today = entry.get("asked") == claim.asked and gates == {*claim.gates}
        found[id] = claim, entry if of_today else NOT_RUN
    return found


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


def _amendments(of: Iterable[Claim]) -> dict[tuple[str, ...], list[str]]:
    """The claims that share each amendment, by what was, why it changed, and what was known."""
    shared = defaultdict(list)
    for claim in of:
        for change in claim.amended:
            shared[change["was"], change["reason"], change["seen"]].append(claim.id)
    return shared


def _local() -> dict[str, str]:
    """The figures and the scores of the other profiles, as HTML by id."""
    show, local = template("macros.html").module.local, {}
    for profile in filter(saved, LOCAL):
        cards = collect(profile)
        parts = {card.id: show(profile, card=card) for card in cards if card.figures}
        parts["scores"] = show(profile, scores=scoreboard(cards, verdicts(profile)))
        local = {id: local.get(id, "") + parts.get(id, "") for id in {**local, **parts}}
    return local


def _live() -> dict:
    """What the page itself spells and draws."""
    spelled = {}
    for e, does in SPELLED.items():
        look = {"color": plots.encoder_color(e.label), "does": does}
        spelled[e.label] = {"high": e.bounds[1], "holds": e.holds, **look}
    live = {"encoders": spelled, "bins": {"edges": BINS.edges.tolist(), "words": BINS.vocabulary}}
    for name, id in LIVE.items():
        path = store.home() / f"figures/full/{id}.csv"
        if path.with_suffix(".json").exists():
            frame = pd.read_csv(path)
            if name == "gap":
                answers = frame[frame.valid].groupby(["slot", "encoder", "true"], sort=False)
                frame = answers.predicted.quantile([0.1, 0.5, 0.9], "lower").unstack().reset_index()
                frame = frame.set_axis([*frame.columns[:3], "low", "middle", "high"], axis=1)
            live[name] = json.loads(frame.to_json(orient="split", index=False, double_precision=5))
    return live


def _rows(path: Path) -> list[list[str]]:
    """A table's header and rows."""
    lines = path.read_text("utf-8").splitlines()
    rows = [[html.unescape(value.strip()) for value in line.split("|")[1:-1]] for line in lines]
    return rows[:1] + rows[2:][:ROWS]
