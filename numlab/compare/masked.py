"""A small model an encoder, trained on masked numbers of a table but for those in a gap."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from numlab import store
from numlab.compare.table import Table
from numlab.encoders import Encoder
from numlab.evaluation import predict
from numlab.examples import Examples, Layout
from numlab.models import GPT2
from numlab.objectives import MaskedLM
from numlab.tasks import Task
from numlab.tasks.base import hold
from numlab.training import Run, RunSpec

if TYPE_CHECKING:
    import pandas as pd

TEXTS = 2000  # that a model learns from, drawn at random: each may be a layout of its own
BASELINE = "always the median"  # an answer that takes no model
GAP = (0.45, 0.55)  # of the quantiles of the asked numbers


@dataclass(frozen=True)
class Rows(Task):
    """The rows of a table of one's own, kept in the store under the checksum of what they hold.

    Parameters
    ----------
    checksum : str
        As from `Rows.keep`.
    gap : (float, float)
        Rows with an asked number in this open interval are never trained on: they come first in
        a split, so that they are the test part.
    slot : str
        The slots that are asked for, a pattern.
    """

    stored: ClassVar[bool] = False
    checksum: str
    gap: tuple[float, float]
    slot: str

    def __post_init__(self):
        object.__setattr__(self, "gap", tuple(self.gap))

    @classmethod
    def keep(cls, table: Table) -> Rows:
        """The task of a table's different rows: the slot with most numbers is asked for."""
        frame = table.frame.drop_duplicates(ignore_index=True)
        if table.of_texts and len(frame) > TEXTS:
            frame = frame.sample(TEXTS, random_state=0).sort_index(ignore_index=True)
        text = frame.to_csv(index=False)
        checksum = hashlib.sha256(text.encode()).hexdigest()[:20]
        path = _path(checksum)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            store.replace(path, frame.to_parquet)
        if table.of_texts or len(frame.columns) == 1:
            asked = Table(table.name, frame, ()).numbers
            slot = "*" if table.of_texts else "n1"
        else:
            most = int(frame.nunique().to_numpy().argmax())
            asked, slot = frame.iloc[:, most].to_numpy(), f"n{most}"
        low, high = np.quantile(asked, GAP)
        return cls(checksum, (float(low), float(high)), slot)

    @property
    def examples(self) -> list[Examples]:
        return _examples(self.checksum)

    def inside(self, e: Examples) -> np.ndarray:
        """(n,) bool: which texts have an asked number in the gap."""
        columns = [j for j, name in enumerate(e.layout.number_slots) if self.slot in ("*", name)]
        numbers, (low, high) = e.numbers[:, columns].astype(float), self.gap
        return ((numbers > low) & (numbers < high)).any(axis=1)

    @property
    def counts(self) -> tuple[int, int]:
        """How many rows lie in the gap, and how many elsewhere."""
        inside = sum(int(self.inside(e).sum()) for e in self.examples)
        return inside, sum(map(len, self.examples)) - inside

    def layouts(self) -> list[Layout]:
        return [e.layout for e in self.examples]

    def sample(self, n: int, seed: int, **fixed) -> list[Examples]:
        """n different rows outside of the gap; nothing can be held fixed."""
        hold(fixed, {}, n)
        return self.split((n,), seed, inside=False)[0]

    def split(self, sizes: Sequence[int], seed: int, inside: bool = True):
        """Disjoint corpora; the first (test) is half of rows in the gap, as far as there are."""
        within = np.concatenate([self.inside(e) for e in self.examples])
        rng = np.random.default_rng(seed)
        gap, rest = (rng.permutation(np.flatnonzero(own)) for own in (within, ~within))
        n_gap = min(len(gap), sizes[0] // 2) if inside else 0
        if sum(sizes) - n_gap > len(rest):
            raise ValueError(f"{len(rest):,} rows are outside of the gap; got sizes {sizes}")
        ends = np.cumsum([sizes[0] - n_gap, *sizes[1:]])
        first, *others = np.split(rest[: ends[-1]], ends[:-1])
        return tuple(self._take(rows) for rows in (np.append(gap[:n_gap], first), *others))

    def _take(self, rows: np.ndarray) -> list[Examples]:
        parts, start = [], 0
        for e in self.examples:
            own = np.flatnonzero((rows >= start) & (rows < start + len(e)))
            if len(own):
                part = e.take(rows[own] - start)
                parts.append(Examples(part.layout, part.numbers, None, own))
            start += len(e)
        return parts


def specs(table: Table, encoders: list[Encoder], steps: int = 300) -> list[RunSpec]:
    """One small run an encoder: masked numbers of the table, without those in the gap.

    Raises
    ------
    ValueError
        Where the table has too few rows or too few different numbers to hold some out.
    """
    task = Rows.keep(table)
    inside, outside = task.counts
    if inside < 4 or outside < 32:
        raise ValueError(f"a gap needs 4 rows in it and 32 elsewhere; got {inside} and {outside}")
    n_valid, n_gap = min(256, outside // 8), min(256, inside, outside // 8)
    return [
        RunSpec(
            task=task,
            encoder=encoder,
            objective=MaskedLM(slots=1.0, literals=0.0, only=(task.slot,)),
            model=GPT2(48, 2, 4, context=4096),
            n_train=outside - n_valid - n_gap,
            n_valid=n_valid,
            n_test=2 * n_gap,
            steps=steps,
            batch_size=32,
            learning_rate=3e-3,
        )
        for encoder in encoders
    ]


def gap_errors(runs: list[Run]) -> pd.DataFrame:
    """How far predictions are off, for numbers in the gap and for others.

    Returns
    -------
    DataFrame [encoder, part, n, error, invalid]
        Two rows an encoder, part "gap" and "seen": the median of |predicted - true| over the
        interquartile range of the trained numbers, an answer that is no number counting as
        infinitely far off; the share of such answers. And two of the encoder "always the median",
        which has learned nothing else.
    """
    import pandas as pd

    rows = []
    for run in runs:
        task, spec = run.spec.task, run.spec
        asked = predict(run, run.examples("test"), task.slot)
        trained = np.concatenate([_asked(e, task.slot) for e in run.examples("train")])
        middle, spread = np.median(trained), np.subtract(*np.quantile(trained, (0.75, 0.25))) or 1.0
        true = asked.true.astype(float)
        off = (asked.predicted.astype(float) - true).abs().where(asked.valid, np.inf) / spread
        within = true.between(*task.gap, inclusive="neither")
        for part, rows_in in (("gap", within), ("seen", ~within)):
            own = {"part": part, "n": int(rows_in.sum())}
            error, invalid = off[rows_in].median(), 1 - asked.valid[rows_in].mean()
            rows.append({"encoder": str(spec.encoder), **own, "error": error, "invalid": invalid})
            if run is runs[0]:
                error = (true[rows_in] - middle).abs().median() / spread
                rows.append({"encoder": BASELINE, **own, "error": error, "invalid": 0.0})
    return pd.DataFrame(rows)


def _asked(e: Examples, slot: str) -> np.ndarray:
    names = [name for name in e.layout.number_slots if slot in ("*", name)]
    return np.concatenate([e.column(name).astype(float) for name in names])


def _path(checksum: str):
    return store.home() / "data" / "own" / f"{checksum}.parquet"


@functools.lru_cache(maxsize=2)
def _examples(checksum: str) -> list[Examples]:
    import pandas as pd

    path = _path(checksum)
    if not path.exists():
        raise ValueError(f"the store holds no table {checksum}: read its file again")
    return Table(checksum, pd.read_parquet(path), ()).examples
