"""Many runs side by side: which of them are missing, and what trains them."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from torch import distributed

from numlab.examples import as_list
from numlab.training import cluster, slurm
from numlab.training.run import Run
from numlab.training.spec import RunSpec
from numlab.training.worker import is_stored


def train_all(
    specs: Sequence[RunSpec] | Mapping[Any, RunSpec],
    scheduler: str | None = None,
    ended: Callable[[Run, int], None] = lambda run, left: None,
) -> list[Run] | dict[Any, Run]:
    """The runs of many specs, in order; missing ones are trained side by side.

    A dict of specs gives a dict of their runs, with the same keys.

    ValueError where the scheduler does not answer, or a part of a spec refuses to be trained.
    RuntimeError where a training fails otherwise, and in a script that does not train under
    `if __name__ == "__main__":` (local workers import the script).

    Parameters
    ----------
    scheduler : address of a Dask scheduler, or "slurm"; default: the environment variable
        NUMLAB_SCHEDULER, else a LocalCluster with a one-thread worker for each core. Workers that
        do not see this store train into their own and send the run. With Slurm each run is
        a job, as the variables SBATCH_* ask, such as SBATCH_PARTITION and SBATCH_TIMELIMIT.
    ended : called with each run as its training ends, and how many are left; if it raises, the
        others stop.

    >>> spec = nl.RunSpec(nl.tasks.Addition(2), nl.P10(), nl.MaskedLM(), nl.GPT2(8), 64, 2, 1e-3)
    >>> [nl.train(spec)] == nl.train_all([spec])
    True
    >>> nl.train_all({"a": spec}) == {"a": nl.train(spec)}
    True
    """
    if isinstance(specs, Mapping):
        return dict(zip(specs, train_all([*specs.values()], scheduler, ended), strict=True))
    runs = [Run(spec) for spec in as_list(specs, RunSpec, "expected a list or a dict of RunSpecs")]
    missing = _missing(runs)
    if missing and named(scheduler) == "slurm":
        if starts := [run.spec.start for run in missing if run.spec.start]:
            train_all(starts, scheduler)  # a job does not wait for another
        slurm.train(_missing(runs), ended)
    elif len(missing) > 1 and distributed.is_torchelastic_launched():
        wanted = "under torchrun, train one run at a time by nl.train(spec)"
        raise ValueError(f"{wanted}; got {len(missing)} untrained specs")
    elif missing:
        with cluster.connect(named(scheduler), len(missing)) as client:
            cluster.train(client, missing, ended)
    for run in missing:
        run.warn_if_diverged()
    return runs


def _missing(runs: Iterable[Run]) -> list[Run]:
    """The runs that the store lacks, each behind the one that it starts from."""
    found: dict[str, Run] = {}  # by digest: equal specs may differ in it, as 9 and 9.0 do
    for run in runs:
        if run.digest not in found and not is_stored(run):
            starts = [Run(run.spec.start)] if run.spec.start else []
            found |= {r.digest: r for r in [*_missing(starts), run]}
    return list(found.values())


def named(scheduler: str | None) -> str | None:
    """A scheduler's address or "slurm", else what the environment variable says."""
    return scheduler or os.environ.get("NUMLAB_SCHEDULER")
