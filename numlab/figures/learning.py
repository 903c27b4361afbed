"""The learning curves of the runs behind a notebook's figures."""

from __future__ import annotations

import json
from pathlib import Path

from numlab import plots, store
from numlab.figures.filing import saved


def path(notebook: str, profile: str) -> Path:
    """Where the picture of a notebook's learning curves is: `<paper>/learning/<name>.png`."""
    paper, _, name = notebook.partition("/")
    return store.home() / "figures" / profile / paper / "learning" / f"{name}.png"


def draw(notebook: str, profile: str) -> None:
    """Draw the validation loss of every run that a notebook's figures used."""
    import pandas as pd

    figures = [figure for figure in saved(profile) if figure["notebook"] == notebook]
    digests = dict.fromkeys(digest for figure in figures for digest in figure["runs"])
    curves = [_curve(digest) for digest in digests]
    if not curves:
        return
    picture = path(notebook, profile)
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure = plots.learning_curves(pd.concat(curves))
    store.replace(picture, lambda draft: figure.savefig(draft, dpi=110, bbox_inches="tight"))


def _curve(digest: str):
    """The validation losses of a run, with its encoder and the task as a name."""
    import pandas as pd

    folder = store.runs_dir() / digest
    spec = store.restore(json.loads((folder / "spec.json").read_text("utf-8")))
    valid = pd.read_parquet(folder / "history.parquet").query("part == 'valid'")
    encoder = "default" if spec.encoder is None else spec.encoder.label
    return valid[["step", "loss"]].assign(task=str(spec.task), encoder=encoder, run=digest)
