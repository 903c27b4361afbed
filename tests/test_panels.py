"""Uploads, without a browser."""

import contextlib
import threading

import pytest

import numlab as nl


@pytest.fixture
def panel(home):
    """The parts of an upload panel: box, cancel button, message, page."""
    row, said, page, _ = nl.widgets.your_numbers(steps=0).children
    box, _, cancel = row.children
    return box, cancel, said, page


def upload(box, name, content):
    with ended():
        for at in (0, 3):  # bytes in two pieces
            piece = {"name": name, "at": at, "isLast": at > 0}
            box._handle_custom_msg(piece, [memoryview(content[at:] if at else content[:3])])


@contextlib.contextmanager
def ended():
    """Wait for the threads that a block starts."""
    before = set(threading.enumerate())
    yield
    for thread in set(threading.enumerate()) - before:
        thread.join()


def test_a_file_that_is_at_hand_is_compared_by_a_button(tmp_path, home):
    (path := tmp_path / "n<b>.csv").write_text("n\n1\n2.5\n3\n")
    row, said, page, _ = nl.widgets.your_numbers(path, steps=0).children
    assert page.value == ""  # nobody has to wait for it
    with ended():
        row.children[1].click()
    assert "Take " in page.value and said.value == ""
    path.write_text("no table")
    with ended():
        row.children[1].click()
    assert "n&lt;b&gt;.csv cannot be read" in said.value and "<b>" not in said.value


def test_an_upload_is_compared_and_kept_and_a_bad_one_is_answered(home, panel):
    box, cancel, said, page = panel
    upload(box, "../n.csv", b"n\n1\n2.5\n3\n")
    assert "Take " in page.value and said.value == "" and cancel.disabled
    assert (home / "data/uploads/n.csv").read_bytes() == b"n\n1\n2.5\n3\n"
    upload(box, "words.csv", b"n\na\nb\n")
    assert "Nothing to compare" in said.value and "n.csv" in page.value  # the earlier one
    (home / "data/uploads/full.csv").mkdir()  # as a disk that takes no more
    upload(box, "full.csv", b"n\n1\n2\n")
    assert "Is a directory" in said.value and not box.disabled


def test_cancel_ends_a_comparison_and_another_file_is_taken(panel, monkeypatch):
    box, cancel, said, page = panel

    def report(path, say, **_):
        cancel.click()
        say("training")
        pytest.fail("it went on")

    monkeypatch.setattr("numlab.compare.report", report)
    upload(box, "n.csv", b"n\n1\n2.5\n3\n")
    assert "cancelled; models that were trained stay stored" in said.value
    assert page.value == "" and cancel.disabled and not box.disabled
