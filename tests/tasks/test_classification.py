"""The classified triples: all of them, equally often, on their right side."""

import itertools

import numpy as np

from numlab.tasks import Classification


def test_the_answer_says_on_which_side_of_the_plane_a_triple_lies():
    for task in (Classification(d=10), Classification(d=-190, largest=99)):
        (texts,) = task.sample(400, seed=0)
        for (a, b, c), answer in zip(texts.numbers, texts.column("answer"), strict=True):
            assert answer == str(int(1.5 * a - 2 * b + 0.5 * c - task.d > 0))


def test_both_answers_of_the_paper_are_frequent():
    shares = {d: Classification(d=d).sample(5000, seed=1)[0].words.mean() for d in (10, -190)}
    assert all(0.2 < share < 0.8 for share in shares.values()), shares


def test_every_sorted_triple_is_equally_likely():
    task = Classification(largest=3)
    triples, counts = np.unique(task.sample(40_000, seed=2)[0].numbers, axis=0, return_counts=True)
    every = list(itertools.combinations_with_replacement(range(4), 3))
    assert list(map(tuple, triples.astype(int).tolist())) == every
    assert task.population == len(every) == 20
    assert abs(counts - 2000).max() < 5 * 2000**0.5
