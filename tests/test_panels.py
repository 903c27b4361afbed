"""Uploads and the leaderboard, without a browser."""

import json
import threading

import pandas as pd

import numlab as nl


def test_an_upload_is_compared_and_kept_and_a_bad_one_is_answered(home):
    row, said, page, _ = nl.widgets.your_numbers(steps=0).children
    box, cancel = row.children

    def upload(name, content):
        before = set(threading.enumerate())
        box._handle_custom_msg({"name": name}, [content])
        for thread in set(threading.enumerate()) - before:
            thread.join()

    upload("../n.csv", b"n\n1\n2.5\n3\n")
    assert "Take " in page.value and said.value == "" and cancel.disabled
    assert (home / "data/uploads/n.csv").exists()
    upload("words.csv", b"n\na\nb\n")
    assert "Nothing to compare" in said.value and page.value == ""


ANSWERS = pd.DataFrame(
    {"encoder": encoder, "task": task, "difficulty": level, "score": score}
    for task in ("sums", "products")
    for encoder, gain in (("FoNE", 0.1), ("XVal", -0.1))
    for level, score in ((1, 0.9), (1, 0.7), (4, 0.2 - 4 * gain))
).assign(text=lambda f: f.task + f.index.astype(str), slot="answer", true=1.0, predicted=2.0)


def test_the_leaderboard_ranks_within_the_brush_and_shows_the_worst_answers_of_a_point():
    panel = nl.widgets.leaderboard(ANSWERS)
    assert (panel.brush.min, panel.brush.max, panel.brush.value) == (1, 4, (1, 4))
    panel.brush.value = 2, 4
    ranked = panel.ranking.value
    assert ranked.index("XVal") < ranked.index("FoNE") and "0.600" in ranked
    panel.plot.clicked = ["FoNE", 1]
    shown = panel.examples.value
    assert "FoNE, difficulty 1: 2 of 2 answers" in shown
    assert shown.index("sums1") < shown.index("sums0")
    panel.task.value = "products"
    panel.encoders.value = ("XVal",)
    assert [trace["name"] for trace in json.loads(panel.plot.figure)["data"]] == ["XVal"]
    assert "Click on a point" in panel.examples.value
