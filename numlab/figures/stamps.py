"""What a notebook's last whole run was made from, so that nothing up to date is done again.

A stamp stands in `figures/<profile>/.stamps/<paper>/<name>.json`.
"""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

from numlab import store
from numlab.figures import provenance
from numlab.figures.filing import SUFFIXES
from numlab.figures.notebooks import Notebook


def stale(notebook: Notebook, profile: str) -> str | None:
    """Why the notebook must run at this profile, or None if it need not."""
    stamp = _read(notebook, profile)
    if stamp is None:
        return "not run before"
    if stamp["notebook"] != notebook.digest:
        return "the notebook changed"
    if changed := changed_modules(stamp["modules"]):
        return f"{', '.join(changed)} changed"
    for id, kind in stamp["outputs"].items():
        for suffix in SUFFIXES[kind]:
            path = _folder(profile) / f"{id}{suffix}"
            if not path.exists():
                return f"{path.relative_to(store.home())} is missing"
    return None


def made(notebook: Notebook, profile: str) -> str:
    """When the stamp was made, for a person."""
    return _read(notebook, profile)["made"][:16].replace("T", " ")


def write(notebook: Notebook, digest: str, profile: str, since: float) -> dict[str, str]:
    """Stamp a run that started at `since` from a notebook of this digest; its outputs by kind."""
    saved = written(notebook, profile, since)
    modules: dict[str, Any] = {}
    for figure in saved.values():
        modules |= figure["sources"]["modules"]
    outputs = {id: figure["kind"] for id, figure in saved.items()}
    stamp = {
        "notebook": digest,
        "modules": modules or provenance.module_digests(notebook.modules),  # it saves nothing
        "outputs": outputs,
        "made": datetime.datetime.now(datetime.UTC).isoformat(),
    }
    path = _path(notebook, profile)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(stamp, indent=1, sort_keys=True) + "\n"
    store.replace(path, lambda draft: draft.write_text(text, "utf-8"))
    return outputs


def remove(notebook: Notebook, profile: str) -> None:
    """Before a run: until it ends whole, what it leaves is nobody's."""
    _path(notebook, profile).unlink(missing_ok=True)


def written(notebook: Notebook, profile: str, since: float) -> dict[str, dict]:
    """The provenance of each figure and table that the notebook saved after `since`, by id."""
    return {
        figure["id"]: figure
        for figure in saved(profile)
        if figure["notebook"] == notebook.name
        and datetime.datetime.fromisoformat(figure["created"]).timestamp() >= since
    }


def saved(profile: str) -> list[dict]:
    """The provenance of everything saved at a profile."""
    paths = sorted(_folder(profile).glob("[a-z]*/[!.]*.json"))
    return list(filter(None, map(_parsed, paths)))


def _parsed(path: Path) -> dict | None:
    """None where another process has just taken it away, to draw it again."""
    try:
        return json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise ValueError(f"{path} is damaged ({error}): delete it and draw it again") from None


def changed_modules(digests: dict[str, str]) -> list[str]:
    """The modules whose code is not what it was when these digests were taken."""
    now = provenance.module_digests(digests)
    return [module for module in digests if now[module] != digests[module]]


def _folder(profile: str) -> Path:
    return store.home() / "figures" / profile


def _path(notebook: Notebook, profile: str) -> Path:
    return _folder(profile) / ".stamps" / f"{notebook.name}.json"


def _read(notebook: Notebook, profile: str) -> dict | None:
    try:
        return json.loads(_path(notebook, profile).read_text("utf-8"))
    except (OSError, ValueError):
        return None
