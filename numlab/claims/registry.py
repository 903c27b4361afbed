"""The claims that notebooks test, as the .toml files here hold them."""

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent
UNITS = ("seeds", "examples", "nothing")
PARTS = 3  # shown in a summary: those closest to contradicting the claim


@dataclass(frozen=True)
class Claim:
    """A sentence that samples of a statistic decide, fixed before the runs that judge it.

    The claimed side of the statistic's mean is exactly one of `above`, `below` and `within`; it
    holds for every part of the statistic at once.

    >>> claim = nl.claims.Claim("xval/even", [], "both err alike", "P10 / XVal", within=(0.9, 1.1))
    >>> claim.side, claim.ours
    ('0.9 to 1.1', True)
    """

    id: str  # <paper>/<name>
    figures: list[str]  # ids of the figures and tables that show it
    text: str
    statistic: str  # what the samples are
    paper: str = ""  # the paper's own words or numbers for it
    section: str = ""  # where the paper says so; empty for a claim of ours
    above: float | None = None
    below: float | None = None
    within: tuple[float, float] | None = None  # ends included
    range: tuple[float, float] | None = None  # of the statistic: [0, 1] of a share
    ratio: bool = False  # the mean is geometric, and paired samples are divided
    over: str = "seeds"  # or "examples": what samples are drawn over; "nothing": a computation
    looks: int = 1  # 2: seeds were added to those of an earlier verdict
    gates: list[str] = field(default_factory=list)  # that must pass before the statistic may judge
    # what was changed afterwards: `was`, the old text; `reason`; `seen`, results known by then.
    # In the file, a list of names of [amendments.<name>], which several claims can share.
    amended: list[dict[str, str]] = field(default_factory=list)

    def __post_init__(self):
        given = [side for side in ("above", "below", "within") if getattr(self, side) is not None]
        if len(given) != 1:
            raise ValueError(f"{self.id} needs one of above, below and within; got {given}")
        if self.within and not self.within[0] <= self.within[1]:
            raise ValueError(f"{self.id} is within (least, greatest); got {self.within}")
        if self.over not in UNITS:
            raise ValueError(f"{self.id} is over one of {', '.join(UNITS)}; got {self.over!r}")
        if self.gates and self.over == "nothing":
            raise ValueError(f"{self.id} trains nothing, so it has no gates")
        for change in self.amended:
            if change.keys() != {"was", "reason", "seen"}:
                raise ValueError(f"{self.id}: amended has was, reason and seen; got {[*change]}")

    @property
    def ours(self) -> bool:
        """Whether the claim is ours, not the paper's."""
        return not self.section

    @property
    def side(self) -> str:
        """The claimed side in words."""
        if self.within is not None:
            low, high = self.within
            if low == high:
                return f"{low:g}"
            return f">= {low:g}" if high == np.inf else f"{low:g} to {high:g}"
        return f"> {self.above:g}" if self.below is None else f"< {self.below:g}"

    @property
    def asked(self) -> str:
        """The statistic, and where its mean is claimed to be."""
        return f"{self.statistic} (claimed: {self.side})"

    @property
    def bounds(self) -> tuple[float, float]:
        """(low, high) of the claimed side; for a ratio, of its logarithm."""
        low, high = self.within or (self.above, self.below)
        low, high = -np.inf if low is None else low, np.inf if high is None else high
        return (np.log(low) if low > 0 else -np.inf, np.log(high)) if self.ratio else (low, high)

    def summary(self, verdict: Mapping[str, Any]) -> str:
        """The numbers that decided it, or why it is open: `0.12 [0.05, 0.19], 3 seeds`.

        `verdict` is a `Verdict` as a dict, and a remark under `ours`.
        """
        shown = [f"{part['name']} {_numbers(part)}".strip() for part in verdict["parts"][:PARTS]]
        if more := len(verdict["parts"]) - len(shown):
            shown.append(f"and {more} more")
        if shown and self.over != "nothing":
            counts = [part["n"] for part in verdict["parts"]]
            ends = sorted({min(counts), max(counts)})  # one, where all are equal
            shown.append(f"{' to '.join(map(str, ends))} {self.over}")
        facts = [verdict["why"], ", ".join(shown), verdict["ours"]]
        return "; ".join(filter(None, facts))


def _numbers(part: Mapping[str, Any]) -> str:
    """`mean [low, high]` with three significant digits, or up to six that tell them apart."""
    ends = [part[name] for name in ("mean", "low", "high")]
    for digits in (3, 4, 5, 6):
        mean, low, high = shown = [f"{x:.{digits}g}" for x in ends]
        if len(set(shown)) == len(set(ends)):
            break
    return f"{mean} [{low}, {high}]"


@functools.cache
def claims() -> Mapping[str, Claim]:
    """Every claim by its id.

    >>> nl.claims.claims()["xval/lookup-mse"].figures
    ['xval/tab12']
    """
    files = (tomllib.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.toml")))
    return {entry["id"]: _claim(entry, file) for file in files for entry in file["claim"]}


def _claim(entry: dict[str, Any], file: dict[str, Any]) -> Claim:
    amended = [file["amendments"][name] for name in entry.get("amended", ())]
    return Claim(**entry | {"amended": amended})
