"""What a mixture adds to the laws of tasks."""

import pytest

from numlab.tasks import Addition, Mixture, Multiplication, Numeracy

MIXED = Mixture((Addition(2), Multiplication(1), Numeracy("MinMax")))


def test_texts_are_of_each_task_in_turn():
    tasks = {}
    for examples in MIXED.sample(10, seed=0):
        tasks |= dict.fromkeys(examples.index.tolist(), MIXED.task_of(examples.layout))
    assert [tasks[i] for i in range(10)] == [MIXED.tasks[i % 3] for i in range(10)]


def test_a_text_of_a_mixture_in_a_mixture_is_of_a_task_of_the_inner_one():
    nested = Mixture((MIXED, Numeracy("Mean")))
    tasks = {nested.task_of(layout) for layout in nested.layouts()}
    assert tasks == {*MIXED.tasks, Numeracy("Mean")}


def test_tasks_that_share_a_layout_are_refused():
    for tasks in ((), (Addition(2), Addition(3))):
        with pytest.raises(ValueError, match="share no layout; got"):
            Mixture(tasks)


@pytest.mark.parametrize("tasks", [Addition(2), (Addition, Multiplication)], ids=str)
def test_what_is_no_task_is_refused(tasks):
    with pytest.raises(ValueError, match="a mixture is of tasks; got a"):
        Mixture(tasks)
