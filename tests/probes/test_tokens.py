"""Tokens of the numbers in a table, counted by hand."""

import numpy as np
import pandas as pd
import pytest

from numlab.encoders import Digits, FoNE, Subword
from numlab.probes import token_counts

TABLE = pd.DataFrame(
    {
        "size": [1.5, np.nan, -20.0],
        "score": ["12-3", "none", None],
        "name": ["a", "b", "planet0"],
        "won": [True, False, True],
    }
)
ENCODERS = {"FoNE": FoNE(6, 3), "Digits": Digits(6, 3), "Subword": Subword(6, 3)}


def test_the_numbers_of_each_column_are_counted_and_nothing_else():
    counts = token_counts(TABLE, ENCODERS).set_index(["column", "encoder"])
    assert counts.numbers.unstack().loc[:, "FoNE"].to_dict() == {"score": 2, "size": 2}
    assert counts.tokens.unstack().to_dict("index") == {
        "size": {"FoNE": 2, "Digits": 6, "Subword": 5},  # 1 . 5, - 2 0; 1 . 5, - 20
        "score": {"FoNE": 2, "Digits": 3, "Subword": 2},
    }


def test_a_csv_counts_as_its_frame(tmp_path):
    TABLE.to_csv(tmp_path / "table.csv", index=False)
    again = token_counts(str(tmp_path / "table.csv"), ENCODERS)
    pd.testing.assert_frame_equal(again, token_counts(TABLE, ENCODERS))


def test_a_number_that_an_encoder_does_not_hold_is_named_with_its_column():
    with pytest.raises(ValueError, match="column 'size': Digits holds .*; got 1234"):
        token_counts(pd.DataFrame({"size": [1234.0]}), {"Digits": Digits(3)})


def test_a_table_without_numbers_has_no_counts():
    assert token_counts(TABLE[["name", "won"]], ENCODERS).empty
