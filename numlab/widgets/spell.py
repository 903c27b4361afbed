"""Any text under every encoder, as a person types it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import ipywidgets
import numpy as np

from numlab.encoders import Encoder
from numlab.encoders.base import written
from numlab.examples import Examples, parse
from numlab.plots import encoder_color
from numlab.tokenizer import Text
from numlab.widgets.note import KernelNote

if TYPE_CHECKING:
    import pandas as pd

LONGEST = 400  # characters of a text that are shown
EXAMPLE = "planet0 has m=2.38, a=-60.2 and 1998 moons"
COLUMNS = ["encoder", "piece", "kind", "word", "carries", "number", "read", "error"]


def spell(encoders: list[Encoder], text: str = EXAMPLE) -> ipywidgets.VBox:
    """Type any text and see it under every encoder.

    Each token is a chip, those of numbers in the encoder's colour; what a token carries besides
    its word stands under it. Beside them: how many tokens, and what a number loses on its way
    through them and back. A number that an encoder does not hold is said in words.

    Parameters
    ----------
    encoders : list of Encoder
    text : str
        What stands there first.
    """
    box = ipywidgets.Text(
        value=text,
        description="text",
        layout={"width": "97%"},
        style={"description_width": "initial"},
    )
    shown = ipywidgets.HTML()

    def show(_=None) -> None:
        shown.value = _html(box.value, encoders)

    box.observe(show, "value")
    show()
    return ipywidgets.VBox([box, shown, KernelNote()])


def spelled(text: str, encoders: list[Encoder]) -> pd.DataFrame:
    """A text as the tokens of each encoder, and how each number is read back from its own.

    Parameters
    ----------
    text : str
        With at least one number.
    encoders : list of Encoder

    Returns
    -------
    DataFrame [encoder, piece, kind, word, carries, number, read, error]
        A row a token, in reading order. `piece` counts the literals and numbers of the text;
        `kind` is "literal", "number" or "refused" (the encoder does not hold the number, `word`
        is what it says). Of a number: `carries`, what the token carries besides its word;
        `number` and `read`, the number and what its tokens spell; `error`, the relative error.

    Raises
    ------
    ValueError
        For a text without a number, or with one that numlab cannot hold.

    Examples
    --------
    >>> import numlab as nl
    >>> frame = spelled("x=-60.25", [nl.P1000()])
    >>> frame.word.tolist(), float(frame.read.iloc[-1])
    (['x=', '-', '602', 'E-1'], -60.2)
    """
    import pandas as pd

    (example,) = parse([text])
    words = Text.of([example.layout])
    rows = []
    for encoder in encoders:
        for piece, part in enumerate(_pieces(example)):
            if isinstance(part, str):
                literal = (words.words[i] for i in words.ids(part))
                rows += [(str(encoder), piece, "literal", word, *[None] * 4) for word in literal]
            else:
                rows += [(str(encoder), piece, *row) for row in _number(encoder, part)]
    frame = pd.DataFrame(rows, columns=COLUMNS, dtype=object)  # long integers to the last digit
    return frame.astype({"piece": int, "error": float})


def _pieces(example: Examples):
    """Literals (str) and numbers of the one text, in reading order."""
    numbers = [*example.numbers[0].tolist(), None]
    for literal, number in zip(example.layout.literals, numbers, strict=True):
        yield literal
        if number is not None:
            yield number


def _number(encoder: Encoder, number: float | int) -> list[tuple]:
    """Rows [kind, word, carries, number, read, error] of one number."""
    try:
        tokens = encoder.encode([number])
    except ValueError as error:
        return [("refused", str(error), None, number, None, np.nan)]
    ids = tokens.ids[tokens.mask]
    carried = iter(tokens.features)
    notes = [_carried(next(carried)) if i in encoder.carriers else None for i in ids]
    read = encoder.decode(tokens)[0]
    return [
        ("number", encoder.vocabulary[i], note, number, read, _relative_error(read, number))
        for i, note in zip(ids, notes, strict=True)
    ]


def _carried(features: np.ndarray) -> str:
    """What a token carries: digits or bits one after the other, values with spaces between."""
    if features.dtype.kind in "iub":
        return "".join(map(str, features.tolist()))
    return " ".join(f"{value:.6g}" for value in features.tolist())


def _relative_error(read: float | int | None, number: float | int) -> float:
    """Of the number that is read back; where the number is 0, the absolute error."""
    if read is None or read != read:
        return np.inf
    return float(abs(read - number)) / (float(abs(number)) or 1.0)


# -- the page

_STYLE = """<style>
.numlab-spell { width: 100%; border-collapse: collapse; line-height: 1.3; font-size: 13px;
  color: var(--jp-content-font-color1, inherit); }
.numlab-spell th, .numlab-spell td { text-align: left; vertical-align: top; padding: 6px 8px;
  border-bottom: 1px solid var(--jp-border-color2, #CCC); overflow-wrap: anywhere; }
.numlab-spell th:first-child { white-space: nowrap; }
.numlab-spell td:last-child { width: 30%; }
.numlab-spell .chip { display: inline-block; margin: 0 2px 3px 0; vertical-align: top;
  text-align: center; font-family: var(--jp-code-font-family, monospace); }
.numlab-spell .word { display: block; white-space: pre-wrap; padding: 0 4px; border-radius: 4px;
  border: 1px solid var(--jp-border-color1, #BBB); }
.numlab-spell .number { border: 1.5px solid color-mix(in srgb, var(--own) 75%, currentColor);
  background: color-mix(in srgb, var(--own) 24%, transparent); }
.numlab-spell .refused { border: 1.5px dashed #D32F2F; text-align: left; }
.numlab-spell small { display: block; max-width: 17em; font-size: 11px; }
.numlab-spell .dot { display: inline-block; width: 10px; height: 10px; margin-right: 6px;
  border-radius: 50%; border: 1px solid #FFF; background: var(--own); }
</style>"""


def _html(text: str, encoders: list[Encoder]) -> str:
    cut = text[:LONGEST]
    try:
        frame = spelled(cut, encoders)
    except ValueError as error:
        said = str(error).partition(": ")[2] or str(error)
        return f'{_STYLE}<p role="status">Nothing to spell yet: {escape(said)}.</p>'
    rows = "".join(_row(name, own) for name, own in frame.groupby("encoder", sort=False))
    head = "<tr><th>encoder</th><th>tokens</th><th>what comes back</th></tr>"
    note = f"<p>Shown: the first {LONGEST} characters.</p>" if cut != text else ""
    return f'{_STYLE}{note}<table class="numlab-spell">{head}{rows}</table>'


def _row(name: str, rows: pd.DataFrame) -> str:
    chips = "".join(map(_chip, rows.itertuples()))
    counts = rows.kind.value_counts()
    n_tokens = counts.get("number", 0) + counts.get("literal", 0)
    said = [f"<b>{n_tokens} tokens</b>, {counts.get('number', 0)} of them for numbers"]
    numbers = rows[rows.kind != "literal"].groupby("piece").first()
    lost = [_loss(row) for row in numbers.itertuples() if row.error > 0]
    refused = int((numbers.kind == "refused").sum())
    if not lost and not refused:
        said.append("every number exactly as it was")
    if refused:
        said.append(f"{refused} of {len(numbers)} numbers cannot be held")
    family, _, fields = name.partition("(")
    fields = f"<small>({escape(fields).replace(', ', '<br>')}</small>" if fields else ""
    return (
        f'<tr style="--own: {encoder_color(name)}"><th scope="row"><span class="dot"></span>'
        f"{escape(family)}{fields}</th><td>{chips}</td><td>{'<br>'.join(said + lost)}</td></tr>"
    )


def _chip(row) -> str:
    note = f"<small>{escape(row.carries)}</small>" if isinstance(row.carries, str) else ""
    word = escape(row.word).replace("\n", "⏎")
    return f'<span class="chip"><span class="word {row.kind}">{word}</span>{note}</span>'


def _loss(row) -> str:
    if np.isinf(row.error):
        return f"{escape(written(row.number))} does not come back as a number"
    size = f"{row.error:.2%}" if row.error >= 1e-4 else f"{row.error:.1e}"
    kind = "relative error" if row.number else "error"
    return f"{written(row.number)} → {written(float(row.read))} ({kind} {size})"
