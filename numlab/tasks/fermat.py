"""Word problems from files: FERMAT's test sets and templates, and sets in MAWPS's format."""

from __future__ import annotations

import csv
import json
import math
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from numlab.examples import Examples, Layout, Slot, parse
from numlab.tasks.word_problems import operation_of, variables

if TYPE_CHECKING:
    import pandas as pd

NONE = "Not commutable"  # what FERMAT's set Commuted says of 500 of its problems
COLUMNS = ("index", "question", "answer", "equation", "operation")


def read_fermat(folder: str | Path, name: str) -> pd.DataFrame:
    """A test set of FERMAT: of `test_sets` in its repository `questions/<name>.q` and its answers.

    Parameters
    ----------
    folder : str or Path
    name : str
        Of the files, such as "Original" or "1dp_random".

    Returns
    -------
    DataFrame with columns
        index : of the problem, alike in all sets
        question : its text
        answer : a float; NaN where the problem cannot be commuted
        equation : as it stands in the file
        operation : "a+b", "a-b", "a*b", "a/b"; missing where there are more, or no equation

    Raises
    ------
    ValueError
        For a broken line, a problem that comes twice or has no answer, with file and line.
    """
    folder = Path(folder)
    questions = _lines(folder / "questions" / f"{name}.q", ("index", "question"))
    answers = _lines(folder / "answers" / f"{name}.a", ("index", "answer", "equation"))
    rows = []
    for index, (where, asked) in questions.items():
        question = _text(where, asked["question"])
        if index not in answers:
            raise ValueError(f"{where}: problem {index} has no answer in {name}.a")
        said, answer = answers[index]
        rows.append(_problem(said, index, question, answer["answer"], answer["equation"]))
    return _table(rows)


def read_mawps(path: str | Path) -> pd.DataFrame:
    """A set in MAWPS's format: a JSON list of objects with sQuestion, lEquations, lSolutions.

    Problems with more than one answer are left out with a warning that counts them.

    Returns
    -------
    DataFrame, as of `read_fermat`; index is iIndex, or the place in the list. An equation that
    the unknown has not to itself, such as 2*X=10, has no operation.

    Raises
    ------
    ValueError
        For text that is no JSON, with file and line; for an object without a question, an
        equation or an answer, with file and place in the list.
    """
    path = Path(path)
    try:
        content = json.loads(path.read_text("utf-8"))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}, line {error.lineno}: no JSON ({error.msg})") from None
    if not isinstance(content, list):
        raise ValueError(f"{path}: expected a list of problems; got {type(content).__name__}")
    rows, several = [], []
    for place, entry in enumerate(content):
        where = f"{path}, problem {place + 1}"
        _has(where, entry, ("sQuestion", "lEquations", "lSolutions"))
        for key in ("lEquations", "lSolutions"):
            if not isinstance(entry[key], list) or not entry[key]:
                raise ValueError(f"{where}: expected a list of {key}; got {entry[key]!r}")
        if len(entry["lSolutions"]) > 1:
            several.append(where)
            continue
        equation = re.sub(r"^\s*[a-zA-Z]\s*=|=\s*[a-zA-Z]\s*$", "", str(entry["lEquations"][0]))
        index = int(entry.get("iIndex", place))
        question = _text(where, entry["sQuestion"])
        rows.append(_problem(where, index, question, entry["lSolutions"][0], equation))
    if several:
        warnings.warn(
            f"{len(several)} problems have more than one answer and are left out; "
            f"the first is {several[0]}",
            stacklevel=2,
        )
    return _table(rows)


def read_templates(path: str | Path) -> tuple[tuple[str, str], ...]:
    """FERMAT's templates.csv as templates of `WordProblems`; a text that comes twice comes once.

    Columns templates, with num1, num2, ... in the place of numbers, and answers, an expression
    over these. A row whose expression has a number that its text has not (there is one) is left
    out with a warning that names it.

    Raises
    ------
    ValueError
        For a row without a text or an expression, with file and line.
    """
    templates: dict[str, str] = {}
    with Path(path).open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        for row in reader:
            where = f"{path}, line {reader.line_num}"
            _has(where, row, ("templates", "answers"))
            text = f"{_lettered(row['templates'].strip(), '{{{}}}')} {{answer}}"
            expression = _lettered(row["answers"].strip(), "{}")
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
    """Texts to be asked: numbers in slots n0, n1, ..., the answer in the slot answer.

    A problem without an answer is left out; `index` is the row of the frame.
    """
    rows = np.flatnonzero(frame.answer.notna())
    questions, answers = frame.question.iloc[rows], frame.answer.iloc[rows]
    pairs = zip(questions, answers, strict=True)
    texts = [f"{q.strip()} {np.format_float_positional(a, trim='-')}" for q, a in pairs]
    return [
        Examples(
            Layout(e.layout.literals, (*e.layout.slots[:-1], Slot("answer"))),
            e.numbers.astype(np.float64),
            None,
            rows[e.index],
        )
        for e in parse(texts)
    ]


def _lines(path: Path, keys: tuple[str, ...]) -> dict[int, tuple[str, dict[str, Any]]]:
    """A JSON object a line, by its index, each with where it stands."""
    entries: dict[int, tuple[str, dict[str, Any]]] = {}
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        where = f"{path}, line {number}"
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except json.JSONDecodeError as error:
            raise ValueError(f"{where}: no JSON ({error.msg}); got {line[:60]!r}") from None
        _has(where, entry, keys)
        if not isinstance(entry["index"], int) or entry["index"] in entries:
            raise ValueError(f"{where}: expected an index of its own; got {entry['index']!r}")
        entries[entry["index"]] = where, entry
    return entries


def _has(where: str, entry: Any, keys: tuple[str, ...]) -> None:
    if not isinstance(entry, dict) or any(entry.get(key) is None for key in keys):
        raise ValueError(f"{where}: expected {', '.join(keys)}; got {str(entry)[:60]!r}")


def _text(where: str, question: Any) -> str:
    if not isinstance(question, str) or not question.strip():
        raise ValueError(f"{where}: expected the text of a question; got {question!r}")
    return question


def _problem(where: str, index: int, question: str, answer: Any, equation: str) -> tuple:
    if answer == NONE:
        return index, question, math.nan, equation, None
    try:
        value = float(answer)
        operation = None if "=" in equation else operation_of(equation)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{where}: expected a number and its equation; got {answer!r} and {equation!r}"
        ) from error
    if not math.isfinite(value):
        raise ValueError(f"{where}: expected a finite number; got {answer!r}")
    return index, question, value, equation, operation


def _table(rows: list[tuple]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(rows, columns=list(COLUMNS)).sort_values("index", ignore_index=True)


def _lettered(text: str, form: str) -> str:
    """num1, num2, ... as letters a, b, ... in a form: "{{{}}}" for the slots of a layout."""
    plain = text.replace("{", "{{").replace("}", "}}")
    return re.sub(r"num([1-9])", lambda found: form.format(chr(96 + int(found[1]))), plain)
