"""Digests of code, notebooks as files, and stamps: what makes a figure stale."""

import ast
import gc
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest

import numlab as nl
from numlab.figures import notebooks, provenance, stamps
from numlab.figures.accept import accept
from numlab.figures.provenance import code_digest

CODE = '''
def f(x: int = None) -> str:
    """Words."""
    return f"{x}" or None
'''
MODULES = sorted(provenance.all_modules())
CELLS = ("nl.train_all(specs)", "save_figure(name, f, t)")
SAVE = 'import numlab as nl\nnl.begin("xval/one", profile, SIZES)\nnl.save_table("xval/tab01", t)'


@pytest.mark.parametrize(
    "other",
    [
        CODE.replace("Words.", "Other words."),
        CODE.replace('    """Words."""\n', ""),
        CODE + "\n# a comment\n",
        CODE.replace("(x: int = None)", "(\n    x: int = None,\n)"),
    ],
)
def test_prose_does_not_move_a_digest(other):
    assert code_digest(other) == code_digest(CODE)


@pytest.mark.parametrize(
    "other",
    [
        CODE.replace("x: int", "x: float"),
        CODE.replace("or None", "or 0"),
        CODE.replace("= None", ""),
        CODE.replace("return", "yield"),
    ],
)
def test_code_moves_a_digest(other):
    assert code_digest(other) != code_digest(CODE)


def test_an_ipython_magic_has_a_digest():
    assert code_digest("%matplotlib inline") != code_digest("%matplotlib widget")


def test_many_threads_digest_at_once():
    """Between two nodes of a tree another thread may run: here it does, at every collection."""
    sources = [provenance.module_path(m).read_text("utf-8") for m in MODULES[:12]]
    expected = [code_digest(s) for s in sources]
    interval, threshold = sys.getswitchinterval(), gc.get_threshold()

    def let_others_run(*_):
        sum(range(50))

    gc.callbacks.append(let_others_run)
    sys.setswitchinterval(1e-6)
    gc.set_threshold(50)
    try:
        with ThreadPoolExecutor(4) as threads:
            digests = list(threads.map(code_digest.__wrapped__, sources))
    finally:
        gc.callbacks.remove(let_others_run)
        sys.setswitchinterval(interval)
        gc.set_threshold(*threshold)
    assert digests == expected


def test_every_module_in_use_has_a_file():
    digests = provenance.module_digests(["numlab.store", "numlab.encoders.xval", "numlab.gone"])
    assert digests["numlab.gone"] is None
    assert None not in (digests["numlab.store"], digests["numlab.encoders.xval"])


def test_what_files_figures_or_only_names_things_is_no_source():
    assert "numlab.store" in MODULES
    packages = {m.split(".")[1] for m in MODULES}
    assert packages.isdisjoint({"figures", "cli", "__main__"})
    assert "numlab.encoders" not in MODULES


@pytest.mark.parametrize(
    "path", sorted(provenance.PACKAGE.glob("*/__init__.py")), ids=lambda p: p.parent.name
)
def test_a_package_only_names_what_its_modules_do(path):
    if path.parent.name == "figures":  # no source: it files
        return
    docstring, *rest = ast.parse(path.read_text()).body
    assert isinstance(docstring, ast.Expr)
    assert all(isinstance(node, ast.Import | ast.ImportFrom | ast.Assign) for node in rest)


@pytest.fixture
def notebook(home, write_notebook):
    write_notebook(home, "xval/one", SAVE, *CELLS)
    return notebooks.find(["xval/one"])[0]


def test_a_notebook_declares_the_ids_that_it_saves(notebook):
    assert notebook.declared == ["xval/tab01"]


def test_a_notebook_says_its_profiles(notebook):
    assert notebook.profiles == ("smoke", "quick")


@pytest.mark.parametrize("parameters", ["", "profile = 'quick'", "SIZES = {}", "x ="])
def test_a_notebook_without_parameters_is_an_error(home, write_notebook, parameters):
    write_notebook(home, "xval/one", parameters=parameters)
    with pytest.raises(ValueError, match="exactly one cell tagged `parameters`"):
        _ = notebooks.find(["xval/one"])[0].profiles


def test_prose_moves_a_notebooks_digest_but_not_its_codes(home, write_notebook, notebook):
    write_notebook(home, "xval/one", SAVE, *CELLS, prose="New.")
    other = notebooks.find(["xval/one"])[0]
    assert other.digest != notebook.digest
    assert other.code_digest == notebook.code_digest


def test_notebooks_that_train_come_last(home, write_notebook, notebook):
    write_notebook(home, "digits/two", "x = 1")
    assert [n.name for n in notebooks.find()] == ["digits/two", "xval/one"]


def test_notebooks_of_a_paper_come_in_the_order_of_its_figures(home, write_notebook, notebook):
    write_notebook(home, "xval/another", SAVE.replace("tab01", "tab02"), *CELLS)
    assert [n.name for n in notebooks.find()] == ["xval/one", "xval/another"]


def test_a_folder_names_its_notebooks(home, write_notebook, notebook):
    write_notebook(home, "digits/two", "x = 1")
    assert [n.name for n in notebooks.find(["xval"])] == ["xval/one"]


def test_an_unknown_notebook_is_named_with_those_that_exist(notebook):
    with pytest.raises(ValueError, match="no notebook is named 'xval/two'; there are xval/one"):
        notebooks.find(["xval/two"])


@pytest.fixture
def stamped(notebook):
    nl.begin("xval/one", "quick", {"quick": {}})
    nl.save_table("xval/tab01", pd.DataFrame({"a": [1]}))
    stamps.write(notebook, notebook.digest, "quick", since=0)
    return notebook


def test_what_was_stamped_is_up_to_date(stamped):
    assert stamps.stale(stamped, "quick") is None


def test_another_profile_was_not_run(stamped):
    assert stamps.stale(stamped, "smoke") == "not run before"


def test_a_changed_notebook_is_stale(home, write_notebook, stamped):
    write_notebook(home, "xval/one", SAVE, "x = 2")
    assert stamps.stale(notebooks.find(["xval/one"])[0], "quick") == "the notebook changed"


def test_a_changed_module_makes_its_notebooks_stale(home, stamped):
    path = home / "figures/quick/.stamps/xval/one.json"
    stamp = json.loads(path.read_text())
    stamp["modules"]["numlab.store"] = "another digest"
    path.write_text(json.dumps(stamp))
    assert stamps.stale(stamped, "quick") == "numlab.store changed"


def test_a_missing_file_makes_its_notebook_stale(home, stamped):
    (home / "figures/quick/xval/tab01.csv").unlink()
    assert stamps.stale(stamped, "quick") == "figures/quick/xval/tab01.csv is missing"


def test_a_figure_that_is_drawn_again_meanwhile_is_no_trouble(home, stamped, monkeypatch):
    path = home / "figures/quick/xval/tab01.json"
    glob = type(path).glob
    monkeypatch.setattr(type(path), "glob", lambda *a: [p for p in glob(*a) if not p.unlink()])
    assert stamps.saved("quick") == []


def test_what_another_run_wrote_is_not_written_by_this_one(stamped):
    assert stamps.written(stamped, "quick", since=4e9) == {}


@pytest.fixture
def changed(tmp_path, monkeypatch):
    """The digests of a module, as committed and as it stands now, in a checkout of its own."""
    package = tmp_path / "checkout/numlab"
    package.mkdir(parents=True)
    (package / "one.py").write_text("x = 1\n")
    for command in (["init", "-q"], ["add", "."], [*AUTHOR, "commit", "-qm", "one"]):
        subprocess.run(["git", "-C", package.parent, *command], check=True)
    monkeypatch.setattr(provenance, "PACKAGE", package)
    (package / "one.py").write_text("x = 2\n")
    return code_digest("x = 1"), code_digest("x = 2")


AUTHOR = ["-c", "user.name=one", "-c", "user.email=one@example.org"]


def test_a_change_that_alters_no_figure_is_accepted_with_its_reason(home, changed):
    was, now = changed
    older = "0123456789abcdef"
    figures = home / "figures/full/xval"
    stamp = home / "figures/full/.stamps/xval/one.json"
    for path in (figures / "fig01.json", figures / "fig02.json", stamp):
        path.parent.mkdir(parents=True, exist_ok=True)
    of = {"fig01": was, "fig02": older}
    for id, digest in of.items():
        content = {"id": f"xval/{id}", "sources": {"modules": {"numlab.one": digest}}}
        (figures / f"{id}.json").write_text(json.dumps(content))
    stamp.write_text(json.dumps({"modules": {"numlab.one": was}}))
    assert accept("numlab.one", "only words") == ["xval/fig01"]
    note = {"module": "numlab.one", "was": was, "now": now, "why": "only words"}
    first, second = (json.loads((figures / f"{id}.json").read_text()) for id in of)
    assert first["sources"]["modules"] == {"numlab.one": now}
    assert first["accepted"] == [note]
    assert second == {"id": "xval/fig02", "sources": {"modules": {"numlab.one": older}}}
    assert json.loads(stamp.read_text()) == {"modules": {"numlab.one": now}, "accepted": [note]}


def test_only_a_change_of_a_committed_module_can_be_accepted(home, changed):
    (provenance.PACKAGE / "one.py").write_text("x = 1  # one\n")
    with pytest.raises(ValueError, match=r"the code of numlab\.one is as committed"):
        accept("numlab.one", "only words")
    (provenance.PACKAGE / "two.py").write_text("x = 1\n")
    for module in ("numlab.two", "numlab.three"):
        with pytest.raises(ValueError, match=f"'{module}' is no module of numlab that is commit"):
            accept(module, "only words")
