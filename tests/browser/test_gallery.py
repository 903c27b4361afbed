"""figures/index.html in a browser: what is committed, and what was made on this machine."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd

import numlab as nl
from browser.conftest import shot
from numlab.figures import gallery


def test_a_kept_view_stands_beside_what_is_committed(browser, home):
    figure, _ = plt.subplots(figsize=(2, 1))
    for profile, id in (("full", "explore/one"), ("quick", "explore/a-view")):
        nl.begin("explore/one", profile, {profile: {}})
        nl.save_figure(id, figure, pd.DataFrame({"n": [1]}))
    plt.close(figure)
    gallery.build()
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((home / "figures/index.html").as_uri())
    card = page.locator("article", has_text="explore/a-view")
    card.get_by_alt_text("explore/a-view").scroll_into_view_if_needed()
    card.locator("img").evaluate("(img) => img.decode()")  # fails where there is no picture
    assert errors == []
    shot(page, "gallery")
    page.close()
