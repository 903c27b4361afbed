"""Word problems in files: FERMAT's test sets and templates."""

import ast
import csv
import math
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from numlab.examples import Examples, Layout, Slot
from numlab.parsing import parse
from numlab.tasks.expressions import variables
from numlab.tasks.files import check_fields, json_values

NO_ANSWER = "Not commutable"  # of 500 problems of FERMAT's set Commuted
ONE_STEP = ("a+b", "a-b", "a*b", "a/b")
SIGNS = dict(zip((ast.Add, ast.Sub, ast.Mult, ast.Div), ONE_STEP, strict=True))


def read_fermat(folder: str | Path, name: str) -> pd.DataFrame:
    """Read a test set of FERMAT: `questions/<name>.q` and `answers/<name>.a`.

    `folder` is `test_sets` of its repository, `name` such as "Original" or "1dp_random". The
    columns are index (of the problem, the same in all sets), question, answer (NaN where the
    problem cannot be commuted), equation and operation ("a+b", "a-b", "a*b" or "a/b"; missing for
    several, or without an equation). A broken line, a repeated problem or a missing answer raises
    ValueError with file and line.
    """
    folder = Path(folder)
    questions = _by_index(folder / "questions" / f"{name}.q", ("index", "question"))
    answers = _by_index(folder / "answers" / f"{name}.a", ("index", "answer", "equation"))
    rows = []
    for index, (where, entry) in questions.items():
        question = entry["question"]
        if not isinstance(question, str) or not question.strip():
            raise ValueError(f"{where}: expected the text of a question; got {question!r}")
        if index not in answers:
            raise ValueError(f"{where}: problem {index} has no answer in {name}.a")
        where, answer = answers[index]
        rows.append(_problem(where, index, question, answer["answer"], answer["equation"]))
    columns = ["index", "question", "answer", "equation", "operation"]
    return pd.DataFrame(rows, columns=columns).sort_values("index", ignore_index=True)


def read_templates(path: str | Path) -> tuple[tuple[str, str], ...]:
    """Read FERMAT's templates.csv as templates of `WordProblems`, without repeated texts.

    Columns: templates, a text with num1, num2, ... for its numbers, and answers, an expression of
    these. A row whose expression has a number that its text lacks (there is one) is left out with
    a warning.
    """
    templates: dict[str, str] = {}
    with Path(path).open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        for row in reader:
            where = f"{path}, line {reader.line_num}"
            check_fields(where, row, ("templates", "answers"))
            text = f"{_with_letters(row['templates'].strip(), '{{{}}}')} {{answer}}"
            expression = _with_letters(row["answers"].strip(), "{}")
            try:
                unknown = variables(expression) - set(Layout.of(text).number_slots[:-1])
            except ValueError as error:
                raise ValueError(f"{where}: {error}") from None
            if unknown:
                warnings.warn(f"{where}: left out, {text!r} has no number {unknown}", stacklevel=2)
            else:
                templates.setdefault(text, expression)
    return tuple(templates.items())


def problems(frame: pd.DataFrame) -> list[Examples]:
    """The problems with answers in a frame, as texts with slots n0, n1, ..., answer.

    `index` is the row of the frame.
    """
    rows = np.flatnonzero(frame.answer.notna())
    pairs = zip(frame.question.iloc[rows], frame.answer.iloc[rows], strict=True)
    texts = [f"{q.strip()} {np.format_float_positional(a, trim='-')}" for q, a in pairs]
    corpus = []
    for e in parse(texts):
        layout = Layout(e.layout.literals, (*e.layout.slots[:-1], Slot("answer")))
        corpus.append(Examples(layout, e.numbers.astype(np.float64), None, rows[e.index]))
    return corpus


def operation_of(expression: str) -> str | None:
    """The operation of an expression that has only one, as in `ONE_STEP`; else None.

    >>> operation_of("(831.5*4)"), operation_of("b-a"), operation_of("(a+b)-c")
    ('a*b', 'a-b', None)
    """
    variables(expression)  # raises for anything but arithmetic
    nodes = ast.walk(ast.parse(expression.strip(), mode="eval"))
    steps = [SIGNS[type(node)] for node in nodes if type(node) in SIGNS]
    return steps[0] if len(steps) == 1 else None


def _by_index(path: Path, names: tuple[str, ...]) -> dict[int, tuple[str, dict[str, Any]]]:
    """Objects with the given fields by their "index", each with its line."""
    entries: dict[int, tuple[str, dict[str, Any]]] = {}
    for where, entry in json_values(path):
        check_fields(where, entry, names)
        if not isinstance(entry["index"], int) or entry["index"] in entries:
            raise ValueError(f"{where}: expected an index not used before; got {entry['index']!r}")
        entries[entry["index"]] = where, entry
    return entries


def _problem(where: str, index: int, question: str, answer: Any, equation: str) -> tuple:
    if answer == NO_ANSWER:
        return index, question, math.nan, equation, None
    try:
        value = float(answer)
        operation = None if "=" in equation else operation_of(equation)
    except (TypeError, ValueError) as error:
        expected = "a number and its equation"
        raise ValueError(f"{where}: expected {expected}; got {answer!r}, {equation!r}") from error
    if not math.isfinite(value):
        raise ValueError(f"{where}: expected a finite number; got {answer!r}")
    return index, question, value, equation, operation


def _with_letters(text: str, form: str) -> str:
    """num1, num2, ... as letters a, b, ..., written in a form such as "{{{}}}"."""
    plain = text.replace("{", "{{").replace("}", "}}")
    return re.sub(r"num([1-9])", lambda match: form.format(chr(96 + int(match[1]))), plain)
