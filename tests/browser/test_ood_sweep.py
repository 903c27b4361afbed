"""The slider of explore/ood_sweep in a browser: dragged, and moved by keys."""

from __future__ import annotations

import itertools
import json

import pytest

import numlab as nl
from browser.conftest import ROOT, open_notebook, saved, shot
from numlab import training

NAME = "explore/ood_sweep"
STEP = 0.005  # of the slider, a key
# Enough training for xVal's answer to lie within the axes; and three encoders are quick.
CHANGES = {
    'profile = "quick"': 'profile = "smoke"',
    "steps=4,": "steps=60,",
    "n_train=64,": "n_train=512,",
    "nl.P1000(), nl.P10(), nl.B1999(), nl.FP15()": "nl.P1000()",
}
# Where xVal's point is on the page, and the numbers of which it is drawn.
DRAWN = """() => {
    const plot = document.querySelector('.js-plotly-plot')
    const trace = plot?._fullData?.find((trace) => trace.name === 'XVal')
    const point = trace && plot.querySelector(`.scatterlayer .trace${trace.uid} path.point`)
    if (!point) return null
    const [truth, median] = trace.customdata[0]
    return {place: point.getAttribute('transform'), truth, median}
}"""


@pytest.fixture(scope="module")
def notebook(module_home):
    """The notebook at its profile smoke, its runs trained here: Dask is slow to start."""
    source = json.loads((ROOT / f"notebooks/{NAME}.ipynb").read_text("utf-8"))
    code = [cell for cell in source["cells"] if cell["cell_type"] == "code"]
    for cell in code:
        text = "".join(cell["source"])
        for old, new in CHANGES.items():
            text = text.replace(old, new, 1)
        cell["source"] = text
    path = module_home / f"notebooks/{NAME}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(source), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        for module in (training, nl):
            patch.setattr(module, "train_all", lambda specs: [nl.train(spec) for spec in specs])
        names = {}
        for cell in itertools.takewhile(lambda _: "runs" not in names, code):
            exec(cell["source"], names)
    assert len(names["runs"]) == 3
    return path


@pytest.fixture(scope="module")
def page(browser, lab, notebook):
    with open_notebook(browser, lab, f"{NAME}.ipynb") as page:
        page.locator(".js-plotly-plot").first.wait_for()
        yield page


def true_value(handle):
    return float(handle.get_attribute("aria-valuetext"))


def drawn_at(page, truth):
    """What is drawn as soon as it is drawn at this true value."""
    page.wait_for_function(f"(truth) => Math.abs(({DRAWN})()?.truth - truth) < 1e-6", arg=truth)
    return page.evaluate(DRAWN)


def test_the_prediction_moves_with_keys_and_with_the_mouse(page):
    handle = page.get_by_role("slider").first
    first = drawn_at(page, true_value(handle))
    handle.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    by_keys = drawn_at(page, first["truth"] + 3 * STEP)
    assert by_keys["median"] != first["median"]
    assert by_keys["place"] != first["place"]

    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 250, y, steps=40)  # more moves than the kernel can answer
    page.mouse.up()
    by_mouse = drawn_at(page, true_value(handle))  # the last one is drawn
    assert by_mouse["truth"] < by_keys["truth"] - 20 * STEP
    assert by_mouse["median"] != by_keys["median"]
    assert by_mouse["place"] != by_keys["place"]
    table = page.get_by_role("table").first  # redrawn with each answer: never stable for long
    table.evaluate("table => table.scrollIntoView({block: 'nearest'})")
    shot(page, "ood_sweep")


def test_a_click_on_the_track_gives_the_keys_to_the_slider(page):
    handle = page.get_by_role("slider").first
    handle.scroll_into_view_if_needed()
    box = page.locator(".noUi-base").first.bounding_box()
    page.mouse.click(box["x"] + 0.3 * box["width"], box["y"] + box["height"] / 2)
    clicked = drawn_at(page, true_value(handle))["truth"]
    page.wait_for_function("document.activeElement.matches('.noUi-handle')")
    page.keyboard.press("ArrowRight")
    drawn_at(page, clicked + STEP)


def test_a_plot_keeps_its_height_when_the_window_is_resized(page):
    plot = page.locator(".js-plotly-plot").first
    for width in (1000, 1280):
        page.get_by_role("slider").first.press("ArrowRight")  # drawn anew, then resized
        drawn_at(page, true_value(page.get_by_role("slider").first))
        page.set_viewport_size({"width": width, "height": 800})
        drawn = "(el) => Number(el.querySelector('.main-svg').getAttribute('width'))"
        page.wait_for_function(
            f"(el) => ({drawn})(el) === el.offsetWidth", arg=plot.element_handle()
        )
        assert plot.bounding_box()["height"] == 470


def test_a_plot_is_as_wide_as_its_cell_when_a_sidebar_opens_beside_it(page):
    plot = page.locator(".js-plotly-plot").first
    wide = plot.evaluate("plot => plot.clientWidth")
    plot.evaluate("plot => { plot.parentElement.style.width = '500px' }")
    fits = "plot => Math.abs(plot._fullLayout.width - plot.clientWidth) < 2"
    page.wait_for_function(f"({fits})(document.querySelector('.js-plotly-plot'))")
    assert plot.evaluate("plot => plot._fullLayout.width") < wide - 100
    plot.evaluate("plot => { plot.parentElement.style.width = '' }")
    page.wait_for_function(f"({fits})(document.querySelector('.js-plotly-plot'))")


def test_a_slider_has_a_name_for_a_screen_reader(page):
    page.get_by_role("slider").first.focus()
    assert page.get_by_role("slider", name="true step size (yr / 2π)").count() == 1


def test_no_widget_state_is_stored_in_the_notebook(page, notebook):
    assert "widgets" not in saved(page, notebook)["metadata"]
    assert notebook.stat().st_size < 100_000


def test_the_console_of_the_browser_has_nothing_to_complain_of(page):
    assert page.errors == []
