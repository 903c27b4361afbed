"""figures/README.md, figures/index.html and figures/local.js."""

import html.parser
import json

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import numlab as nl
from numlab.figures import gallery

TABLE = pd.DataFrame(
    {"encoder": ["P10", "<xVal>", "FP15"], "spelling": ["-602", "?", "-602E-1"]}
).assign(MSE=[0.123456, None, 1e-7])


@pytest.fixture
def built(home, write_notebook):
    """The gallery of one figure at full and one table at quick."""
    write_notebook(home, "xval/one", 'nl.save_figure("xval/fig07", f, d)')
    fig, _ = plt.subplots(figsize=(1, 1))
    nl.begin("xval/one", "full", {"full": {}})
    nl.save_figure("xval/fig07", fig, TABLE)
    plt.close(fig)
    nl.claim("xval/fig07", "below every text encoder", holds=False, ours="1.5", paper="0.2")
    nl.claim("xval/fig07", "continuous", holds=None)
    nl.begin("xval/one", "quick", {"quick": {}})
    nl.save_table("xval/tab04", TABLE)
    nl.claim("xval/tab04", "best", holds=True)
    gallery.build()
    return home / "figures"


def local(figures):
    text = (figures / "local.js").read_text()
    return json.loads(text.removeprefix("const LOCAL = ").rstrip().rstrip(";"))


def test_the_readme_shows_a_figure_beside_the_paper(built):
    text = (built / "README.md").read_text()
    assert "![xval/fig07](full/xval/fig07.png)" in text
    assert "The paper: P1000, B1999 and FP15 predict only values seen in training" in text
    assert "| not held | below every text encoder | 1.5 | 0.2 |" in text


def test_what_is_missing_is_named(built):
    assert "Not built yet: fig01, fig02" in (built / "README.md").read_text()


def test_the_scoreboard_counts_verdicts_by_paper_and_in_total(built):
    rows = {row[0]: row[1:] for row in gallery.scoreboard(gallery.collect("full"))}
    assert rows["xval"] == ["1 of 25", "0", "1", "1"]
    assert rows["fone"] == ["0 of 22", "0", "0", "0"]
    assert rows["total"] == ["1 of 60", "0", "1", "1"]


def test_what_is_committed_does_not_hold_other_profiles(built):
    assert "quick" not in (built / "README.md").read_text()
    assert "quick/" not in (built / "index.html").read_text()


def test_other_profiles_are_beside_it_on_this_machine(built):
    cards = local(built)
    assert set(cards) == {"xval/tab04", "scores"}
    assert "<td>P10</td><td>-602</td><td>0.1235</td>" in cards["xval/tab04"]
    assert "&lt;xVal&gt;" in cards["xval/tab04"]


def test_a_spelling_in_a_table_is_no_number(built):
    assert "<td>FP15</td><td>-602E-1</td><td>1e-07</td>" in local(built)["xval/tab04"]


def test_the_page_needs_nothing_from_elsewhere(built):
    text = (built / "index.html").read_text()
    assert "http" not in text
    assert "$" not in text


def test_the_page_is_well_formed_and_has_a_card_for_every_item(built):
    open_tags, ids = [], []

    class Parser(html.parser.HTMLParser):
        def handle_starttag(self, tag, attrs):
            ids.extend(v for k, v in attrs if k == "id")
            if tag not in ("meta", "input", "img"):
                open_tags.append(tag)

        def handle_endtag(self, tag):
            assert open_tags.pop() == tag

    Parser().feed((built / "index.html").read_text())
    assert open_tags == []
    assert len(ids) == len(set(ids))
    assert sum("/" in i for i in ids) == 60


def test_building_again_changes_nothing(built):
    first = (built / "index.html").read_bytes(), (built / "README.md").read_bytes()
    gallery.build()
    assert first == ((built / "index.html").read_bytes(), (built / "README.md").read_bytes())


def test_a_figure_whose_code_changed_is_stale(built, home, write_notebook):
    assert "stale:" not in (built / "index.html").read_text()
    write_notebook(home, "xval/one", 'nl.save_figure("xval/fig07", f, other)')
    gallery.build()
    assert "**Stale**: the code of xval/one changed" in (built / "README.md").read_text()
    assert "stale: the code of xval/one changed" in (built / "index.html").read_text()


def test_a_figure_whose_modules_changed_is_stale(built):
    path = built / "full/xval/fig07.json"
    figure = json.loads(path.read_text())
    figure["sources"]["modules"]["numlab.gone"] = "0123"
    path.write_text(json.dumps(figure))
    gallery.build()
    assert "**Stale**: numlab.gone changed" in (built / "README.md").read_text()


def test_explorations_are_shown_where_a_notebook_declares_them(built, home, write_notebook):
    cell = 'nl.save_figure("explore/sweep", f, d)'
    write_notebook(home, "explore/sweep", cell, prose="# Gaps\n\n## Who is nearest\n\nWords.")
    (item,) = [s.item for s in gallery.collect("full") if s.item.id == "explore/sweep"]
    assert item.shows == "Who is nearest (notebook explore/sweep)."


def test_a_notebook_that_cannot_be_read_is_said_beside_its_figures(built, home):
    (home / "notebooks/xval/one.ipynb").write_text("<<<<<<< HEAD")
    gallery.build()
    assert "one.ipynb is no notebook" in (built / "README.md").read_text()
