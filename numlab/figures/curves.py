"""The learning curves of a notebook's runs, in one picture."""

import contextlib
from functools import partial
from pathlib import Path

from numlab import plots, probes, store
from numlab.figures.filing import earlier, saved
from numlab.training import Run


def picture(notebook: str, profile: str) -> Path:
    """The picture of a notebook's learning curves."""
    paper, _, name = notebook.partition("/")
    return store.figures_dir(profile) / paper / "learning" / f"{name}.png"


def draw(notebook: str, profile: str) -> None:
    """Draw the validation loss of every run that a notebook's figures used.

    Runs that the store does not hold or cannot read are left out, such as those of classes outside
    of numlab; a title says if the store lacks any.
    """
    figures = saved(profile)
    old = earlier(figures)
    own = [f for f in figures if f["notebook"] == notebook and f["id"] not in old]
    digests = dict.fromkeys(digest for figure in own for digest in figure["runs"])
    runs = []
    for digest in digests:
        with contextlib.suppress(ValueError, OSError):
            run = Run.stored(digest)
            _ = run.history  # read now: it may be missing
            runs.append(run)
    if (curves := probes.learning_curves(runs)).empty:
        return
    path, figure = picture(notebook, profile), plots.learning_curves(curves)
    lacking = f"{len(runs)} of {len(digests)} runs: the store lacks the others"
    heading = [f"The runs behind {notebook}", *[lacking] * (len(runs) < len(digests))]
    figure.suptitle("\n".join(heading))
    path.parent.mkdir(parents=True, exist_ok=True)
    store.replace(
        path.with_suffix(".csv"), partial(curves.to_csv, index=False, float_format="%.5g")
    )
    store.replace(path, lambda draft: figure.savefig(draft, dpi=110, bbox_inches="tight"))
