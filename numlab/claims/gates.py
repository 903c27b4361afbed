"""Gates: conditions that must hold before the statistic of a claim may judge."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from numlab.training import Run

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Gate", "beats", "plateau", "rates_inside"]

# The most by which the validation loss may fall over the last fifth of training. Amended: it was
# 2 %, but the loss of a model that learns a certain answer falls as t^-0.2 or so, and then by 4.4 %
# in each last fifth, however long one trains. Seen by then: planets with P10 fell by 2.4 and 3.3 %,
# P1000 by 1.1 %, B1999 by 3.6 %; none of their statistics had been seen.
MOST_FALL = 0.05


@dataclass(frozen=True)
class Gate:
    """A condition, whether it is met, and the numbers that say so.

    It guards every part of a claim and both sides, or what `part` and `side` name. A claim that A
    beats B cannot be rescued by more training of B: against it, only A's plateau counts, and for it
    only B's.

    >>> gate = nl.claims.Gate("plateau", False, "A fell by 9 %", part="sums", side="contradicted")
    >>> gate.guards("sums", "held"), gate.guards("sums", "contradicted")
    (False, True)
    """

    name: str
    passed: bool
    evidence: str = ""
    part: str = ""  # of the statistic
    side: str = ""  # the verdict that it may withhold: "held" or "contradicted"

    def __post_init__(self):
        object.__setattr__(self, "passed", bool(self.passed))  # numpy's bool is not JSON

    def guards(self, part: str, side: str) -> bool:
        """Whether it can withhold this verdict on this part."""
        return self.part in ("", part) and self.side in ("", side)


def plateau(runs: Sequence[Run], floor: float | Sequence[float] = -math.inf) -> Gate:
    """Whether each run's validation loss fell by less than 5 % over the last fifth of its steps.

    Only the objective's own loss counts: an added term, such as the logarithm of a distance, may
    reach 0 or less, where a fall in percent means nothing. A loss that tends to 0 keeps falling by
    the same percentage, so one that ends at `floor` or below counts as level. `floor` is one number
    for all runs, or one for each. The gate fails where a loss is not finite.

    >>> spec = nl.RunSpec(nl.tasks.Addition(2), nl.P10(), nl.MaskedLM(), nl.GPT2(8), 64, 2, 1e-3)
    >>> nl.gates.plateau([nl.train(spec)], floor=10.0).evidence
    'Addition · P10 · seed 0 fell by 0.0% over the last fifth; it must fall by less than 5%'
    """
    falls = []
    for run, least in zip(runs, np.broadcast_to(floor, len(runs)), strict=True):
        valid = run.history.query("part == 'valid'").set_index("step")
        added = valid[[term.name for term in run.spec.losses]].sum(axis=1)
        losses = valid.loss - added
        before = losses[losses.index <= 0.8 * run.spec.steps]
        if before.empty:
            return Gate("plateau", False, f"{run.spec.name} was validated at its end only")
        start, end = before.iloc[-1], losses.iloc[-1]
        if wild := [loss for loss in (start, end) if not np.isfinite(loss)]:
            return Gate("plateau", False, f"{run.spec.name} has a loss of {wild[0]}")
        level = end <= least or start == end
        fall = 0.0 if level else (start - end) / abs(start)  # a density's may be below 0
        falls.append((fall, run.spec.name))
    if not falls:
        return Gate("plateau", False, "no run")
    fall, worst = max(falls)
    change = f"rose by {-fall:.1%}" if fall < 0 else f"fell by {fall:.1%}"
    shown = f"{worst} {change} over the last fifth; it must fall by less than {MOST_FALL:.0%}"
    return Gate("plateau", fall < MOST_FALL, shown)


def rates_inside(*records: pd.DataFrame, of: Iterable | None = None) -> Gate:
    """Whether the best learning rate of each encoder lies inside its grid.

    `records` are those of `choose_learning_rates`: DataFrame [encoder, learning_rate, chosen]. The
    encoders of one record have one grid. `of`: the encoders that count, as a record names them;
    without it, all do.

    >>> tried = {"encoder": "P10", "learning_rate": [1e-4, 1e-3], "chosen": [False, True]}
    >>> nl.gates.rates_inside(pd.DataFrame(tried)).evidence
    'at the edge: P10: 0.001'
    """
    name, edge, shown = "rates inside the grid", [], {}
    counted, found = None if of is None else {*map(str, of)}, set()
    for record in records:
        record = record if counted is None else record[record.encoder.isin(counted)]
        found |= {*record.encoder}
        grids = record.groupby("encoder").learning_rate.agg(lambda rates: tuple(sorted(rates)))
        if grids.nunique() > 1:
            return Gate(name, False, "the grids differ")
        shown |= dict.fromkeys(map(str, grids))
        best = record[record.chosen].set_index("encoder").learning_rate
        if set(best.index) != set(grids.index):
            return Gate(name, False, "an encoder has no rate")
        edge += [f"{e}: {r:g}" for e, r in best.items() if r in (grids[e][0], grids[e][-1])]
    if not shown:
        return Gate(name, False, "no rate was searched")
    if counted and counted - found:
        return Gate(name, False, "an encoder has no rate")
    return Gate(name, not edge, f"at the edge: {', '.join(edge)}" if edge else ", ".join(shown))


def beats(name: str, errors: pd.DataFrame, trivial: float | pd.Series) -> Gate:
    """Whether every model has less error than a trivial answer, with each of its seeds.

    `name` is the gate's, such as "beats the one-station MLP"; `errors` are (seeds, models), in the
    unit of `trivial`, which is one error, or one for each model.

    >>> errors = pd.DataFrame({"P10": [0.2, 0.3], "XVal": [0.1, 0.6]})
    >>> nl.gates.beats("beats the mean", errors, 0.5).evidence
    'XVal 0.6 (trivial 0.5)'
    """
    import pandas as pd

    worst = errors.max(skipna=False)
    least = pd.Series(trivial, worst.index)
    worse = worst.index[~(worst < least)]
    shown = [(least - worst).idxmin()] if worse.empty else worse  # the narrowest, or all that fail
    names = [", ".join(map(str, key)) if isinstance(key, tuple) else key for key in shown]
    each = zip(names, worst[shown], least[shown], strict=True)
    evidence = [f"{model} {error:.3g} (trivial {bound:.3g})" for model, error, bound in each]
    return Gate(name, worse.empty, ", ".join(evidence))
