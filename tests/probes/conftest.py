"""A tiny run, for probes that ask one."""

import pytest
import tiny

import numlab as nl


def tiny_spec(encoder, n_steps: int = 1, n_planets: tuple[int, int] = (2, 2)) -> nl.RunSpec:
    task, model = nl.tasks.Planets(n_steps, n_planets), nl.GPT2(16, 1, 2)
    return tiny.spec(encoder, objective=nl.MaskedLM(), task=task, model=model)


@pytest.fixture(scope="module")
def run(request, module_home):
    """The SPEC of a module of tests, trained."""
    return nl.train(request.module.SPEC)
