"""The learning curves of a notebook's runs, in one picture."""

import contextlib
from collections import Counter
from pathlib import Path
from textwrap import shorten
from typing import Any

import pandas as pd

from numlab import plots, store
from numlab.described import changed
from numlab.evaluation import labels
from numlab.figures.filing import earlier, saved
from numlab.models import Architecture
from numlab.training import Run


def picture(notebook: str, profile: str) -> Path:
    """The picture of a notebook's learning curves."""
    paper, _, name = notebook.partition("/")
    return store.figures_dir(profile) / paper / "learning" / f"{name}.png"


def draw(notebook: str, profile: str) -> None:
    """Draw the validation loss of every run that a notebook's figures used.

    Runs that the store does not hold or cannot read are left out, such as those of classes outside
    of numlab; and so are those that were validated once. A title says if the store lacks any.
    """
    figures = saved(profile)
    old = earlier(figures)
    own = [f for f in figures if f["notebook"] == notebook and f["id"] not in old]
    digests = dict.fromkeys(digest for figure in own for digest in figure["runs"])
    histories = {}
    for digest in digests:
        with contextlib.suppress(ValueError, OSError):
            run = Run.stored(digest)
            histories[run] = run.history.query("part == 'valid'")
    curves, panels = [], _panels([*histories])
    for panel in dict.fromkeys(panels.values()):
        for run, name in _encoders([run for run in panels if panels[run] == panel]).items():
            if len(losses := histories[run]) > 1:
                curves.append(losses.assign(panel=panel, encoder=name, run=run.digest))
    if not curves:
        return
    path, figure = picture(notebook, profile), plots.learning_curves(pd.concat(curves))
    lacking = f"{len(histories)} of {len(digests)} runs: the store lacks the others"
    heading = [f"The runs behind {notebook}", *[lacking] * (len(histories) < len(digests))]
    figure.suptitle("\n".join(heading))
    path.parent.mkdir(parents=True, exist_ok=True)
    store.replace(path, lambda draft: figure.savefig(draft, dpi=110, bbox_inches="tight"))


def _panels(runs: list[Run]) -> dict[Run, str]:
    """A title for each run: its task, and what else varies but encoder, steps, rate and seed.

    Sizes are always told; of the others, what differs from most runs.
    """
    specs = [run.spec for run in runs]
    parts = [[getattr(s, part) for s in specs] for part in ("task", "head", "objective")]
    task, *facts = [[*map(_distinct_names({*part}).get, part)] for part in parts]
    terms = _distinct_names({term for s in specs for term in s.losses})
    facts.append([", ".join(map(terms.get, s.losses)) or "no added loss" for s in specs])
    facts.append([_positions(s.model) for s in specs])
    facts.append(["a curriculum" if s.curriculum else "no curriculum" for s in specs])
    for name in ("bias", "mlp_norm_from"):
        facts.append([f"{name} {getattr(s.model, name, None)}" for s in specs])
    for name in ("weight_decay", "min_lr_ratio"):
        facts.append([f"{name} {getattr(s, name):g}" for s in specs])
    facts = [["" if 2 * own.count(x) > len(own) else x for x in own] for own in facts]
    sizes = [[f"d_model {s.model.d_model}, layers {s.model.n_layer}" for s in specs]]
    sizes.append([f"{s.n_train:,} training texts" for s in specs])
    facts = [task, *(own for own in sizes if len({*own}) > 1), *facts]
    titles = (", ".join(filter(None, own)) for own in zip(*facts, strict=True))
    return dict(zip(runs, titles, strict=True))


def _positions(model: Architecture) -> str:
    kinds = [type(position).__name__.lower() for position in getattr(model, "positions", ())]
    kinds += ["rotary"] if getattr(model, "rotary", None) else []
    return f"{' and '.join(kinds) or 'no added'} positions"


def _encoders(runs: list[Run]) -> dict[Run, str]:
    """Encoder labels for a legend; long ones shortened to the fields that differ."""
    apart = _distinct_names({run.spec.encoder for run in runs})
    return {
        run: name if getattr(run.spec.encoder, "label", name) == name else apart[run.spec.encoder]
        for run, name in labels(runs).items()
    }


def _distinct_names(parts: set) -> dict[Any, str]:
    """The class of each, with the fields that differ within its class and are not defaults."""
    names, seen = {None: "its encoder's head"} if None in parts else {}, Counter()
    for part in sorted(parts - {None}, key=repr):
        alike = [other for other in parts if type(other) is type(part)]
        listed = ", ".join(
            f"{name}={shorten(_shown(value), 34)}"
            for name, value in changed(part).items()
            if len({repr(getattr(other, name)) for other in alike}) > 1
        )
        name = type(part).__name__ + (f"({listed})" if listed else "")
        seen[name] += 1
        names[part] = name if seen[name] == 1 else f"{name} #{seen[name]}"  # shortened to the same
    return names


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return " / ".join(map(_shown, value)) if len(value) <= 4 else f"{len(value)} values"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
