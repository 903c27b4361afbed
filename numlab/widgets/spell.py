"""Any text under every encoder, as a person types it."""

import re
from itertools import zip_longest
from typing import NamedTuple

import ipywidgets
import numpy as np

from numlab.codes import written
from numlab.encoders import Encoder
from numlab.parsing import parse
from numlab.plots import encoder_color
from numlab.tokenizer import Text
from numlab.widgets.panel import FIT, Panel, on_change, page

LONGEST = 400  # characters of a text that are shown
EXAMPLE = "planet0 has m=2.38, a=-60.2 and 1998 moons"


def spell(encoders: list[Encoder], text: str = EXAMPLE) -> ipywidgets.VBox:
    """Type any text and see its tokens under every encoder.

    Each token is a chip, coloured if it belongs to a number; below it stands the value that it
    carries, if any. At the right: the number of tokens, and what each number loses on its way
    through them. A number outside an encoder's range is marked, with the reason.

    `text` stands there at the start.

    >>> panel = nl.widgets.spell([nl.P10(), nl.XVal()])
    """
    box = ipywidgets.Text(text, description="text", style=FIT["style"], layout={"width": "97%"})
    shown = ipywidgets.HTML(_page(text, encoders))
    on_change(lambda: shown.set_trait("value", _page(box.value, encoders)), box)
    return Panel(box, shown)


class Token(NamedTuple):
    """A token of a text; of a number with what is read back from all of its tokens."""

    kind: str  # "literal", "number", or "refused": the encoder cannot hold the number
    word: str  # of "refused": its error
    carries: str | None = None  # besides the word
    number: float | int | None = None
    read: float | int | None = None
    error: float = np.nan  # relative; of 0, absolute


def tokens_of(encoder: Encoder, number: float | int) -> list[Token]:
    """The tokens of one number."""
    try:
        tokens = encoder.encode([number])
    except ValueError as error:
        return [Token("refused", str(error), number=number)]
    read, features = encoder.decode(tokens)[0], iter(tokens.features)
    error = np.inf
    if read is not None and read == read:
        error = float(abs(read - number) / (abs(number) or 1))
    rows = []
    for i in tokens.ids[tokens.mask]:
        carried = encoder.readable(next(features)) if i in encoder.carriers else None
        rows.append(Token("number", encoder.vocabulary[i], carried, number, read, error))
    return rows


def _page(text: str, encoders: list[Encoder]) -> str:
    """The HTML of a text's tokens, or of the reason why it has none."""
    template = page("spell.html")
    shown = text[:LONGEST]
    if len(text) > LONGEST:  # no number is cut
        shown = re.sub(r"\S+$", "", shown) or shown
    try:
        (example,) = parse([shown])
    except ValueError as error:
        return template.render(problem=str(error).partition(": ")[2] or str(error))
    words, rows = Text.of([example.layout]), []
    literals = [
        [Token("literal", words.words[i]) for i in words.ids(literal)]
        for literal in example.layout.literals
    ]
    for encoder in encoders:
        numbers = [tokens_of(encoder, number) for number in example.numbers[0].tolist()]
        pairs = zip_longest(literals, numbers, fillvalue=[])
        tokens = [token for literal, number in pairs for token in literal + number]
        color, firsts = encoder_color(str(encoder)), [own[0] for own in numbers]
        rows.append((str(encoder), color, tokens, firsts))
    return template.render(rows=rows, written=written, longest=shown != text and len(shown))
