"""The notebooks as files, and the key that says whether one must run again."""

import dataclasses
import datetime
import json

import pandas as pd
import pytest

import numlab as nl
from numlab.batch import notebooks

BEGAN = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
SAVE = 'import numlab as nl\nnl.begin("xval/one", profile, SIZES)\nnl.save_table("xval/tab01", t)'
CELLS = (SAVE, "nl.train_all(specs)", "save_figure(name, f, t)")


@pytest.fixture
def notebook(home, write_notebook):
    write_notebook(home, "xval/one", *CELLS)
    return notebooks.find(["xval/one"])[0]


def test_a_notebook_declares_the_ids_that_it_saves(notebook):
    assert notebook.declared == ["xval/tab01"]


def test_notebooks_come_in_the_order_of_the_papers(home, write_notebook, notebook):
    for name in ("aside/one", "digits/two", "explore/free", "xval/more"):
        write_notebook(home, name, "x = 1")
    names = [n.name for n in notebooks.find()]
    assert names == ["xval/more", "xval/one", "digits/two", "explore/free", "aside/one"]


def test_a_folder_names_its_notebooks(home, write_notebook, notebook):
    write_notebook(home, "digits/two", "x = 1")
    assert [n.name for n in notebooks.find(["xval"])] == ["xval/one"]


def test_an_unknown_notebook_is_named_with_those_that_exist(notebook):
    with pytest.raises(ValueError, match="no notebook is named 'xval/two'; there are xval/one"):
        notebooks.find(["xval/two"])
    for near in ("one", "xval/on", "notebooks/xval/one.ipynb"):
        with pytest.raises(
            ValueError, match=f"no notebook is named '{near}'; did you mean xval/one"
        ):
            notebooks.find([near])


def test_hidden_files_and_checkpoints_are_no_notebooks(home, write_notebook, notebook):
    for name in ("xval/.one", "xval/.ipynb_checkpoints/one-checkpoint", ".trash/one"):
        write_notebook(home, name, "x = 1")
    assert [n.name for n in notebooks.find()] == ["xval/one"]


@pytest.mark.parametrize(
    ("prose", "title"), [("# The planets\nWords.", "The planets"), ("Words.", "xval/one")]
)
def test_a_notebook_is_called_by_its_heading_else_by_its_name(
    home, write_notebook, notebook, prose, title
):
    write_notebook(home, "xval/one", prose=prose)
    assert notebook.title == title


@pytest.fixture
def ran(notebook):
    """A notebook as a complete run at `quick` leaves it."""
    nl.begin("xval/one", "quick", {"quick": {}})
    nl.save_table("xval/tab01", pd.DataFrame({"a": [1]}))
    assert notebook.remember("quick", notebook.key(), BEGAN) == 1
    return notebook


def test_a_notebook_is_up_to_date_after_a_complete_run(ran):
    current, note = ran.up_to_date("quick")
    assert current
    assert note.startswith("up to date, made 20")


def test_other_profiles_were_not_run(ran):
    assert ran.up_to_date("smoke") == (False, "not run before")


def test_a_record_without_its_outputs_counts_for_nothing(ran):
    record = json.loads(ran.record("quick").read_text())
    del record["outputs"]
    ran.record("quick").write_text(json.dumps(record))
    assert ran.up_to_date("quick") == (False, "not run before")


def test_a_record_that_is_no_object_counts_for_nothing(ran):
    ran.record("quick").write_text("null")
    assert ran.up_to_date("quick") == (False, "not run before")


def test_prose_needs_no_run(home, write_notebook, ran):
    write_notebook(home, "xval/one", *CELLS, prose="Better words.")
    assert ran.up_to_date("quick")[0]


def test_changed_code_needs_a_run(home, write_notebook, ran):
    write_notebook(home, "xval/one", SAVE, "x = 2")
    assert ran.up_to_date("quick") == (False, "its code changed")


def test_changed_sizes_need_a_run(home, write_notebook, ran):
    write_notebook(home, "xval/one", *CELLS, parameters='profile = ""\nSIZES = {"quick": {"n": 9}}')
    assert ran.up_to_date("quick") == (False, "its code changed")


def test_a_module_beside_it_needs_a_run(home, ran):
    (home / "notebooks/fone").mkdir()
    (home / "notebooks/fone/figures.py").write_text("x = 1")
    assert ran.up_to_date("quick")[0]
    (home / "notebooks/xval/figures.py").write_text("x = 1")
    assert ran.up_to_date("quick") == (False, "a module beside it changed")


@pytest.mark.parametrize("library", ["torch", "numpy"])
def test_another_version_of_torch_or_numpy_needs_a_run(ran, monkeypatch, library):
    version = notebooks.version
    monkeypatch.setattr(notebooks, "version", lambda n: "0.0" if n == library else version(n))
    assert ran.up_to_date("quick") == (False, f"{library} changed")


@pytest.mark.parametrize("name", ["encoders/xval.py", "claims/xval.toml", "new.csv"])
def test_any_file_of_numlab_needs_a_run(ran, tmp_path, monkeypatch, name):
    package = tmp_path / "numlab"
    for old in ("encoders/xval.py", "claims/xval.toml", "__pycache__/xval.pyc"):
        (package / old).parent.mkdir(parents=True, exist_ok=True)
        (package / old).write_text("old")
    monkeypatch.setattr(notebooks, "PACKAGE", package)
    before = notebooks._package.__wrapped__()
    (package / "__pycache__/xval.pyc").write_text("compiled")
    assert notebooks._package.__wrapped__() == before
    (package / name).write_text("new")
    monkeypatch.setattr(notebooks, "_package", notebooks._package.__wrapped__)
    assert notebooks._package() != before
    assert ran.up_to_date("quick") == (False, "numlab changed")


def test_a_missing_output_needs_a_run(home, ran):
    (home / "figures/quick/xval/tab01.csv").unlink()
    assert ran.up_to_date("quick") == (False, "figures/quick/xval/tab01.csv missing")


def test_a_damaged_key_needs_a_run(ran):
    ran.record("quick").write_text("{")
    assert ran.up_to_date("quick") == (False, "not run before")


def test_a_run_that_did_not_save_what_it_declares_is_not_complete(notebook):
    with pytest.raises(ValueError, match="it ran, but did not save xval/tab01"):
        notebook.remember("quick", notebook.key(), BEGAN)
    assert not notebook.record("quick").exists()


def test_a_run_that_saved_under_the_name_of_another_notebook_is_told_so(ran):
    other = dataclasses.replace(ran, name="xval/renamed")
    with pytest.raises(ValueError, match=f"its nl.begin names {ran.name}; its file is xval/renam"):
        other.remember("quick", ran.key(), BEGAN)


def test_what_an_earlier_run_saved_does_not_count(ran):
    with pytest.raises(ValueError, match="did not save xval/tab01"):
        ran.remember("quick", ran.key(), datetime.datetime.now(datetime.UTC))


def test_a_figure_that_is_being_saved_again_is_no_error(home, ran, monkeypatch):
    path = home / "figures/quick/xval/tab01.json"
    glob = type(path).glob
    monkeypatch.setattr(type(path), "glob", lambda *a: [p for p in glob(*a) if not p.unlink()])
    assert notebooks.saved("quick") == []


def test_a_file_that_is_no_notebook_is_named(home, notebook):
    notebook.path.write_text(json.dumps({"no": "cells"}))
    with pytest.raises(ValueError, match=r"xval/one\.ipynb is not a notebook"):
        notebook.key()
