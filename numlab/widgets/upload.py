"""A file of one's own, uploaded: every encoder on its numbers, and advice."""

from __future__ import annotations

from html import escape
from pathlib import Path

import ipywidgets
from IPython.display import display

from numlab import compare, store
from numlab.widgets.note import KernelNote

KINDS = ".csv,.tsv,.parquet,.jsonl,.ndjson"


def your_numbers(path: str | Path | None = None, steps: int = 300) -> ipywidgets.VBox:
    """Upload a file of texts or of columns of numbers, and see which encoder suits it.

    What is wrong with a file is said in words. The file is kept under `data/uploads`.

    Parameters
    ----------
    path : of a file that is looked at first.
    steps : of each small model; 0: none is trained.
    """
    wide = {"width": "auto", "min_width": "200px"}
    upload = ipywidgets.FileUpload(accept=KINDS, description="a file of yours", layout=wide)
    said, page = ipywidgets.HTML(), ipywidgets.HTML()

    def look(path: str | Path) -> None:
        def say(doing: str) -> None:
            said.value = f'<span role="status">{escape(doing)} …</span>'

        try:
            page.value = compare.report(path, steps, say)._repr_html_()
            said.value = ""
        except (ValueError, OSError, MemoryError) as error:
            page.value = ""
            said.value = f'<p role="alert"><b>Nothing to compare:</b> {escape(str(error))}</p>'

    def take(change) -> None:
        if not change.new:
            return
        (file, *_) = change.new
        folder = store.home() / "data" / "uploads"
        folder.mkdir(parents=True, exist_ok=True)
        kept = folder / Path(file["name"]).name
        kept.write_bytes(file["content"])
        upload.value = ()
        look(kept)

    upload.observe(take, "value")
    if path:
        display(said)  # the panel is seen only when the cell has ended
        look(path)
    return ipywidgets.VBox([ipywidgets.HBox([upload]), said, page, KernelNote()])
