"""What a notebook files: figures, tables and claims, each with the data and where it came from.

Everything goes to `figures/<profile>/<paper>/<name>.*` under `numlab.store.home()`. A figure's
JSON is written last, so that a figure with a JSON is whole.
"""

from __future__ import annotations

import datetime
import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from numlab import store
from numlab.figures import notebooks, provenance
from numlab.figures.catalogue import claim_of, item_of
from numlab.figures.tables import flat, markdown
from numlab.figures.verdicts import verdict

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

PROFILES = ("smoke", "quick", "full", "paper")
FEWEST_SEEDS = 3  # of trained models, for a claim to be judged
SUFFIXES = {"figure": (".png", ".svg", ".csv", ".json"), "table": (".csv", ".md", ".json")}


@dataclass(frozen=True)
class NotebookSession:
    """The notebook and profile that this process files for.

    `sources` are the digests of the code when it began: a file that is edited while a notebook
    trains has not drawn its figures.
    """

    notebook: str
    profile: str
    sources: Mapping[str, Any]
    saved: set[str]


_session: NotebookSession | None = None


def begin(notebook: str, profile: str, sizes: Mapping[str, Mapping[str, Any]]) -> SimpleNamespace:
    """Say whose figures follow, and get the profile's sizes.

    Parameters
    ----------
    notebook : str
        `<paper>/<name>`, as the notebook's file is named.
    profile : str
        One of the keys of `sizes`.
    sizes : dict of dict
        The sizes of each profile.

    Returns
    -------
    SimpleNamespace
        The sizes of `profile` as attributes.

    Raises
    ------
    ValueError
        For a profile that `sizes` does not hold.
    """
    global _session
    if not re.fullmatch(r"[\w-]+/[\w-]+", notebook):
        raise ValueError(f"a notebook is named <paper>/<name>; got {notebook!r}")
    unknown = [p for p in sizes if p not in PROFILES]
    if unknown or profile not in sizes:
        raise ValueError(
            f"{notebook} has the profiles {', '.join(sizes)} (of {', '.join(PROFILES)}); "
            f"got {unknown[0] if unknown else profile!r}"
        )
    saved = _session.saved if session() == (notebook, profile) else set()
    _session = NotebookSession(notebook, profile, _sources(notebook), saved)
    return SimpleNamespace(**sizes[profile])


def session() -> tuple[str, str] | None:
    """The notebook and the profile of the last `begin`."""
    return _session and (_session.notebook, _session.profile)


def save_figure(id: str, fig: Figure, data: pd.DataFrame) -> None:
    """File a figure as .png and .svg, the plotted data as .csv, and its provenance as .json.

    Parameters
    ----------
    id : str
        The catalogue's id, such as `xval/fig07`; `xval/fig07-<view>` for another view of it.
    fig : matplotlib.figure.Figure
    data : DataFrame
        What is plotted, a row a mark.

    Raises
    ------
    ValueError
        For an id that the catalogue does not have, or before `begin`.
    """
    import matplotlib as mpl

    place = _place(id, data)
    look = {"bbox_inches": "tight"}
    # The same figure gives the same bytes: no date, and ids that do not depend on chance.
    with mpl.rc_context({"svg.hashsalt": id}):
        store.replace(place.with_suffix(".png"), lambda path: fig.savefig(path, dpi=150, **look))
        store.replace(
            place.with_suffix(".svg"),
            lambda path: fig.savefig(path, metadata={"Date": None}, **look),
        )
    _write_csv(place, data)
    title = fig.get_suptitle() or next((a.get_title() for a in fig.axes if a.get_title()), "")
    write_json(place, _provenance(id, "figure", title))
    _session.saved.add(id)


def save_table(id: str, frame: pd.DataFrame) -> None:
    """File a table as .csv and .md, and its provenance as .json; see `save_figure`."""
    place = _place(id, frame)
    _write_csv(place, frame)
    text = markdown(flat(frame).columns, flat(frame).itertuples(index=False))
    store.replace(place.with_suffix(".md"), lambda path: path.write_text(text, "utf-8"))
    write_json(place, _provenance(id, "table", ""))
    _session.saved.add(id)


def claim(id: str, holds: bool | None = None, ours: str = "", seeds: int | None = None) -> None:
    """Save with a claim's figures whether it holds here; a notebook shows it, too.

    Parameters
    ----------
    id : str
        Of a claim in `numlab/figures/claims/<paper>.toml`, such as `xval/fp15-not-better`.
    holds : bool or None
        None: not tested at this profile.
    ours : str
        What was found here.
    seeds : int or None
        How many seeds were trained; fewer than three leave the claim untested. None: no training.

    Raises
    ------
    ValueError
        For an unknown id, or before the claim's figures are saved.
    """
    known = claim_of(id)
    missing = [
        figure for figure in known.figures if _session is None or figure not in _session.saved
    ]
    if missing:
        raise ValueError(f"save {', '.join(missing)} before the claim {id!r}")
    if holds is not None:
        holds = bool(holds) if seeds is None or seeds >= FEWEST_SEEDS else None
    entry = {"id": id, "text": known.text, "paper": known.paper, "holds": holds, "ours": str(ours)}
    for figure in known.figures:
        place = _place(figure)
        saved = json.loads(place.with_suffix(".json").read_text("utf-8"))
        saved["claims"] = [c for c in saved["claims"] if c["id"] != id] + [entry]
        write_json(place, saved)
    if "IPython" in sys.modules and sys.modules["IPython"].get_ipython():
        from IPython.display import HTML, display

        display(HTML(verdict(entry)))


def _place(id: str, data: Any = None) -> Path:
    """The id's path without a suffix, its folder made."""
    import pandas as pd

    if _session is None:
        raise ValueError(f"say begin(notebook, profile, sizes) before {id} is saved")
    item_of(id)
    if data is not None and not isinstance(data, pd.DataFrame):
        raise ValueError(f"the data of {id} are a DataFrame; got {type(data).__name__}")
    place = store.home() / "figures" / _session.profile / id
    place.parent.mkdir(parents=True, exist_ok=True)
    if data is not None:  # the JSON there, and its claims, are of an earlier one
        place.with_suffix(".json").unlink(missing_ok=True)
    return place


def _sources(name: str) -> dict[str, Any]:
    # Jupyter and the batch both start a kernel in the notebook's folder.
    here = Path.cwd() / f"{name.split('/')[1]}.ipynb"
    path = here if here.exists() else notebooks.folder() / f"{name}.ipynb"
    notebook = notebooks.Notebook(name, path) if path.exists() else None
    modules = notebook.modules if notebook else provenance.all_modules()
    return {
        "notebook": notebook and notebook.code_digest,
        "modules": provenance.module_digests(modules),
    }


def _provenance(id: str, kind: str, title: str) -> dict[str, Any]:
    return {
        "id": id,
        "kind": kind,
        "notebook": _session.notebook,
        "profile": _session.profile,
        "title": title,
        "created": datetime.datetime.now(datetime.UTC).isoformat(),
        "numlab": version("numlab"),
        "commit": provenance.commit(),
        "versions": provenance.versions(),
        "runs": list(store.used()),
        "sources": _session.sources,
        "claims": [],
    }


def _write_csv(place: Path, frame: pd.DataFrame) -> None:
    store.replace(
        place.with_suffix(".csv"),
        lambda path: flat(frame).to_csv(path, index=False, float_format="%.8g"),
    )


def write_json(place: Path, content: dict[str, Any]) -> None:
    """Write provenance as files of figures/ hold it, whole or not at all."""
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    store.replace(place.with_suffix(".json"), lambda path: path.write_text(text, "utf-8"))
