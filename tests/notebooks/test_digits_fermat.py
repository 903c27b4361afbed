"""Files of word problems: small ones in the formats of FERMAT and MAWPS, and FERMAT's own."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from notebooks.conftest import load
from numlab.tasks import WordProblems
from numlab.tasks.word_problems import TEMPLATES

ROOT = Path(__file__).resolve().parents[2]
FERMAT = ROOT.parent / "shared/data/fermat"
real = pytest.mark.skipif(not FERMAT.exists(), reason="no files of FERMAT beside the project")

fermat = load("digits/fermat")
problems, read_fermat, read_templates = fermat.problems, fermat.read_fermat, fermat.read_templates

QUESTIONS = [
    {"index": 7, "question": " Ann has 12.50 dollars and 3 cats. What is left of -4? "},
    {"index": 2, "question": "A rope of 1000 metres in 8 parts: how long is each?"},
    {"index": 5, "question": "How much is 3 less 1?"},
]
ANSWERS = [
    {"index": 2, "answer": "125.0", "equation": "(1000.0/8.0)"},
    {"index": 5, "answer": "Not commutable", "equation": "Not commutable"},
    {"index": 7, "answer": "-36.5", "equation": "(((12.5*3)-4)-70)"},
]


def write(folder, questions=QUESTIONS, answers=ANSWERS):
    """A test set named Small, a JSON object a line; text stays as it is."""
    for kind, entries in (("questions", questions), ("answers", answers)):
        lines = [e if isinstance(e, str) else json.dumps(e) for e in entries]
        (folder / kind).mkdir(exist_ok=True)
        (folder / kind / f"Small.{kind[0]}").write_text("\n".join(lines) + "\n")
    return folder


def test_a_test_set_is_read_and_ordered_by_its_index(tmp_path):
    frame = read_fermat(write(tmp_path), "Small")
    assert frame["index"].tolist() == [2, 5, 7]
    assert frame.answer.tolist()[::2] == [125.0, -36.5] and np.isnan(frame.answer[1])
    assert frame.operation[0] == "a/b" and frame.operation.isna().tolist() == [False, True, True]


def test_problems_are_texts_whose_last_number_is_the_answer(tmp_path):
    corpus = problems(read_fermat(write(tmp_path), "Small"))
    numbers = {int(e.index[0]): e.numbers[0].tolist() for e in corpus}
    assert numbers == {0: [1000, 8, 125], 2: [12.5, 3, -4, -36.5]}  # row 1 has no answer
    assert {e.layout.slots[-1].name for e in corpus} == {"answer"}
    assert corpus[0].text(0) == "A rope of 1000 metres in 8 parts: how long is each? 125"


@pytest.mark.parametrize(
    ("kind", "broken", "message"),
    [
        ("questions", '{"index": 9, "question": ', r"Small\.q, line 4: not JSON .*; got '\{\"in"),
        ("questions", {"index": 9}, r"Small\.q, line 4: expected index, question; got"),
        ("questions", {"index": 9, "question": " "}, r"Small\.q, line 4: expected the text of a"),
        ("questions", {"index": 9, "question": "1?"}, r"Small\.q, line 4: problem 9 has no answer"),
        ("questions", QUESTIONS[0], r"Small\.q, line 4: expected an index not used before; got 7"),
        ("answers", "[]", r"Small\.a, line 4: expected index, answer, equation; got '\[\]'"),
        ("answers", ANSWERS[0], r"Small\.a, line 4: expected an index not used before; got 2"),
    ],
)
def test_a_broken_line_is_named(tmp_path, kind, broken, message):
    files = {"questions": QUESTIONS, "answers": ANSWERS}
    folder = write(tmp_path, **{**files, kind: [*files[kind], broken]})
    with pytest.raises(ValueError, match=message):
        read_fermat(folder, "Small")


@pytest.mark.parametrize(
    ("answer", "equation", "message"),
    [
        ("twelve", "(1+2)", "expected a number and its equation; got 'twelve'"),
        ("3.0", "1+", "expected a number and its equation; got '3.0', '1\\+'"),
        ("inf", "(1/0)", "expected a finite number; got 'inf'"),
    ],
)
def test_an_answer_that_is_none_is_named_with_its_line(tmp_path, answer, equation, message):
    entry = {"index": 2, "answer": answer, "equation": equation}
    with pytest.raises(ValueError, match=rf"Small\.a, line 1: {message}"):
        read_fermat(write(tmp_path, QUESTIONS[1:2], [entry]), "Small")


def test_templates_have_a_letter_a_number(tmp_path):
    path = tmp_path / "templates.csv"
    row = "num1 and num2 {each} ?,num1/num2,"
    path.write_text(f"templates,answers,expressions\n{row}\n{row}\n")
    assert read_templates(path) == (("{a} and {b} {{each}} ? {answer}", "a/b"),)
    WordProblems(templates=read_templates(path)).sample(5, seed=0)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("num1 ?", r"line 2: expected templates, answers"),
        ("num1 ?,num1 **,a", r"line 2: an expression has numbers, names"),
    ],
)
def test_a_template_that_is_none_is_named(tmp_path, row, message):
    path = tmp_path / "templates.csv"
    path.write_text(f"templates,answers,expressions\n{row}\n")
    with pytest.raises(ValueError, match=message):
        read_templates(path)


def test_a_template_without_a_number_of_its_expression_is_left_out_with_a_warning(tmp_path):
    path = tmp_path / "templates.csv"
    path.write_text("templates,answers,expressions\nnum1 ?,num1-num2,a-b\n")
    with pytest.warns(UserWarning, match="line 2: left out, .* has no number {'b'}"):
        assert read_templates(path) == ()


def test_the_templates_of_word_problems_have_every_operation_and_more():
    operations = [fermat.operation_of(expression) for _, expression in TEMPLATES]
    assert set(operations) == {*fermat.ONE_STEP, None}
    assert operations[0] == "a+b" and operations[-1] is None


@real
@pytest.mark.parametrize("path", sorted(FERMAT.glob("questions/*.q")), ids=lambda p: p.stem)
def test_every_set_of_fermat_is_read_whole(path):
    frame = read_fermat(FERMAT, path.stem)
    assert len(frame) == 1111 and frame["index"].is_unique
    assert frame.answer.isna().sum() == (500 if path.stem == "Commuted" else 0)
    corpus = problems(frame)
    assert sum(map(len, corpus)) == frame.answer.notna().sum()
    for e in corpus:
        np.testing.assert_array_equal(e.column("answer"), frame.answer.iloc[e.index])


@real
def test_fermats_templates_make_a_task():
    with pytest.warns(UserWarning, match="left out") as said:
        templates = read_templates(FERMAT / "templates.csv")
    assert len(said) == 1 and 180 < len(templates) < 226
    assert sum(map(len, WordProblems(templates=templates).sample(400, seed=0))) == 400
