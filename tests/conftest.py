"""What the tests share."""

import gc
import os
import textwrap

import hypothesis
import nbformat
import pytest
from nbformat import v4

# A busy machine is slow, and that is no failure. CI tries the same examples each time: it says
# whether a change is sound, and luck has no part in that. Elsewhere each run looks for new ones.
CI = os.environ.get("CI") == "true"
hypothesis.settings.register_profile("numlab", deadline=None, derandomize=CI)
hypothesis.settings.load_profile("numlab")

# The files that take longest, so that no worker begins one when the others have ended.
LONG = (
    "notebooks/test_notebooks",
    "test_hosts",
    "test_batch",
    "test_cli",
    "browser/",
    "test_training",
    "test_estimators",
    "probes/test_desiderata",
    "encoders/test_laws",
    "test_slurm",
    "test_processes",
)

PARAMETERS = 'profile = "quick"\nSIZES = {"smoke": {"n": 2}, "quick": {"n": 5}}'


def pytest_collection_modifyitems(items):
    """Put the longest files first; the order in a file stays."""

    def rank(item):
        places = (i for i, name in enumerate(LONG) if item.nodeid.startswith(f"tests/{name}"))
        return next(places, len(LONG))

    items.sort(key=rank)


def pytest_collection_finish():
    """What was imported stays: the garbage collector need not look at it again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _no_session(monkeypatch):
    """No notebook has begun, whatever other tests began."""
    monkeypatch.setattr("numlab.figures.filing._session", None)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty NUMLAB_HOME, with its own data, figures and notebooks."""
    monkeypatch.setenv("NUMLAB_HOME", str(tmp_path))
    monkeypatch.delenv("NUMLAB_SCHEDULER", raising=False)
    (tmp_path / "notebooks").mkdir()
    return tmp_path


@pytest.fixture(scope="module")
def module_home(tmp_path_factory):
    """The same for all tests of a module."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "notebooks").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMLAB_HOME", str(folder))
        patch.delenv("NUMLAB_SCHEDULER", raising=False)
        yield folder


@pytest.fixture(scope="session")
def cluster():
    """The address of a Dask scheduler in this process: a worker of its own costs 5 s to start."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def trains_here(home, cluster, monkeypatch):
    """`train_all` of this test trains in this process."""
    monkeypatch.setenv("NUMLAB_SCHEDULER", cluster)


@pytest.fixture(scope="session")
def write_notebook():
    """A function that writes a notebook: its parameters cell, prose, then a cell a text."""

    def write(home, name, *cells, prose="Words.", parameters=PARAMETERS):
        sources = (textwrap.dedent(source).strip() for source in (parameters, *cells))
        code = [v4.new_code_cell(source) for source in sources]
        code[0].metadata.tags = ["parameters"]
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        cells = [v4.new_markdown_cell(prose), *code]
        path = home / "notebooks" / f"{name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), path)
        return path

    return write
