"""The batch on small notebooks: one fails, the others go on, and nothing is done twice."""

import json
import os
import re
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from numlab.batch.notebooks import Notebook, find
from numlab.batch.run import LIMITS, Display, Job, run_notebooks
from numlab.figures.filing import write_json

SAVES = """
import numlab as nl, pandas as pd
size = nl.begin("{name}", profile, SIZES)
nl.save_table("{id}", pd.DataFrame({{"n": [size.n]}}))
"""
DRAWS = """
import atexit, ipykernel, pathlib, matplotlib.pyplot as plt, numpy as np, tqdm.auto
assert not hasattr(tqdm.auto.tqdm.get_lock(), "mp_lock")  # a semaphore, which nobody would free
assert ipykernel.get_connection_info(unpack=True)["transport"] == "ipc"
atexit.register(pathlib.Path("{ended}").touch)
plt.plot([1, 2])
print("drawn", np.random.rand())
"""
SLEEPS = f"8{os.getpid()}1", f"8{os.getpid()}2"  # seconds; no other test sleeps so long
ENDLESS = "import subprocess; subprocess.Popen(['sleep', '{}'], start_new_session=True)"
BEGINS = "import numlab as nl\nnl.begin('xval/without', profile, SIZES)"
FAILS = {
    "xval/raises": ("x = 1", ENDLESS.format(SLEEPS[0]), "\nraise ValueError('7 is no prime')"),
    "xval/exits": ("import sys; sys.exit(0)", "x = 1"),
    "xval/dies": ("import os; os.kill(os.getpid(), 9)", "x = 1"),
    "xval/forgets": ('if False:\n    nl.save_table("xval/tab05", frame)',),
}
HANGS = {
    "fone/hangs": ("import time", ENDLESS.format(SLEEPS[1]), "time.sleep(1000)"),
    "fone/dawdles": ("import time", *["time.sleep(1)"] * 9),
}


@pytest.fixture(scope="module")
def first(module_home, cluster, write_notebook):
    """The jobs of a batch of good and bad notebooks, by name."""
    write_notebook(module_home, "digits/good", SAVES.format(name="digits/good", id="digits/tab03"))
    write_notebook(module_home, "float/good", SAVES.format(name="float/good", id="float/tab02"))
    for name in ("draws", "draws_too"):
        write_notebook(module_home, f"float/{name}", DRAWS.format(ended=module_home / name))
    write_notebook(module_home, "xval/unparametrised", "x = 1", parameters="y = 2")
    write_notebook(
        module_home, "xval/without", BEGINS, parameters='profile = ""\nSIZES = {"quick": {}}'
    )
    for name, cells in FAILS.items():
        write_notebook(module_home, name, *cells)
    saves = SAVES.format(name="xval/half", id="xval/tab07")
    write_notebook(module_home, "xval/half", saves, '# nl.save_table("xval/tab09", frame)\nx = 1')
    saves = SAVES.format(name="xval/copy", id="xval/tab08")
    path = write_notebook(module_home, "xval/copy", 'profile = "full"', saves)
    content = json.loads(path.read_text())
    content["cells"][2]["metadata"]["tags"] = ["injected-parameters"]  # papermill left it
    path.write_text(json.dumps(content))
    (module_home / "notebooks/xval/broken.ipynb").write_text("{")
    return {j.notebook.name: j for j in run_notebooks([], "smoke", 3, cluster)}


@pytest.fixture(scope="module")
def hung(first, module_home, cluster, write_notebook):
    """The jobs of a batch whose cells may take 3 s, and whose notebooks may take 6."""
    for name, cells in HANGS.items():
        write_notebook(module_home, name, *cells)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(LIMITS, "smoke", 3)
        return {j.notebook.name: j for j in run_notebooks(["fone"], "smoke", 2, cluster)}


def test_the_good_are_done_whatever_the_others_do(first, module_home):
    assert [first[n].state for n in ("digits/good", "float/good")] == ["done", "done"]
    assert (module_home / "figures/smoke/digits/tab03.csv").read_text() == "n\n2\n"
    assert (module_home / "figures/smoke/notebooks/digits/good.ipynb").exists()


def test_kernels_need_no_port_show_pyplot_draw_their_own_numbers_and_end_in_order(
    first, module_home
):
    folder, names = module_home / "figures/smoke/notebooks/float", ("draws", "draws_too")
    executed = [(folder / f"{name}.ipynb").read_text() for name in names]
    assert all('"image/png"' in text for text in executed)
    assert len({re.search(r"drawn 0\.\d+", text)[0] for text in executed}) == 2
    assert all((module_home / name).exists() for name in names)


def test_a_file_that_is_no_notebook_is_named(first):
    assert first["xval/broken"].state == "failed"
    assert "xval/broken.ipynb is not a notebook" in first["xval/broken"].note


def test_a_cell_that_raises_is_named_with_its_error(first):
    assert first["xval/raises"].state == "failed"
    note = first["xval/raises"].note
    assert note == "cell 5 (raise ValueError('7 is no prime')): ValueError: 7 is no prime"


def test_a_notebook_that_exits_early_failed(first):
    assert first["xval/exits"].state == "failed"
    assert first["xval/exits"].note == "stopped before the end, in cell 3 of 4"


def test_a_kernel_that_dies_is_a_failure(first):
    assert first["xval/dies"].state == "failed"
    assert "DeadKernelError" in first["xval/dies"].note


def test_a_figure_that_was_declared_must_have_been_saved(first):
    assert first["xval/forgets"].state == "failed"
    assert first["xval/forgets"].note == "it ran, but did not save xval/tab05"


def test_a_cell_that_hangs_is_stopped(hung):
    note = hung["fone/hangs"].note
    assert hung["fone/hangs"].state == "failed"
    assert "CellTimeoutError" in note or "more than twice 3 s" in note  # a busy machine


def test_a_notebook_that_takes_too_long_is_stopped(hung):
    pattern = r"stopped in cell \d+ of 12: it took more than twice 3 s"
    assert re.fullmatch(pattern, hung["fone/dawdles"].note)


def test_a_notebook_without_parameters_or_profile_failed(first):
    assert first["xval/unparametrised"].note == "no cell tagged `parameters` sets `profile`"
    assert first["xval/without"].note.endswith("has the profiles quick; got 'smoke'")


def test_what_a_notebook_started_ends_with_it(first, hung):
    lines = [p.info["cmdline"] or [] for p in psutil.process_iter(["cmdline"])]
    assert not [line for line in lines if line[:1] == ["sleep"] and line[-1] in SLEEPS]


def test_a_failed_notebook_is_kept_beside_the_good_ones(first, module_home):
    folder = module_home / "figures/smoke/notebooks/xval"
    assert "7 is no prime" in (folder / "raises.failed.ipynb").read_text()
    assert not (folder / "raises.ipynb").exists()


def test_the_gallery_is_built_whatever_failed(first, module_home):
    assert (module_home / "figures/index.html").exists()


def test_curves_that_cannot_be_drawn_are_a_failure_and_tried_again(
    first, module_home, cluster, write_notebook, monkeypatch
):
    write_notebook(module_home, "fone/curves", SAVES.format(name="fone/curves", id="fone/tab04"))

    def draw(*of):
        raise OSError("no room")

    monkeypatch.setattr("numlab.figures.curves.draw", draw)
    (job,) = run_notebooks(["fone/curves"], "smoke", 1, cluster)
    assert (job.state, job.note) == ("failed", "its learning curves: OSError('no room')")
    assert job.notebook.up_to_date("smoke") == (False, "not run before")


def test_what_is_up_to_date_is_skipped_without_a_cluster(first, monkeypatch):
    monkeypatch.setattr("numlab.batch.run.connect", lambda _: pytest.fail("connected"))
    jobs = run_notebooks(["digits", "float/good"], "smoke")
    assert [job.state for job in jobs] == ["skipped", "skipped"]
    assert all(job.note.startswith("up to date, made 20") for job in jobs)


def test_new_code_reruns_its_notebook_alone(first, module_home, cluster, write_notebook):
    cell = SAVES.format(name="digits/good", id="digits/tab03")
    write_notebook(module_home, "digits/good", cell, "x = 1")
    jobs = {j.notebook.name: j for j in run_notebooks(["digits", "float"], "smoke", 2, cluster)}
    assert jobs["digits/good"].state == "done"
    assert jobs["float/good"].state == "skipped"


def test_two_batches_on_one_home_execute_a_notebook_once(home, cluster, write_notebook):
    write_notebook(home, "digits/good", SAVES.format(name="digits/good", id="digits/tab03"))
    with ThreadPoolExecutor(2) as threads:
        batches = [threads.submit(run_notebooks, [], "smoke", 1, cluster) for _ in range(2)]
    states = sorted(job.state for batch in batches for job in batch.result())
    assert states == ["done", "skipped"]


def test_a_damaged_figure_is_said_before_anything_runs(home, write_notebook):
    write_notebook(home, "xval/one", "1 / 0")
    path = home / "figures/full/fone/fig02.json"
    path.parent.mkdir(parents=True)
    path.write_text("<<<<<<< HEAD")
    with pytest.raises(ValueError, match=r"fig02\.json is damaged .* delete it"):
        run_notebooks(profile="smoke")


def test_a_copy_of_an_executed_notebook_runs(first):
    job = first["xval/copy"]
    assert (job.state, job.note) == ("done", "figures and tables: 1")


def test_a_figure_whose_line_is_a_comment_need_not_be_saved(first):
    job = first["xval/half"]
    assert (job.state, job.note) == ("done", "figures and tables: 1")


def test_a_notebook_that_is_mended_leaves_no_failed_copy(
    first, module_home, cluster, write_notebook
):
    folder = module_home / "figures/smoke/notebooks/xval"
    assert (folder / "exits.failed.ipynb").exists()
    write_notebook(module_home, "xval/exits", "x = 1")
    run_notebooks(["xval/exits"], "smoke", 1, cluster)
    assert {path.name for path in folder.glob("exits*.ipynb")} == {"exits.ipynb"}


def test_the_longest_notebook_begins_first_and_before_it_one_of_unknown_length(
    home, cluster, write_notebook, monkeypatch
):
    for name, seconds in (("xval/a", 1), ("xval/b", 60), ("xval/c", None)):
        write_notebook(home, name, "x = 1")
        if seconds:
            write_json(find([name])[0].record("smoke"), {"seconds": seconds})
    began = []
    monkeypatch.setattr(Job, "run", lambda job, *_: began.append(job.notebook.name))
    run_notebooks([], "smoke", 1, cluster)
    assert began == ["xval/c", "xval/b", "xval/a"]


def test_a_log_says_now_and_then_which_cell_runs(home, capsys):
    running, waiting = (Job(Notebook(n, home / n), "smoke", None) for n in ("xval/one", "xval/two"))
    running.state, running.cell, running.cells = "running", 3, 7
    display = Display()
    for _ in range(2):  # the second time comes too soon
        display.show([running, waiting])
    assert re.fullmatch(r" *\d+ s   xval/one cell 3 of 7\n", capsys.readouterr().out)
