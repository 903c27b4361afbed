"""Files of sentences with a marked number, as WikiConvert and Numeracy-600K have them."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from numlab import store
from numlab.tasks import Sentences

RECORDS = [
    {"id": 0, "comment": "a total of 1500 miles, 2nd to none", "offset": 11, "length": 4},
    {"id": 1, "title": "books of 2010", "number": "2010", "offset": 9, "length": 4},
    {"id": 2, "comment": "up -0.5 percent", "offset": 3, "length": 4, "magnitude": 0},
    {"id": 3, "comment": "1,234.5 points", "offset": 0, "length": 7},
    {"id": 4, "comment": "up -0.5 percent", "offset": 3, "length": 4},
]
NUMBERS = {1500.0, 2010.0, -0.5, 1234.5}


def written(folder, records, form="lines"):
    path = folder / "sentences.json"
    text = json.dumps(records) if form == "list" else "\n".join(map(json.dumps, records)) + "\n"
    path.write_text(text, "utf-8")
    return str(path)


@pytest.mark.parametrize("form", ["lines", "list"])
def test_the_marked_number_fills_a_slot_and_the_rest_is_text(form, tmp_path):
    texts = Sentences(written(tmp_path, RECORDS, form)).sample(4, seed=0)
    assert {e.numbers[0, 0] for e in texts} == NUMBERS
    literals = {e.layout.literals for e in texts}
    assert ("a total of ", " miles, 2nd to none") in literals and ("books of ", "") in literals
    assert [e.index.tolist() for e in texts] == [[0], [1], [2], [3]]


def test_a_mark_of_utf8_is_no_text(tmp_path):
    Path(path := written(tmp_path, RECORDS, "list")).write_text(json.dumps(RECORDS), "utf-8-sig")
    assert len(Sentences(path).layouts()) == 4


def test_parts_of_a_split_share_no_sentence_though_one_comes_twice(tmp_path):
    task = Sentences(written(tmp_path, RECORDS))
    parts = task.split((1, 1, 2), seed=3)
    assert [len(part) for part in parts] == [1, 1, 2]
    assert len({e.layout for part in parts for e in part}) == 4
    assert {e.layout for part in parts for e in part} == set(task.layouts())


def test_a_sample_is_the_beginning_of_a_larger_one(tmp_path):
    task = Sentences(written(tmp_path, RECORDS))
    few, more = task.sample(2, seed=1), task.sample(4, seed=1)
    assert [e.layout for e in few] == [e.layout for e in more[:2]]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (
            {"comment": "0,5 percent", "offset": 0, "length": 3},
            "line 1: expected a number at offset 0, length 3; got '0,5' in '0,5 percent'",
        ),
        ({"comment": "12,50 euros", "offset": 0, "length": 5}, "got '12,50' in '12,50 euros'"),
        (
            {"comment": "a total of 1500 miles", "offset": 12, "length": 5},
            "line 1: expected a number at offset 12, length 5; got '500 m' in 'a total of",
        ),
        ({"comment": "none", "offset": -4, "length": 4}, "at offset -4, length 4; got ''"),
        (
            {"comment": "1", "offset": 0},
            "line 1: expected comment, offset, length; got \"{'comment': '1'",
        ),
        (
            {"comment": "1 x", "offset": "x", "length": 1},
            "line 1: .* offset and length are whole numbers; got",
        ),
        ({"comment": "12 x", "offset": 0.7, "length": 2}, "offset and length are whole numbers"),
        ({"comment": "1 x", "offset": 0, "length": float("inf")}, "are whole numbers; got"),
        ({"comment": 12, "offset": 0, "length": 1}, "line 1: comment is a text.*; got"),
        (7, "line 1: expected comment, offset, length; got '7'"),
        (
            {"offset": 0, "length": 1},
            "expected comment, offset, length; got \"{'offset': 0",
        ),
    ],
)
def test_a_record_that_does_not_match_is_named(record, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        Sentences(written(tmp_path, [record])).sample(1, seed=0)


@pytest.mark.parametrize(
    ("text", "number"), [("1,50,000", 150_000), ("2010,", 2010), ("-12,345.", -12_345), (".5", 0.5)]
)
def test_commas_may_group_digits(text, number, tmp_path):
    record = {"comment": text, "offset": 0, "length": len(text)}
    (read,) = Sentences(written(tmp_path, [record])).sample(1, seed=0)
    assert read.numbers.tolist() == [[number]]


def test_a_file_with_fewer_sentences_says_so(tmp_path):
    with pytest.raises(ValueError, match="there are 4 texts"):
        Sentences(written(tmp_path, RECORDS)).sample(5, seed=0)


def test_a_file_of_another_checksum_is_refused(tmp_path):
    path = written(tmp_path, RECORDS)
    right = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    assert len(Sentences(path, right).layouts()) == 4
    with pytest.raises(ValueError, match=f"expected the checksum abc; got {right}"):
        Sentences(path, "abc").layouts()


def test_a_file_that_changes_has_another_address(tmp_path):
    before = Sentences(written(tmp_path, RECORDS))
    assert Sentences(written(tmp_path, RECORDS)) == before
    assert store.digest(Sentences(written(tmp_path, RECORDS[1:]))) != store.digest(before)


def test_a_line_that_is_no_json_is_named(tmp_path):
    path = tmp_path / "sentences.json"
    path.write_text('{"comment": "1", "offset": 0, "length": 1}\n\nno\n')
    with pytest.raises(ValueError, match="line 3: not JSON"):
        Sentences(str(path)).layouts()


def test_a_line_ends_at_a_newline_only(tmp_path):
    record = {"comment": "5 lines\u2028or\x85more", "offset": 0, "length": 1}
    path = tmp_path / "sentences.json"
    path.write_text(json.dumps(record, ensure_ascii=False) + "\n", "utf-8")
    (layout,) = Sentences(str(path)).layouts()
    assert layout.literals == ("", record["comment"][1:])


def test_a_pretrained_model_reads_the_number_and_the_words_around_it(tmp_path):
    from numlab.encoders import IEEE754
    from numlab.pretrained import Pretrained

    tokenizer = Pretrained().tokenizer([], IEEE754())
    corpus = tokenizer(Sentences(written(tmp_path, RECORDS)).sample(4, seed=0))
    batch = corpus.batch(np.arange(4))
    assert (batch.within > 0).sum(1).tolist() == [1, 1, 1, 1]
