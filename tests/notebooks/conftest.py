"""What the tests of notebooks share."""

import importlib.util
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"


@pytest.fixture(scope="session")
def load():
    """Import a module that stands beside notebooks: load("fone/figures.py")."""

    def load(path: str):
        name = "notebooks_" + path.removesuffix(".py").replace("/", "_")
        spec = importlib.util.spec_from_file_location(name, NOTEBOOKS / path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load
