"""Execute a notebook with papermill."""

from __future__ import annotations

import logging
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import papermill
from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import NBClientEngine, papermill_engines

from numlab.store import home

if TYPE_CHECKING:
    from numlab.figures.batch import Job

logging.getLogger("papermill").setLevel(logging.ERROR)  # it warns of a dict over several lines
os.environ.setdefault("JUPYTER_PREFER_ENV_PATH", "1")  # the kernel of this virtual environment


class Engine(NBClientEngine):
    """papermill's engine, with options for its client and for the kernel's process."""

    @classmethod
    def execute_managed_notebook(cls, nb_man, kernel_name, client, process, **_):
        PapermillNotebookClient(nb_man, kernel_name=kernel_name, **client).execute(**process)


papermill_engines.register("numlab", Engine)


def execute(job: Job, draft: Path, environment: dict[str, str]) -> None:
    """Execute a job's notebook into the file `draft`; an error names the cell."""

    def count(**_):
        job.cell += 1

    path, null = job.notebook.path, subprocess.DEVNULL
    env = {**os.environ, "NUMLAB_HOME": str(home().resolve()), **environment}
    # Not papermill's own `cwd`: it moves the whole process, and other threads execute, too.
    process = {"cwd": str(path.parent), "env": env, "stdout": null, "stderr": null}
    client = {"timeout": job.limit, "startup_timeout": 300, "on_cell_execute": count}
    options = {"engine_name": "numlab", "kernel_name": "python3", "progress_bar": False}
    options |= {"client": client, "process": process}
    job.cells = 1 + sum(bool(code.strip()) for code in job.notebook.code)  # papermill adds one
    if "profile" not in papermill.inspect_notebook(str(path)):
        raise ValueError("no cell tagged `parameters` sets `profile`")
    try:
        papermill.execute_notebook(path, draft, {"profile": job.profile}, **options)
    except papermill.PapermillExecutionError as error:
        where = f"cell {job.cell} ({_first_line(error.source)})"
        raise RuntimeError(f"{where}: {error.ename}: {_first_line(error.evalue)}") from None
    except Exception as error:  # the kernel died, or a cell took too long
        text = f"{type(error).__name__}: {_first_line(str(error))}"
        raise RuntimeError(f"cell {job.cell}: {text}") from error
    if job.cell < job.cells:  # papermill takes sys.exit(0) for success
        raise RuntimeError(f"stopped before the end, in {job.progress}")


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")[:300]
