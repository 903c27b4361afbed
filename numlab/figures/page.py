"""The gallery as one static page; `gallery.html` beside this file holds its style."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from numlab.figures.catalogue import PAPERS
from numlab.figures.verdicts import VERDICTS

if TYPE_CHECKING:
    from numlab.figures.gallery import Saved, Shown


def index(shown: list[Shown], scores: list[list[str]]) -> str:
    """figures/index.html: a card for each item of the catalogue, those not built yet hidden."""
    papers = [p for p in PAPERS if any(s.paper == p for s in shown)]
    template = Template((Path(__file__).parent / "gallery.html").read_text("utf-8"))
    return template.substitute(
        choices="".join(_choice(paper) for paper in ["all", *papers]),
        rules="\n".join(
            f"body:has(#only-{p}:checked) section:not(.{p}) {{ display: none; }}" for p in papers
        ),
        scores=table(scores),
        sections="\n".join(_section(p, [s for s in shown if s.paper == p]) for p in papers),
    )


def local(profiles: dict[str, list[Shown]], scores: dict[str, list[list[str]]]) -> str:
    """figures/local.js: what other profiles hold, put into the cards by index.html."""
    parts: dict[str, str] = {}
    for s in (s for shown in profiles.values() for s in shown if s.saved):
        parts[s.item.id] = parts.get(s.item.id, "") + _ours(s)
    parts["scores"] = "".join(
        f"<div><h3>{profile}, on this machine</h3>{table(rows)}</div>"
        for profile, rows in scores.items()
    )
    return f"const LOCAL = {json.dumps(parts, indent=1)};\n"


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of text as a table, the first of them its header."""
    header, *body = rows
    lines = [f"<tr>{''.join(f'<th>{escape(v)}</th>' for v in header)}</tr>"]
    lines += [f"<tr>{''.join(f'<td>{escape(v)}</td>' for v in row)}</tr>" for row in body]
    return f'<div class="wide"><table>{"".join(lines)}</table></div>'


def _choice(paper: str) -> str:
    checked = " checked" if paper == "all" else ""
    button = f'<input type="radio" name="only" id="only-{paper}"{checked}>'
    return f'{button}<label for="only-{paper}">{paper}</label>'


def _section(paper: str, shown: list[Shown]) -> str:
    missing = "".join(
        f"<li><b>{escape(s.item.id)}</b> {escape(s.item.shows)}</li>" for s in shown if not s.saved
    )
    n_missing = sum(not s.saved for s in shown)
    later = f"<details><summary>{n_missing} not built yet</summary><ul>{missing}</ul></details>"
    return "\n".join(
        [
            f'<section class="{paper}"><h2>{paper} <small>{escape(PAPERS[paper])}</small></h2>',
            *map(_card, shown),
            later if missing else "",
            "</section>",
        ]
    )


def _card(shown: Shown) -> str:
    item = shown.item
    said = f"<p>{escape(item.finding)}</p>" if item.finding else ""
    source = "" if shown.paper == "explore" else "<h4>The paper</h4>"
    return (
        f'<article id="{item.id}"{"" if shown.saved else " hidden"}>'
        f'<h3><a href="#{item.id}">{item.id}</a></h3>'
        f'<div class="paper">{source}<p>{escape(item.shows)}</p>{said}</div>'
        f'<div class="ours">{_ours(shown)}<div class="local"></div></div></article>'
    )


def _ours(shown: Shown) -> str:
    return "".join(_saved(saved) for saved in shown.saved)


def _saved(saved: Saved) -> str:
    suffixes = ("svg", "csv", "json") if saved.kind == "figure" else ("csv", "json")
    links = " ".join(f'<a href="{saved.place}.{suffix}">{suffix}</a>' for suffix in suffixes)
    stale = f'<span class="stale">stale: {escape(saved.stale)}</span>' if saved.stale else ""
    if saved.kind == "figure":
        name = f"{saved.place}.png"
        image = f'<img srcset="{name} 1.5x" src="{name}" alt="{saved.id}" loading="lazy">'
        body = f'<a href="{name}">{image}</a>'
    else:
        body = table(saved.rows())
    runs = f", {saved.n_runs} runs" if saved.n_runs else ""
    return (
        f"<figure><figcaption><b>{saved.profile}</b> {saved.id.partition('/')[2]}, from "
        f"{escape(saved.notebook)}{runs} {links} {stale}</figcaption>"
        f"{body}{_claims(saved.claims)}</figure>"
    )


def _claims(claims: list[dict]) -> str:
    if not claims:
        return ""
    rows = "".join(
        f'<tr><td><span class="{VERDICTS[c["holds"]].replace(" ", "-")}">{VERDICTS[c["holds"]]}'
        "</span></td>"
        f"<td>{escape(c['text'])}</td><td>{escape(c['ours'])}</td><td>{escape(c['paper'])}</td></tr>"
        for c in claims
    )
    header = "<tr><th></th><th>claim</th><th>here</th><th>the paper</th></tr>"
    return f'<div class="wide"><table class="claims">{header}{rows}</table></div>'
