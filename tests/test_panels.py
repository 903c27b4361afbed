"""Uploads, without a browser."""

import threading

import numlab as nl


def test_an_upload_is_compared_and_kept_and_a_bad_one_is_answered(home):
    row, said, page, _ = nl.widgets.your_numbers(steps=0).children
    box, cancel = row.children

    def upload(name, content):
        before = set(threading.enumerate())
        for at in (0, 3):  # bytes in two pieces
            piece = {"name": name, "at": at, "isLast": at > 0}
            box._handle_custom_msg(piece, [memoryview(content[at:] if at else content[:3])])
        for thread in set(threading.enumerate()) - before:
            thread.join()

    upload("../n.csv", b"n\n1\n2.5\n3\n")
    assert "Take " in page.value and said.value == "" and cancel.disabled
    assert (home / "data/uploads/n.csv").read_bytes() == b"n\n1\n2.5\n3\n"
    upload("words.csv", b"n\na\nb\n")
    assert "Nothing to compare" in said.value and "n.csv" in page.value  # the earlier one
    (home / "data/uploads/full.csv").mkdir()  # as a disk that takes no more
    upload("full.csv", b"n\n1\n2\n")
    assert "Is a directory" in said.value and not box.disabled
