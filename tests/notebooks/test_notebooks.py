"""Every notebook is stripped and in form, and every cell of it runs at the profile `smoke`."""

import ast
import fnmatch
import json
import re
from pathlib import Path

import nbformat
import pytest

from numlab.batch import notebooks
from numlab.batch.run import Job, run_notebooks
from numlab.claims import claims
from numlab.figures import curves
from numlab.figures.catalogue import ITEMS, item_of
from numlab.figures.filing import PROFILES
from numlab.store import home as numlab_home

ROOT = Path(__file__).resolve().parents[2]
START = notebooks.Notebook("start", ROOT / "notebooks/start.ipynb")  # which the batch has not
NOTEBOOKS = [
    notebooks.Notebook(f"{p.parent.name}/{p.stem}", p)
    for p in sorted((ROOT / "notebooks").glob("[!.]*/*.ipynb"))
]
every_notebook = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda n: n.name)


def test_notebooks_are_valid_and_stripped():
    for notebook in (START, *NOTEBOOKS):
        content = nbformat.read(notebook.path, as_version=4)
        nbformat.validate(content)
        assert (content.nbformat, content.nbformat_minor) == (4, 5), notebook.name
        for cell in content.cells:
            assert not cell.get("outputs"), f"{notebook.name}: outputs are stored"
            assert cell.get("execution_count") is None, f"{notebook.name}: counts are stored"
        assert "widgets" not in content.metadata, notebook.name


def cells(notebook):
    return json.loads(notebook.path.read_text("utf-8"))["cells"]


def parameters(name):
    """The values that a notebook's parameters cell sets."""
    notebook = next(n for n in NOTEBOOKS if n.name == name)
    (cell,) = (c for c in cells(notebook) if "parameters" in c["metadata"].get("tags", []))
    exec("".join(cell["source"]), values := {})
    return values


def test_notebooks_hold_their_sizes_for_every_profile():
    for notebook in NOTEBOOKS:
        values = parameters(notebook.name)
        assert values["profile"] == "quick", notebook.name
        assert tuple(values["SIZES"]) == PROFILES, notebook.name


SCHEDULE = {"warmup": 0.004, "min_lr_ratio": 0.1, "weight_decay": 0.1}  # 2,000 of 500,000 steps
XVAL = {"d_model": 768, "n_layer": 6, "n_head": 6, "steps": 500_000, "batch_size": 64}


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("xval/planets", XVAL | {"slots": 0.2, "literals": 0.2, "schedule": SCHEDULE}),
        ("xval/temperature", XVAL | {"figures": 3, "hidden": 0.2, "warmup": 0.004}),
        ("fone/classification", {"n_models": 50_000, "n_valid": 8000, "n_test": 20_000}),
    ],
)
def test_the_profile_paper_has_what_the_paper_publishes(name, published):
    """xVal, Tables 7 and 10; FoNE, Tables 4 and 5."""
    own = parameters(name)["SIZES"]["paper"]
    assert {key: own[key] for key in published} == published


@pytest.mark.parametrize(
    ("borrower", "name", "lender"),
    [
        ("beyond/separability", "SPECTRA", "fone/spectra"),
        ("xval/length_cues", "TEMPERATURE", "xval/temperature"),
        ("xval/embeddings", "PLANETS", "xval/planets"),
        ("xval/embeddings", "ARITHMETIC", "xval/products"),
        ("float/modules", "SIZES", "float/masked_words"),
    ],
)
def test_a_notebook_finds_the_runs_of_another_in_the_store(borrower, name, lender):
    own, theirs = parameters(borrower)[name], parameters(lender)["SIZES"]
    for profile in PROFILES:
        assert (shared := own[profile].keys() & theirs[profile].keys())
        assert [key for key in shared if own[profile][key] != theirs[profile][key]] == []


def test_notebooks_begin_under_their_own_names():
    begin = 'begin("{}", profile, SIZES)'.format
    assert [n.name for n in NOTEBOOKS if begin(n.name) not in "\n".join(n.code)] == []


def test_notebooks_save_what_the_catalogue_has():
    saved = {n.name: {item_of(id) for id in n.declared} - ITEMS.keys() for n in NOTEBOOKS}
    assert {name: ids for name, ids in saved.items() if ids} == {}


def strings(node):
    """The strings in a syntax tree; in an f-string, * stands for what is filled in."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value
        elif isinstance(part, ast.JoinedStr):
            yield "".join(v.value if isinstance(v, ast.Constant) else "*" for v in part.values)


def test_every_claim_is_made_by_exactly_one_notebook():
    """A notebook may make claims in a loop, so any string that is a claim's id counts."""
    makers = {id: set() for id in claims()}
    for notebook in NOTEBOOKS:
        tree = ast.parse("\n".join(notebook.code))
        for pattern in strings(tree):
            if re.match(r"\w+/", pattern):
                for id in fnmatch.filter(makers, pattern):
                    makers[id].add(notebook.name)
    assert {id: names for id, names in makers.items() if len(names) != 1} == {}


def test_notebooks_make_claims_that_exist():
    code = "\n".join("\n".join(notebook.code) for notebook in NOTEBOOKS)
    calls = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call))
    first = [call.args[0] for call in calls if ast.unparse(call.func) == "nl.claim"]
    ids = [next(strings(arg)) for arg in first if isinstance(arg, ast.Constant | ast.JoinedStr)]
    assert [id for id in ids if not fnmatch.filter(claims(), id)] == []


def test_notebooks_hold_no_path_of_one_machine():
    texts = {notebook.name: json.dumps(cells(notebook)) for notebook in (START, *NOTEBOOKS)}
    folder = re.compile("/(home|root|Users|work)/")
    assert [name for name, text in texts.items() if folder.search(text)] == []


@pytest.fixture(scope="module")
def jobs(tmp_path_factory):
    """All notebooks executed in one batch, from an empty store."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMLAB_HOME", str(tmp_path_factory.mktemp("home")))
        draw, one = curves.draw, "xval/planets"  # its curves stand for those of all
        patch.setattr(curves, "draw", lambda *of: draw(*of) if of[0] == one else None)
        yield {job.notebook.name: job for job in run_notebooks(profile="smoke")}


@every_notebook
def test_a_notebook_runs_at_smoke(notebook, jobs):
    job = jobs[notebook.name]
    assert job.state == "done", job.note
    assert notebook.up_to_date("smoke")[0]


@every_notebook
def test_figures_are_shown_as_pictures_and_claims_with_their_verdicts(notebook, jobs):
    executed = nbformat.read(numlab_home() / f"figures/smoke/notebooks/{notebook.name}.ipynb", 4)
    shown = [o.data for c in executed.cells for o in c.get("outputs", ()) if "data" in o]
    figures = [d for d in shown if d.get("text/plain", "").startswith("<Figure size")]
    assert all("image/png" in data for data in figures)
    assert bool(figures) == ("nl.save_figure(" in "\n".join(notebook.code))
    claims = [d for d in shown if "numlab-claim" in d.get("text/html", "")]
    assert bool(claims) == ("nl.claim(" in "\n".join(notebook.code))


def test_the_first_notebook_runs_at_smoke(home):
    Job(START, "smoke", limit=600).execute(home / "start.ipynb", scheduler="")


def test_the_start_leads_to_every_notebook():
    start = (ROOT / "notebooks/start.ipynb").read_text("utf-8")
    others = {notebook.name for notebook in NOTEBOOKS} - {"start"}
    assert sorted(name for name in others if f"({name}.ipynb)" not in start) == []
