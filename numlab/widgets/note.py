"""What a page says when its kernel is gone."""

from __future__ import annotations

from pathlib import Path

import anywidget


class KernelNote(anywidget.AnyWidget):
    """Nothing, until the kernel restarts or dies: then what to do. A part of every panel."""

    _esm = Path(__file__).with_name("note.js")
