"""Tables of how well masked words are found."""

import numpy as np
import pandas as pd
import pytest

from notebooks.conftest import load

words = load("float/words")

RANKS = {0: [1, 3, 30, 200], 1: [1, 1, 1, 6]}
FRAME = pd.DataFrame(
    [("mine", seed, rank, -1.0) for seed, ranks in RANKS.items() for rank in ranks],
    columns=["embedding", "seed", "rank", "log_probability"],
)


def test_scores_are_of_one_run_each_and_shares_in_percent():
    scores = words.scores(FRAME, ["embedding"])
    assert scores.seed.tolist() == [0, 1]
    assert scores["top-1"].tolist() == [25, 75]
    assert scores["top-100"].tolist() == [75, 100]
    assert scores.perplexity.tolist() == pytest.approx([np.e, np.e])


def test_a_table_has_the_mean_and_the_spread_where_there_are_several_seeds():
    scores = words.scores(FRAME, ["embedding"])
    (row,) = words.with_spread(scores, ["embedding"]).to_dict("records")
    assert (row["embedding"], row["top-1"]) == ("mine", "50 ± 35")
    (row,) = words.with_spread(scores[:1], ["embedding"]).to_dict("records")
    assert row["top-1"] == "25"
