"""Small models that learn masked numbers of a table, except those in a held-out gap."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd

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

TEXTS = 2000  # random texts that a model learns from: each may have its own layout
BASELINE = "always the median"  # an answer without a model
GAP = (0.45, 0.55)  # quantiles of the predicted numbers between which all are held out


@dataclass(frozen=True)
class Rows(Task):
    """Rows of a table, stored under the checksum of their content.

    Parameters
    ----------
    gap : rows with a predicted number in this open interval are held out.
    slot : pattern of the slots that are predicted.
    """

    stored: ClassVar[bool] = False
    checksum: str
    gap: tuple[float, float]
    slot: str

    @classmethod
    def keep(cls, table: Table) -> Rows:
        """Store a table's different rows; the column with most values is predicted."""
        frame = table.frame.drop_duplicates(ignore_index=True)
        if table.of_texts and len(frame) > TEXTS:
            frame = frame.sample(TEXTS, random_state=0).sort_index(ignore_index=True)
        checksum = hashlib.sha256(frame.to_csv(index=False).encode()).hexdigest()[:20]
        path = _file(checksum)
        path.parent.mkdir(parents=True, exist_ok=True)
        store.replace(path, frame.to_parquet)
        slot = "*" if table.of_texts else f"n{frame.nunique().argmax()}"
        numbers = _predicted(Table(table.name, frame).examples, slot)
        return cls(checksum, tuple(np.quantile(numbers, GAP).tolist()), slot)

    @functools.cached_property
    def table(self) -> Table:

        path = _file(self.checksum)
        if not path.exists():
            raise ValueError(f"the store holds no table {self.checksum}: read its file again")
        return Table(self.checksum, pd.read_parquet(path))

    @functools.cached_property
    def in_gap(self) -> np.ndarray:
        """(rows,) bool: which rows have a predicted number in the gap."""
        in_gap, (low, high) = np.zeros(len(self.table.frame), bool), self.gap
        for e in self.table.examples:
            for numbers in _columns(e, self.slot):
                in_gap[e.index] |= (numbers > low) & (numbers < high)
        return in_gap

    def layouts(self) -> list[Layout]:
        return [e.layout for e in self.table.examples]

    def sample(self, n: int, seed: int, **fixed) -> list[Examples]:
        """n different rows outside the gap; no parameter can be held fixed."""
        hold(fixed, {}, n)
        return self.split((n,), seed)[0]

    def split(self, sizes: Sequence[int], seed: int, gap: bool = False):
        """Disjoint corpora of rows in the gap, or of rows outside."""
        rows = np.random.default_rng(seed).permutation(np.flatnonzero(self.in_gap == gap))
        if sum(sizes) > len(rows):
            raise ValueError(f"the table has {len(rows):,} such rows; got sizes {sizes}")
        parts = np.split(rows, np.cumsum(sizes))[:-1]
        return tuple(Table("", self.table.frame.iloc[part]).examples for part in parts)


def _file(checksum: str) -> Path:
    return store.home() / "data" / "own" / f"{checksum}.parquet"


def _columns(e: Examples, slot: str) -> list[np.ndarray]:
    names = [name for name in e.layout.number_slots if slot in ("*", name)]
    return [e.column(name).astype(float) for name in names]


def _predicted(examples: list[Examples], slot: str) -> np.ndarray:
    return np.concatenate([column for e in examples for column in _columns(e, slot)])


def specs(table: Table, encoders: list[Encoder], steps: int = 300) -> list[RunSpec]:
    """For each encoder a small run that learns masked numbers of the table outside the gap.

    ValueError where the table has too few rows, or different numbers, to hold some out.
    """
    task = Rows.keep(table)
    inside, outside = int(task.in_gap.sum()), int((~task.in_gap).sum())
    if inside < 4 or outside < 32:
        raise ValueError(f"a gap needs 4 rows in it and 32 elsewhere; got {inside} and {outside}")
    if not encoders:
        raise ValueError("no encoder holds every number")
    n_test = n_valid = min(256, outside // 8)
    return [
        RunSpec(
            task=task,
            encoder=encoder,
            objective=MaskedLM(slots=1.0, literals=0.0, only=(task.slot,)),
            model=GPT2(48, 2, 4, context=4096),
            n_train=outside - n_valid - n_test,
            n_valid=n_valid,
            n_test=n_test,
            steps=steps,
            batch_size=32,
            learning_rate=3e-3,
        )
        for encoder in encoders
    ]


def gap_errors(runs: list[Run]) -> pd.DataFrame:
    """Errors of runs on one table, for numbers in the gap and for others.

    Returns
    -------
    DataFrame [encoder, part, n, error, invalid]
        Part "gap" and "seen" of each encoder and of "always the median". error : median of
        |predicted - true| over the interquartile range of the training numbers, infinite for an
        invalid answer; invalid : share of such answers.
    """

    spec = runs[0].spec
    task, n_gap = spec.task, min(spec.n_test, int(spec.task.in_gap.sum()))
    texts = [*spec.examples("test"), *task.split((n_gap,), 0, gap=True)[0]]
    answers = [predict(run, texts, task.slot).assign(encoder=str(run.spec.encoder)) for run in runs]
    trained = _predicted(spec.examples("train"), task.slot)
    low, median, high = np.quantile(trained, (0.25, 0.5, 0.75))
    answers.append(answers[0].assign(encoder=BASELINE, predicted=median, valid=True))
    frame = pd.concat(answers, ignore_index=True)
    error = (frame.predicted.astype(float) - frame.true.astype(float)).abs() / (high - low or 1.0)
    inside = frame.true.between(*task.gap, inclusive="neither")
    frame["part"] = np.where(inside, "gap", "seen")
    frame["error"], frame["invalid"] = error.where(frame.valid, np.inf), ~frame.valid
    groups = frame.groupby(["encoder", "part"], sort=False, as_index=False)
    return groups.agg(n=("error", "size"), error=("error", "median"), invalid=("invalid", "mean"))
