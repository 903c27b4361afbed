"""Whether a claim holds, in a word, and as a notebook shows it."""

from __future__ import annotations

from html import escape

VERDICTS = {True: "held", False: "not held", None: "not tested"}
_COLORS = {True: "#009E73", False: "#D55E00", None: "#8A8A8A"}


def verdict(claim: dict) -> str:
    """HTML of a claim: does it hold, what was found here, and what the paper says."""
    found = {"here": claim["ours"], "the paper": claim["paper"]}
    said = "; ".join(f"<i>{who}:</i> {escape(what)}" for who, what in found.items() if what)
    color = _COLORS[claim["holds"]]
    return (
        f'<div class="numlab-claim" style="border-left: 5px solid {color}; padding-left: 10px">'
        f'<b style="color: {color}">{VERDICTS[claim["holds"]]}</b> {escape(claim["text"])}'
        f'<div style="font-size: 90%; opacity: 0.8">{said}</div></div>'
    )
