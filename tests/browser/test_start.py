"""notebooks/start.ipynb in a browser, from nothing: typed in, trained, dragged, kept."""

from __future__ import annotations

import shutil

import pytest

from browser.conftest import ROOT, command, open_notebook, shot

STEP = 0.05  # of the slider, a key
META = "document.querySelector('.js-plotly-plot')._fullLayout.meta"


@pytest.fixture(scope="module")
def page(browser, lab, module_home):
    shutil.copy(ROOT / "notebooks/start.ipynb", module_home / "notebooks")
    with open_notebook(browser, lab, "start.ipynb") as page:
        page.locator(".js-plotly-plot .scatterlayer path.point").first.wait_for()
        yield page


def spelled(page):
    return page.locator(".numlab-spell")


def test_typing_spells_the_text_under_every_encoder(page):
    box = page.locator(".jupyter-widgets input[type=text]").first
    assert spelled(page).locator("tr").count() == 1 + 8
    box.fill("x=-60.25")
    p1000 = spelled(page).get_by_role("row", name="P1000")
    p1000.locator(".word", has_text="x=").wait_for()
    assert p1000.locator(".number").all_inner_texts() == ["-", "602", "E-1"]
    assert "-60.25 → -60.2" in p1000.inner_text()
    shot(page, "spell")


def test_what_cannot_be_spelled_is_said_in_words(page):
    box = page.locator(".jupyter-widgets input[type=text]").first
    box.fill("y=3.2e11")
    page.get_by_text("P10 holds |x| < 9.995e9; got 3.2e11").wait_for()
    box.fill("no number here")
    page.get_by_text("Nothing to spell yet").wait_for()
    box.fill("<b>0</b>")
    spelled(page).get_by_role("row", name="XVal").get_by_text("<b>", exact=True).wait_for()


def test_the_line_is_filled_in_while_nobody_drags_and_keys_move_the_point(page):
    line = "document.querySelector('.js-plotly-plot').data.find((t) => t.name === 'XVal error')"
    page.wait_for_function(f"({line}).x.length >= 12")
    before = page.evaluate(META)["true"]
    page.get_by_role("slider").first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"Math.abs(({META}).true - {before} - {STEP}) < 1e-6")
    shot(page, "start")


def test_a_kept_view_is_a_figure_and_the_cell_that_makes_it_again(page, module_home):
    name = f"answer-{page.evaluate(META)['true']:g}".replace(".", "-")
    page.get_by_role("button", name="Keep this view").click()
    page.get_by_text(f"Kept as figures/quick/explore/{name}").wait_for()
    kept = {p.suffix: p for p in (module_home / "figures/quick/explore").glob(f"{name}-*.*")}
    assert set(kept) == {".png", ".svg", ".csv", ".json"}
    cell = page.locator("pre", has_text="nl.save_figure").last.inner_text()
    before = kept[".csv"].read_bytes()
    kept[".csv"].unlink()
    exec(cell, {})
    assert kept[".csv"].read_bytes() == before


def test_a_panel_without_an_encoder_says_so(page):
    box = page.get_by_role("checkbox", name="XVal")
    box.press("Space")
    page.get_by_text("Choose an encoder").wait_for()
    box.press("Space")
    page.get_by_role("cell", name="0%").first.wait_for()


def test_the_page_is_readable_in_the_dark(page):
    command(page, "apputils:change-theme", theme="JupyterLab Dark")
    page.wait_for_function("document.body.dataset.jpThemeLight === 'false'")
    brightness = page.evaluate(
        "() => getComputedStyle(document.querySelector('.numlab-spell')).color"
        ".match(/[\\d.]+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0) / 3"
    )
    assert brightness > 180
    shot(page, "spell-dark")


def test_a_kernel_that_restarts_leaves_a_page_that_says_what_to_do(page):
    assert page.errors == []  # what the console says of the restart itself is not ours
    command(page, "kernelmenu:restart")
    page.get_by_role("button", name="Confirm Kernel Restart").click()
    page.get_by_text("The kernel has stopped").first.wait_for()
    shot(page, "restarted")
    command(page, "notebook:run-all-cells")
    page.get_by_text("The kernel has stopped").wait_for(state="detached")
    page.locator(".js-plotly-plot .scatterlayer path.point").first.wait_for()
    page.errors.clear()
