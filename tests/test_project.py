"""The project's own rules: which module may import which, pins, and what an import costs."""

import ast
import importlib.metadata
import inspect
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

import numlab as nl

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
REQUIRED = [*PROJECT["dependencies"], *(r for extra in EXTRAS.values() for r in extra)]

# Imports go one way; what stands in one set may import each other unless APART says otherwise.
STAGES = [
    {"numbers", "described"},
    {"examples"},
    {"parsing"},
    {"store"},
    {"codes"},
    {"heads"},
    {"encoders", "tasks"},
    {"corpus"},
    {"tokenizer"},
    {"objectives"},
    {"losses"},
    {"models"},
    {"pretrained"},
    {"decisions"},
    {"evaluation"},
    {"training"},
    {"claims"},
    {"metrics"},
    {"embeddings", "probes"},
    {"plots"},
    {"estimators"},
    {"compare"},
    {"figures"},
    {"batch"},
    {"widgets"},
    {"cli"},
    {"__main__"},
]
# Plots know DataFrames and nothing else of numlab.
APART = {("encoders", "tasks"), ("tasks", "encoders")}
STAGE = {part: i for i, stage in enumerate(STAGES) for part in stage}


def imports(source: str) -> set[str]:
    """The modules of numlab that code imports anywhere; `numlab` for the package itself."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level:
            found.add("numlab")  # relative: not how it is done here
        elif isinstance(node, ast.ImportFrom) and node.module == "numlab":
            found |= {f"numlab.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module)
    return {name for name in found if name.split(".")[0] == "numlab"}


def wrong(part: str, source: str) -> list[str]:
    """The imports in a module of `part` that go against the direction."""

    def allowed(name: str) -> bool:
        other = f"{name}.".split(".")[1]
        if part == "plots" or other not in STAGE or (part, other) in APART:
            return other == part
        return STAGE[other] <= STAGE[part]

    return sorted(name for name in imports(source) if not allowed(name))


def test_imports_go_one_way():
    found, package = {}, ROOT / "numlab"
    for path in package.rglob("*.py"):
        part = path.relative_to(package).parts[0].removesuffix(".py")
        if path != package / "__init__.py":
            assert part in STAGE, f"{part} has no place in the direction of imports"
            found[str(path)] = wrong(part, path.read_text("utf-8"))
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("part", "source", "found"),
    [
        ("encoders", "from numlab.tasks import Planets", ["numlab.tasks"]),
        ("tasks", "from numlab.encoders import base", ["numlab.encoders"]),
        ("evaluation", "import numlab.training", ["numlab.training"]),
        ("probes", "def f():\n    from numlab import plots", ["numlab.plots"]),
        ("plots", "import numpy\nfrom numlab.examples import Layout", ["numlab.examples"]),
        ("models", "import numlab as nl", ["numlab"]),
        ("models", "from . import training", ["numlab"]),
        ("models", "from numlab import XVal", ["numlab.XVal"]),
        ("cli", "from numlab.batch.run import run_notebooks", []),
        ("training", "from numlab import store\nimport torch", []),
        ("encoders", "from numlab.encoders.base import Encoder", []),
    ],
)
def test_an_import_against_the_direction_is_found(part, source, found):
    assert wrong(part, source) == found


def lock() -> dict[str, str]:
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    pins = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {_canonical(name): version for name, version in pins}


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_lock_holds_exact_versions_and_no_hosts():
    for line in (ROOT / "requirements.lock").read_text().splitlines():
        assert re.fullmatch(r"#.*|[\w.-]+==[\w.]+", line), line


def test_the_lock_satisfies_the_project():
    pins = lock()
    unmet = (r for r in map(Requirement, REQUIRED) if pins[_canonical(r.name)] not in r.specifier)
    assert [*map(str, unmet)] == []


def test_the_lock_is_whole():
    """Whatever a locked package asks for on this machine is locked, too."""
    pins = lock()
    for name in pins:
        asked = (Requirement(r) for r in importlib.metadata.requires(name) or [])
        for need in asked:
            if need.marker is None or need.marker.evaluate({"extra": ""}):
                assert need.specifier.contains(pins[_canonical(need.name)]), f"{name}: {need}"


def test_conda_users_get_the_same_versions():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    assert f"python{PROJECT['requires-python']}" in environment
    assert environment[-1] == {"pip": ["-r requirements.lock", "-e ."]}


def test_a_wheel_has_every_notebook():
    tables = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    parts = {
        f"share/numlab/{p.parent.relative_to(ROOT)}" for p in ROOT.glob("notebooks/**/*.ipynb")
    }
    assert {p for p in parts if ".ipynb_checkpoints" not in p} == set(tables["data-files"])


def test_no_text_of_a_web_page_speaks_of_jupyter_s_cells():
    for path in ROOT.glob("notebooks/**/[!.]*.ipynb"):
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            words = "".join(cell["source"]) if cell["cell_type"] == "markdown" else ""
            if "lab" not in cell["metadata"].get("tags", ()):  # else it is not in the page
                found = re.search(
                    r"(next|last|first|this|each|of the) cells?\b(?! of the map)", words
                )
                assert not found, f"{path.stem}: {found}"


def python(code: str) -> str:
    """What a process prints that keeps its bytecode, as a user's does."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    return done.stdout.strip()


def test_numlab_costs_little_to_import_over_torch():
    # 0.3 s where torch takes 2.6 s; as a ratio, for a slow machine slows both. A collection of
    # torch's own garbage, 0.08 s, would fall on whoever allocates next: it is left out.
    clock = "OTHERS = 'widgets', 'NumberEncoder', 'NumberRegressor';"  # ipywidgets, scikit-learn
    clock += "import gc, time; start = time.process_time(); import torch;"
    clock += "torch = time.process_time(); gc.freeze();"
    clock += "import numlab as nl; [getattr(nl, n) for n in nl.__all__ if n not in OTHERS];"
    clock += "print((time.process_time() - torch) / (torch - start))"
    assert any(float(python(clock)) < 0.3 / 2.6 for _ in range(3))


def test_importing_numlab_leaves_heavy_libraries_alone():
    heavy = ["pandas", "sklearn", "matplotlib", "plotly", "distributed", "rebound", "ipywidgets"]
    heavy += ["xarray", "pooch", "cfgrib", "zarr"]
    code = "import sys, numlab as nl; nl.XVal, nl.RunSpec, nl.Transformer, nl.begin, nl.tasks;"
    assert python(code + f"print([m for m in {heavy} if m in sys.modules])") == "[]"


def test_a_submodule_says_what_is_public_and_each_name_is_there():
    modules = [module for name in nl.__all__ if inspect.ismodule(module := getattr(nl, name))]
    assert len(modules) > 10
    assert [m.__name__ for m in modules if not all(hasattr(m, n) for n in m.__all__)] == []
