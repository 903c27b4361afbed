"""Draws without replacement are the draws with replacement, less their repetitions."""

import pytest

from numlab.tasks import Addition, BinaryTrees, Classification, DigitLengths, WordProblems
from numlab.tasks.base import child_seed

DIFFERENCES = WordProblems((DigitLengths(1, 1),), (("{a} less {b} {answer}", "a-b"),))
TASKS = [
    Addition(1),
    Addition(20),
    Classification(largest=3),
    BinaryTrees(2, (1.0, 1.02)),
    DIFFERENCES,
]


def texts(corpus):
    """The texts in the order of their index."""
    pairs = [(i, e.text(row)) for e in corpus for row, i in enumerate(e.index.tolist())]
    return [text for _, text in sorted(pairs)]


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_a_split_takes_the_first_occurrences_of_a_sample(task):
    sample = texts(task.sample(400, child_seed(5, 0)))
    assert [text for part in task.split((4, 13), 5) for text in texts(part)] == list(
        dict.fromkeys(sample)
    )[:17]
