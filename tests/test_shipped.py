"""Runs that numlab comes with: whole, of specs as they are today, copied when asked for."""

import json

import pytest

import numlab as nl
from numlab import store
from numlab.described import restore
from numlab.training import fit

SHIPPED = sorted(store.SHIPPED.iterdir())
pytestmark = pytest.mark.usefixtures("home")


def spec_of(folder):
    return restore(json.loads((folder / "spec.json").read_text("utf-8")))


@pytest.fixture
def spec(monkeypatch):
    """Of a small shipped run; training it is an error."""
    monkeypatch.setattr(fit, "Fit", lambda *_: pytest.fail("trained"))
    return spec_of(min(SHIPPED, key=lambda folder: (folder / "weights.safetensors").stat().st_size))


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
def test_a_shipped_run_is_whole_and_of_its_address(folder):
    run = nl.Run(spec_of(folder))
    assert run.digest == folder.name and store.intact(run.folder)


@pytest.mark.parametrize("train", [nl.train, lambda spec: nl.train_all([spec])[0]])
def test_a_shipped_run_is_not_trained(spec, train):
    run = train(spec)
    assert run.model.embed and run.history.step.max() == spec.steps


def test_a_shipped_run_is_found_by_its_digest(spec):
    assert nl.Run.stored(nl.Run(spec).digest).spec == spec


def test_a_shipped_run_whose_copy_is_damaged_is_copied_again(spec):
    path = nl.train(spec).folder / "weights.safetensors"
    path.write_bytes(path.read_bytes()[:-1])
    assert "checksum" in store.fault_of(path.parent)
    with pytest.warns(UserWarning, match="damaged"):
        run = nl.train(spec)
    assert store.intact(run.folder)
