"""The panels and names of learning curves."""

import dataclasses

import numpy as np
import pandas as pd
import tiny

import numlab as nl


def titles(runs):
    """The panel in which the learning curve of each run stands."""
    for run in runs:
        vars(run)["history"] = pd.DataFrame({"part": "valid", "step": [1, 2], "loss": 1.0})
    panels = nl.probes.learning_curves(runs).groupby("run").panel.first()
    return [panels[run.digest] for run in runs]


def test_runs_of_one_encoder_with_other_positions_have_panels_of_their_own():
    rotary, plain = nl.Llama(8, 1, 1, 1, 8), nl.GPT2(8, 1, 1)
    both = dataclasses.replace(rotary, positions=(nl.models.Absolute(8),))
    models = rotary, both, plain, dataclasses.replace(plain, positions=())
    part = nl.tasks.Addition(2), nl.XVal(), nl.CausalLM(only=("answer",))
    runs = [nl.Run(nl.RunSpec(*part, m, 64, 2, 1e-3, seed=s)) for m in models for s in (0, 1)]
    kinds = ["rotary", "absolute and rotary", "absolute", "no added"]
    names = [f"Addition, {kind} positions" for kind in kinds]
    assert titles(runs) == [name for name in names for _ in range(2)]


def test_curves_are_those_of_one_run_or_of_several(home):
    run = nl.train(tiny.SPEC)
    of_one = nl.probes.learning_curves(run)
    assert of_one.equals(nl.probes.learning_curves({"mine": run}))
    assert nl.evaluation.labels(run) == nl.evaluation.labels([run])


def test_runs_on_other_numbers_of_texts_have_panels_of_their_own():
    part = nl.tasks.Addition(2), nl.XVal(), nl.CausalLM(only=("answer",)), nl.GPT2(8, 1, 1)
    runs = [nl.Run(nl.RunSpec(*part, n, 2, 1e-3)) for n in (64, 1600)]
    names = ["Addition, 64 training texts", "Addition, 1,600 training texts"]
    assert titles(runs) == names


def test_tasks_that_are_shortened_to_one_name_have_panels_of_their_own():
    sizes = [(0.1, 0.2, 0.3, 0.4, 0.5), (0.6, 0.7, 0.8, 0.9, 1.0)]
    part = nl.XVal(), nl.CausalLM(only=("answer",)), nl.GPT2(8, 1, 1), 64, 2, 1e-3
    runs = [nl.Run(nl.RunSpec(nl.tasks.Planets(step_sizes=size), *part)) for size in sizes]
    assert len({*titles(runs)}) == 2


def test_a_long_field_does_not_fill_the_title_of_a_learning_curve():
    sizes = [tuple(np.linspace(0.2, 0.8, n).tolist()) for n in (4, 400)]
    part = nl.XVal(), nl.CausalLM(only=("answer",)), nl.GPT2(8, 1, 1), 64, 2, 1e-3
    runs = [nl.Run(nl.RunSpec(nl.tasks.Planets(step_sizes=some), *part)) for some in sizes]
    assert len({*titles(runs)}) == 2 and max(map(len, titles(runs))) < 60


def test_a_title_of_a_learning_curve_says_what_differs_from_most_runs():
    part = nl.tasks.Addition(2), nl.XVal(), nl.MaskedLM(), nl.GPT2(8, 1, 1), 64, 2, 1e-3
    runs = [nl.Run(nl.RunSpec(*part, weight_decay=decay)) for decay in (0.1, 0.1, 1.0)]
    names = ["Addition", "Addition", "Addition, weight_decay 1"]
    assert titles(runs) == names


def test_runs_of_which_no_half_is_like_the_other_are_both_told():
    part = nl.tasks.Addition(2), nl.XVal(), nl.MaskedLM(), nl.GPT2(8, 1, 1), 64, 2, 1e-3
    runs = [nl.Run(nl.RunSpec(*part, weight_decay=decay)) for decay in (0.1, 1.0)]
    names = ["Addition, weight_decay 0.1", "Addition, weight_decay 1"]
    assert titles(runs) == names


def test_runs_with_a_curriculum_have_panels_of_their_own():
    task = nl.tasks.Numeracy("Multiplication", (-3, 3), 4)
    part = task, nl.XVal(), nl.CausalLM(only=("answer",)), nl.GPT2(8, 1, 1), 64, 2, 1e-3
    runs = [nl.Run(nl.RunSpec(*part, curriculum=c)) for c in (None, nl.Curriculum())]
    assert [title.rpartition(", ")[2] for title in titles(runs)] == [
        "no curriculum",
        "a curriculum",
    ]
