"""Entries are whole or absent, damage is noticed, specs are addressed by what they say."""

from __future__ import annotations

import errno
import tracemalloc
import warnings
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from tiny import spec

import numlab as nl
from numlab import corpus, store
from numlab.described import describe, restore
from numlab.tasks.leaks import warn_of_leak

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


@pytest.mark.parametrize("step", range(3))
def test_a_writer_that_is_killed_while_it_renames_leaves_one_whole_entry(home, step, monkeypatch):
    steps = [(Path, "rename"), (Path, "rename"), (store.shutil, "rmtree")]
    write(home / "entry", "old")
    (home / ".entry.old").mkdir()
    place, name = steps[step]
    original, calls = getattr(place, name), []

    def killed(*arguments, **options):
        calls.append(arguments)
        if len(calls) == (1, 2, 3)[step]:
            raise KeyboardInterrupt
        return original(*arguments, **options)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(place, name, killed)
        write(home / "entry", "new")
    assert store.intact(home / "entry")
    assert (home / "entry/file.txt").read_text() == ("old", "new", "new")[step]


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


def test_a_spec_comes_back_from_its_description():
    assert restore(describe(spec())) == spec()


@pytest.mark.parametrize("name", ["subprocess.Popen", "numlabelled.Spec", "dataclasses.Field"])
def test_a_stored_text_chooses_no_class_of_another_module(name):
    described = describe(spec()) | {"task": {"class": name, "version": 1}}
    with pytest.raises(ValueError, match=f"from numlab; got {name}, whose module is not among"):
        restore(described)


@pytest.mark.parametrize(
    "name", ["numlab.described.json", "numlab.store.Path", "numlab.store.gone", "numlab.gone.P10"]
)
def test_a_stored_text_chooses_dataclasses_only(name):
    with pytest.raises(ValueError, match=f"got {name}, which is not one or is gone"):
        restore({"class": name})


def test_a_field_that_is_no_more_is_named():
    with pytest.raises(ValueError, match="RunSpec does not take the stored fields .* 'gone'"):
        restore(describe(spec()) | {"gone": 1})


def test_a_module_that_is_named_may_be_chosen_from():
    with pytest.raises(ValueError, match="classes are from numlab; got"):
        restore(describe(HoldsAList("a")))
    for modules in (__name__, (__name__,)):
        assert restore(describe(HoldsAList("a")), modules) == HoldsAList("a")


@pytest.mark.parametrize(
    "change",
    [{"seed": 1}, {"encoder": nl.XVal()}, {"model": nl.GPT2(32, 2, 2)}, {"learning_rate": 2e-3}],
    ids=str,
)
def test_another_spec_has_another_digest(change):
    assert store.digest(spec(**change)) != store.digest(spec())


def test_an_optional_part_that_is_none_is_left_out_of_the_description():
    described = describe(spec())
    assert "head" not in described and restore(described).head is None


def test_equal_specs_have_equal_digests():
    one, two = (spec(encoder=nl.XVal(scale=scale)) for scale in (10, 10.0))
    assert one == two and store.digest(one) == store.digest(two)


def test_a_raised_version_has_another_digest(monkeypatch):
    before = store.digest(spec())
    monkeypatch.setattr(nl.FoNE, "version", nl.FoNE.version + 1)
    assert store.digest(spec()) != before


@dataclass(frozen=True)
class HoldsAList:
    values: list


def test_a_value_that_is_not_plain_is_refused():
    with pytest.raises(ValueError, match="plain values"):
        store.describe(HoldsAList([1, 2]))


class Forgot(HoldsAList):
    def __init__(self, more):
        super().__init__([])
        self.more = more


def test_a_class_whose_parameters_are_no_fields_is_refused():
    with pytest.raises(ValueError, match="Forgot needs @dataclass"):
        store.describe(Forgot(3))


def test_a_class_that_nobody_can_import_is_refused():
    @dataclass(frozen=True)
    class Local:
        pass

    @dataclass(frozen=True)
    class Inner:
        pass

    Inner.__qualname__ = "Outer.Inner"  # as if in the body of a class
    for cls in (Local, Inner):
        with pytest.raises(ValueError, match="importable"):
            store.describe(cls())


SMALL = nl.tasks.Climate(years=1, degrees=30.0)
DRAWN = [
    nl.tasks.Addition(int_digits=30),  # Python ints beyond float64
    nl.tasks.Temperature(SMALL, stations=(2, 3), times=(2, 2)),  # several layouts, silent literals
    nl.tasks.Quantities(),  # words
]


def test_the_check_for_leaks_reads_the_texts_of_the_run(home):
    store.split.cache_clear()
    warn_of_leak.cache_clear()
    spec = nl.RunSpec(nl.tasks.Quantities(), nl.XVal(), nl.MaskedLM(), nl.GPT2(8), 64, 2, 1e-3)
    spec.examples("test")
    assert store.split.cache_info().misses == 1


@pytest.mark.parametrize("mapped", [0, 2**20], ids=["on disk", "in memory"])
@pytest.mark.parametrize("task", DRAWN, ids=["big ints", "silent literals", "words"])
def test_drawn_examples_come_back_as_they_were(task, mapped, monkeypatch):
    monkeypatch.setattr(nl.tasks.base, "SHARD", 3)
    monkeypatch.setattr(store, "MAPPED", mapped)
    sizes = (5, 6, 7)
    kept = store.split(task, sizes, 0)
    for before, after in zip(task.split(sizes, 0), kept, strict=True):
        for a, b in zip(before, after, strict=True):
            assert a.layout == b.layout and a.numbers.dtype == b.numbers.dtype
            assert np.array_equal(a.numbers, b.numbers) and np.array_equal(a.index, b.index)
            assert a.words is None or np.array_equal(a.words, b.words)


def test_python_ints_of_any_length_come_back(tmp_path):
    layout, numbers = nl.Layout.of("{x}"), [[10**40, -3], [7, 10**20]]
    shards = [nl.Examples(layout, np.array(part, object)[:, None]) for part in numbers]
    task = SimpleNamespace(layouts=lambda: [layout], shards=lambda *_: [(0, e) for e in shards])
    store._save_examples(tmp_path, task, (4,), 0)
    ((_, kept),) = store._load_examples(tmp_path)
    assert kept.numbers.ravel().tolist() == [*numbers[0], *numbers[1]]


def test_texts_of_words_alone_come_back(tmp_path):
    layout = nl.Layout.of("{x}", x=("a", "b"))
    texts = nl.Examples(layout, np.zeros((3, 0)), np.array([[0], [1], [1]]))
    task = SimpleNamespace(layouts=lambda: [layout], shards=lambda sizes, seed: [(0, texts)])
    store._save_examples(tmp_path, task, (3,), 0)
    ((_, kept),) = store._load_examples(tmp_path)
    assert kept.numbers.shape == (3, 0) and np.array_equal(kept.words, texts.words)


def peak(n, monkeypatch):
    """The most bytes held while n planetary systems are drawn, kept, and trained on."""
    task = nl.tasks.Planets(n_steps=1, n_planets=(2, 2))
    learner = spec(task=task, objective=nl.MaskedLM(), n_train=n, n_valid=8, n_test=8, steps=2)
    tracemalloc.start()
    nl.train(learner)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_a_corpus_may_be_larger_than_memory(monkeypatch):
    monkeypatch.setattr(nl.tasks.base, "SHARD", 256)
    monkeypatch.setattr(store, "MAPPED", 0)
    monkeypatch.setattr(corpus, "KEPT", 0)
    monkeypatch.setattr(corpus, "CHUNK", 256)
    peak(256, monkeypatch)  # what is imported and made once
    little, much = peak(512, monkeypatch), peak(8192, monkeypatch)
    numbers, places = 11 * 8, 5 * 8  # bytes a text: its numbers; its length, its place, its turn
    assert much - little < places * 8192 < numbers * 8192


def test_a_home_may_begin_with_a_tilde(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NUMLAB_HOME", "~/lab")
    assert store.home() == tmp_path / "lab"


def test_what_a_caller_does_with_texts_changes_those_of_no_other():
    texts = spec().examples("test")
    texts += spec().examples("valid")
    assert len(spec().examples("test")) == 1
    with pytest.raises(ValueError, match="read-only"):
        texts[0].numbers[0, 0] = 7.0


def test_the_arrays_of_a_task_can_still_be_written_after_a_split(monkeypatch):
    numbers = np.arange(12.0).reshape(4, 3)

    def sample(task, n, seed, **fixed):
        return [nl.Examples(nl.Layout.of("{a}+{b}={answer}"), numbers[:n])]

    monkeypatch.setattr(nl.tasks.Addition, "sample", sample)
    monkeypatch.setattr(nl.tasks.Addition, "split", nl.Task.split)
    store.split.cache_clear()
    store.split(nl.tasks.Addition(5), (1, 1, 2), 0)
    store.split.cache_clear()
    assert numbers.flags.writeable


def test_an_entry_that_cannot_be_read_just_now_is_not_damaged(home, monkeypatch):
    write(home / "entry")
    with monkeypatch.context() as patch, pytest.raises(OSError, match="Too many open files"):
        patch.setattr(Path, "open", Mock(side_effect=OSError(errno.EMFILE, "Too many open files")))
        store.intact(home / "entry")
    assert store.intact(home / "entry")


def test_a_manifest_that_is_no_table_is_damage(home):
    write(home / "entry")
    (home / "entry" / "manifest.json").write_text("null")
    with pytest.warns(UserWarning, match="entry is damaged"):
        assert not store.intact(home / "entry")


def test_sizes_of_one_sum_are_splits_of_their_own(home):
    for sizes in ((4, 2, 8), (2, 4, 8), (8, 2, 4)):
        parts = store.split(nl.tasks.Addition(2), sizes, 0)
        assert tuple(sum(map(len, part)) for part in parts) == sizes


def test_a_table_keeps_words_that_pandas_would_take_for_nothing(home):
    frame = pd.DataFrame({"w": ["None", "NA", "null"], "x": [0.1 + 0.2, 1e-300, np.nan]})
    for _ in range(2):  # made, then read
        found = store.table("words", ("a", 1), lambda: frame)
        pd.testing.assert_frame_equal(found, frame, check_dtype=False, check_exact=True)


def test_a_draft_that_was_never_finished_is_no_damage(home):
    entry = home / "data" / "runs" / "abc"
    draft = entry.parent / ".abc.draft"
    draft.mkdir(parents=True)
    (draft / "file.txt").write_text("half of it")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not store.intact(entry)
    assert not entry.exists()
