"""Masked words: how likely each one is, and tables of how well they are found."""

import numpy as np
import pandas as pd
import pytest
import torch

import numlab as nl
from notebooks.conftest import load
from numlab.pretrained import Pretrained

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
    assert scores["top-5"].tolist() == [50, 75]
    assert scores["top-20"].tolist() == [50, 100]
    assert scores["top-100"].tolist() == [75, 100]
    assert scores.perplexity.tolist() == pytest.approx([np.e, np.e])


def test_a_table_has_the_mean_and_the_spread_where_there_are_several_seeds():
    scores = words.scores(FRAME, ["embedding"])
    (row,) = words.with_spread(scores, ["embedding"]).to_dict("records")
    assert (row["embedding"], row["top-1"]) == ("mine", "50 ± 35")
    (row,) = words.with_spread(scores[:1], ["embedding"]).to_dict("records")
    assert row["top-1"] == "25"


@pytest.fixture(scope="module")
def run(module_home):
    spec = nl.RunSpec(
        task=nl.tasks.Quantities(),
        encoder=nl.IEEE754(),
        objective=nl.MaskedWords(),
        model=Pretrained(),
        n_train=64,
        n_valid=16,
        n_test=4,
        steps=1,
        batch_size=8,
        learning_rate=3e-3,
        seed=1,
    )
    return nl.train(spec)


def test_words_are_asked_one_at_a_time_and_a_model_that_diverged_finds_none(run):
    examples = run.examples("test")
    found = words.masked_words(run, examples, batch_size=20)
    assert {"opening", "thing", "ending", ""} <= set(found["slot"]) and set(found.seed) == {1}
    corpus = run.tokenizer(examples)
    asked = run.spec.objective.words(corpus.batch(np.arange(len(corpus))))
    assert len(found) == asked.sum()
    assert len(set(asked.sum(1))) > 1, "texts of several lengths, so that some are padded"
    index = np.concatenate([e.index for e in examples])
    for at, example in enumerate(index):
        batch = corpus.batch(np.array([at]))  # alone, so that nothing is padded
        columns = np.flatnonzero(run.spec.objective.words(batch)[0])[[2, -1]]
        rows = found[found.example == example].iloc[[2, -1]]
        for row, column in zip(rows.itertuples(), columns, strict=True):
            inputs, targets = run.spec.objective.hide_one(batch, np.array([column]))
            assert (inputs.ids != torch.from_numpy(batch.ids)).sum() == 1
            with torch.no_grad():
                logits = run.model.logits(run.model.hidden(inputs, targets.reads))[0]
            true = logits[batch.ids[0, column]]
            assert row.token == batch.ids[0, column]
            log_probability = float(true - logits.logsumexp(0))
            assert row.log_probability == pytest.approx(log_probability, abs=1e-3)
            assert row.rank == pytest.approx(1 + int((logits > true).sum()), rel=0.01, abs=3)
    diverged = nl.Run(run.spec)
    with torch.no_grad():
        diverged.model.bias.fill_(torch.nan)
    assert (words.masked_words(diverged, examples)["rank"] > max(words.TOP)).all()


def test_the_commonest_word_of_training_is_the_likeliest_by_frequency(run):
    found = words.masked_words(run, run.examples("test"))
    trivial = words.by_frequency(run, found)
    assert trivial["rank"].min() == 1 and trivial.log_probability.max() < 0
    assert trivial.sort_values("rank").log_probability.is_monotonic_decreasing
    assert (trivial.token == found.token).all()
