"""Entries are whole or absent, damage is noticed, specs are addressed by what they say."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
import pytest

import numlab as nl
from numlab import store

pytestmark = pytest.mark.usefixtures("home")


def write(entry, text="hello"):
    store.write(entry, lambda folder: (folder / "file.txt").write_text(text))


def test_an_entry_is_there_only_when_it_is_whole(home):
    def breaks(folder):
        (folder / "file.txt").write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.write(home / "entry", breaks)
    assert not store.intact(home / "entry")
    write(home / "entry")
    assert store.intact(home / "entry")


@pytest.mark.parametrize("name", ["file.txt", "manifest.json"])
def test_a_flipped_byte_is_noticed_said_and_set_aside(home, name):
    write(home / "entry")
    content = bytearray((home / "entry" / name).read_bytes())
    content[-3] ^= 1
    (home / "entry" / name).write_bytes(bytes(content))
    with pytest.warns(UserWarning, match="entry is damaged"):
        assert not store.intact(home / "entry")
    assert not (home / "entry").exists() and list((home / ".damaged").iterdir())


def test_a_missing_file_is_noticed(home):
    write(home / "entry")
    (home / "entry" / "file.txt").unlink()
    with pytest.warns(UserWarning, match="file.txt"):
        assert not store.intact(home / "entry")


def spec(**changes):
    base = nl.RunSpec(
        task=nl.tasks.Addition(int_digits=2),
        encoder=nl.XVal(k=1),
        objective=nl.CausalLM(only=("answer",)),
        model=nl.GPT2(32, 1, 2),
        n_train=64,
        steps=10,
        learning_rate=1e-3,
    )
    return dataclasses.replace(base, **changes)


def test_a_spec_comes_back_from_its_description():
    assert store.restore(store.describe(spec())) == spec()


@pytest.mark.parametrize(
    "change",
    [{"seed": 1}, {"encoder": nl.XVal()}, {"model": nl.GPT2(32, 2, 2)}, {"learning_rate": 2e-3}],
    ids=str,
)
def test_another_spec_has_another_digest(change):
    assert store.digest(spec(**change)) != store.digest(spec())


def test_equal_specs_have_equal_digests():
    one, two = (spec(encoder=nl.XVal(scale=scale)) for scale in (10, 10.0))
    assert one == two and store.digest(one) == store.digest(two)


def test_a_raised_version_has_another_digest(monkeypatch):
    before = store.digest(spec())
    monkeypatch.setattr(nl.XVal, "version", nl.XVal.version + 1)
    assert store.digest(spec()) != before


@dataclass(frozen=True)
class HoldsAList:
    values: list


def test_a_value_that_is_not_plain_is_refused():
    with pytest.raises(ValueError, match="plain values"):
        store.describe(HoldsAList([1, 2]))


def test_a_class_that_nobody_can_import_is_refused():
    @dataclass(frozen=True)
    class Local:
        pass

    with pytest.raises(ValueError, match="importable"):
        store.describe(Local())


SMALL = nl.tasks.Climate(years=1, degrees=30.0)
DRAWN = [
    nl.tasks.Addition(int_digits=30),  # Python ints beyond float64
    nl.tasks.Temperature(SMALL, stations=(2, 3), times=(2, 2)),  # several layouts, silent literals
]


@pytest.mark.parametrize("task", DRAWN, ids=["big ints", "silent literals"])
def test_drawn_examples_come_back_as_they_were(task):
    drawn = store.split(task, (5, 6, 7), 0)
    store.split.cache_clear()
    kept = store.split(task, (5, 6, 7), 0)
    for before, after in zip(drawn, kept, strict=True):
        for a, b in zip(before, after, strict=True):
            assert a.layout == b.layout and a.numbers.dtype == b.numbers.dtype
            assert np.array_equal(a.numbers, b.numbers)
