"""Runs repeat, resume and are kept."""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import types
import warnings
from concurrent.futures import ThreadPoolExecutor, wait

import dask
import numpy as np
import pandas as pd
import psutil
import pytest
import torch
from distributed import LocalCluster, Security
from tiny import SPEC, weights

import numlab as nl
from numlab import store
from numlab.models import Transformer
from numlab.training import cluster, fit, learning_rates, progress

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """The folder of the run of SPEC, which is trained once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMLAB_HOME", str(tmp_path_factory.mktemp("once")))
        return nl.train(SPEC).folder


@pytest.fixture
def trained(once, home):
    """The run of SPEC, in the store of this test."""
    shutil.copytree(once, nl.Run(SPEC).folder)
    return nl.Run(SPEC)


def test_training_lowers_the_validation_loss(trained):
    history = trained.history.query("part == 'valid'")
    assert history.loss.iloc[-1] < 0.8 * history.loss.iloc[0]


def test_the_history_holds_the_means_of_all_steps_though_some_batches_lack_a_part(monkeypatch):
    update, parts = fit.Fit._update, []
    monkeypatch.setattr(fit.Fit, "_update", lambda *a: parts.append(update(*a)) or parts[-1])
    few = dataclasses.replace(SPEC, encoder=nl.XVal(), objective=nl.MaskedLM(), batch_size=2)
    history = nl.train(few).history.query("part == 'train'")
    assert any("value" not in p for p in parts)
    values = np.reshape([float(p.get("value", 0)) for p in parts], (10, 4)).mean(1)
    assert np.allclose(history.value, values, rtol=1e-5)


def test_a_run_that_diverged_shows_no_loss_from_before(trained):
    history = trained.history.copy()
    history.loc[history.step == history.step.max(), "loss"] = np.nan
    vars(trained)["history"] = history
    cells = trained._repr_html_().partition("<th>loss</th>")[2].split("</tr>")[0]
    assert cells.count("<td>nan</td>") == 2


def test_a_run_in_the_store_is_not_trained_again(trained, monkeypatch):
    before = weights(trained)
    monkeypatch.setattr(fit.Fit, "loop", lambda *_: pytest.fail("trained again"))
    assert weights(nl.train(SPEC)) == before


def test_the_same_spec_gives_the_same_weights_and_another_seed_others(home, trained, monkeypatch):
    first = weights(trained)
    other = weights(nl.train(dataclasses.replace(SPEC, seed=1)))
    monkeypatch.setenv("NUMLAB_HOME", str(home / "elsewhere"))
    assert weights(nl.train(SPEC)) == first != other


def test_a_damaged_run_is_said_and_trained_again(trained):
    run = trained
    before, path = weights(run), run.folder / "weights.safetensors"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    with pytest.warns(UserWarning, match=f"{run.digest} is damaged"):
        assert weights(nl.train(SPEC)) == before


def test_a_killed_training_resumes_and_ends_with_the_same_weights(home, trained, monkeypatch):
    whole, history = weights(trained), trained.history.drop(columns="seconds")
    script = (
        "import numlab as nl; from numlab.training import fit; fit.CHECKPOINT_SECONDS = 0\n"
        "import sys, json, time; sys.path.insert(0, sys.argv[1]); import tiny\n"
        "say = fit.Fit._checkpoint\n"
        "def checkpoint(self):\n"
        "    say(self)\n"
        "    if self.step == 17: print('here', flush=True); time.sleep(60)\n"
        "fit.Fit._checkpoint = checkpoint\n"
        "nl.train(tiny.SPEC)"
    )
    elsewhere = home / "killed"
    env = os.environ | {"NUMLAB_HOME": str(elsewhere)}
    command = [sys.executable, "-c", script, os.path.dirname(__file__)]
    process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"here\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    monkeypatch.setenv("NUMLAB_HOME", str(elsewhere))
    assert not nl.Run(SPEC).folder.exists()
    steps, update = [], fit.Fit._update
    monkeypatch.setattr(fit.Fit, "_update", lambda *a: steps.append(a[1]) or update(*a))
    assert weights(nl.train(SPEC)) == whole and steps[0] == 17
    pd.testing.assert_frame_equal(nl.Run(SPEC).history.drop(columns="seconds"), history)


def test_who_asks_for_a_run_that_another_process_trains_waits_for_it(monkeypatch):
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); import tiny\n"
        "import numlab as nl; from numlab.training import fit\n"
        "steps, update = [], fit.Fit._update\n"
        "def wait(self, step):\n"
        "    if step == 5: print('training', flush=True); input()\n"
        "    steps.append(step); return update(self, step)\n"
        "fit.Fit._update = wait\n"
        "nl.train(tiny.SPEC); print(len(steps), flush=True)"
    )
    command = [sys.executable, "-c", script, os.path.dirname(__file__)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    other = subprocess.Popen(command, **pipes)
    assert other.stdout.readline() == "training\n"
    monkeypatch.setattr(fit.Fit, "loop", lambda *_: pytest.fail("trained, too"))
    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(nl.train, SPEC)
        assert not wait([asked], timeout=0.5).done
        assert other.communicate("\n")[0] == f"{SPEC.steps}\n"
        assert store.intact(asked.result().folder)


def test_runs_side_by_side_equal_runs_alone_and_come_in_order():
    others = {*LocalCluster._instances}
    specs = [dataclasses.replace(SPEC, seed=s, steps=10) for s in (1, 0)]
    left = []
    runs = nl.train_all(specs, ended=lambda run, n: left.append(n))
    assert [run.spec for run in runs] == specs and left == [1, 0]
    assert not [c for c in {*LocalCluster._instances} - others if c.status.name == "running"]
    side_by_side = [weights(run) for run in runs]
    for run in runs:
        (run.folder / "weights.safetensors").unlink()
        with pytest.warns(UserWarning):
            nl.train(run.spec)
    assert [weights(run) for run in runs] == side_by_side


def test_of_runs_that_wait_the_longest_trains_first(home):
    specs = [dataclasses.replace(SPEC, seed=73, steps=steps) for steps in range(2, 8)]
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False}
    with LocalCluster(**options, dashboard_address=None) as cluster:
        runs = nl.train_all(specs, scheduler=cluster.scheduler_address)
    ended = [run.folder.stat().st_mtime for run in runs]
    assert ended[5] < ended[4] < ended[3]  # the worker holds the first two before it knows of these


def test_a_run_that_a_long_one_starts_from_trains_before_those_of_middle_length(home):
    short, *others = (dataclasses.replace(SPEC, seed=74, steps=n) for n in (2, 3, 4, 5, 6))
    long = dataclasses.replace(SPEC, seed=75, steps=7, start=short)
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False}
    with LocalCluster(**options, dashboard_address=None) as cluster:
        nl.train_all([*others, long], scheduler=cluster.scheduler_address)
    ended = [nl.Run(spec).folder.stat().st_mtime for spec in (short, long, *others)]
    assert max(ended[:2]) < max(ended[2:])


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl makes the certificate")
def test_a_scheduler_trains_behind_tls_and_asks_for_a_certificate(home):
    key, cert = str(home / "key.pem"), str(home / "cert.pem")
    made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"]
    made = ["openssl", *made, "-keyout", key, "-out", cert]
    subprocess.run(made, check=True, capture_output=True)
    tls = {"distributed.comm.tls.ca-file": cert, "distributed.comm.require-encryption": True}
    for role in ("client", "worker", "scheduler"):
        names = f"distributed.comm.tls.{role}"
        tls |= {f"{names}.key": key, f"{names}.cert": cert}
    options = {"n_workers": 1, "processes": False, "dashboard_address": None}
    options["protocol"] = "tls://"
    with dask.config.set(tls), LocalCluster(**options, security=Security()) as encrypted:
        address = encrypted.scheduler_address
        (run,) = nl.train_all([dataclasses.replace(SPEC, steps=5, seed=71)], scheduler=address)
        with dask.config.set(dict.fromkeys(tls)), pytest.raises(ValueError, match="TLS expects"):
            nl.train_all([dataclasses.replace(SPEC, steps=5, seed=72)], scheduler=address)
    assert address.startswith("tls://") and store.intact(run.folder)


PAGE_FAULTS = """
import resource, torch
from numlab.training.worker import keep_pages

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        torch.ones(1 << 20)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

before = faults()
keep_pages()
faults()
print(before, faults())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc's malloc is Linux's")
def test_a_worker_keeps_the_memory_that_a_step_frees(monkeypatch):
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "65536")  # as Dask starts its workers
    ended = subprocess.run([sys.executable, "-c", PAGE_FAULTS], capture_output=True, text=True)
    before, after = map(int, ended.stdout.split())
    assert before > 20_000 and after < 200


def test_workers_of_a_machine_take_its_gpus_in_turn(monkeypatch):
    taken = []
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "set_device", taken.append)
    for name in (0, 1, 2, "tcp://10.0.0.2:4567"):
        worker = types.SimpleNamespace(name=name)
        monkeypatch.setattr("distributed.get_worker", lambda worker=worker: worker)
        cluster._choose_gpu()
    assert taken == [0, 1, 0]


def test_a_scheduler_that_does_not_answer_is_named_and_not_left_as_dasks_default(monkeypatch):
    monkeypatch.setattr(cluster, "ANSWER_SECONDS", 0.5)
    with pytest.raises(ValueError, match=r"no Dask scheduler answers at 'tcp://127\.0\.0\.1:9'"):
        nl.train_all([SPEC], scheduler="tcp://127.0.0.1:9")
    assert dask.config.get("scheduler", None) is None


def test_a_training_that_fails_is_named():
    broken = dataclasses.replace(SPEC, encoder=nl.FoNE(1), steps=5)  # its sums have three digits
    with pytest.raises(ValueError, match="FoNE"):
        nl.train(broken)


def test_a_training_that_fails_on_a_worker_is_named_with_its_error(trains_here):
    broken = dataclasses.replace(SPEC, encoder=nl.FoNE(1), steps=5)
    with pytest.raises(ValueError, match=f"training {re.escape(broken.name)} failed: .*FoNE"):
        nl.train_all([broken])


def test_neither_a_search_nor_a_training_reads_the_test_texts(trains_here, monkeypatch):
    every = nl.RunSpec.examples

    def without_test(spec, part):
        assert part != "test"
        return every(spec, part)

    monkeypatch.setattr(nl.RunSpec, "examples", without_test)
    nl.train(nl.choose_learning_rates([SPEC], (1e-3, 3e-3), 2)[0][0])


def test_the_learning_rate_is_chosen_on_the_validation_set(trains_here):
    specs, record = nl.choose_learning_rates([SPEC], rates=(1e-6, 1e-2, 30.0), steps=8)
    best = record.loc[record.valid_loss.idxmin()]
    assert best.chosen and best.learning_rate == 1e-2  # neither stands still nor diverges
    assert specs == [dataclasses.replace(SPEC, learning_rate=1e-2)]


def losses_at(monkeypatch, loss):
    """Let a search find `loss(seed, learning_rate)` without training."""

    def trained(specs):
        assert {spec.steps for spec in specs} == {5}
        losses = [loss(spec.seed, spec.learning_rate) for spec in specs]
        return [types.SimpleNamespace(valid_loss=value) for value in losses]

    monkeypatch.setattr(learning_rates, "train_all", trained)


def test_each_spec_has_its_own_best_rate_and_one_that_diverged_is_never_the_best(monkeypatch):
    known = {(0, 1e-2): np.nan, (0, 1e-3): 1.0, (1, 1e-2): 2.0, (1, 1e-3): 3.0}
    losses_at(monkeypatch, lambda *key: known.get(key, 9.0))
    asked = {"a": SPEC, ("b", "seed 1"): dataclasses.replace(SPEC, seed=1)}
    specs, record = nl.choose_learning_rates(asked, (1e-2, 1e-3), 5)
    assert [spec.learning_rate for spec in specs.values()] == [1e-3, 1e-2]
    assert [*specs] == [*asked]
    assert record[record.chosen].encoder.tolist() == ["a", "b, seed 1"]


def test_no_rate_is_chosen_where_every_one_diverges(monkeypatch):
    losses_at(monkeypatch, lambda *key: np.nan)
    with pytest.raises(ValueError, match=r"seed 0 diverges at each of the .*rates \[0.000125,"):
        nl.choose_learning_rates([SPEC], (1e-3, 2e-3, 4e-3), 5)


@pytest.mark.parametrize(
    "use",
    [
        lambda spec: spec.predict(None),
        lambda spec: nl.embeddings.from_run(spec, [1.0]),
        lambda spec: nl.embeddings.text_vectors(spec, spec.examples("test")),
        lambda spec: nl.probes.number_logits(spec, spec.examples("test"), "answer"),
        lambda spec: nl.probes.calibration(spec, spec.examples("test"), "answer"),
    ],
)
def test_a_spec_that_is_taken_for_its_run_says_to_train_it(use):
    with pytest.raises(AttributeError, match=r"a RunSpec has no .*; its run may have it"):
        use(SPEC)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ((SPEC, (1e-3,)), "a list or a dict of RunSpecs; got a RunSpec"),
        (([SPEC], ()), "expected a learning rate or more; got none"),
    ],
)
def test_a_search_says_what_it_takes(given, told):
    with pytest.raises(ValueError, match=told):
        nl.choose_learning_rates(*given, steps=1)


def test_a_training_alone_is_not_behind_a_figure():
    store.used.clear()
    nl.train(SPEC)
    nl.train_all([dataclasses.replace(SPEC, steps=2)])
    assert not store.used


def test_slots_are_checked_as_they_are_spelled():
    few = nl.IntegerVocabulary(2, answer_digits=1)
    task = nl.tasks.Texts([f"{i} is {i % 7}" for i in range(40)], "n1")
    sizes = {"n_train": 20, "n_valid": 10, "n_test": 5, "steps": 1}
    spec = dataclasses.replace(SPEC, task=task, encoder=few, **sizes)
    nl.train(dataclasses.replace(spec, objective=nl.CausalLM(only=("n1",))))


def test_a_training_that_diverges_says_so(home):
    wild = dataclasses.replace(SPEC, learning_rate=1e30, clip=np.inf, steps=3)
    with pytest.warns(UserWarning, match=r"Addition · FoNE.* seed 0 diverged.*below 1e\+30"):
        nl.train(wild)


def test_the_grid_grows_for_all_where_the_best_rate_of_one_is_at_its_edge(monkeypatch):
    losses_at(monkeypatch, lambda seed, rate: abs(np.log(rate / (2.5e-4, 1.6e-2)[seed])))
    asked = [SPEC, dataclasses.replace(SPEC, seed=1)]
    specs, record = nl.choose_learning_rates(asked, (1e-3, 2e-3, 4e-3), 5)
    assert [spec.learning_rate for spec in specs] == [2.5e-4, 1.6e-2]
    grid = [1.25e-4, 2.5e-4, 5e-4, 1e-3, 2e-3, 4e-3, 8e-3, 1.6e-2, 3.2e-2]
    assert record.learning_rate.tolist() == grid * 2


def test_a_grid_does_not_grow_for_a_loss_that_is_less_by_under_a_hundredth(monkeypatch):
    losses_at(monkeypatch, lambda seed, rate: {1e-3: 0.995, 2e-3: 1.0, 4e-3: 1.5}[rate])
    (spec,), record = nl.choose_learning_rates([SPEC], (1e-3, 2e-3, 4e-3), 5)
    assert spec.learning_rate == 2e-3 and len(record) == 3


def test_a_grid_does_not_grow_for_ever(monkeypatch):
    losses_at(monkeypatch, lambda seed, rate: rate)
    _, record = nl.choose_learning_rates([SPEC], (1e-3, 2e-3), 5)
    assert record.learning_rate.min() == 1.25e-4 and len(record) == 5


def test_one_learning_rate_needs_no_search(monkeypatch):
    monkeypatch.setattr(learning_rates, "train_all", lambda *_: pytest.fail("searched"))
    specs, record = nl.choose_learning_rates([SPEC], rates=(7e-3,), steps=0)
    assert specs[0].learning_rate == 7e-3 and record.chosen.all()


def test_one_loss_needs_no_comma():
    term = nl.NumberTokenLoss()
    assert dataclasses.replace(SPEC, encoder=nl.Digits(3), losses=term).losses == (term,)


def test_numbers_of_numpy_and_lists_make_no_other_run():
    given = {"steps": np.int64(40), "learning_rate": np.float64(3e-3), "losses": []}
    assert store.digest(dataclasses.replace(SPEC, **given)) == store.digest(SPEC)


@pytest.mark.parametrize("encoder", [nl.encoders.Aggregate(3), nl.encoders.IntegerVocabulary(3)])
def test_an_encoder_that_would_spell_no_number_is_refused(encoder):
    with pytest.raises(ValueError, match=r"would spell no number: .* only=\('answer',\)"):
        dataclasses.replace(SPEC, encoder=encoder, objective=nl.CausalLM())


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ({"losses": (nl.NumberTokenLoss,)}, "losses holds instances of LossTerm; got .<class"),
        ({"losses": None}, "losses holds instances of LossTerm; got .None"),
        ({"trainable": (1,)}, "trainable holds instances of str; got .1,"),
    ],
)
def test_a_part_of_the_wrong_kind_is_named(part, told):
    with pytest.raises(ValueError, match=told):
        dataclasses.replace(SPEC, **part)


def test_an_error_within_a_property_of_a_spec_is_its_own():
    class Broken(nl.RunSpec):
        @property
        def name(self):
            return None.split()

    parts = {f.name: getattr(SPEC, f.name) for f in dataclasses.fields(SPEC)}
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'split'"):
        _ = Broken(**parts).name


def test_a_text_too_long_for_the_positions_is_an_error_before_the_first_step():
    texts = [f"{i} and {i + 1}" for i in range(100)] + [" ".join(map(str, range(40)))]
    sizes = {"n_train": 90, "n_valid": 10, "n_test": 1, "task": nl.tasks.Texts(texts)}
    spec = dataclasses.replace(SPEC, model=nl.GPT2(32, 1, 2, context=32), **sizes)
    spec = dataclasses.replace(spec, objective=nl.MaskedLM(), encoder=nl.P10())
    steps = []
    with pytest.raises(ValueError, match=r"Absolute\(32\) holds 32 positions"):
        nl.training.fit.fit_in_store(spec, lambda step, loss: steps.append(step))
    assert not steps


def test_floats_of_one_layout_and_long_integers_of_another_are_checked_apart():
    tasks = nl.tasks.Mixture((nl.tasks.Addition(2), nl.tasks.Multiplication(12)))
    sizes = {"n_train": 16, "n_valid": 5, "n_test": 4, "steps": 1}
    model = nl.GPT2(32, 1, 2, context=128)
    parts = {"task": tasks, "encoder": nl.Digits(24), "model": model}
    assert nl.train(dataclasses.replace(SPEC, **parts, **sizes)).valid_loss > 0


def test_a_run_that_is_not_in_the_store_says_how_to_get_it():
    with pytest.raises(ValueError, match=r"is not in the store: nl.train\(spec\) trains it"):
        nl.predict(nl.Run(SPEC), "test", "answer")


def test_predict_of_a_run_is_of_rows_alone():
    with pytest.raises(ValueError, match=r"rows of a Table or Texts; for Addition.* nl.predict"):
        nl.train(dataclasses.replace(SPEC, steps=1)).predict("test")


def test_an_objective_that_fits_no_slot_is_named():
    typo = dataclasses.replace(SPEC, objective=nl.MaskedLM(literals=0.0, only=("anwser",)))
    with pytest.raises(ValueError, match=r"no slot fits MaskedLM.*anwser.*a, b, answer"):
        nl.train(typo)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("encoder", nl.P10, "encoder is an instance of Encoder; got <class"),
        ("objective", nl.MaskedLM, "objective is an instance of Objective; got <class"),
        ("model", "gpt2", "model is an instance of Architecture; got 'gpt2'"),
        ("start", "3f2a", "start is an instance of RunSpec; got '3f2a'"),
        ("learning_rate", -1.0, "learning_rate is above 0 and finite; got -1.0"),
        ("learning_rate", float("nan"), "above 0 and finite; got nan"),
        ("learning_rate", float("inf"), "above 0 and finite; got inf"),
        ("warmup", 100, "warmup is a share, from 0 to 1; got 100"),
        ("min_lr_ratio", -1, "min_lr_ratio is a share, from 0 to 1; got -1"),
        ("weight_decay", -0.1, "weight_decay is 0 or more and finite; got -0.1"),
        ("clip", 0.0, r"clip is above 0 \(math.inf: no clipping\); got 0.0"),
        ("learning_rate", "1e-3", "learning_rate is a number; got '1e-3'"),
        ("bf16", "no", "bf16 is True or False; got 'no'"),
        ("seed", -1, "seed is a whole number, 0 to 9223372036854775807; got -1"),
        ("steps", 200.0, "steps is a whole number, 1 or more; got 200.0"),
    ],
)
def test_a_part_that_does_not_fit_is_named_when_the_spec_is_made(field, value, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(SPEC, **{field: value})


@pytest.mark.parametrize(
    "objective", [nl.CausalLM(literals=True), nl.MaskedLM(0.5, 0, whole=False)], ids=str
)
def test_a_word_that_sums_up_a_number_never_leaks_it(objective):
    with pytest.raises(ValueError, match="Aggregate.* has a token that shows a whole number"):
        dataclasses.replace(SPEC, encoder=nl.Aggregate(3), objective=objective)
    for encoder in (nl.Aggregate(3, how=None), nl.XVal()):
        dataclasses.replace(SPEC, encoder=encoder, objective=objective)


def test_a_head_never_sees_the_rest_of_its_number():
    head = nl.heads.HLGauss.fit(np.arange(199.0))
    with pytest.raises(ValueError, match="the head would see the other tokens of the number"):
        objective = nl.MaskedLM(0.5, 0, whole=False)
        dataclasses.replace(SPEC, encoder=nl.Digits(3), head=head, objective=objective)
    for other in (nl.MaskedLM(), nl.CausalLM(literals=True)):
        dataclasses.replace(SPEC, encoder=nl.Digits(3), head=head, objective=other)


def test_batches_that_ask_for_no_trained_part_change_nothing(home):
    objective = nl.MaskedLM(slots=0.05, literals=0.0, only=("answer",))
    few = {"batch_size": 2, "steps": 20, "trainable": ("value_head.*",)}
    run = nl.train(dataclasses.replace(SPEC, encoder=nl.XVal(), objective=objective, **few))
    assert run.history.step.iloc[-1] == 20


def test_training_leaves_the_draws_of_others_as_they_are(home):
    torch.manual_seed(5)
    expected = torch.rand(3)
    for _ in range(2):  # trained, then found in the store
        torch.manual_seed(5)
        _ = nl.train(SPEC).model
        assert torch.equal(torch.rand(3), expected)


def test_a_model_that_is_loaded_meanwhile_leaves_a_training_as_it_is(trained):
    alone = weights(trained)
    other = nl.train(dataclasses.replace(SPEC, seed=1))
    shutil.rmtree(nl.Run(SPEC).folder)
    done, loaded = threading.Event(), []

    def load():
        while not done.is_set():
            loaded.append(nl.Run(other.spec).model)

    loader = threading.Thread(target=load)
    loader.start()
    try:
        assert weights(nl.train(SPEC)) == alone
    finally:
        done.set()
        loader.join()
    assert loaded


def test_a_model_from_scratch_needs_an_encoder_and_a_part_has_a_name():
    with pytest.raises(ValueError, match="a ModelSpec needs an encoder; got None"):
        dataclasses.replace(SPEC, encoder=None).tokenizer()
    with pytest.raises(ValueError, match=r'"train", "valid" or "test"; got \'tests\''):
        SPEC.examples("tests")


@pytest.mark.parametrize("field", ["steps", "batch_size", "n_train", "n_valid", "n_test"])
def test_a_size_below_one_is_named(field):
    with pytest.raises(ValueError, match=f"{field} is a whole number, 1 or more; got 0"):
        dataclasses.replace(SPEC, **{field: 0})


def test_a_damaged_checkpoint_is_said_and_training_starts_again(trained):
    whole = weights(trained)
    shutil.rmtree(nl.Run(SPEC).folder)
    half = fit.Fit(SPEC, nl.Run(SPEC).digest)
    for step in range(7):
        half._update(step)
    half.step = 7
    half._checkpoint()
    path = half.folder / "checkpoint" / "moments.safetensors"
    content = bytearray(path.read_bytes())
    content[-5] ^= 1
    path.write_bytes(bytes(content))
    with pytest.warns(UserWarning, match="checkpoint is damaged"):
        assert weights(nl.train(SPEC)) == whole


def test_the_learning_rate_warms_up_and_falls_to_its_minimum():
    spec = dataclasses.replace(SPEC, steps=1000, warmup=0.1, min_lr_ratio=0.1)
    rates = [spec.rate(step) for step in range(1000)]
    assert np.argmax(rates) in (99, 100) and max(rates) == pytest.approx(spec.learning_rate)
    assert rates[-1] == pytest.approx(0.1 * spec.learning_rate)
    quarter = 0.1 + 0.9 * (1 + np.cos(np.pi / 4)) / 2  # of the way down a cosine
    assert rates[325] == pytest.approx(quarter * spec.learning_rate, rel=1e-2)


@pytest.mark.parametrize("encoder", [nl.P10(), nl.FoNE(3), nl.XVal(scale=50.0)], ids=str)
def test_a_run_learns_a_few_texts_by_heart(encoder):
    few = {"n_train": 16, "batch_size": 16, "steps": 300}
    run = nl.train(dataclasses.replace(SPEC, encoder=encoder, **few))
    said = nl.predict(run, "train", "answer")
    assert said.valid.all() and nl.metrics.r2(said) > 0.9


def test_matrices_alone_decay_and_the_gradient_is_clipped(monkeypatch):
    def slope(size):
        def losses(self, *_):
            return {"token": size * sum(p.sum() for p in self.parameters())}

        monkeypatch.setattr(Transformer, "losses", losses)

    one = fit.Fit(SPEC, "decay")
    before = {name: p.detach().clone() for name, p in one.model.named_parameters()}
    slope(0.0)
    one._update(20)
    kept = 1 - SPEC.rate(20) * SPEC.weight_decay
    for name, p in one.model.named_parameters():
        expected = before[name] * (kept if p.ndim > 1 else 1)
        torch.testing.assert_close(p.detach(), expected, rtol=1e-5, atol=0)
    slope(1e6)
    one._update(21)
    norm = torch.stack([p.grad.norm() for p in one.model.parameters()]).norm()
    assert norm == pytest.approx(SPEC.clip, rel=1e-3)


def test_validation_asks_the_same_each_time_and_counts_every_target_alike():
    masked = fit.Fit(dataclasses.replace(SPEC, objective=nl.MaskedLM()), "masks")
    assert masked._validate() == masked._validate()
    two = fit.Fit(dataclasses.replace(SPEC, encoder=nl.Digits(3), n_valid=300), "two batches")
    with torch.no_grad():
        batch = two.valid.batch(np.arange(300))
        whole = two.model.losses(*SPEC.objective.train(batch, None))
    assert two._validate()["token"] == pytest.approx(float(whole["token"]), rel=1e-5)


def test_texts_of_like_length_share_a_batch():
    lengths = np.random.default_rng(0).integers(10, 100, 6400)
    order = fit.epoch_order(lengths, 64, np.random.default_rng(1))
    assert np.unique(order).size == 6400
    padded = lengths[order].max(1).sum() * 64
    assert padded < 1.05 * lengths.sum()


def test_progress_is_told_while_it_trains(monkeypatch):
    said = []
    monkeypatch.setattr(fit, "PROGRESS_SECONDS", 0.0)
    fit.fit_in_store(SPEC, lambda step, loss: said.append((step, loss)))
    assert [step for step, _ in said] == list(range(1, 41))


def test_a_training_is_listed_while_it_goes_on(monkeypatch):
    monkeypatch.setattr(fit, "PROGRESS_SECONDS", 0.0)
    short, listed = dataclasses.replace(SPEC, steps=2), []
    fit.fit_in_store(short, lambda step, loss: listed.extend(progress.trainings()))
    name = f"{SPEC.name} · rate {SPEC.learning_rate:g}"
    assert listed == [f"{name}: 1/2", f"{name}: 2/2"]
    assert progress.trainings() == []


# Golden: a digest that moves without a raised `version` silently makes stored runs wrong.


def test_golden_digest_of_a_spec():
    assert store.digest(SPEC) == "7103e773277c434f9ee7"


def test_golden_batch(monkeypatch):
    golden = fit.Fit(SPEC, "golden")
    batch = golden.corpus.batch(golden._rows(3))
    inputs, targets = SPEC.objective.train(batch, np.random.default_rng(0))
    sums = (
        inputs.ids.sum(),
        inputs.features.long().sum(),
        targets.reads.sum(),
        targets.features.long().sum(),
    )
    assert [int(s) for s in sums] == [1344, 1172, 8256, 587]


@pytest.mark.parametrize("units", [{}, {"amx_bf16": True}], ids=["without", "with"])
def test_bf16_is_for_processors_with_units_for_it(units, monkeypatch):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: units)
    seen = set()
    losses = Transformer.losses

    def watched(*args):
        seen.add(torch.is_autocast_enabled("cpu"))
        return losses(*args)

    monkeypatch.setattr(Transformer, "losses", watched)
    nl.train(dataclasses.replace(SPEC, bf16=True, steps=2))
    assert seen == {bool(units)}


def listening() -> set[tuple[str, int]]:
    """The addresses and ports at which this process and its children listen."""
    own = psutil.Process()
    every = [c for p in (own, *own.children(recursive=True)) for c in p.net_connections("inet")]
    return {(c.laddr.ip, c.laddr.port) for c in every if c.status == psutil.CONN_LISTEN}


def test_workers_have_the_environment_of_the_time_when_they_start_and_no_port_beyond_this_machine(
    monkeypatch,
):
    before = listening()
    for value in ("first", "second"):
        monkeypatch.setenv("OF_NOW", value)
        with cluster.connect(None, 1) as client:
            assert client.submit(os.getenv, "OF_NOW").result() == value
            assert {address for address, _ in listening() - before} == {"127.0.0.1"}


def test_processes_of_torchrun_train_one_run(monkeypatch):
    monkeypatch.setattr("torch.distributed.is_torchelastic_launched", lambda: True)
    with pytest.raises(ValueError, match=r"one run at a time by nl.train\(spec\); got 2 untrained"):
        nl.train_all([SPEC, dataclasses.replace(SPEC, seed=1)])


def test_workers_import_nothing_from_the_current_folder(tmp_path):
    (here := tmp_path / "here").mkdir()
    (here / "numbers.py").write_text("import os; os._exit(1)")
    (script := tmp_path / "script.py").write_text(
        "from numlab.training.cluster import connect\n"
        "if __name__ == '__main__':\n"
        "    with connect(None, 1) as client:\n"
        "        print(client.submit(abs, -3).result())\n"
    )
    how = {"cwd": here, "capture_output": True, "text": True, "timeout": 300}
    assert subprocess.run([sys.executable, script], **how).stdout == "3\n"


def test_a_temporary_folder_whose_path_no_socket_takes_is_named(monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", "/tmp/" + 80 * "a")
    with pytest.raises(ValueError, match="too long a path for a socket; set TMPDIR"):
        nl.train_all([dataclasses.replace(SPEC, steps=7)])


def test_a_script_without_a_guard_is_told_what_to_write(home):
    script = home / "script.py"
    script.write_text(
        "import numlab as nl\n"
        "print(nl.GPT2.__name__)\n"
        "spec = nl.RunSpec(nl.tasks.Addition(), nl.FoNE(4), nl.CausalLM(only=('answer',)),\n"
        "                  nl.GPT2(8, 1, 1), n_train=8, steps=1, learning_rate=1e-3)\n"
        "nl.train_all([spec])\n"
    )
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert ended.stderr.splitlines()[-1] == (
        f'RuntimeError: put what {script} does under `if __name__ == "__main__":`: '
        "each worker imports the script and would run it again"
    )
    ended = subprocess.run(
        [sys.executable, "-"], input=script.read_text(), capture_output=True, text=True
    )
    assert "write a script to a file" in ended.stderr.splitlines()[-1]


def test_weights_are_of_float32_whatever_torchs_default_is(trained, monkeypatch, tmp_path):
    before = weights(trained)
    monkeypatch.setenv("NUMLAB_HOME", str(tmp_path / "other"))
    torch.set_default_dtype(torch.float64)
    try:
        run = nl.train(SPEC)
        frame = nl.predict(run, "test", "answer")
        assert torch.get_default_dtype() == torch.float64  # the user's own stays
    finally:
        torch.set_default_dtype(torch.float32)
    assert weights(run) == before
    assert frame.equals(nl.predict(nl.Run(SPEC), "test", "answer"))


def test_what_is_no_spec_is_named():
    with pytest.raises(ValueError, match="train takes a RunSpec, train_all several; got a l"):
        nl.train([SPEC])


def test_autocast_around_a_training_changes_no_bit(trained, monkeypatch, tmp_path):
    before = weights(trained)
    monkeypatch.setenv("NUMLAB_HOME", str(tmp_path / "other"))
    with torch.autocast("cpu", torch.bfloat16):
        assert weights(nl.train(SPEC)) == before


@pytest.mark.parametrize("weight", [-1.0, float("nan"), "a"])
def test_the_weight_of_a_loss_is_a_number_from_0_on(weight):
    term, head = nl.losses.NumberTokenLoss(weight=weight), nl.heads.BitHead(weight=weight)
    for wrong in ({"encoder": nl.P10(), "losses": (term,)}, {"head": head}):
        with pytest.raises(ValueError, match="the weight of a loss is 0 or more and finite; got"):
            dataclasses.replace(SPEC, **wrong)


def test_a_text_does_not_count_as_true():
    spec = dataclasses.replace(SPEC, encoder=nl.FoNE(3, signed="no"))
    with pytest.raises(ValueError, match="signed is True or False; got 'no' in FoNE"):
        nl.train(spec)


def test_a_training_that_cannot_begin_leaves_no_folder():
    with pytest.raises(ValueError, match="no slot fits"):
        nl.train(dataclasses.replace(SPEC, objective=nl.CausalLM(only=("nothing",))))
    assert not any(store.partial_dir("x").parent.glob("*"))


@pytest.mark.parametrize("off", [torch.no_grad, torch.inference_mode])
def test_a_run_is_trained_where_gradients_are_off(home, off):
    with off():
        run = nl.train(SPEC)
    losses = run.history.query("part == 'train'").loss
    assert losses.iloc[-1] < losses.iloc[0]


def test_numbers_of_numpy_are_plain_values_of_a_spec(home):
    task = nl.tasks.Addition(np.int64(2))
    heads = (nl.heads.BitHead(weight=weight) for weight in (np.float32(0.5), 0.5))
    parts = {"task": task, "weight_decay": np.float64(0.5), "head": next(heads)}
    spec = dataclasses.replace(SPEC, **parts)
    parts = {"task": nl.tasks.Addition(2), "weight_decay": 0.5, "head": next(heads)}
    plain = dataclasses.replace(SPEC, **parts)
    assert nl.Run(spec).digest == nl.Run(plain).digest


def test_the_rest_of_steps_that_ten_does_not_divide_has_a_mean_of_its_own(monkeypatch):
    update, parts = fit.Fit._update, []
    monkeypatch.setattr(fit.Fit, "_update", lambda *a: parts.append(update(*a)) or parts[-1])
    history = nl.train(dataclasses.replace(SPEC, steps=25)).history.query("part == 'train'")
    assert history.step.tolist() == [*range(2, 25, 2), 25]
    assert history.loss.iloc[-1] == pytest.approx(float(sum(parts[-1].values())), rel=1e-5)


def test_a_record_has_the_tokens_without_padding_and_the_rate_of_its_last_step():
    spec = dataclasses.replace(SPEC, encoder=nl.Digits(3), steps=10, batch_size=512)
    run = nl.train(spec)
    (train,) = run.examples("train")
    n = run.tokenizer([train], spec.objective.answers).lengths.sum()
    history = run.history.query("part == 'train'")
    assert history.tokens.tolist() == [n * (i + 1) for i in range(10)]
    assert history.learning_rate.tolist() == [spec.rate(i) for i in range(10)]


def test_each_epoch_has_an_order_of_its_own_and_each_step_masks_of_its_own(monkeypatch):
    one, asked = fit.Fit(dataclasses.replace(SPEC, objective=nl.MaskedLM()), "epochs"), []
    orders = [np.concatenate([one._rows(8 * epoch + k) for k in range(8)]) for epoch in range(2)]
    assert sorted(orders[0]) == sorted(orders[1]) and orders[0].tolist() != orders[1].tolist()
    monkeypatch.setattr(one, "_rows", lambda step: np.arange(64))  # the same texts each time
    train = nl.MaskedLM.train
    monkeypatch.setattr(nl.MaskedLM, "train", lambda *a: asked.append(train(*a)) or asked[-1])
    for step in range(2):
        one._update(step)
    assert asked[0][1].reads.tolist() != asked[1][1].reads.tolist()


def test_validation_counts_every_number_alike_however_many_a_batch_holds():
    spec = dataclasses.replace(SPEC, objective=nl.MaskedLM(), n_valid=300)
    two = fit.Fit(spec, "values")
    draws = iter([0.0, 1.0])

    def losses(inputs, targets):
        return {"token": torch.tensor(0.0), "value": torch.tensor(next(draws))}

    found = fit.validation_losses(two.valid, spec.objective, losses)["value"]
    rows = np.argsort(two.valid.lengths, kind="stable")
    n = [
        len(
            spec.objective.train(
                two.valid.batch(rows[i : i + 256]), np.random.default_rng((0, 3, i))
            )[1].features
        )
        for i in (0, 256)
    ]
    assert found == pytest.approx(n[1] / sum(n))


def test_validation_is_without_the_draws_of_training():
    one, modes = fit.Fit(SPEC, "modes"), []
    one._losses = lambda *_: modes.append(one.model.training) or {"token": torch.tensor(0.0)}
    one._validate()
    assert modes == [False] and one.model.training


def test_adamw_has_the_betas_that_its_comment_says():
    assert fit.Fit(SPEC, "betas").optimizer.defaults["betas"] == (0.9, 0.95)


def test_the_seconds_of_a_run_grow_with_its_steps(trained):
    assert (trained.history.seconds.diff().dropna() >= 0).all()
    assert trained.history.seconds.iloc[0] > 0


def test_a_rate_at_the_edge_that_is_better_by_5_percent_lets_the_grid_grow(monkeypatch):
    losses_at(monkeypatch, lambda seed, rate: {1e-3: 0.95, 2e-3: 1.0, 4e-3: 1.5}.get(rate, 9.0))
    (spec,), record = nl.choose_learning_rates([SPEC], (1e-3, 2e-3, 4e-3), 5)
    assert spec.learning_rate == 1e-3 and len(record) == 4


def test_losses_below_0_that_differ_by_under_a_hundredth_are_alike(monkeypatch):
    losses_at(monkeypatch, lambda seed, rate: {1e-3: -2.0, 2e-3: -1.99, 4e-3: -1.0}[rate])
    (spec,), record = nl.choose_learning_rates([SPEC], (1e-3, 2e-3, 4e-3), 5)
    assert spec.learning_rate == 2e-3 and len(record) == 3


def test_rates_may_come_in_any_order(monkeypatch):
    losses_at(monkeypatch, lambda seed, rate: abs(np.log(rate / 8e-3)) + 1)
    (spec,), record = nl.choose_learning_rates([SPEC], (4e-3, 1e-3, 2e-3), 5)
    assert spec.learning_rate == 8e-3
    assert record.learning_rate.tolist() == [1e-3, 2e-3, 4e-3, 8e-3, 1.6e-2]


def test_a_rate_of_a_search_may_diverge_in_silence(monkeypatch):
    def trained(specs):
        warnings.warn("Addition · FoNE · seed 0 diverged: its loss is nan", stacklevel=2)
        return [types.SimpleNamespace(valid_loss=1.0) for _ in specs]

    monkeypatch.setattr(learning_rates, "train_all", trained)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nl.choose_learning_rates([SPEC], (1e-3, 2e-3, 4e-3), 5)


def test_the_data_seed_0_is_a_seed():
    shared = dataclasses.replace(SPEC, seed=1, data_seed=0)
    (ours,), (theirs,) = shared.examples("train"), SPEC.examples("train")
    assert np.array_equal(ours.numbers, theirs.numbers)


def test_a_model_from_the_store_is_in_eval_mode(trained):
    assert not trained.model.training
