"""Which modules a notebook can reach: no fewer than it runs, and not all that there are."""

import ast
import sys

import numlab as nl
from numlab.figures import notebooks
from numlab.figures.sources import reached

TRAINED = """
import numlab as nl
task = nl.tasks.Addition(2)
spec = nl.RunSpec(task=task, encoder=nl.FoNE(int_digits=3), model=nl.Llama(16, 1, 2, 1, 8),
                  objective=nl.CausalLM(), n_train=32, n_valid=8, n_test=8, steps=2, batch_size=8,
                  learning_rate=1e-3)
run = nl.train(spec)
nl.predict(run, run.examples("test"), "answer")
nl.plots.spectra(nl.probes.spectrum(nl.embeddings.from_run(run, range(64)), n_permutations=9)
                 .assign(source="one", stage="end"))
"""


def modules_run(cells: list[str]) -> set[str]:
    """The modules of numlab of which a function runs when cells of code do.

    Those that file figures are left out, and what they call.
    """
    seen = set()

    def look(frame, event, _):
        if event == "call" and not module(frame.f_back).startswith("numlab.figures"):
            seen.add(module(frame))

    def module(frame):
        return str(frame and frame.f_globals.get("__name__"))

    for package in nl._MODULES:  # what runs on import is no use of a module
        getattr(nl, package)
    space = {}
    sys.setprofile(look)
    try:
        for cell in cells:
            exec(cell, space)
    finally:
        sys.setprofile(None)
    return {m for m in seen if m.startswith("numlab.") and not m.startswith("numlab.figures")}


def found(*cells: str) -> list[str]:
    return reached([ast.parse(cell) for cell in cells])


def test_no_module_runs_that_a_notebook_is_not_said_to_reach(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMLAB_HOME", str(tmp_path))  # without notebooks of its own
    (notebook,) = notebooks.find(["fone/tokens"])
    cells = [cell.replace('profile = "quick"', 'profile = "smoke"') for cell in notebook.code]
    assert modules_run(cells) <= set(notebook.modules)


def test_no_module_runs_that_training_is_not_said_to_reach(home):
    run = modules_run([TRAINED])
    assert {"numlab.models", "numlab.encoders.fone", "numlab.plots.spectra"} <= run
    assert run <= set(found(TRAINED))


def test_a_name_is_followed_over_cells_and_packages_to_where_it_is_defined():
    modules = found("import numlab as nl", "task = nl.tasks.Planets()")
    assert {"numlab.tasks.planets", "numlab.tasks.orbits", "numlab.examples"} <= set(modules)
    assert not [m for m in modules if "plots" in m or m == "numlab.tasks.lookup"]


def test_an_alias_of_a_package_reaches_all_of_it():
    everything = found("from numlab import plots\ndraw(plots)")
    assert {"numlab.plots.bars", "numlab.plots.orbits"} <= set(everything)


def test_what_only_annotates_is_not_reached():
    code = (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from numlab import plots\nplots"
    )
    assert found(code) == []
