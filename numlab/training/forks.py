"""Processes that start at once: forks of Python's fork server, which has imported torch.

To import torch and what else a worker or a kernel needs takes seconds; forks share its memory, too.
"""

import multiprocessing

METHOD = {"distributed.worker.multiprocessing-method": "forkserver"}
WORKER = ("distributed", "pandas", "torch")

_imported: set[str] = set()


def fork_server(*modules: str) -> multiprocessing.context.BaseContext:
    """The context of the fork server, which imports `modules`, and those of earlier calls.

    It starts with the first fork; modules that are asked for later are not imported.
    """
    import dask
    from distributed.utils import get_mp_context

    with dask.config.set(METHOD):
        context = get_mp_context()  # the first call sets what Dask itself would import
    _imported.update(modules)
    context.set_forkserver_preload(sorted(_imported))
    return context
