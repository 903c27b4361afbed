"""The names that the examples in docstrings take for granted."""

import numpy as np
import pandas as pd
import pytest

import numlab as nl

collect_ignore = ["numlab/widgets/web.py"]  # it imports voila, and has no examples


@pytest.fixture(autouse=True)
def _names(doctest_namespace):
    doctest_namespace |= {"nl": nl, "np": np, "pd": pd}


@pytest.fixture(autouse=True)
def _home(request, monkeypatch, tmp_path_factory):
    """Examples train and file in a folder of their own."""
    if isinstance(request.node, pytest.DoctestItem):
        monkeypatch.setenv("NUMLAB_HOME", str(tmp_path_factory.getbasetemp() / "examples"))
        monkeypatch.setattr("numlab.figures.filing._session", None)
