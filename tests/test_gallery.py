"""figures/README.md, figures/index.html and figures/local.js."""

import html.parser
import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import numlab as nl
from numlab import claims
from numlab.claims import Claim
from numlab.figures import catalogue, curves, filing, gallery

TABLE = pd.DataFrame(
    {"encoder": ["P10", "<xVal>", "FP15"], "spelling": ["-602", "?", "-602E-1"]}
).assign(MSE=[0.123456, None, 1e-7])
SLIP = [{"was": "below 2", "reason": "a slip", "seen": "nothing"}]


def build(home, monkeypatch):
    """The gallery of one figure and one table at full, and the table at quick."""
    tests = {
        "xval/below": Claim(
            "xval/below",
            ["xval/fig07", "xval/tab04"],
            "below all",
            "the error",
            paper="0.2",
            section="Table 4",
            below=1,
            amended=SLIP,
        ),
        "xval/smooth": Claim(
            "xval/smooth", ["xval/fig07"], "continuous", "a jump", below=1, amended=SLIP
        ),
        "fone/unseen": Claim("fone/unseen", ["fone/fig07"], "never run", "a jump", below=1),
    }
    for module in (claims, gallery):
        monkeypatch.setattr(module, "claims", lambda: tests)
    monkeypatch.setattr(gallery, "LIVE", {})
    fig, _ = plt.subplots(figsize=(1, 1))
    for profile in ("full", "quick"):
        nl.begin("xval/one", profile, {profile: {}})
        nl.save_table("xval/tab04", TABLE)
        if profile == "full":
            nl.save_figure("xval/fig07", fig, TABLE)
            nl.claim("xval/below", [1.5, 1.4, 1.6], ours="in K²")
            nl.claim("xval/smooth", [0.9, 1.1, 1.0])
    plt.close(fig)
    gallery.build()
    return home / "figures"


@pytest.fixture(scope="module")
def built(module_home):
    """For tests that read it."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        yield build(module_home, monkeypatch)


@pytest.fixture
def rebuilt(home, monkeypatch):
    """For tests that build it again."""
    return build(home, monkeypatch)


def local(figures):
    text = (figures / "local.js").read_text()
    return json.loads(text.removeprefix("const LOCAL = ").rstrip().rstrip(";"))


def test_the_readme_shows_a_figure_beside_the_paper(built):
    text = (built / "README.md").read_text()
    assert re.search(r"!\[xval/fig07: \w.*\]\(full/xval/fig07.png\)", text)
    assert "The paper: P1000, B1999 and FP15 predict only values seen in training" in text
    evidence = "the error (claimed: < 1): 1.5 [1.25, 1.75], 3 seeds; in K²"
    assert f"| contradicted | below all (amended) | {evidence} | 0.2 |" in text
    why = "the interval holds both sides; 1 [0.752, 1.25], 3 seeds"
    assert f"| open | continuous (ours) (amended) | a jump (claimed: < 1): {why} |  |" in text


def test_what_was_amended_is_listed_once_with_its_claims_and_the_reason(built):
    row = "| xval/below, xval/smooth | below 2 | a slip | nothing |"
    assert row in (built / "README.md").read_text()


def test_a_figure_is_shown_with_its_commit(built):
    commit = json.loads((built / "full/xval/fig07.json").read_text())["commit"][:9]
    assert f"From xval/one, commit {commit}." in (built / "README.md").read_text()
    assert f"from xval/one, commit {commit}" in (built / "index.html").read_text()


def test_what_is_missing_is_named(built):
    assert "Not built yet: xval/fig01, xval/fig02" in (built / "README.md").read_text()
    assert "<summary>23 not built yet</summary>" in (built / "index.html").read_text()


def test_the_scoreboard_counts_each_claim_once(built):
    board = gallery.scoreboard(gallery.collect("full"), gallery.verdicts("full"))
    assert board[0] == ["", "built", "held", "exact", "contradicted", "open", "not run"]
    rows = {row[0]: row[1:] for row in board}
    assert rows["xval"] == ["2 of 25", "0", "0", "1", "0", "0"]
    assert rows["all papers"] == ["", "0", "0", "1", "0", "0"]
    assert rows["our own"] == ["", "0", "0", "0", "1", "1"]
    assert "| our own |  | 0 | 0 | 0 | 1 | 1 |" in (built / "README.md").read_text()


def test_the_first_minute_says_what_is_decided_and_what_was_not_run(rebuilt, monkeypatch):
    rows = [{"paper": "xval", "says": "Text is bad.", "claims": {"xval/below": "It errs less"}}]
    rows[0]["arxiv"] = ["2310.02989"]
    monkeypatch.setattr(catalogue, "SUMMARY", rows)
    own = {"fone/unseen": "Seen by nobody", "xval/smooth": "It is smooth", "xval/below": "Less"}
    monkeypatch.setattr(catalogue, "OWN", own)
    gallery.build()
    text = (rebuilt / "README.md").read_text()
    assert "Of 3 claims 1 are decided, 1 open, 1 not run. All but\nnine" in text
    assert "**xval** says: Text is bad.\n\n- It errs less: *contradicted*" in text
    words = re.sub(r"<[^>]*>|\s+", " ", (rebuilt / "index.html").read_text())
    minute = " ".join(words.partition("in one minute")[2].split())
    assert minute.index("1 of 3 claims are decided") < minute.index("contradicted It errs less")
    assert minute.index("contradicted Less") < minute.index("not run Seen by nobody")


def test_what_was_contradicted_before_an_amendment_is_named_with_its_verdict(rebuilt, monkeypatch):
    monkeypatch.setattr(catalogue, "CONTRADICTED", ["xval/below", "xval/smooth", "xval/gone"])
    gallery.build()
    words = re.sub(r"<[^>]*>|\s+", " ", (rebuilt / "index.html").read_text())
    assert "and no longer: xval/smooth (open). With" in words


def test_a_claim_that_was_not_run_stands_at_its_figure(built):
    text = (built / "index.html").read_text()
    assert '<tr data-verdict="not run"><td><span class="badge not-run">not run</span>' in text


@pytest.mark.parametrize("change", [{"below": 2}, {"statistic": "a step"}, {"gates": ["plateau"]}])
def test_a_verdict_does_not_outlive_a_change_of_what_its_claim_asks(rebuilt, monkeypatch, change):
    changed = {id: replace(claim, **change) for id, claim in gallery.claims().items()}
    monkeypatch.setattr(gallery, "claims", lambda: changed)
    assert {v["verdict"] for _, v in gallery.verdicts("full").values()} == {"not run"}


def test_a_picture_has_its_size_and_says_what_is_shown_and_claimed(built):
    image = re.search(r'<img srcset="full/xval/fig07.png[^>]*>', (built / "index.html").read_text())
    assert re.search(r'width="\d+" height="\d+"', image[0])
    assert 'alt="Out of distribution: step sizes between' in image[0]
    assert " Claimed: below all (contradicted)." in image[0] and "continuous" not in image[0]


def test_the_committed_page_and_its_pictures_are_at_most_12_mb():
    figures = Path(__file__).resolve().parents[1] / "figures"
    text = (figures / "index.html").read_text()
    files = {"index.html", *re.findall(r'src="([^"]+[.](?:png|svg))"', text)}
    assert len(files) > 20
    assert sum((figures / name).stat().st_size for name in files) < 12e6


def test_the_page_shows_a_claim_with_each_of_its_figures(built):
    cell = (
        '<span class="badge contradicted">contradicted</span></td>\n<td data-of="claim">below all'
    )
    assert (built / "index.html").read_text().count(cell) == 2


def test_what_is_committed_does_not_hold_other_profiles(built):
    assert "quick" not in (built / "README.md").read_text()
    assert "quick/" not in (built / "index.html").read_text()


def test_other_profiles_are_beside_it_on_this_machine(built):
    cards = local(built)
    assert set(cards) == {"xval/tab04", "scores"}
    assert '<td data-of="MSE">0.1235</td>' in cards["xval/tab04"]
    assert "&lt;xVal&gt;" in cards["xval/tab04"]


def test_a_spelling_in_a_table_is_no_number(built):
    assert '<td data-of="spelling">-602E-1</td>' in local(built)["xval/tab04"]


def test_the_page_needs_nothing_from_elsewhere(built):
    text = (built / "index.html").read_text()
    assert "http" not in re.sub('<a href="https://arxiv.org/abs/[0-9.]+">', "", text)
    assert "$" not in text.partition("<script")[0]


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
    assert sum("/" in i for i in ids) == len(catalogue.ITEMS)


def test_building_again_changes_nothing(rebuilt):
    first = (rebuilt / "index.html").read_bytes(), (rebuilt / "README.md").read_bytes()
    gallery.build()
    assert first == ((rebuilt / "index.html").read_bytes(), (rebuilt / "README.md").read_bytes())


def test_the_effects_are_drawn(built):
    picture = ElementTree.parse(built / "claims.svg")
    drawn = [e.text for e in picture.iter("{http://www.w3.org/2000/svg}title")]
    assert [text.split(": ")[::2] for text in drawn] == [["smooth", "0"], ["below", "-5"]]


def test_a_figure_says_where_it_departs_from_the_paper(rebuilt, monkeypatch):
    monkeypatch.setitem(catalogue.DEPARTURES, "xval/one", ["Three planets, not four."])
    gallery.build()
    assert "<li>Three planets, not four.</li>" in (rebuilt / "index.html").read_text()
    assert "Three planets, not four." in (rebuilt / "README.md").read_text()


def test_a_figure_of_an_earlier_design_is_marked(rebuilt):
    path = rebuilt / "full/xval/tab04.json"
    saved = json.loads(path.read_text())
    del saved["checksum"]
    filing.write_json(path, saved | {"commit": "0" * 40, "claims": []})
    gallery.build()
    assert "**Earlier design, not judged** (xval/tab04):" in (rebuilt / "README.md").read_text()
    assert (rebuilt / "index.html").read_text().count('<p class="earlier">') == 1


def test_figures_link_the_learning_curves_of_their_notebook(rebuilt):
    picture = curves.picture("xval/one", "full")
    picture.parent.mkdir()
    picture.touch()
    gallery.build()
    link = '<a href="full/xval/learning/one.png">learning curves</a>'
    assert (rebuilt / "index.html").read_text().count(link) == 2


def test_a_table_shows_40_rows_and_a_bar_stays_in_its_cell(rebuilt):
    nl.begin("xval/one", "full", {"full": {}})
    nl.save_table("xval/tab05", pd.DataFrame({"n": [f"a | {i}" for i in range(41)]}))
    gallery.build()
    page = (rebuilt / "index.html").read_text()
    assert '<td data-of="n">a | 39</td>' in page and "a | 40" not in page


def test_a_view_that_a_widget_kept_gets_a_card(rebuilt):
    nl.begin("explore/ood_sweep", "quick", {"quick": {}})
    nl.save_table("explore/answer-1-55", TABLE)
    gallery.build()
    assert "explore/answer-1-55" in local(rebuilt)
    assert "explore/answer" not in (rebuilt / "index.html").read_text()
