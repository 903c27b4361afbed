"""A voila server for `numlab app`: the notebooks as web pages; two wait with their kernels."""

import os
from pathlib import Path
from typing import Any

from traitlets.config import Config
from voila.app import Voila

from numlab.batch.notebooks import find
from numlab.figures.catalogue import PAPERS

WAITING = ("start.ipynb", "explore/ood_sweep.ipynb")  # run before anyone asks for them
REFILL = 20.0  # seconds from a visit until the next kernel starts: the visitor's goes first


def serve(folder: Path, *arguments: str) -> None:
    """Serve the notebooks of a folder until interrupted; `arguments` are those of voila."""
    places = [str(Path(__file__).parent), os.environ.get("JUPYTER_PATH", "")]
    os.environ["JUPYTER_PATH"] = os.pathsep.join(filter(None, places))  # of the templates
    pools = {"default": {"pool_size": 0}, **{name: {"pool_size": 1} for name in WAITING}}
    look = {"template": "numlab", "classic_tree": True, "show_margins": True}
    config = Config(
        VoilaConfiguration={**look, "preheat_kernel": True, "page_config_hook": _add_list},
        VoilaKernelManager={"kernel_pools_config": pools, "fill_delay": REFILL},
        TagRemovePreprocessor={"enabled": True, "remove_cell_tags": {"lab"}},
        KernelManager={"transport": "ipc"},  # kernels listen at no port
    )
    Voila.launch_instance([str(folder), *arguments], config=config)


def _add_list(page_config: dict[str, Any], **_) -> dict[str, Any]:
    """Give a page the notebooks: titles of folders, each with the names and titles within."""
    listed = page_config["notebooks"] = {}
    for notebook in find():
        folder = notebook.name.split("/")[0]
        listed.setdefault(PAPERS.get(folder, folder), []).append((notebook.name, notebook.title))
    return page_config
