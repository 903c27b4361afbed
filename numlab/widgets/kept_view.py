"""Keep a view of the sweep: save it as a figure, and print the cell that makes it again."""

import hashlib
import pprint
import re

from numlab import plots
from numlab.figures import filing
from numlab.training import Run
from numlab.widgets.panel import page
from numlab.widgets.sweep_answers import swept

__all__ = ["keep"]


def keep(runs: list[Run], slot: str, at: float, values: list[float], n: int, gaps: tuple) -> str:
    """Save a view as png, svg, csv and json; returns, as HTML, the cell that does the same."""
    notebook, profile = filing.session() or ("explore/kept", "quick")
    filing.begin(notebook, profile, {profile: {}})
    digests = [run.digest for run in runs]
    key = hashlib.sha256(repr((digests, slot, at, n)).encode()).hexdigest()[:6]
    id = "explore/" + re.sub(r"[^a-z0-9]+", "-", f"{slot}-{at}-{key}".lower()).strip("-")
    view = swept(runs, slot, at=at, values=values, n=n)
    filing.save_figure(id, plots.sweep(view, gaps=gaps), view)
    where = {"notebook": notebook, "profile": profile, "id": id}
    asked = {"digests": digests, "slot": slot, "at": at, "values": values, "n": n, "gaps": gaps}
    return page("kept_view.html").render(where | asked, pformat=pprint.pformat)
