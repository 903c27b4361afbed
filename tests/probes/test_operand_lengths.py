"""Operands have the lengths asked for, and a model is asked beyond its training."""

import numpy as np
import pandas as pd
import pytest

import numlab as nl
from numlab import evaluation
from numlab.probes import by_operand_lengths
from numlab.tasks.operands import draw_of_lengths

SPEC = nl.RunSpec(
    task=nl.tasks.LongAddition(int_digits=2),
    encoder=nl.FoNEDigits(21),
    objective=nl.CausalLM(only=("answer",)),
    model=nl.ModelSpec(16, 1, 2, positions=(nl.Abacus(n=22, offset=20),)),
    n_train=64,
    n_valid=8,
    n_test=8,
    steps=2,
    batch_size=16,
    learning_rate=1e-3,
)


def test_numbers_have_the_lengths_asked_for_and_every_first_digit():
    lengths = np.repeat([1, 2, 25], 300)
    numbers = draw_of_lengths(lengths, seed=0)
    assert [len(str(x)) for x in numbers.tolist()] == lengths.tolist()
    firsts = pd.Series([str(x)[0] for x in numbers]).groupby(lengths).agg(set)
    assert firsts[1] == set("0123456789")
    assert firsts[2] == firsts[25] == set("123456789")


@pytest.mark.parametrize("right", [(1, 20), (20, 20), None])
def test_each_pair_of_lengths_has_the_share_of_its_own_answers(right, home, monkeypatch):
    asked = []

    def predict(run, examples, slot):
        (texts,) = examples
        asked.append(texts)
        true = texts.column("answer")
        lengths = [tuple(len(str(x)) for x in row[:2]) for row in texts.numbers.tolist()]
        kept = [t if at == right else None for t, at in zip(true, lengths, strict=True)]
        return pd.DataFrame({"true": true, "predicted": pd.Series(kept, dtype=object)})

    monkeypatch.setattr(evaluation, "predict", predict)
    run = nl.Run(SPEC)
    frame = by_operand_lengths(run, (1, 20), n=4).set_index(["first", "second"]).exact_match
    assert frame.to_dict() == {(i, j): float((i, j) == right) for i in (1, 20) for j in (1, 20)}
    assert (asked[0].numbers[:, 2] == asked[0].numbers[:, 0] + asked[0].numbers[:, 1]).all()


def test_a_run_of_short_sums_answers_long_ones(home):
    frame = by_operand_lengths(nl.train(SPEC), (2, 20), n=2)
    assert frame.exact_match.between(0, 1).all()
    assert len(frame) == 4
