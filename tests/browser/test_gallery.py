"""figures/index.html in a browser, from its file: what is alive in it, and who can read it."""

from __future__ import annotations

import importlib.resources
import statistics

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import numlab as nl
from browser.conftest import ROOT, no_browser, shot
from numlab.figures import gallery

WIDTHS = (1400, 390)
REACTION = 50  # milliseconds, the median
# Milliseconds that each of some events takes, with the layout that follows it.
DO = """([selector, type, values]) => values.map((value) => {
    const element = document.querySelector(selector), start = performance.now()
    if (type === 'click') element.click()
    else { element.value = value; element.dispatchEvent(new Event(type)) }
    document.body.offsetHeight
    return performance.now() - start
})"""


@pytest.fixture(scope="module")
def page_of(browser, module_home):
    """A function that opens the gallery of the committed figures at a width."""
    (module_home / "figures").mkdir()
    (module_home / "figures/full").symlink_to(ROOT / "figures/full")
    gallery.build()
    pages = {}

    def open_at(width, anchor=""):
        if width not in pages:
            page = pages[width] = browser.new_page(viewport={"width": width, "height": 850})
            page.errors, page.asked = [], []
            page.on("pageerror", lambda error: page.errors.append(str(error)))
            page.on("request", lambda request: page.asked.append(request.url))
        pages[width].goto("about:blank")
        pages[width].goto((module_home / "figures/index.html").as_uri() + anchor)
        return pages[width]

    yield open_at
    for page in pages.values():
        page.close()


def some_numbers() -> list[float]:
    draw = np.random.default_rng(0)
    edges = [0.0, 1e-9, 1e-6, 1.005e-6, 9.995e9, 9.99499e9, 999999.9995, 999999.9994, 1e8, 3.5e38]
    edges += [*10.0 ** np.arange(-8, 10), 0.0005, 0.0015, 2.5e-4, 1004.5, 999.5, 1998, 0.1, 67.4]
    spread = 10 ** draw.uniform(-9, 11, 200)
    short = draw.integers(0, 10**6, 100) / 10.0 ** draw.integers(0, 6, 100)
    sizes = np.concatenate([edges, spread, short])
    return [*sizes, *-sizes[1:]]


@pytest.mark.parametrize("encoder", gallery.SPELLED, ids=str)
def test_the_page_spells_as_numlab_does(page_of, encoder):
    page, numbers = page_of(1400), some_numbers()
    spelled = page.evaluate(
        "([name, numbers]) => numbers.map((x) => spell(name, x))", [encoder.label, numbers]
    )
    assert len(numbers) > 500
    for number, there in zip(numbers, spelled, strict=True):
        try:
            tokens = encoder.encode([number])
        except ValueError:
            assert there is None, number
            continue
        assert there["words"] == encoder.spell(number), number
        assert there["read"] == pytest.approx(encoder.decode(tokens)[0], rel=1e-12), number
        if encoder == nl.XVal():
            assert float(there["carries"]) == tokens.features[0, 0], number
        elif encoder.carriers:
            assert there["carries"] == "".join(map(str, tokens.features[0])), number


def test_what_is_typed_is_spelled_at_once(page_of):
    page = page_of(1400)
    page.get_by_label("A number", exact=True).fill("1e9")
    count, tokens, back = page.locator("[data-encoder=P1000] td").all_inner_texts()
    assert (count, tokens.split(), back) == ("3", ["+", "100", "E+7"], "the same number")
    assert "cannot hold it: |x| < 999999.9995" in page.locator("[data-encoder=FoNE]").inner_text()
    page.get_by_label("A number", exact=True).fill("x")
    assert page.get_by_text("Nothing to spell yet").is_visible()
    assert not page.locator("[data-encoder=P1000]").is_visible()  # that would be of 1e9


def test_the_values_of_training_are_those_of_the_task(page_of):
    trained, gaps = page_of(1400).evaluate("TRAINED"), nl.tasks.Planets().gaps
    for slot, pairs in gaps.items():
        around = zip(trained[slot], trained[slot][1:], strict=False)
        ends = [(below[-1], above[0]) for below, above in around]
        assert np.array(ends) == pytest.approx(np.array(pairs), abs=1e-3)


def test_the_slider_moves_the_truth(page_of):
    page = page_of(1400)
    slider, before = page.locator("#truth"), page.locator("#gap-plot").inner_html()
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#gap-plot").inner_html() != before
    truth = page.locator("#truth-shown").inner_text()
    assert page.locator("#gap-says").inner_text().startswith(f"At {truth} ")
    page.keyboard.press("Home")  # a value of training
    said = "P10, P1000, B1999, FP15, FoNE are nearest to the truth, off by 0.0; XVal by "
    assert said in page.locator("#gap-says").inner_text()


def test_a_brush_chooses_numbers_and_shows_their_neighbours(page_of):
    page = page_of(1400)
    box = page.locator("#cloud-plot")
    box.scroll_into_view_if_needed()
    place = box.bounding_box()
    page.mouse.move(place["x"] + 0.6 * place["width"], place["y"] + 0.2 * place["height"])
    page.mouse.down()
    page.mouse.move(place["x"] + 0.7 * place["width"], place["y"] + 0.5 * place["height"], steps=5)
    page.mouse.up()
    chosen = page.locator("#chosen").input_value()
    assert chosen not in ("", "100 to 119")
    assert page.locator(".near tbody th").first.inner_text() == chosen.split()[0].strip(",")
    assert len(page.locator(".near tbody td").first.inner_text().split(", ")) == 10


def test_each_reaction_takes_50_ms(page_of):
    page, took = page_of(1400), {}
    took["a number"] = ["#number", "input", [str(1.7**n) for n in range(15)]]
    took["the truth"] = ["#truth", "input", list(range(15))]
    took["numbers of the cloud"] = ["#chosen", "input", [f"{n} to {9 * n}" for n in range(15)]]
    took["a layer"] = ["[name=cloud]:not(:checked)", "click", [None] * 15]
    took["a period"] = ["#period", "input", list(range(100, 115))]
    took["words"] = ["#words", "input", [*"abcdefghijklmn", ""]]

    def median(what):  # of the best of three rounds, for a busy machine is slow
        return min(statistics.median(page.evaluate(DO, what)) for _ in range(3))

    assert {name: ms for name, what in took.items() if (ms := median(what)) > REACTION} == {}


def test_nothing_is_asked_of_a_network(page_of):
    page = page_of(1400)
    page.locator("#all").click()
    for image in page.locator("article img").all()[:3]:
        image.scroll_into_view_if_needed()
    assert {url.partition(":")[0] for url in page.asked} <= {"file", "about"}
    assert page.errors == []


@pytest.mark.parametrize("width", WIDTHS)
def test_an_anchor_opens_what_is_folded_and_clears_the_bar(page_of, width):
    page = page_of(width, "#xval/fig07")
    card = page.locator("[id='xval/fig07']")
    card.get_by_role("img").first.wait_for()
    bar = page.get_by_role("navigation").bounding_box()
    assert bar["height"] <= card.bounding_box()["y"] < 500


def test_search_and_verdicts_leave_what_fits(page_of):
    page = page_of(1400)
    page.get_by_label("Search figures").fill("step size")
    shown = page.locator("#papers article:visible")
    assert 0 < shown.count() < page.locator("#papers article").count() / 2
    assert page.locator("[id='xval/fig07']").is_visible()
    assert page.locator("#found").inner_text().startswith(f"{shown.count()} of ")
    page.get_by_label("Search figures").fill('"size step"')  # a phrase that nobody wrote
    assert page.locator("#found").inner_text() == "no figure found"
    page.get_by_label("Search figures").fill("")
    page.get_by_label("Show figures with").select_option("held")
    assert 0 < shown.count() == page.locator("#papers article:has([data-verdict=held])").count()
    faded = {row.get_attribute("data-verdict") for row in page.locator("tr.other").all()}
    assert faded and "held" not in faded


def test_a_link_to_a_figure_that_a_search_has_hidden_shows_it(page_of):
    page = page_of(1400)
    page.get_by_label("Search figures").fill("word problems")
    page.locator("#minute a[href='#xval/fig07']").first.click()
    page.locator("[id='xval/fig07'] img").first.wait_for()
    assert page.get_by_label("Search figures").input_value() == ""


@pytest.mark.parametrize("width", WIDTHS)
def test_axe_finds_nothing_serious(page_of, width):
    try:
        axe = importlib.resources.files("axe_playwright_python") / "axe.min.js"
    except ImportError:
        no_browser("this test needs axe: pip install axe-playwright-python")
    page = page_of(width)
    page.evaluate(axe.read_text("utf-8"))
    page.evaluate(
        "document.querySelectorAll('#minute, #numbers, #paper-xval').forEach((part) => {"
        "part.open = true; part.querySelectorAll('details').forEach((fold) => fold.open = true) })"
    )
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    assert [v["id"] for v in found if v["impact"] in ("serious", "critical")] == []


def test_a_phone_shows_all_within_its_width(page_of):
    page = page_of(390)
    page.locator("#all").click()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    cell = page.locator("#papers td:visible").first  # tables are stacked
    assert cell.evaluate("(cell) => getComputedStyle(cell).display") == "block"
    shot(page, "gallery-phone")


def test_a_kept_view_stands_beside_what_is_committed(browser, home):
    figure, _ = plt.subplots(figsize=(2, 1))
    made = [("full", "explore/one"), ("quick", "explore/a-view"), ("quick", "xval/fig07")]
    for profile, id in made:
        nl.begin("explore/one", profile, {profile: {}})
        nl.save_figure(id, figure, pd.DataFrame({"n": [1]}))
    plt.close(figure)
    gallery.build()
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((home / "figures/index.html").as_uri() + "#explore/a-view")
    card = page.locator("article", has_text="A view kept on this machine")
    card.get_by_text("quick, on this machine").click()
    card.locator("img").evaluate("(img) => img.decode()")  # fails where there is no picture
    assert page.locator("#gap").get_by_text("not run").is_visible()
    page.goto((home / "figures/index.html").as_uri() + "#xval/fig07")
    assert page.locator("[id='xval/fig07']").get_by_text("quick, on this machine").is_visible()
    assert errors == []
    shot(page, "gallery")
    page.close()
