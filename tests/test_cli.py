"""The command line: what is printed, and the exit status."""

import importlib.metadata
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
from types import SimpleNamespace

import psutil
import pytest
from typer.testing import CliRunner
from waiting import until

import numlab as nl
from numlab import cli

SAVES = """
import numlab as nl, pandas as pd
size = nl.begin("{name}", profile, SIZES)
nl.save_table("xval/tab01", pd.DataFrame({{"n": [size.n]}}))
"""


def numlab(home, *arguments):
    """Run a command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "numlab", *arguments],
        env={**os.environ, "NUMLAB_HOME": str(home), "COLUMNS": "100"},
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.fixture(scope="module")
def home(module_home, write_notebook):
    write_notebook(module_home, "xval/good", SAVES.format(name="xval/good"))
    write_notebook(module_home, "xval/bad", "1 / 0")
    for name in ("fone/slow", "digits/slow", "digits/waiting"):
        write_notebook(module_home, name, "import time", "time.sleep(600)")
    return module_home


@pytest.fixture
def here(home, monkeypatch, capfd):
    """A function that runs a command in this process, which costs no start of Python."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["numlab", *arguments])
        monkeypatch.setattr(signal, "signal", lambda *_: None)
        monkeypatch.setenv("DASK_LOGGING__DISTRIBUTED", "critical")
        capfd.readouterr()
        with pytest.raises(SystemExit) as end:
            cli.main()
        out, err = capfd.readouterr()
        return SimpleNamespace(returncode=int(end.value.code or 0), stdout=out, stderr=err)

    return run


@pytest.fixture(scope="module")
def ran(home, cluster):
    options = ["--profile", "smoke", "--scheduler", cluster]
    return CliRunner().invoke(cli.app, ["figures", "xval", *options])


def test_a_failed_notebook_is_exit_1_and_a_summary(ran):
    assert ran.exit_code == 1
    assert "xval/bad failed in" in ran.stdout
    assert "cell 3 (1 / 0): ZeroDivisionError: division by zero" in ran.stdout
    assert "notebooks at the profile smoke: 1 done, 0 up to date, 1 failed" in ran.stdout
    assert "Traceback" not in ran.stdout + ran.stderr


def test_what_runs_is_said_while_it_runs(ran):
    assert "xval/good running: not run before" in ran.stdout
    assert "xval/good done in" in ran.stdout


def test_a_second_time_all_is_up_to_date(ran, here):
    again = here("figures", "xval/good", "--profile", "smoke")
    assert again.returncode == 0
    assert "notebooks at the profile smoke: 0 done, 1 up to date, 0 failed" in again.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nope"], "no notebook is named 'nope'; there are xval/bad, xval/good, fone/slow"),
        (["--profile", "huge"], "the profiles are smoke, quick, full, paper; got 'huge'"),
        (["--scheduler", "localhost"], "no Dask scheduler answers at 'localhost'"),
        (["--jobs", "0"], "jobs is a whole number, 1 or more; got 0"),
    ],
)
def test_what_a_person_gets_wrong_is_one_line_and_exit_2(here, arguments, said):
    done = here("figures", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(f"numlab: {said}")
    assert done.stderr.count("\n") == 1


def test_the_gallery_says_what_it_wrote(here, home):
    done = here("gallery")
    assert done.returncode == 0
    assert "index.html" in done.stdout
    assert (home / "figures/README.md").exists()


def test_help_names_the_commands(home):
    said = numlab(home, "--help").stdout
    assert "figures" in said
    assert "gallery" in said


def test_the_lines_of_help_flow_in_a_narrow_shell():
    said = CliRunner().invoke(cli.app, ["compare", "--help"], env={"COLUMNS": "80"}).output
    assert " Then small models fill in hidden numbers: numbers as in training, in gaps of" in said


def leads(process) -> bool:
    """Whether it leads a session, as a kernel does; not if it has ended."""
    try:
        return os.getsid(process.pid) == process.pid
    except ProcessLookupError:
        return False


def test_batches_that_are_ended_take_their_notebooks_with_them(home):
    batches = {
        number: subprocess.Popen(
            [sys.executable, "-m", "numlab", "figures", names, "--profile", "smoke", "--jobs", "1"],
            env={**os.environ, "NUMLAB_HOME": str(home)},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for number, names in [(signal.SIGTERM, "fone/slow"), (signal.SIGKILL, "digits")]
    }
    for number, batch in batches.items():
        batch.stdout.readline()
        until(lambda pid=batch.pid: any(map(leads, of(pid))), "a kernel")
        started = of(batch.pid)
        batch.send_signal(number)
        assert batch.wait(60) != 0, number
        batch.stdout.close()
        until(lambda gone=started: not any(p.is_running() for p in gone), f"the end, by {number}")


def test_ctrl_c_says_that_nothing_is_lost(here, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("numlab.batch.run.run_notebooks", interrupted)
    done = here("figures")
    assert done.returncode == 130
    assert "numlab: interrupted; finished runs and notebooks stay stored" in done.stderr


def of(pid):
    return psutil.Process(pid).children(recursive=True)


def test_the_runs_in_the_store_are_listed_and_checked(here, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMLAB_HOME", str(tmp_path))
    task, model = nl.tasks.Addition(2), nl.GPT2(8, 1, 1)
    spec = nl.RunSpec(task, nl.P10(), nl.MaskedLM(), model, 64, 2, 1e-3)
    first, second = (nl.train(one) for one in spec.seeds(2))
    foreign = tmp_path / "data/runs/0123"
    foreign.mkdir()
    (foreign / "spec.json").write_text('{"class": "mine.Spec"}')
    before = (second.folder / "spec.json").read_text()
    (second.folder / "spec.json").write_text(
        before.replace("numlab.encoders.scientific.P10", "my.Own")
    )
    listed = here("runs").stdout.splitlines()
    assert re.search(
        r"2 steps +0\.0 MB  Addition · P10 · seed 0 · MaskedLM · rate 0.001$",
        next(line for line in listed if line.startswith(first.digest)),
    )
    assert "not of the classes of this numlab" in "".join(listed)
    assert any(re.search("2 steps .* Addition · Own · seed 1$", line) for line in listed)
    (second.folder / "spec.json").write_text(before)
    assert listed[-1].startswith("runs: 3, 0 MB in ")
    shutil.rmtree(foreign)
    assert here("runs", "--check").returncode == 0
    (second.folder / "spec.json").unlink()
    assert "its spec.json is missing" in here("runs").stdout
    with pytest.warns(UserWarning, match=f"{second.digest} is damaged"):
        checked = here("runs", "--check")
    assert checked.returncode == 1 and checked.stdout.endswith("damaged: 1\n")
    assert here("runs").stdout.splitlines()[-1].startswith("runs: 1, 0 MB in ")


def test_a_run_that_is_just_deleted_is_neither_listed_nor_damaged(here, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMLAB_HOME", str(tmp_path))
    folder, lock = tmp_path / "data/runs", nl.store.lock
    for name in ("aa", "bb"):
        (folder / name).mkdir(parents=True)
        (folder / name / "spec.json").write_text("{}")

    def delete(name):
        shutil.rmtree(folder / name, ignore_errors=True)
        return "name", 1

    monkeypatch.setattr("numlab.training.run._named", lambda described: delete("aa"))
    monkeypatch.setattr(nl.store, "lock", lambda entry: delete("bb") and lock(entry))
    done = here("runs", "--check")
    assert done.returncode == 0 and "\nruns: 1, 0 MB in " in done.stdout
    assert done.stdout.endswith("damaged: 0\n")


def test_the_notebooks_are_listed_with_their_state(ran, here):
    listed = here("list", "--profile", "smoke").stdout
    assert re.search(r"^xval/good +up to date, made ", listed, re.MULTILINE)
    assert re.search(r"^xval/bad +not run before$", listed, re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["list", "--profile", "huge"], "the profiles are smoke, quick, full, paper; got 'huge'"),
        (
            ["bench", "P10", "--picture", "card.bmp"],
            "a picture is .svg, .png or .pdf; got card.bmp",
        ),
        (["bench", "P10", "--picture", "no/card.png"], "there is no folder no"),
        (["compare", "numbers.csv", "--html", "."], ". is a folder"),
    ],
)
def test_wrong_options_are_said_before_any_work(here, arguments, said):
    done = here(*arguments)
    assert done.returncode == 2 and done.stderr == f"numlab: {said}\n"


def test_kinds_are_pairs(here, tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    done = here("compare", str(tmp_path / "t.csv"), "--kinds", "a")
    assert done.returncode == 2 and done.stderr == "numlab: a kind is given as NAME:KIND; got a\n"


def test_columns_and_kinds_may_have_spaces_between_them():
    assert cli._split('c, "a, b"') == ["c", "a, b"]
    assert cli._kinds("serial : number, when: dmy") == {"serial": "number", "when": "dmy"}


def test_a_regression_of_texts_is_refused(here, tmp_path):
    (tmp_path / "t.txt").write_text("".join(f"after {i} days it was warm\n" for i in range(20)))
    done = here("regress", str(tmp_path / "t.txt"), "--target", "text")
    assert done.returncode == 2
    assert "the target is a column of numbers (of which there is none); got text" in done.stderr


def test_the_version_is_that_of_the_package(home):
    assert numlab(home, "--version").stdout == f"numlab {importlib.metadata.version('numlab')}\n"


def test_installed_notebooks_are_copied_before_lab_opens_them(tmp_path, monkeypatch):
    installed, opened = tmp_path / "installed", []
    (installed / "xval").mkdir(parents=True)
    (installed / "start.ipynb").write_text("{}")
    monkeypatch.setenv("NUMLAB_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(nl.store, "INSTALLED", installed)
    monkeypatch.setattr(nl.store, "PACKAGE", tmp_path / "nowhere" / "numlab")
    monkeypatch.setattr(os, "execl", lambda *arguments: opened.append(arguments[-1]))
    cli.lab()
    assert opened == [str(tmp_path / "home/notebooks/start.ipynb")]
    assert (tmp_path / "home/notebooks/xval").is_dir()


def test_lab_says_what_it_needs(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="jupyterlab is not installed: .* pip install"):
        cli.lab()
