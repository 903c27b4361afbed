"""A tiny run, for probes that ask one."""

import pytest

import numlab as nl


def tiny_spec(encoder, n_steps: int = 1, n_planets: tuple[int, int] = (2, 2)) -> nl.RunSpec:
    return nl.RunSpec(
        task=nl.tasks.Planets(n_steps, n_planets),
        encoder=encoder,
        objective=nl.MaskedLM(),
        model=nl.GPT2(16, 1, 2),
        n_train=64,
        n_valid=16,
        n_test=16,
        steps=3,
        learning_rate=1e-3,
    )


@pytest.fixture(scope="module")
def run(request, module_home):
    """The SPEC of a module of tests, trained."""
    return nl.train(request.module.SPEC)
