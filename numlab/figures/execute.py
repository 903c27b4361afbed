"""Execute one notebook with papermill, in the process that this module is.

`python -m numlab.figures.execute JSON`, where JSON holds source, target, parameters and seconds
a cell. Progress and the error go to standard output, a JSON object a line. The process ends when
its standard input closes: with the batch that started it.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

Report = Callable[..., None]


def main() -> int:
    order = json.loads(sys.argv[1])
    report = _reporter()
    threading.Thread(target=_end_with_batch, daemon=True).start()
    source, target = Path(order["source"]), Path(order["target"])
    progress = {"cell": 0}
    try:
        notebook = _execute(source, target, order["parameters"], order["seconds"], report, progress)
        _check_complete(notebook)
    except Exception as error:  # whatever it is, it is this notebook's failure, told to the batch
        report(**_told(error), cell=progress["cell"])
        return 1
    return 0


def _execute(
    source: Path,
    target: Path,
    parameters: dict[str, Any],
    seconds: float | None,
    report: Report,
    progress: dict[str, int],
) -> Any:
    import papermill
    from papermill.engines import NBClientEngine, papermill_engines

    class Reporting(NBClientEngine):
        """papermill's own engine, which tells when a code cell starts."""

        @classmethod
        def execute_managed_notebook(cls, nb_man, kernel_name, **kwargs):
            code = [i for i, c in enumerate(nb_man.nb.cells) if c.cell_type == "code"]
            start = nb_man.cell_start

            def cell_start(cell, cell_index=None, **more):
                if cell_index in code:
                    progress["cell"] = code.index(cell_index) + 1
                    report(cell=progress["cell"], cells=len(code))
                return start(cell, cell_index, **more)

            nb_man.cell_start = cell_start
            return super().execute_managed_notebook(nb_man, kernel_name, **kwargs)

    papermill_engines.register("reporting", Reporting)
    return papermill.execute_notebook(
        source,
        target,
        parameters,
        engine_name="reporting",
        kernel_name="python3",  # the kernel of this virtual environment
        cwd=source.parent,
        progress_bar=False,
        start_timeout=300,
        execution_timeout=seconds,
        store_widget_state=False,
    )


def _check_complete(notebook: Any) -> None:
    """papermill takes `sys.exit(0)` for success and leaves the cells after it unrun."""
    for cell in notebook.cells:
        status = cell.metadata.get("papermill", {}).get("status")
        if cell.cell_type == "code" and cell.source.strip() and status != "completed":
            raise RuntimeError(f"stopped before the end: {_first_line(cell.source)!r} is {status}")


def _told(error: Exception) -> dict[str, str]:
    """The error in a line, with the first line of its cell where papermill knows it."""
    if hasattr(error, "ename"):  # PapermillExecutionError: the exception inside the kernel
        kind, text, source = error.ename, error.evalue, _first_line(error.source)
    else:
        kind, text, source = type(error).__name__, str(error), ""
    return {"error": f"{kind}: {_first_line(text)}", "source": source}


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")[:300]


def _reporter() -> Report:
    """Standard output is for reports alone; what the kernel prints there goes to standard error."""
    lines = os.fdopen(os.dup(1), "w", buffering=1)  # not inherited by the kernel
    os.dup2(2, 1)
    return lambda **said: print(json.dumps(said), file=lines)


def _end_with_batch() -> None:
    os.read(0, 1)
    os._exit(1)  # the kernel watches its parent and ends too


if __name__ == "__main__":
    sys.exit(main())
