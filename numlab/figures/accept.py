"""A change of code that alters no figure: what stands in figures/ stays up to date."""

from __future__ import annotations

import json

from numlab import store
from numlab.figures import provenance
from numlab.figures.filing import write_json


def accept(module: str, why: str) -> list[str]:
    """Take note that the uncommitted change of a module alters no figure.

    What was made by the module as it is committed stands under its new digest from now on; each
    figure's JSON, and each notebook's stamp, keeps the old digest and the reason. What was made
    by an older one stays stale.

    Returns
    -------
    list of str
        The ids of the figures and tables.

    Raises
    ------
    ValueError
        For a module that is not committed, or whose code is as committed.
    """
    was, now = provenance.committed_digest(module), provenance.module_digests([module])[module]
    if was is None or now is None:
        raise ValueError(f"{module!r} is no module of numlab that is committed")
    if was == now:
        raise ValueError(f"the code of {module} is as committed: there is no change to accept")
    note = {"module": module, "was": was, "now": now, "why": why}
    accepted = []
    for path in sorted((store.home() / "figures").glob("[a-z]*/**/*.json")):
        content = json.loads(path.read_text("utf-8"))
        modules = content.get("sources", content)["modules"]  # of a figure, or of a stamp
        if modules.get(module) == was:
            modules[module] = now
            content.setdefault("accepted", []).append(note)
            write_json(path, content)
            accepted += [content["id"]] if "id" in content else []
    return accepted
