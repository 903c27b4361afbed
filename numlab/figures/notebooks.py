"""The notebooks as files: which there are, what they declare, and digests of what they hold."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from numlab.figures.catalogue import ITEMS, PAPERS, item_of
from numlab.figures.provenance import PACKAGE, code_digest, parsed, text_digest
from numlab.figures.sources import reached
from numlab.store import home

IDS = tuple(ITEMS)
SAVES = ("save_figure", "save_table")
TRAINS = ("train", "train_all", "choose_learning_rates", "step_costs")


def folder() -> Path:
    """`notebooks/` of NUMLAB_HOME where it has one, else of the repository."""
    ours = home() / "notebooks"
    return ours if ours.is_dir() else PACKAGE.parent / "notebooks"


@dataclass(frozen=True)
class Notebook:
    """A notebook in its file.

    Parameters
    ----------
    name : str
        `<paper>/<name>`, such as `xval/planets`.
    path : Path
    """

    name: str
    path: Path

    @cached_property
    def cells(self) -> list[dict]:
        try:
            return json.loads(self.path.read_text("utf-8"))["cells"]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{self.path} is no notebook ({error!r})") from None

    @cached_property
    def code(self) -> list[str]:
        """The source of each code cell."""
        return ["".join(c["source"]) for c in self.cells if c["cell_type"] == "code"]

    @property
    def digest(self) -> str:
        """Moves with any change, prose too."""
        return text_digest(json.dumps(["".join(c["source"]) for c in self.cells]))

    @property
    def code_digest(self) -> str:
        """Moves with the code only."""
        return text_digest(" ".join(map(code_digest, self.code)))

    @property
    def modules(self) -> list[str]:
        """The modules of numlab that its code can reach."""
        return reached([_parsed(cell) for cell in self.code])

    @property
    def declared(self) -> list[str]:
        """The ids that the notebook saves, as far as they stand in its code as plain strings.

        Raises
        ------
        ValueError
            For a file that is no notebook.
        """
        calls = (c for c in self._calls() if _name(c) in SAVES and c.args)
        ids = [c.args[0].value for c in calls if isinstance(c.args[0], ast.Constant)]
        return list(dict.fromkeys(ids))

    @property
    def headings(self) -> dict[str, str]:
        """Of each declared id, the heading under which the notebook saves it."""
        found, heading = {}, ""
        for cell in self.cells:
            source = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                lines = [line for line in source.splitlines() if line.startswith("#")]
                heading = lines[-1].lstrip("# ") if lines else heading
            else:
                found |= {id: heading for id in self.declared if f'"{id}"' in source}
        return found

    @property
    def trains(self) -> bool:
        """Whether it asks for trained models; a file that is no notebook asks for none."""
        try:
            return any(_name(call) in TRAINS for call in self._calls())
        except ValueError:
            return False

    @property
    def profiles(self) -> tuple[str, ...]:
        """The profiles that its SIZES hold.

        Raises
        ------
        ValueError
            Unless exactly one cell is tagged `parameters`, and sets `profile` and `SIZES`.
        """
        tagged = [c for c in self.cells if "parameters" in c["metadata"].get("tags", [])]
        if len(tagged) == 1:
            values = {
                target.id: statement.value
                for statement in _parsed("".join(tagged[0]["source"])).body
                if isinstance(statement, ast.Assign)
                for target in statement.targets
                if isinstance(target, ast.Name)
            }
            sizes = values.get("SIZES")
            if "profile" in values and isinstance(sizes, ast.Dict):
                return tuple(k.value for k in sizes.keys if isinstance(k, ast.Constant))
        raise ValueError(
            f"{self.name} needs exactly one cell tagged `parameters` that sets `profile` and the "
            f"dict `SIZES`; {len(tagged)} are tagged"
        )

    def _calls(self) -> Iterator[ast.Call]:
        trees = map(_parsed, self.code)
        return (n for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Call))


def find(names: list[str] | tuple[str, ...] = ()) -> list[Notebook]:
    """The notebooks of these names or folders (all, if none is named).

    Those that train come last; else in the order of the papers and their figures.

    Raises
    ------
    ValueError
        For a name that no notebook and no folder has.
    """
    root = folder()
    paths = sorted(p for p in root.glob("*/*.ipynb") if not p.name.startswith("."))
    known = {f"{p.parent.name}/{p.stem}": p for p in paths}
    folders = {name.split("/")[0] for name in known}
    for name in names:
        if name not in known and name not in folders:
            raise ValueError(
                f"no notebook is named {name!r}; there are {', '.join(known) or 'none'}"
            )
    chosen = (n for n in known if not names or n in names or n.split("/")[0] in names)
    return sorted((Notebook(n, known[n]) for n in chosen), key=_place)


def _place(notebook: Notebook) -> tuple[bool, int, int]:
    paper = notebook.name.split("/")[0]
    # papers first, and what explores with their runs last
    folder = list(PAPERS).index(paper) if paper in PAPERS else len(PAPERS)
    try:
        saved = [IDS.index(item_of(id)) for id in notebook.declared]
    except ValueError:  # no notebook, or an id that no paper has: told when it runs
        saved = []
    return notebook.trains, folder, min(saved, default=len(IDS))


def _name(call: ast.Call) -> str:
    """`save_figure` of both `nl.save_figure(...)` and `save_figure(...)`."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _parsed(cell: str) -> ast.Module:
    """The cell's syntax tree; IPython's own lines are left out."""
    lines = (line for line in cell.splitlines() if not line.lstrip().startswith(("%", "!")))
    try:
        return parsed("\n".join(lines))
    except SyntaxError:
        return ast.Module([], [])
