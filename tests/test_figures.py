"""What a notebook files: begin, save_figure, save_table, claim."""

import dataclasses
import json
import re
import shutil

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import numlab as nl
from numlab import claims, store
from numlab.figures import catalogue, curves, filing
from numlab.figures.catalogue import ITEMS, PAPERS, item_of

SIZES = {"smoke": {"n": 2}, "quick": {"n": 5, "seeds": (0, 1)}}
FRAME = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [0.5, 0.123456789, np.nan]})


@pytest.fixture
def begun(home):
    nl.begin("xval/planets", "quick", SIZES)
    return home / "figures" / "quick"


@pytest.fixture
def fig():
    fig, ax = plt.subplots(figsize=(2, 2))
    ax.plot(FRAME.x, FRAME.y)
    ax.set_title("a title")
    yield fig
    plt.close(fig)


def told(path):
    return json.loads(path.read_text("utf-8"))


def test_an_unknown_profile_is_named_with_those_that_exist():
    with pytest.raises(ValueError, match="the profiles are smoke, quick, full, paper; got 'huge'"):
        nl.begin("xval/planets", "huge", SIZES)


def test_sizes_for_a_profile_that_the_batch_does_not_know_are_an_error():
    with pytest.raises(ValueError, match="got 'fast'"):
        nl.begin("xval/planets", "quick", {**SIZES, "fast": {}})


def test_a_notebook_is_named_by_paper_and_name():
    with pytest.raises(ValueError, match="<folder>/<name>; got 'planets'"):
        nl.begin("planets", "quick", SIZES)


def test_nothing_is_saved_before_begin(home, fig):
    with pytest.raises(ValueError, match="call begin"):
        nl.save_figure("xval/fig07", fig, FRAME)


def test_the_csv_holds_the_plotted_data(begun, fig):
    nl.save_figure("xval/fig07", fig, FRAME)
    pd.testing.assert_frame_equal(pd.read_csv(begun / "xval/fig07.csv"), FRAME, check_dtype=False)


def test_an_index_that_says_something_is_a_column_of_the_csv(begun):
    nl.save_table("xval/tab04", FRAME.set_index("x"))
    assert list(pd.read_csv(begun / "xval/tab04.csv").columns) == ["x", "y"]
    nl.save_table("xval/tab04", pd.DataFrame({"y": [1, 2]}, index=["P10", "XVal"]))
    assert list(pd.read_csv(begun / "xval/tab04.csv").columns) == ["index", "y"]
    nl.save_table("xval/tab04", FRAME[FRAME.x > FRAME.x.min()])  # row numbers say nothing
    assert list(pd.read_csv(begun / "xval/tab04.csv").columns) == ["x", "y"]


def test_the_json_says_where_a_figure_came_from(begun, fig, monkeypatch):
    model = nl.GPT2(16, 2, 2, context=64)
    parts = {"task": nl.tasks.Lookup(entries=1), "encoder": nl.XVal(), "model": model}
    spec = nl.RunSpec(**parts, objective=nl.MaskedLM(), n_train=8, steps=1000, learning_rate=1e-3)
    monkeypatch.setattr(store, "used", {"0123456789": spec})
    nl.save_figure("xval/fig07", fig, FRAME)
    figure = told(begun / "xval/fig07.json")
    assert list(figure) == [
        *("id", "kind", "title", "notebook", "profile"),
        *("commit", "created", "versions", "runs", "trained", "claims", "checksum"),
    ]
    assert (figure["id"], figure["kind"], figure["title"]) == ("xval/fig07", "figure", "a title")
    assert (figure["notebook"], figure["profile"]) == ("xval/planets", "quick")
    assert figure["runs"] == ["0123456789"]
    assert figure["trained"] == ["d_model 16, layers 2, texts a step 64, steps 1,000, seeds 1"]
    assert figure["versions"]["torch"].startswith("2.13.0")
    assert re.fullmatch(r"[0-9a-f]{40}", figure["commit"])


@pytest.mark.parametrize(
    ("heading", "panels", "title"),
    [("all", ["a", "b"], "all"), ("", ["a"], "a"), ("", ["a", "b"], "")],
)
def test_a_figure_is_called_by_its_heading_or_by_its_only_panel(begun, heading, panels, title):
    fig, axes = plt.subplots(1, len(panels), figsize=(2, 1), squeeze=False)
    for ax, text in zip(axes[0], panels, strict=True):
        ax.set_title(text)
    fig.suptitle(heading)
    nl.save_figure("xval/fig07", fig, FRAME)
    plt.close(fig)
    assert told(begun / "xval/fig07.json")["title"] == title


def test_a_figure_keeps_its_layout_when_it_is_saved(begun, fig):
    fig.set_layout_engine("constrained")
    layout = fig.get_layout_engine()
    nl.save_figure("xval/fig07", fig, FRAME)
    assert fig.get_layout_engine() is layout


def test_learning_curves_are_of_the_runs_that_the_store_still_holds(home, monkeypatch):
    monkeypatch.setattr(store, "used", {})
    nl.begin("explore/one", "quick", {"quick": {}})
    spec = nl.RunSpec(nl.tasks.Addition(2), nl.P10(), nl.MaskedLM(), nl.GPT2(8), 64, 2, 1e-3)
    runs = [nl.train(one) for one in spec.seeds(2)]
    assert all(len(run.history) for run in runs)  # read: the figures depend on them
    nl.save_table("explore/mine", FRAME)
    shutil.rmtree(runs[1].folder)
    said = []
    monkeypatch.setattr("matplotlib.figure.Figure.suptitle", lambda _, text: said.append(text))
    curves.draw("explore/one", "quick")
    assert said == ["The runs behind explore/one\n1 of 2 runs: the store lacks the others"]
    assert curves.picture("explore/one", "quick").is_file()


def test_the_same_figure_gives_the_same_svg(begun, fig):
    nl.save_figure("xval/fig07", fig, FRAME)
    first = (begun / "xval/fig07.svg").read_bytes()
    nl.save_figure("xval/fig07", fig, FRAME)
    assert (begun / "xval/fig07.svg").read_bytes() == first


def test_a_table_is_csv_markdown_and_json(begun):
    nl.save_table("xval/tab04", FRAME)
    assert {p.suffix for p in begun.glob("xval/tab04.*")} == {".csv", ".md", ".json"}
    assert (begun / "xval/tab04.md").read_text().splitlines()[3] == "| 2 | 0.1235 |"


CLAIMS = """
[[claim]]
id = "xval/best"
figures = ["xval/fig07", "xval/tab04"]
text = "xVal is best"
statistic = "difference of the errors"
below = 0
gates = ["plateau"]
paper = "1.75 against 2.14"

[[claim]]
id = "xval/smooth"
figures = ["xval/tab04"]
text = "xVal is smooth"
statistic = "largest jump"
below = 1
"""


@pytest.fixture
def known(tmp_path, monkeypatch):
    """A file with two claims in place of numlab's own."""
    (tmp_path / "xval.toml").write_text(CLAIMS)
    monkeypatch.setattr("numlab.claims.registry.FOLDER", tmp_path)
    found = claims.claims.__wrapped__()
    monkeypatch.setattr(claims, "claims", lambda: found)


def claims_of(begun, id="xval/tab04"):
    return told(begun / f"{id}.json")["claims"]


def test_a_claim_is_saved_with_each_of_its_figures(begun, fig, known):
    nl.save_figure("xval/fig07", fig, FRAME)
    nl.save_table("xval/tab04", FRAME)
    gate = nl.gates.Gate("plateau", True, "it fell by 1 %")
    nl.claim("xval/best", [1, 2, 3], against=[4, 6, 8], gates=[gate], ours="K²")
    (entry,) = claims_of(begun)
    assert claims_of(begun, "xval/fig07") == [entry]
    assert {k: entry[k] for k in ("id", "verdict", "ours")} == {
        "id": "xval/best",
        "verdict": "held",
        "ours": "K²",
    }
    assert entry["parts"][0]["mean"] == pytest.approx(-4)
    (gate,) = entry["gates"]
    assert gate["name"] == "plateau" and gate["passed"] and gate["evidence"] == "it fell by 1 %"


def test_too_few_seeds_leave_a_claim_open_at_quick(begun, known):
    nl.save_table("xval/tab04", FRAME)
    nl.claim("xval/smooth", [0.1])
    (entry,) = claims_of(begun)
    assert (entry["verdict"], entry["parts"]) == ("open", [])
    assert entry["why"] == "seeds needed: 3; got 1"


def test_too_few_seeds_are_an_error_at_full(home, known):
    nl.begin("xval/planets", "full", {"full": {}})
    nl.save_table("xval/tab04", FRAME)
    with pytest.raises(ValueError, match="seeds needed: 3; got 1"):
        nl.claim("xval/smooth", [0.1])


def test_a_claim_made_again_replaces_the_first(begun, known):
    nl.save_table("xval/tab04", FRAME)
    nl.claim("xval/smooth", [0.1, 0.1, 0.1])
    nl.claim("xval/smooth", [2, 2, 2])
    assert [c["verdict"] for c in claims_of(begun)] == ["contradicted"]


def test_a_verdict_that_was_changed_in_its_file_is_refused(begun, known):
    nl.save_table("xval/tab04", FRAME)
    path = begun / "xval/tab04.json"
    path.write_text(path.read_text("utf-8").replace("quick", "quack"), "utf-8")
    with pytest.raises(ValueError, match=r"tab04\.json is damaged .*checksum.*: delete it"):
        filing.saved("quick")


@pytest.mark.parametrize("content", ["[]", "null", "7", "{"])
def test_a_file_that_is_no_record_of_a_figure_is_named(begun, content):
    begun.joinpath("xval").mkdir(parents=True)
    begun.joinpath("xval/tab04.json").write_text(content)
    with pytest.raises(ValueError, match=r"tab04\.json is damaged .*: delete it"):
        filing.saved("quick")


def test_a_line_break_in_a_columns_name_does_not_break_the_table():
    assert filing.markdown(pd.DataFrame({"a\nb": [1]})).splitlines()[0] == "| a b |"


def test_a_figure_saved_again_loses_its_claims(begun, known):
    nl.save_table("xval/tab04", FRAME)
    nl.claim("xval/smooth", [0.1, 0.1, 0.1])
    nl.save_table("xval/tab04", FRAME)
    assert claims_of(begun) == []


def test_a_table_that_cannot_be_written_has_no_claims(begun, monkeypatch):
    nl.save_table("xval/tab04", FRAME)
    monkeypatch.setattr(filing, "markdown", lambda frame: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        nl.save_table("xval/tab04", FRAME)
    assert not (begun / "xval/tab04.json").exists()


def test_a_figure_of_another_notebook_is_not_overwritten(home, fig):
    for name in ("first", "second"):
        path = home / "notebooks" / "explore" / f"{name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    nl.begin("explore/first", "quick", SIZES)
    nl.save_figure("explore/errors", fig, FRAME)
    nl.save_figure("explore/errors", fig, FRAME)
    nl.begin("explore/second", "quick", SIZES)
    with pytest.raises(ValueError, match="explore/errors is of the notebook explore/first: save"):
        nl.save_figure("explore/errors", fig, FRAME)
    (home / "notebooks/explore/first.ipynb").rename(home / "notebooks/explore/renamed.ipynb")
    nl.save_figure("explore/errors", fig, FRAME)


def test_a_claim_needs_all_its_figures_saved_by_this_notebook(begun, known):
    nl.begin("xval/orbits", "quick", SIZES)
    nl.save_table("xval/tab04", FRAME)
    nl.begin("xval/planets", "quick", SIZES)
    nl.save_table("xval/tab05", FRAME)
    with pytest.raises(ValueError, match="save xval/fig07, xval/tab04 before the claim 'xval/be"):
        nl.claim("xval/best", [0.1, 0.1, 0.1])


def test_beginning_again_keeps_what_was_saved(begun, known):
    nl.save_table("xval/tab04", FRAME)
    nl.begin("xval/planets", "quick", SIZES)
    nl.claim("xval/smooth", [0.1, 0.1, 0.1])
    assert [c["id"] for c in claims_of(begun)] == ["xval/smooth"]


def test_an_unknown_claim_is_an_error(begun, known):
    with pytest.raises(ValueError, match=r"no file .*claims/.* holds the claim 'xval/worst'"):
        nl.claim("xval/worst", [0.1, 0.1, 0.1])


def test_a_figure_that_cannot_be_drawn_leaves_nothing(begun, fig):
    fig.savefig = None
    with pytest.raises(TypeError):
        nl.save_figure("xval/fig07", fig, FRAME)
    assert list(begun.glob("xval/*")) == []


def test_data_that_are_no_frame_are_an_error(begun, fig):
    with pytest.raises(ValueError, match="must be a DataFrame; got list"):
        nl.save_figure("xval/fig07", fig, [1, 2])


@pytest.mark.parametrize("id", ["fig07", "xval/", "xval/../fig07", "nature/fig01", "xval/fig07/a"])
def test_an_id_of_no_paper_is_an_error(id):
    with pytest.raises(ValueError, match=f"'{id}' is not in the catalogue"):
        item_of(id)


def test_an_id_that_a_paper_lacks_is_an_error_that_names_the_papers_ids():
    with pytest.raises(ValueError, match=r"'digits/fig99' is not .*: digits/fig01, digits/fig02"):
        item_of("digits/fig99")


def test_a_view_belongs_to_its_item():
    assert item_of("xval/fig07-masses") == "xval/fig07"
    assert item_of("explore/anything_at-all") == "explore/anything_at-all"


def test_the_catalogue_has_every_figure_and_table_of_the_papers():
    count = {p: sum(i.startswith(f"{p}/") for i in ITEMS) for p in PAPERS}
    assert count == {"xval": 25, "fone": 22, "float": 5, "digits": 8, "beyond": 9, "explore": 5}
    assert all(item_of(id) == id for id in ITEMS)


def test_claims_that_the_catalogue_names_are_in_the_files_of_claims():
    of_papers = {id for row in catalogue.SUMMARY for id in row["claims"]}
    assert of_papers | {*catalogue.OWN, *catalogue.CONTRADICTED} <= {*claims.claims()}


def test_a_claim_that_cannot_be_judged_yet_is_not_settled_either(begun, known):
    found = claims.claims()
    found["xval/smooth"] = dataclasses.replace(found["xval/smooth"], gates=["settled"])
    nl.save_table("xval/tab04", FRAME)
    nl.claim("xval/smooth", [0.1], half=[[0.2]])
    (gate,) = claims_of(begun)[0]["gates"]
    assert (gate["name"], gate["passed"], gate["evidence"]) == ("settled", False, "not judged")


def test_a_figure_is_earlier_where_its_notebooks_claims_were_judged_at_another_commit(known):
    def saved(id, notebook, commit, claims=()):
        return {"id": id, "notebook": notebook, "commit": commit, "claims": [*claims]}

    figures = [
        saved("xval/fig07", "xval/planets", "new", ["xval/best"]),
        saved("xval/tab04", "xval/planets", "old"),
        saved("xval/fig08", "xval/planets", "new"),
        saved("explore/mine", "explore/mine", "old"),  # no claim is on a figure of this notebook
    ]
    assert filing.earlier(figures) == {"xval/tab04"}
