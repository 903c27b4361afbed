"""Find the numbers in any text."""

import re

import numpy as np

from numlab.examples import Examples, Layout, Slot
from numlab.numbers import FLOAT_DIGITS

NUMBER = re.compile(
    r"""
    (   [-+\u2212.0-9]                  # how a number begins, but
        (?<![^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af].)  # not inside a word ("planet0"), but
        (?<![.].)                       # after a CJK character; nor in a number ("1.2.3");
        (?<![)\]}][-+\u2212])           # no sign where something is subtracted ("(a)-2")
        (?<![0-9][%‰°€£¥'"′″][-+\u2212])  # or a range ends ("5%-10%")
        (?:                             # as much as there is, so that "1.25.3" holds no 1.2
            (?<=\.) [0-9]++
          | (?: (?<=[0-9]) | (?<=[-+\u2212]) [0-9] )
            [0-9]*+ (?: \.[0-9]++ | \.(?=[eE][-+\u2212]?[0-9]) )?+
          | (?<=[-+\u2212]) \.[0-9]++
        )
        (?: [eE] [-+\u2212]? [0-9]++ )?+
        (?! \.[0-9] )                   # and no part of a date, a time or an address
    )
    """,
    re.VERBOSE,
)  # starts with a character class, so re can scan quickly


# 1,234,567, but no part of 1,2345 or of 1,234,5, no 0,123, and no list of JSON, [100,200]
THOUSANDS = re.compile(r"(?<![\d.,[])([+-]?[1-9]\d{0,2}(?:,\d{3})+)(?=\.\d|[^\d,.]|[.,]?$|[.,]\s)")
GROUPS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:['’\u00a0\u2009\u202f]\d{3}(?!\d))+")  # 1'234
ISO_DATE = r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?"  # a day, or a day and a time (ISO 8601)
# a time with its zone, in which it stays
ZONE = r"([T ][\d:.,]+) ?(Z|[+-]\d{2}(:?\d{2})?|(?!AM$|PM$)[A-Z][A-Za-z_/]+)$"


def parse(texts: list[str], bare: bool = False, literal: bool = False) -> list[Examples]:
    """Find the numbers in texts.

    A text without a number is a ValueError, unless `bare`; so are an empty text and a number that
    float64 does not hold. With `literal` none is looked for: texts stay as they are written.

    A sign after a number or a word is a subtraction ("1-2" holds 1 and 2). Digits inside a word
    ("planet0") or with several points ("25.11.2026", "192.168.0.1") are not numbers. A comma
    separates numbers, as in JSON ("1,000" holds 1 and 0).

    Gives one Examples for each layout, with slots n0, n1, ...; `index` is the index in `texts`.
    Numbers are float64; Python ints where all numbers of a layout are integers and one of them
    has more than 15 digits.

    >>> parse(["x=-6.02e1, y=.5", "1-2", "x=3, y=4"])[0].numbers
    array([[-60.2,   0.5],
           [  3. ,   4. ]])
    """
    if isinstance(texts, str):
        raise ValueError(f"parse takes a list of texts; got the one text {texts[:60]!r}")
    groups: dict[tuple[str, ...], tuple[list[str], list[int]]] = {}
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"text {i}: expected a str; got {text!r}")
        if not text:
            raise ValueError(f"text {i} is empty")
        pieces = [text] if literal else NUMBER.split(text)
        if len(pieces) == 1 and not (bare or literal):
            raise ValueError(f"text {i}: expected a number; got no number in {text[:60]!r}")
        numbers, index = groups.setdefault(tuple(pieces[::2]), ([], []))
        numbers += pieces[1::2]
        index.append(i)
    return [_examples(literals, *group) for literals, group in groups.items()]


def refuse_thousands(texts: list[str]) -> None:
    """ValueError for a value that is not a str, and for a number with a thousands separator.

    Separators are commas (1,000), apostrophes (1'000), no-break and thin spaces.
    """
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"text {i}: expected a str; got {text!r}")
        if found := THOUSANDS.search(text):
            plain = found[1].replace(",", "")
            expected = f"a comma separates numbers: expected {plain}, or spaces after the commas"
            raise ValueError(f"text {i}: {expected}; got {found[1]} in {text[:60]!r}")
        if found := GROUPS.search(text):
            expected = "expected 1000 without separators, or spaces between numbers"
            raise ValueError(f"text {i}: {expected}; got {found[0]!r} in {text[:60]!r}")


def _examples(literals: tuple[str, ...], numbers: list[str], index: list[int]) -> Examples:
    k = len(literals) - 1
    numbers = "\n".join(numbers).replace("\u2212", "-").split("\n") if k else []
    integer = re.compile(r"[-+]?[0-9]{1,4300}").fullmatch  # int() reads no more digits
    long = [i for i, s in enumerate(numbers) if len(s.lstrip("+-0")) > FLOAT_DIGITS and integer(s)]
    if long and all(map(integer, numbers)):
        values = np.array([int(number) for number in numbers], object)
    else:
        values = np.fromiter(map(float, numbers), np.float64, len(numbers))
        rounded = [i for i in long if values[i].item() != int(numbers[i])]
        zeros = [i for i in np.flatnonzero(values == 0) if re.match("[^eE]*[1-9]", numbers[i])]
        if lost := rounded + zeros + np.flatnonzero(np.isinf(values)).tolist():
            expected = "a number that float64 holds (more than 15 digits only among integers)"
            i, number = index[lost[0] // k], numbers[lost[0]]
            raise ValueError(f"text {i}: expected {expected}; got {number}")
    layout = Layout(literals, tuple(Slot(f"n{j}") for j in range(k)))
    return Examples(layout, values.reshape(len(index), k), None, np.array(index))
