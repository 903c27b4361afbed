"""Upload a file of numbers: every encoder on them, and advice."""

from pathlib import Path

import ipywidgets
from IPython.display import display

from numlab import compare, store
from numlab.widgets.panel import Panel, note, row

__all__ = ["your_numbers"]

KINDS = ".csv,.tsv,.parquet,.jsonl,.ndjson"


def your_numbers(path: str | Path | None = None, steps: int = 300) -> ipywidgets.VBox:
    """Upload a file of texts or of columns of numbers, and see which encoder suits it.

    A message says what is wrong with a file. Uploaded files are kept under `data/uploads`. A panel
    can start with the file `path`. Each small model trains for `steps` steps; 0: train none.
    """
    wide = {"width": "auto", "min_width": "200px"}
    button = ipywidgets.FileUpload(accept=KINDS, description="a file of yours", layout=wide)
    message, page = ipywidgets.HTML(), ipywidgets.HTML()

    def progress(doing: str) -> None:
        message.value = note(f"{doing} …")

    def report(path: str | Path) -> None:
        try:
            page.value = compare.report(path, steps, progress)._repr_html_()
            message.value = ""
        except (ValueError, OSError, MemoryError) as error:
            page.value, message.value = "", note(f"Nothing to compare: {error}", "alert")

    def take(change) -> None:
        folder = store.home() / "data" / "uploads"
        folder.mkdir(parents=True, exist_ok=True)
        for file in change.new[:1]:
            kept = folder / Path(file["name"]).name
            kept.write_bytes(file["content"])
            button.value = ()
            report(kept)

    button.observe(take, "value")
    if path:
        display(message)  # the panel itself appears only when the cell has ended
        report(path)
    return Panel(row(button), message, page)
