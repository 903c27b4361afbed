"""Uploads, without a browser."""

import threading

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
