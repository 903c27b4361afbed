"""Upload a file of numbers: every encoder on them, and advice."""

import threading
from pathlib import Path

import anywidget
import ipywidgets
import traitlets

from numlab import compare, store
from numlab.compare.files import SUFFIXES
from numlab.widgets.panel import Panel, note, row, script


def your_numbers(path: str | Path | None = None, **options) -> ipywidgets.VBox:
    """Upload a file of texts or of columns of numbers, and see which encoder suits it.

    A message says how the file is read and what is done; "Cancel" ends it once another model is
    trained. Uploaded files are kept under `data/uploads`. A second button takes the file `path`, if
    there is one. `options` (steps, columns, kinds, target, ...) are as in `compare.report`.

    >>> panel = nl.widgets.your_numbers()
    """
    button = _Upload(accept=",".join(SUFFIXES))
    cancel = ipywidgets.Button(description="Cancel", icon="stop", disabled=True)
    shown = {"width": "auto", "display": None if path else "none"}
    example = ipywidgets.Button(description=f"Compare {Path(path or '').name}", layout=shown)
    message, page, cancelled = ipywidgets.HTML(), ipywidgets.HTML(), threading.Event()
    pieces: list[bytes] = []  # of the file that is on its way

    def progress(doing: str) -> None:
        if cancelled.is_set():
            raise KeyboardInterrupt
        message.value = note(f"{doing} …")

    def stop() -> None:
        cancelled.set()
        cancel.disabled, message.value = True, note("cancelling once the next model is trained …")

    def report(path: str | Path, content: bytes | None = None) -> None:
        cancelled.clear()
        button.disabled, example.disabled, cancel.disabled = True, True, False
        try:
            progress("starting")  # numlab's parts for that may take seconds to load
            if content is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            page.value = compare.report(path, say=progress, **options)._repr_html_()
            message.value = ""
        except KeyboardInterrupt:
            message.value = note("cancelled; models that were trained stay stored")
        except Exception as error:  # nobody sees an exception of a thread
            message.value = note(f"Nothing to compare: {error}", "alert")
        finally:
            button.disabled, example.disabled, cancel.disabled = False, False, True

    def start(*file) -> None:
        threading.Thread(target=report, args=file, daemon=True).start()

    def take(_, piece: dict, content: list[bytes]) -> None:
        if piece["at"] == 0:
            pieces.clear()
        pieces.extend(content)
        if piece["isLast"]:
            kept = store.home() / "data" / "uploads" / Path(piece["name"]).name
            start(kept, b"".join(pieces))

    button.on_msg(take)
    cancel.on_click(lambda _: stop())
    example.on_click(lambda _: start(path))
    return Panel(row(button, example, cancel), message, page)


class _Upload(anywidget.AnyWidget):
    """A button that sends a file in messages: its name, where a piece begins, and its bytes."""

    _esm = script("upload")
    accept = traitlets.Unicode().tag(sync=True)
    disabled = traitlets.Bool(False).tag(sync=True)
