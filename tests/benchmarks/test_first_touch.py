"""From opening a notebook to a slider that has moved: in JupyterLab, and as a web page."""

from __future__ import annotations

import shutil
import time

import pytest
from browser.conftest import PATIENCE, ROOT, open_notebook, serve

NAMES = ("start", "explore/ood_sweep")
PREHEATED = 60  # seconds in which the kernels of the web pages have started
POINT = ".js-plotly-plot .scatterlayer path.point"
DRAWN = "() => document.querySelector('.js-plotly-plot')?._fullLayout?.meta?.true ?? null"


@pytest.fixture(scope="module")
def notebooks(module_home):
    """The notebooks as they come, with the trained runs that come with numlab."""
    shutil.copytree(ROOT / "notebooks", module_home / "notebooks", dirs_exist_ok=True)
    return module_home


def moved(page) -> None:
    """Press a key on the first slider, and wait until the point is drawn anew."""
    page.locator(POINT).first.wait_for(state="attached")
    before = page.evaluate(DRAWN)
    page.get_by_role("slider").first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"(before) => ({DRAWN})() !== before", arg=before)


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_opened_run_and_dragged_in_15_s(name, browser, lab, notebooks, capsys):
    start = time.monotonic()
    with open_notebook(browser, lab, f"{name}.ipynb") as page:
        moved(page)
    took = time.monotonic() - start
    with capsys.disabled():
        print(f"\n{name} in JupyterLab, from opening to a moved slider: {took:.1f} s")
    assert took < 15


def test_a_web_page_is_dragged_in_8_s(browser, notebooks, capsys):
    with serve(notebooks, "numlab", "app", "--port={port}") as address:
        time.sleep(PREHEATED)
        for name in NAMES:
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.set_default_timeout(PATIENCE)
            start = time.monotonic()
            page.goto(f"{address}voila/render/{name}.ipynb")
            moved(page)
            took = time.monotonic() - start
            page.close()
            with capsys.disabled():
                print(f"\n{name} as a web page, from opening to a moved slider: {took:.1f} s")
            assert took < 8
