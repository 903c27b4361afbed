"""Abacus positions: a vector a place, from a first place that is drawn in training only."""

import numpy as np
import pytest
import torch

import numlab as nl
from numlab.models.positions import AbacusTable
from numlab.objectives import Inputs

PLACE = torch.tensor([[1, 2, 0, 1, 2, 3, 0], [1, 0, 1, 0, 1, 2, 0]])
INPUTS = Inputs(PLACE, PLACE, None, torch.zeros(0), torch.zeros(0, 0), causal=True)


def first_place(table, seed):
    """Where a training step begins to count, by the row that it gives to place 1."""
    torch.manual_seed(seed)
    row = table.train()(INPUTS, 0)[0, 0]
    return int((table.table == row).all(1).nonzero())


def test_digits_of_one_place_share_a_vector_and_literals_have_none():
    table = AbacusTable(3, 5, 8).eval()
    vectors = table(INPUTS, 0)
    assert torch.equal(vectors[PLACE == 2], table.table[[1, 1, 1]])
    assert not vectors[PLACE == 0].any()


def test_training_counts_from_every_first_place_the_same_for_a_seed():
    table = AbacusTable(3, 5, 8)
    drawn = [first_place(table, seed) for seed in range(60)]
    assert set(drawn) == {0, 1, 2, 3, 4, 5}
    assert drawn == [first_place(table, seed) for seed in range(60)]


def test_a_number_that_is_too_long_is_refused():
    with pytest.raises(ValueError, match=r"Abacus\(2\) holds 2 places; got 3"):
        AbacusTable(2, 5, 8)(INPUTS, 0)


def test_generation_counts_places_as_reading_does():
    sums = np.array([[10**19 + 5, 7, 10**19 + 12]], object)
    examples = nl.Examples(nl.Layout.of("{a}+{b}={answer}"), sums)
    tokenizer = nl.Tokenizer.of([examples.layout], nl.FoNEDigits(21))
    model = nl.Transformer(nl.ModelSpec(16, 1, 2, positions=(nl.Abacus(21, 4),)), tokenizer).eval()
    seen = []
    model.positions[0].register_forward_hook(lambda _, given, __: seen.append(given[0].within))
    objective = nl.CausalLM(("answer",))
    batch = tokenizer([examples], objective.answers).batch(np.array([0]))
    objective.fill(model, batch, ("answer",))
    assert seen[0].tolist() == [[*range(1, 21), 0, 1, 0]]
    assert [place.item() for place in seen[1:]] == list(range(1, len(seen)))


def test_a_number_that_has_ended_takes_no_place_while_words_of_other_texts_go_on():
    words = nl.Layout.of("{a} is {b}", b=("a number of many tokens", "odd"))
    numbers = nl.Layout.of("{a} is {b}")
    x = np.arange(4.0)[:, None]
    texts = [nl.Examples(words, x, np.zeros((4, 1), int)), nl.Examples(numbers, np.hstack([x, x]))]
    batch = nl.Tokenizer.of([words, numbers], nl.P1000())(texts, ("b",)).batch(np.arange(8))
    spec = nl.models.ModelSpec(16, 1, 2, positions=(nl.models.Absolute(32), nl.Abacus(n=3)))
    answers = nl.CausalLM(("b",)).fill(spec.build(batch.corpus.tokenizer).eval(), batch, ("b",))
    assert answers.ids.shape == (8, 5)
