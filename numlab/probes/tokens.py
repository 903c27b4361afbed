"""How many tokens the numbers of a table take (fone, 4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from numlab.encoders import Encoder
from numlab.examples import NUMBER, parse

if TYPE_CHECKING:
    import pandas as pd


def token_counts(table: pd.DataFrame | str | Path, encoders: Mapping[str, Encoder]) -> pd.DataFrame:
    """Count the tokens that each encoder makes of the numbers of each column of a table.

    Parameters
    ----------
    table : DataFrame, or path of a CSV
        Of a column of text, the numbers within the texts count (`numlab.parse`); missing cells
        hold none.
    encoders : dict of str to Encoder
        By the names they are to have.

    Returns
    -------
    DataFrame [column, encoder, numbers, tokens]
        A row for each encoder and each column that holds a number.

    Raises
    ------
    ValueError
        Where an encoder does not hold a number, with the column.

    Examples
    --------
    >>> import pandas as pd
    >>> from numlab.encoders import Digits, FoNE
    >>> table = pd.DataFrame({"year": [1998, 2024], "result": ["2-0", "W 10"]})
    >>> counts = token_counts(table, {"FoNE": FoNE(), "Digits": Digits()})
    >>> counts.groupby("encoder").tokens.sum().to_dict()
    {'Digits': 12, 'FoNE': 5}
    """
    import pandas as pd

    if isinstance(table, str | Path):
        table = pd.read_csv(table)
    rows = []
    for column in table.columns:
        numbers = _numbers(table[column])
        for name, encoder in encoders.items() if len(numbers) else ():
            try:
                tokens = int(encoder.encode(numbers).mask.sum())
            except ValueError as error:
                raise ValueError(f"column {column!r}: {error}") from None
            rows.append((column, name, len(numbers), tokens))
    return pd.DataFrame(rows, columns=["column", "encoder", "numbers", "tokens"])


def _numbers(column: pd.Series) -> np.ndarray:
    """(m,) all numbers in a column."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    column = column.dropna()
    if is_bool_dtype(column):
        return np.zeros(0)
    if is_numeric_dtype(column):
        return column.to_numpy()
    texts = [text for text in column.astype(str) if NUMBER.search(text)]
    found = [e.numbers.ravel() for e in parse(texts)]
    return np.concatenate(found) if found else np.zeros(0)
