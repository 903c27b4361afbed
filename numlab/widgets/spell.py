"""Any text under every encoder, as a person types it."""

import ipywidgets
import numpy as np
import pandas as pd

from numlab.encoders import Encoder
from numlab.encoders.base import written
from numlab.parsing import parse
from numlab.plots import encoder_color
from numlab.tokenizer import Text
from numlab.widgets.panel import FIT, Panel, on_change, page

LONGEST = 400  # characters of a text that are shown
EXAMPLE = "planet0 has m=2.38, a=-60.2 and 1998 moons"
COLUMNS = ["encoder", "piece", "kind", "word", "carries", "number", "read", "error"]


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


def spelled(text: str, encoders: list[Encoder]) -> pd.DataFrame:
    """The tokens of a text under each encoder, and how each number is read back from its tokens.

    ValueError for a text without a number, or with one that numlab cannot hold.

    Returns
    -------
    DataFrame [encoder, piece, kind, word, carries, number, read, error]
        One row for each token, in reading order. `piece` counts the text's literals and numbers;
        `kind` is "literal", "number" or "refused" (the encoder cannot hold the number; `word` is
        its error). Of numbers: `carries`, what the token carries besides its word; `number` and
        `read`, the number before and after; `error`, the relative error (of 0, the absolute).

    >>> import numlab as nl
    >>> frame = spelled("x=-60.25", [nl.P1000()])
    >>> frame.word.tolist(), float(frame.read.iloc[-1])
    (['x=', '-', '602', 'E-1'], -60.2)
    """
    (example,) = parse([text])
    words, literals = Text.of([example.layout]), example.layout.literals
    rows = []
    for encoder in encoders:
        for i, literal in enumerate(literals):
            tokens = [("literal", words.words[j], *[None] * 4) for j in words.ids(literal)]
            rows += [(str(encoder), 2 * i, *token) for token in tokens]
            for number in example.numbers[0, i : i + 1].tolist():  # none behind the last literal
                rows += [(str(encoder), 2 * i + 1, *token) for token in tokens_of(encoder, number)]
    frame = pd.DataFrame(rows, columns=COLUMNS, dtype=object)  # long integers to the last digit
    return frame.astype({"piece": int, "error": float})


def tokens_of(encoder: Encoder, number: float | int) -> list[tuple]:
    """Rows [kind, word, carries, number, read, error] of one number; see `spelled`."""
    try:
        tokens = encoder.encode([number])
    except ValueError as error:
        return [("refused", str(error), None, number, None, np.nan)]
    read, features = encoder.decode(tokens)[0], iter(tokens.features)
    error = np.inf
    if read is not None and read == read:
        error = float(abs(read - number)) / (float(abs(number)) or 1.0)
    rows = []
    for i in tokens.ids[tokens.mask]:
        carried = _joined(next(features)) if i in encoder.carriers else None
        rows.append(("number", encoder.vocabulary[i], carried, number, read, error))
    return rows


def _joined(features: np.ndarray) -> str:
    """Digits or bits one after the other, values with spaces between."""
    if features.dtype.kind in "iub":
        return "".join(map(str, features.tolist()))
    return " ".join(f"{value:.6g}" for value in features.tolist())


def _page(text: str, encoders: list[Encoder]) -> str:
    """The HTML of a text's tokens, or of the reason why it has none."""
    template = page("spell.html")
    try:
        frame = spelled(text[:LONGEST], encoders)
    except ValueError as error:
        return template.render(problem=str(error).partition(": ")[2] or str(error))
    rows = []
    for name, tokens in frame.groupby("encoder", sort=False):
        numbers = tokens[tokens.kind != "literal"].drop_duplicates("piece")
        records = tokens.to_dict("records"), numbers.to_dict("records")
        rows.append((name, encoder_color(name), *records))
    return template.render(rows=rows, written=written, longest=len(text) > LONGEST and LONGEST)
