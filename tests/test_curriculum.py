"""Easy texts first, and harder ones when those are mastered."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import numlab as nl
from numlab.tasks import Mixture, Numeracy
from numlab.training import fit
from numlab.training.curriculum import CHECKS, Course

PRODUCTS = Numeracy("Multiplication", (-3, 3), 4)
BOTH = Mixture((PRODUCTS, Numeracy("Mean", (-3, 3), 4)))
SPEC = nl.RunSpec(
    task=PRODUCTS,
    encoder=nl.FoNE(4, 6),
    objective=nl.CausalLM(only=("answer",)),
    model=nl.GPT2(32, 1, 2),
    n_train=600,
    n_valid=200,
    n_test=8,
    steps=30,
    batch_size=32,
    learning_rate=1e-3,
    curriculum=nl.Curriculum(),
)

pytestmark = pytest.mark.usefixtures("module_home")


@pytest.fixture(params=[PRODUCTS, BOTH], ids=["one task", "two"])
def course(request):
    spec = dataclasses.replace(SPEC, task=request.param)
    tokenizer = spec.tokenizer()
    corpora = (tokenizer(spec.examples(part), ("answer",)) for part in ("train", "valid"))
    return Course(spec.curriculum, spec.task, *corpora)


def drawn(course):
    """(2, n) task and level of many draws."""
    return course.train[:, course.rows(20_000, np.random.default_rng(0))]


def test_tasks_keep_their_shares_and_levels_theirs(course):
    tasks, levels = drawn(course)
    for i, (n, front) in enumerate(zip(course.n_levels, course.fronts, strict=True)):
        mine = levels[tasks == i]
        assert len(mine) / len(levels) == pytest.approx((course.train[0] == i).mean(), abs=0.02)
        held = np.isin(np.arange(n), course.train[1, course.train[0] == i])
        weights = course.curriculum.weights(n, front) * held
        share = np.bincount(mine, minlength=n) / len(mine)
        np.testing.assert_allclose(share, weights / weights.sum(), atol=0.02)


def test_a_model_that_is_right_opens_all_levels_and_then_they_are_alike(course):
    for check in range(CHECKS):
        course.check(lambda rows: np.ones(len(rows), bool), check / CHECKS)
    assert course.fronts == [n - 1 for n in course.n_levels]
    tasks, levels = drawn(course)
    share = np.bincount(levels[tasks == 0]) / (tasks == 0).sum()
    assert share[share > 0] == pytest.approx(1 / (share > 0).sum(), abs=0.05)


def test_a_model_that_is_wrong_moves_on_when_nothing_is_needed_any_more(course):
    fronts = []
    for check in range(CHECKS):
        course.check(lambda rows: np.zeros(len(rows), bool), check / CHECKS)
        fronts.append(course.fronts[0])
    assert fronts[20] == fronts[0] and fronts[45] > fronts[0]
    assert course.fronts == [n - 1 for n in course.n_levels]


def test_what_a_level_needs_falls_to_nothing_the_easiest_first():
    needed = nl.Curriculum().needed
    assert [needed(31, 0, done) for done in (0, 0.125, 0.25)] == pytest.approx([0.9, 0.45, 0])
    assert [needed(31, 30, done) for done in (0.5, 0.625, 0.75)] == pytest.approx([0.9, 0.45, 0])


def test_an_interrupted_training_ends_with_the_same_weights(tmp_path, monkeypatch):
    def weights(run):
        return (run.folder / "weights.safetensors").read_bytes()

    whole = weights(nl.train(SPEC))
    assert whole != weights(nl.train(dataclasses.replace(SPEC, curriculum=None)))
    monkeypatch.setenv("NUMLAB_HOME", str(tmp_path))
    half = fit.Fit(SPEC, nl.Run(SPEC).digest)
    steps = []
    monkeypatch.setattr(fit, "CHECKPOINT_SECONDS", 0.0)
    checkpoint = half._checkpoint

    def stop():
        checkpoint()
        steps.append(half.step)
        if half.step == 20:
            raise KeyboardInterrupt

    monkeypatch.setattr(half, "_checkpoint", stop)
    with pytest.raises(KeyboardInterrupt), fit.as_trained(SPEC.threads):
        half.loop(lambda step, loss: None)
    assert steps[-1] == 20 and half.course.reached[0] > SPEC.curriculum.first
    assert weights(nl.train(SPEC)) == whole


def test_a_task_that_does_not_say_how_hard_its_texts_are_is_refused():
    with pytest.raises(ValueError, match=r"Addition\(.*does not say how hard its texts are"):
        dataclasses.replace(SPEC, task=nl.tasks.Addition(2))


def test_an_objective_that_asks_for_no_slot_has_no_curriculum():
    with pytest.raises(ValueError, match="a curriculum asks for slots"):
        dataclasses.replace(SPEC, objective=nl.MaskedWords())


def test_shares_outside_of_0_to_1_and_other_bases_are_refused():
    for preview in (1.0, 1.5):
        with pytest.raises(ValueError, match="preview is below 1; got"):
            nl.Curriculum(preview=preview)
    with pytest.raises(ValueError, match="a curriculum's shares are above 0"):
        nl.Curriculum(first="a")
    with pytest.raises(ValueError, match="last is a whole number"):
        nl.Curriculum(last=2.5)
    with pytest.raises(ValueError, match="base 10 or 2; got base=16"):
        nl.Curriculum(base=16)


def with_texts_of(course, *back):
    """Open some levels; then let the first task have ten validation texts of each of the levels
    that lie so far back from its front, and no others. The front."""
    for _ in range(5):
        course.check(lambda rows: np.ones(len(rows), bool), 0.0)
    front = course.fronts[0]
    assert max(back) <= front < course.n_levels[0] - 1
    levels = [front - k for k in back] * 10
    course.valid = np.array([[0] * len(levels), levels])
    return front


def test_each_of_the_last_open_levels_has_to_be_mastered(course):
    front = with_texts_of(course, 2, 1, 0)
    course.check(lambda rows: course.valid[1, rows] == front, 0.0)
    assert course.fronts[0] == front
    course.check(lambda rows: course.valid[1, rows] > front - 3, 0.0)
    assert course.fronts[0] > front


def test_a_level_before_the_last_three_does_not_count(course):
    front = with_texts_of(course, 3, 2, 1, 0)
    course.check(lambda rows: course.valid[1, rows] > front - 3, 0.0)
    assert course.fronts[0] > front


def test_a_level_is_mastered_by_most_of_its_texts_not_by_one(course):
    front = with_texts_of(course, 0)
    course.check(lambda rows: np.arange(len(rows)) == 0, 0.0)
    assert course.fronts[0] == front
    course.check(lambda rows: np.arange(len(rows)) > 0, 0.0)  # 9 of 10
    assert course.fronts[0] > front


def test_a_level_without_a_validation_text_holds_nothing_up(course):
    front = with_texts_of(course, 0)  # none of the two before it
    course.check(lambda rows: np.ones(len(rows), bool), 0.0)
    assert course.fronts[0] > front


def test_few_levels_are_opened_one_by_one(course):
    n = course.n_levels[0]
    for _ in range(10):
        course.check(lambda rows: np.ones(len(rows), bool), 0.0)
    step = max(0.02, 1 / n)
    assert course.fronts[0] == round(min(1.0, 0.15 + 10 * step) * (n - 1))
