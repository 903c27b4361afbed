"""The examples in the docstrings of the modules beside the notebooks."""

import doctest

import pytest

from notebooks.conftest import NOTEBOOKS, load

MODULES = sorted(str(p.relative_to(NOTEBOOKS).with_suffix("")) for p in NOTEBOOKS.glob("*/*.py"))


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name):
    assert doctest.testmod(load(name)).failed == 0
