"""The names that the examples in docstrings take for granted."""

import numpy as np
import pytest

import numlab as nl


@pytest.fixture(autouse=True)
def _names(doctest_namespace):
    doctest_namespace |= {"nl": nl, "np": np}
