"""The notebooks, and whether they are up to date: a key that their last complete run left."""

import difflib
import functools
import hashlib
import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from numlab.figures.catalogue import PAPERS
from numlab.figures.filing import saved, write_json
from numlab.store import PACKAGE, figures_dir, home, notebooks_dir

SAVES = re.compile(r"^\s*#.*|\bsave_(?:figure|table)\(\s*[\"']([^\"']+)[\"']", re.MULTILINE)


@dataclass(frozen=True)
class Notebook:
    """A notebook in its file."""

    name: str  # <folder>/<name>, such as xval/planets
    path: Path

    @property
    def cells(self) -> list[dict]:
        """Its cells, without the one that papermill has added to an executed copy.

        ValueError for a file that is not a notebook.
        """
        try:
            cells = json.loads(self.path.read_text("utf-8"))["cells"]
            own = [c for c in cells if "injected-parameters" not in c["metadata"].get("tags", ())]
            return [{"source": "".join(c["source"]), "cell_type": c["cell_type"]} for c in own]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{self.path} is not a notebook ({error!r})") from None

    @property
    def code(self) -> list[str]:
        """The source of each code cell."""
        return [cell["source"] for cell in self.cells if cell["cell_type"] == "code"]

    @property
    def title(self) -> str:
        """The heading with which it begins, else its name."""
        first = self.cells[0]["source"] if self.cells else ""
        return first.splitlines()[0].removeprefix("# ") if first[:2] == "# " else self.name

    @property
    def declared(self) -> list[str]:
        """The ids that its code saves, as far as they are literal strings."""
        return [id for id in SAVES.findall("\n".join(self.code)) if id]  # "": a comment

    def key(self) -> dict[str, str]:
        """What its figures depend on: digests of code, and versions."""
        modules = _digest(path.read_bytes() for path in sorted(self.path.parent.glob("*.py")))
        versions = {name: version(name) for name in ("torch", "numpy")}
        own = {"its code": _digest(self.code), "a module beside it": modules, "numlab": _package()}
        return own | versions

    def up_to_date(self, profile: str) -> tuple[bool, str]:
        """Whether its key is unchanged and its outputs exist; when it was made, or why not."""
        try:
            last = json.loads(self.record(profile).read_text("utf-8"))
            changed = [part for part, value in self.key().items() if last["key"][part] != value]
            missing = [path for path in last["outputs"] if not (home() / path).exists()]
            made = datetime.fromisoformat(last["made"]).astimezone()
        except (OSError, ValueError, KeyError, TypeError):
            return False, "not run before"
        if changed:
            return False, f"{', '.join(changed)} changed"
        if missing:
            return False, f"{', '.join(missing)} missing"
        return True, f"up to date, made {made:%Y-%m-%d %H:%M}"

    def remember(self, profile: str, key: dict[str, str], since: datetime) -> int:
        """After a run, store the key that it began with; returns how many figures it saved.

        ValueError if it did not save all that its code declares.
        """
        new = [f for f in saved(profile) if datetime.fromisoformat(f["created"]) >= since]
        ids = {figure["id"] for figure in new if figure["notebook"] == self.name}
        if missing := set(self.declared) - ids:
            if other := {figure["notebook"] for figure in new if figure["id"] in missing}:
                named = ", ".join(sorted(other))
                raise ValueError(f"its nl.begin names {named}; its file is {self.name}")
            raise ValueError(f"it ran, but did not save {', '.join(sorted(missing))}")
        files = (path for id in ids for path in figures_dir(profile).glob(f"{id}.*"))
        outputs = sorted(str(path.relative_to(home())) for path in files)
        made = datetime.now(UTC)
        took = {"made": made.isoformat(), "seconds": (made - since).total_seconds()}
        write_json(self.record(profile), {"key": key, "outputs": outputs, **took})
        return len(ids)

    def seconds(self, profile: str) -> float:
        """How long its last whole run took; infinite if that is not known."""
        try:
            return float(json.loads(self.record(profile).read_text("utf-8"))["seconds"])
        except (OSError, ValueError, KeyError, TypeError):
            return math.inf

    def record(self, profile: str) -> Path:
        """The file with the key; a run removes it first, so one that crashes leaves none."""
        return figures_dir(profile) / "notebooks" / f"{self.name}.json"


def find(names: list[str] | tuple[str, ...] = ()) -> list[Notebook]:
    """The notebooks with these names or in these folders (default: all), in the papers' order."""
    paths = notebooks_dir().glob("[!.]*/[!.]*.ipynb")
    files = {f"{path.parent.name}/{path.stem}": path for path in paths}
    place = {paper: i for i, paper in enumerate(PAPERS)}  # folders of another name come last
    known = sorted(files, key=lambda n: (place.get(n.split("/")[0], len(place)), n))
    folders = dict.fromkeys(k.split("/")[0] for k in known)
    for name in names:
        if name not in {*known, *folders}:
            near = [k for k in known if k.split("/")[1] == Path(name).stem]
            near = near or difflib.get_close_matches(name, [*known, *folders], cutoff=0.8)
            there = f"there are {', '.join(known) or 'none'}"
            there = f"did you mean {' or '.join(near)}?" if near else there
            raise ValueError(f"no notebook is named {name!r}; {there}")
    chosen = (n for n in known if not names or n in names or n.split("/")[0] in names)
    return [Notebook(name, files[name]) for name in chosen]


@functools.cache
def _package() -> str:
    """The digest of every file of numlab: code and its comments, templates, data."""
    files = (path for path in sorted(PACKAGE.rglob("*")) if path.is_file())
    return _digest(path.read_bytes() for path in files if "__pycache__" not in path.parts)


def _digest(parts: Iterable[str | bytes]) -> str:
    return hashlib.sha256(repr(list(parts)).encode()).hexdigest()[:16]
