"""The panels of a workbench in a browser: explored, uploaded; and by voila."""

from __future__ import annotations

import io

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from waiting import until

from browser.conftest import PATIENCE, ROOT, command, open_notebook, saved, serve, shot

PREPARE = f"""
import sys
sys.path.append({str(ROOT / "notebooks/beyond")!r})
import numpy as np
import panels
import numlab as nl
numbers = np.arange(1000.0)
encoders = nl.FoNE(int_digits=3), nl.XVal()
fone, xval = [nl.embeddings.from_encoder(encoder, numbers, 16) for encoder in encoders]
"""
ANSWERS = """
import pandas as pd
answers = pd.DataFrame(
    {"encoder": encoder, "task": task, "difficulty": level, "slot": "answer", "true": 1.0,
     "text": f"{level} {task}", "predicted": guess, "score": 1 / guess}
    for task in ("sums", "products") for encoder, guess in (("FoNE", 1.0), ("XVal", 2.0))
    for level in (1, 2, 3))
panels.Leaderboard(answers)
"""
CARD = """
graded = nl.P10(), nl.XVal()
panels.ReportCard(nl.probes.report_card(graded), graded)
"""
CELLS = (
    PREPARE,
    "nl.widgets.embedding_explorer([fone, xval], encoders=[nl.P1000()])",
    "nl.widgets.your_numbers(steps=0)",
    ANSWERS,
    CARD,
    "nl.widgets.your_numbers('nowhere.csv')",
)
# Points drawn over the pale ones: how many in each pane.
CHOSEN = "document.querySelector('.numlab-chosen').dataset.drawn.split(',').map(Number)"
OUTLINES = """(document.querySelector('.js-plotly-plot').layout.selections ?? [])
    .map((s) => s.xref).join()"""
RINGS = """document.querySelector('.js-plotly-plot')._fullData
    .filter((t) => t.marker.symbol === 'circle-open').map((t) => t.x.length)"""
DRAG = """document.querySelector('.js-plotly-plot .draglayer .{} .drag').getBoundingClientRect()"""


@pytest.fixture(scope="module")
def page(browser, lab, module_home, write_notebook):
    write_notebook(module_home, "panels", *CELLS)
    with open_notebook(browser, lab, "panels.ipynb") as page:
        page.get_by_role("button", name="Upload a file").first.wait_for(state="attached")
        page.locator(".js-plotly-plot .modebar").first.wait_for(state="attached")
        yield page


def plot_of(page, text: str):
    """The plot in which a text stands: it stays, while its texts are drawn anew."""
    page.get_by_text(text).wait_for()
    return page.locator(".js-plotly-plot").filter(has_text=text)


def brush(page, pane: str) -> None:
    page.locator(".js-plotly-plot").first.scroll_into_view_if_needed()
    page.wait_for_function(f"{DRAG.format(pane)}.width > 100")
    box = page.evaluate(DRAG.format(pane))
    x, y, width, height = (box[key] for key in ("x", "y", "width", "height"))
    page.mouse.move(x + 0.05 * width, y + 0.05 * height)
    page.mouse.down()
    page.mouse.move(x + 0.6 * width, y + 0.6 * height, steps=5)
    page.mouse.up()


def choose_100(page) -> None:
    """Type numbers into the explorer."""
    box = page.get_by_placeholder("7, 100 to 199")
    box.fill("100 to 199")
    box.press("Enter")
    page.get_by_text("100 of 1,000 numbers are chosen").wait_for()


def test_a_brush_in_one_pane_chooses_in_both_and_is_answered(page):
    brush(page, "xy")
    page.wait_for_function(f"({CHOSEN})[0] > 0")
    left, right = page.evaluate(CHOSEN)
    assert 0 < left == right < 1000
    page.get_by_text(f"{left:,} of 1,000 numbers are chosen").wait_for()
    page.get_by_text("neighbour F1 of these").nth(1).wait_for()
    page.locator("[data-answered-ms]").wait_for()
    shot(page, "explorer")


def test_a_brush_in_the_other_pane_takes_the_place_of_the_first(page):
    before = page.evaluate(CHOSEN)
    brush(page, "x2y2")
    page.wait_for_function(f"({CHOSEN}).join() !== '{','.join(map(str, before))}'")
    page.wait_for_function(f"{OUTLINES} === 'x2'")
    page.get_by_text(f"{page.evaluate(CHOSEN)[0]:,} of 1,000 numbers are chosen").wait_for()


def test_typed_numbers_are_chosen_and_their_spectrum_is_drawn(page):
    choose_100(page)
    page.wait_for_function(f"({CHOSEN}).every((n) => n === 100) && {OUTLINES} === ''")
    plot_of(page, "power (mean: 1)").scroll_into_view_if_needed()
    shot(page, "explorer-neighbours")


def test_colours_and_projections_are_chosen_by_menus(page):
    choose_100(page)
    page.get_by_label("colour").select_option("last digit")
    page.locator(".js-plotly-plot").first.get_by_text("last digit").wait_for()
    page.get_by_label("projection").select_option("PCA, 3-D")
    page.wait_for_function("document.querySelector('.js-plotly-plot').data[0].type === 'scatter3d'")
    page.get_by_text("100 of 1,000 numbers are chosen").wait_for()  # as before
    page.wait_for_function(f"({RINGS}).join() === '100,100'")
    page.locator(".js-plotly-plot").first.scroll_into_view_if_needed()
    shot(page, "explorer-3d")
    page.get_by_label("projection").select_option("PCA, 2-D")
    page.wait_for_function("document.querySelector('.js-plotly-plot').data[0].type !== 'scatter3d'")


def upload(page, path):
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Upload a file").first.click()
    chooser.value.set_files(path)


def test_an_uploaded_file_is_answered_with_advice_and_a_bad_one_in_words(page, module_home):
    photo = b"\x89PNG\r\n\xff" * 1_600_000  # Jupyter closes its connection at 10 MB in one message
    (module_home / "photo.csv").write_bytes(photo)
    upload(page, module_home / "photo.csv")
    page.get_by_text("photo.csv cannot be read as a table").wait_for()
    page.get_by_role("button", name="Compare nowhere.csv").click()  # of the last panel
    page.get_by_text("there is no file nowhere.csv").wait_for()
    good = pd.DataFrame({"a": [0.25, 130, 7.5] * 10, "b": range(30)})
    good.to_csv(module_home / "good.csv", index=False)
    upload(page, module_home / "good.csv")
    page.get_by_text("Take ").first.wait_for()
    page.get_by_text("Before training").scroll_into_view_if_needed()
    shot(page, "your_numbers")


def click(page, plot, trace: int, point: int) -> None:
    dots = plot.locator(".scatterlayer .trace").nth(trace).locator(".points path")
    box = dots.nth(point).bounding_box()
    at = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(*at)
    page.mouse.click(*at)


def test_a_brush_over_difficulty_ranks_and_a_click_shows_the_answers_behind_a_point(page):
    page.get_by_label("task", exact=True).select_option("products")
    plot = page.locator(".js-plotly-plot").filter(has_text="difficulty")
    plot.scroll_into_view_if_needed()
    page.locator(".noUi-handle").first.press("ArrowRight")
    page.get_by_role("cell", name="2", exact=True).first.wait_for()  # of 3 answers each
    click(page, plot, 1, 2)
    page.get_by_text("XVal, difficulty 3: 1 of 1 answers").wait_for()
    page.get_by_role("cell", name="3 products").wait_for()
    shot(page, "leaderboard")


def test_a_click_on_a_report_card_shows_the_numbers_that_do_not_return(page):
    page.get_by_label("desiderata").select_option("D2 unique")
    plot = plot_of(page, "the tick of the BitTokens paper")
    plot.get_by_text("D6 stable: read back, bf16").wait_for(state="detached")
    plot.scroll_into_view_if_needed()
    click(page, plot, 0, 1)
    page.get_by_text("P10, D2 unique, read back: ").wait_for()
    page.get_by_role("cell", name="- 1 0 0 E+3").wait_for()
    shot(page, "report_card")


def test_the_explorer_is_readable_in_the_dark(page):
    choose_100(page)
    command(page, "apputils:change-theme", theme="JupyterLab Dark")
    page.wait_for_function("document.body.dataset.jpThemeLight === 'false'")
    page.locator(".js-plotly-plot").first.scroll_into_view_if_needed()
    table = page.locator(".numlab-near").first
    color = table.evaluate("(el) => getComputedStyle(el).color.match(/[\\d.]+/g).slice(0, 3)")
    assert sum(map(float, color)) / 3 > 180
    shot(page, "explorer-dark")


def test_the_saved_notebook_is_small_and_the_console_is_silent(page, module_home):
    assert page.errors == []
    path = module_home / "notebooks/panels.ipynb"
    assert "widgets" not in saved(page, path)["metadata"]
    assert path.stat().st_size < 1_000_000


@pytest.fixture(scope="module")
def app(browser, module_home, write_notebook):
    """The landing page of `numlab app`, then the explorer, at 150 %."""
    write_notebook(module_home, "explore/app", *CELLS[:2], prose="# The explorer\n\nWords.")
    touch = f"open({str(module_home / 'hot')!r}, 'w')"
    write_notebook(module_home, "start", touch, prose="# Start here")
    with serve(module_home, "numlab", "app", "--port={port}") as address:
        page = browser.new_page(viewport={"width": 853, "height": 533}, device_scale_factor=1.5)
        page.set_default_timeout(PATIENCE)
        page.asked = []
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(address)
        assert page.get_by_role("link", name="Start here").count() == 1
        shot(page, "landing")
        page.get_by_role("link", name="The explorer").click()
        page.locator(".js-plotly-plot .draglayer").first.wait_for(state="attached")  # it is drawn
        yield page
        page.close()


def test_the_first_notebook_has_run_before_anyone_opens_it(app, module_home):
    until((module_home / "hot").exists, "the first notebook")


def brightness(page) -> float:
    """Of the left pane: 0 is black, 1 is white."""
    pane = page.locator(".js-plotly-plot .nsewdrag").first
    return float(plt.imread(io.BytesIO(pane.screenshot())).mean())


def tab_to(page, selector: str, key: str = "Tab") -> None:
    """Press Tab until what the selector names has the focus."""
    for _ in range(40):
        page.keyboard.press(key)
        if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
    pytest.fail(f"{key} does not reach {selector}")


@pytest.fixture(scope="module")
def brightness_before(app):
    """How bright the app was before 20 numbers were chosen, by keyboard alone."""
    bright = brightness(app)
    tab_to(app, "[placeholder='7, 100 to 199']")
    app.keyboard.type("10 to 29")
    app.keyboard.press("Enter")
    app.get_by_text("20 of 1,000 numbers are chosen").wait_for()
    return bright


def test_voila_serves_the_same_without_jupyterlab_and_by_keyboard_alone(app, brightness_before):
    app.wait_for_function(f"({CHOSEN})[0] === 20")
    until(lambda: brightness(app) > brightness_before + 0.05, "980 pale points")
    shot(app, "voila")


def test_the_web_pages_ask_nobody_on_the_network(app):
    hosts = {url.split("/")[2].split(":")[0] for url in app.asked if url.startswith("http")}
    assert hosts == {"127.0.0.1"}


@pytest.mark.usefixtures("brightness_before")  # 20 numbers are chosen
def test_a_menu_is_chosen_from_by_keyboard(app):
    tab_to(app, "select:has([data-value='t-SNE'])", key="Shift+Tab")
    drawn = "document.querySelector('.js-plotly-plot')._fullData[0].x[0]"
    before = app.evaluate(drawn)
    app.keyboard.press("End")
    app.wait_for_function(f"{drawn} !== {before}")
    app.get_by_text("20 of 1,000 numbers are chosen").wait_for()
    app.locator(".js-plotly-plot").first.scroll_into_view_if_needed()
    shot(app, "voila-t-sne")
    app.keyboard.press("Home")
    app.wait_for_function(f"{drawn} === {before}")
