"""How the validation loss of runs fell: their learning curves, with names that tell them apart."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from numlab.described import changed
from numlab.evaluation import as_runs, labels
from numlab.models import Architecture
from numlab.training import Run


def learning_curves(runs: Run | Iterable[Run] | Mapping[Any, Run]) -> pd.DataFrame:
    """The validation losses of runs; a run that was validated once has no curve.

    Returns
    -------
    DataFrame [panel, encoder, run, step, loss]
        Runs that differ in encoder, steps, learning rate or seed alone share a panel, whose title
        says what they are.

    >>> spec = nl.RunSpec(nl.tasks.Addition(2), nl.P10(), nl.MaskedLM(), nl.GPT2(8), 64, 2, 1e-3)
    >>> nl.probes.learning_curves([nl.train(spec)])[["panel", "encoder", "step"]].values.tolist()
    [['Addition', 'P10', 1], ['Addition', 'P10', 2]]
    """
    columns = ["panel", "encoder", "run", "step", "loss"]
    curves, panels = [pd.DataFrame(columns=columns)], _panels(as_runs(runs))
    for panel in dict.fromkeys(panels.values()):
        for run, name in _encoders([run for run in panels if panels[run] == panel]).items():
            losses = run.history.query("part == 'valid'")
            if len(losses) > 1:
                curves.append(losses.assign(panel=panel, encoder=name, run=run.digest)[columns])
    return pd.concat(curves[1:] or curves)


def _panels(runs: list[Run]) -> dict[Run, str]:
    """A title for each run; runs that differ in encoder, steps, rate or seed alone share one.

    It names the task, the sizes if they vary, and whatever else most of the runs do not have.
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
    """The class of each, with the short fields that differ in its class and are not defaults."""
    names, seen = {None: "its encoder's head"} if None in parts else {}, Counter()
    for part in sorted(parts - {None}, key=repr):
        alike = [other for other in parts if type(other) is type(part)]
        listed = ", ".join(
            f"{name}={text}"
            for name, value in changed(part).items()
            if len({repr(getattr(other, name)) for other in alike}) > 1
            and len(text := _shown(value)) <= 34
        )
        name = type(part).__name__ + (f"({listed})" if listed else "")
        seen[name] += 1
        names[part] = name if seen[name] == 1 else f"{name} #{seen[name]}"  # long fields differ
    return names


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return " / ".join(map(_shown, value)) if len(value) <= 4 else f"{len(value)} values"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
