"""Save a notebook's figures, tables and claims, each with its data and the runs behind it.

Files go to `figures/<profile>/<id>.*` in `numlab.store.home()`. The .json comes last, so a figure
that has one is complete.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from numlab import claims, store
from numlab.figures import catalogue
from numlab.figures.catalogue import template

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from numlab.claims.gates import Gate
    from numlab.claims.verdict import Samples

PROFILES = ("smoke", "quick", "full", "paper")
JUDGED = ("full", "paper")  # where samples that cannot judge a claim are an error
LIBRARIES = ("torch", "numpy", "scipy", "pandas", "scikit-learn", "matplotlib", "dask")


def check_profile(profile: str) -> None:
    if profile not in PROFILES:
        raise ValueError(f"the profiles are {', '.join(PROFILES)}; got {profile!r}")


@dataclass(frozen=True)
class NotebookSession:
    """The notebook and profile that this process saves figures for, and the ids saved so far."""

    notebook: str
    profile: str
    saved: set[str]

    def path(self, id: str) -> Path:
        return store.figures_dir(self.profile) / f"{id}.json"


_session: NotebookSession | None = None


def begin(notebook: str, profile: str, sizes: Mapping[str, Mapping[str, Any]]) -> SimpleNamespace:
    """Name the notebook whose figures follow, and get the sizes of a profile as attributes.

    A notebook is named `<folder>/<name>`, as its file; `sizes` has those of each profile.

    >>> size = nl.begin("explore/mine", "smoke", {"smoke": {"steps": 10}, "full": {"steps": 2000}})
    >>> size.steps
    10
    """
    global _session
    if not re.fullmatch(r"[\w-]+/[\w-]+", notebook):
        raise ValueError(f"a notebook is named <folder>/<name>; got {notebook!r}")
    for name in (profile, *sizes):
        check_profile(name)
    if profile not in sizes:
        raise ValueError(f"{notebook} has the profiles {', '.join(sizes)}; got {profile!r}")
    saved = _session.saved if session() == (notebook, profile) else set()
    _session = NotebookSession(notebook, profile, saved)
    return SimpleNamespace(**sizes[profile])


def session() -> tuple[str, str] | None:
    """The notebook and the profile of the last `begin`."""
    return _session and (_session.notebook, _session.profile)


def save_figure(id: str, fig: Figure, data: pd.DataFrame) -> None:
    """Save a figure as .png and .svg, the plotted data as .csv, and its provenance as .json.

    `id` is one of the catalogue, such as `xval/fig07`, or `xval/fig07-<view>` for another view of
    it; your own are `explore/<name>`. `data` is what is plotted, one row for each mark.

    >>> size = nl.begin("explore/mine", "smoke", {"smoke": {}})
    >>> frame = pd.DataFrame({"x": [1, 2], "error": [0.3, 0.1], "encoder": "XVal"})
    >>> nl.save_figure("explore/errors", nl.plots.curves(frame, "x", "error", "encoder"), frame)
    >>> sorted(file.name for file in (nl.store.home() / "figures/smoke/explore").glob("errors.*"))
    ['errors.csv', 'errors.json', 'errors.png', 'errors.svg']
    """
    import matplotlib as mpl

    path = _start(id, data)
    if layout := fig.get_layout_engine():
        layout.execute(fig)
        fig.set_layout_engine("none")  # once: again for each file would take twice the time
    box = fig.get_tightbbox().padded(mpl.rcParams["savefig.pad_inches"])
    draw = partial(fig.savefig, bbox_inches=box)
    with mpl.rc_context({"svg.hashsalt": id}):  # the same figure gives the same bytes
        store.replace(path.with_suffix(".png"), partial(draw, dpi=140))
        store.replace(path.with_suffix(".svg"), partial(draw, metadata={"Date": None}))
    titles = [title for axes in fig.axes if (title := axes.get_title())]
    only = titles[0] if len(titles) == 1 else ""  # one panel's does not say what all show
    fig.set_layout_engine(layout)  # as it was
    _finish(data, id=id, kind="figure", title=fig.get_suptitle() or only)


def save_table(id: str, frame: pd.DataFrame) -> None:
    """Save a table as .csv and .md, and its provenance as .json; see `save_figure`.

    >>> size = nl.begin("explore/mine", "smoke", {"smoke": {}})
    >>> nl.save_table("explore/ranks", pd.DataFrame({"encoder": ["XVal"], "error": [0.12345]}))
    >>> print((nl.store.home() / "figures/smoke/explore/ranks.md").read_text().rstrip())
    | encoder | error |
    | --- | --- |
    | XVal | 0.1235 |
    """
    path, text = _start(id, frame), markdown(frame)
    store.replace(path.with_suffix(".md"), lambda draft: draft.write_text(text, "utf-8"))
    _finish(frame, id=id, kind="table", title="")


def claim(
    id: str,
    samples: Samples,
    against: Samples | None = None,
    gates: Sequence[Gate] = (),
    ours: str = "",
    half: Sequence[Samples] = (),
) -> None:
    """Judge a claim by samples of its statistic; save the verdict with its figures, and show it.

    The figures come first. At the profiles smoke and quick, samples that cannot judge (one seed,
    or models that give no answer) leave the claim open; at full and paper they are an error.

    `id` is that of a claim in `numlab/claims/<paper>.toml`, such as `xval/gap-error`; `samples`,
    `against`, `gates` and `half` are as in `numlab.claims.judge`; `ours`, a remark of ours, is
    shown after the statistic.

    >>> import json, pandas as pd
    >>> size = nl.begin("float/encodings", "smoke", {"smoke": {}})
    >>> nl.save_table("float/fig02", pd.DataFrame({"wrong bits": [0]}))
    >>> nl.claim("float/bits-of-an-example", samples=0)
    >>> path = nl.store.home() / "figures/smoke/float/fig02.json"
    >>> json.loads(path.read_text())["claims"][0]["verdict"]
    'exact'
    """
    known = claims.claims().get(id)
    if known is None:
        raise ValueError(f"no file numlab/claims/*.toml holds the claim {id!r}")
    if missing := set(known.figures) - (_session.saved if _session else set()):
        raise ValueError(f"save {', '.join(sorted(missing))} before the claim {id!r}")
    try:
        verdict = claims.judge(known, samples, against, gates, half)
    except claims.WrongSamplesError as error:
        if _session.profile in JUDGED:
            raise
        settled = [claims.Gate("settled", False, "not judged")] if half else []
        why = str(error).removeprefix(id).lstrip(",: ")
        verdict = claims.Verdict("open", why, gates=(*gates, *settled))
    entry = {"id": id, "asked": known.asked, **asdict(verdict), "ours": ours}
    for path in map(_session.path, known.figures):
        content = _read(path)
        content["claims"] = [c for c in content["claims"] if c["id"] != id] + [entry]
        write_json(path, content)
    if "IPython" in sys.modules and sys.modules["IPython"].get_ipython():
        from IPython.display import HTML, display

        display(HTML(template("claim.html").render(claim=known, verdict=entry)))


def saved(profile: str) -> list[dict]:
    """What the .json of every figure and table at a profile holds."""
    figures = []
    for path in sorted(store.figures_dir(profile).glob("[a-z]*/[!.]*.json")):
        try:
            figures.append(_read(path))
        except FileNotFoundError:  # another process is saving it again
            continue
        except ValueError as error:
            raise ValueError(f"{path} is damaged ({error}): delete it and draw it again") from None
    return figures


def earlier(figures: list[dict]) -> set[str]:
    """Ids of figures saved at another commit than the runs that judge their notebook's claims."""
    shown = {id for claim in claims.claims().values() for id in claim.figures}
    claimed = {f["notebook"] for f in figures if f["id"] in shown}
    judged = {(f["notebook"], f["commit"]) for f in figures if f["claims"]}
    by = {f["id"]: (f["notebook"], f["commit"]) for f in figures}
    return {id for id, key in by.items() if key[0] in claimed and key not in judged}


def _read(path: Path) -> dict[str, Any]:
    """What `write_json` wrote; a ValueError where it was changed since."""
    content = json.loads(path.read_text("utf-8"))
    if not isinstance(content, dict):
        raise ValueError("it holds no JSON object")
    if content.pop("checksum", None) != _checksum(content):
        raise ValueError("its checksum does not match")
    return content


def _checksum(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:20]


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a file of figures/ with its checksum, completely or not at all."""
    content = content | {"checksum": _checksum(content)}
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    store.replace(path, lambda draft: draft.write_text(text, "utf-8"))


def markdown(frame: pd.DataFrame) -> str:
    """A table as Markdown."""
    cells = [list(map(_cell, row)) for row in flat(frame).itertuples(index=False)]
    return template("macros.md").module.table([*map(_cell, flat(frame))], cells)


def flat(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with its index as its first columns, but for an unnamed one of row numbers."""
    plain = set(frame.index.names) == {None} and frame.index.dtype.kind in "iu"
    return frame if plain else frame.reset_index()


def _cell(value: Any) -> str:
    """Floats with four digits, and nothing for a missing value."""
    if value is None or str(value) in ("nan", "<NA>", "NaT"):
        return ""
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    return " ".join(str(value).split())  # a line break would end the row


def _start(id: str, data: pd.DataFrame) -> Path:
    """The .json's path; the old file is removed, with its claims."""
    import pandas as pd

    if _session is None:
        raise ValueError(f"call begin(notebook, profile, sizes) before saving {id}")
    catalogue.item_of(id)
    _refuse_taken(id)
    if not isinstance(data, pd.DataFrame):
        raise ValueError(f"the data of {id} must be a DataFrame; got {type(data).__name__}")
    _session.path(id).parent.mkdir(parents=True, exist_ok=True)
    _session.path(id).unlink(missing_ok=True)
    return _session.path(id)


def _refuse_taken(id: str) -> None:
    """ValueError where another notebook, which is still there, has saved a figure of this name."""
    if not id.startswith("explore/"):
        return
    try:
        other = _read(_session.path(id))["notebook"]
        there = store.notebooks_dir() / f"{other}.ipynb"
    except (OSError, ValueError, KeyError):  # none that anybody could miss
        return
    if other != _session.notebook and there.is_file():
        raise ValueError(f"{id} is of the notebook {other}: save yours under another name")


def _finish(data: pd.DataFrame, **about: Any) -> None:
    """Write the data, and last the .json."""
    path = _session.path(about["id"])
    versions = {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}}
    write = partial(flat(data).to_csv, index=False, float_format="%.8g")
    store.replace(path.with_suffix(".csv"), write)
    about |= {"notebook": _session.notebook, "profile": _session.profile, "commit": _commit()}
    about |= {"created": datetime.now(UTC).isoformat(), "versions": versions}
    about |= {"runs": list(store.used), "trained": _trained()}
    write_json(path, about | {"claims": []})
    _session.saved.add(about["id"])


def _trained() -> list[str]:
    """The models behind the figures so far: size, steps and number of seeds."""
    alike, lines = defaultdict(list), []
    for spec in store.used.values():
        model = f"d_model {spec.model.d_model}, layers {spec.model.n_layer}"
        alike[f"{model}, texts a step {spec.batch_size}"].append(spec)
    for model, specs in sorted(alike.items()):
        steps = ", ".join(f"{n:,}" for n in sorted({spec.steps for spec in specs}))
        lines.append(f"{model}, steps {steps}, seeds {len({spec.seed for spec in specs})}")
    return lines


@cache
def _commit() -> str | None:
    """The commit of the checkout that numlab runs from; None outside of a checkout."""
    command = ["git", "-C", str(catalogue.FOLDER), "rev-parse", "HEAD"]
    if not (catalogue.FOLDER.parents[1] / "pyproject.toml").is_file():
        return None  # installed: the commit would be that of a repository around it
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.strip() or None
    except OSError:  # no git
        return None
