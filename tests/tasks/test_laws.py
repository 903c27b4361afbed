"""What every task must do. A new task is tested by a line in TASKS."""

import dataclasses
import hashlib

import numpy as np
import pytest

from numlab import tasks
from numlab.tasks import (
    Addition,
    BinaryTrees,
    Classification,
    Climate,
    DigitLengths,
    LongAddition,
    Lookup,
    Mixture,
    Multiplication,
    Numeracy,
    Planets,
    Quantities,
    Subtraction,
    Temperature,
    WordProblems,
    base,
)

SMALL = Climate(years=1, degrees=15.0)

BACKWARDS = WordProblems((DigitLengths(5, 5),), (("{b} of {a}: {answer}", "a/b-1"),))
EASY = Numeracy("DivM", (-3, 3), 4, "binary", max_difficulty=0.5)
MIXED = Mixture((Addition(int_digits=3), Multiplication(digits=9), Numeracy("MinMax")))
NINE = ["Addition", "Multiplication", "Division", "Exponentiation", "Mean", "Std", "MinMax"]
NINE += ["Interval", "Sorting"]
TASKS = [
    Planets(n_steps=3),
    Planets(n_steps=2, n_planets=(2, 2), step_sizes=(0.2, 0.5)),
    Planets(n_steps=2, n_planets=(1, 5), angles=np.pi),
    Addition(),
    Addition(int_digits=3, frac_digits=3),
    Addition(int_digits=30),
    LongAddition(int_digits=4),
    Subtraction(int_digits=5),
    Subtraction(int_digits=20),
    Multiplication(digits=2),
    Multiplication(digits=9),
    BinaryTrees(operands=2),
    BinaryTrees(operands=3),
    BinaryTrees(operands=4),
    Lookup(),
    Lookup(entries=2, withheld=(-1, 0.25)),
    Classification(),
    Classification(d=-190, largest=99),
    Quantities(),
    Temperature(SMALL, stations=(2, 4), times=(2, 3)),
    Temperature(SMALL, stations=(5, 5), times=(4, 4)),
    WordProblems(),
    BACKWARDS,
    *(Numeracy(name) for name in NINE),
    EASY,
    MIXED,
]
HELD = {  # by task: a name that can be held, a value in its range, one out of it
    Planets: [("stepsize", 0.4, -1.0), ("m0", 3.0, -1.0), ("e0", 1.0, 30.0), ("a0", 1.1, 2.0)],
    Addition: [],  # its operands are drawn together
    LongAddition: [],
    Subtraction: [],
    Multiplication: [],
    Classification: [],
    BinaryTrees: [("a", 1.5, -1.0), ("b", 0.25, 9.0)],
    Lookup: [("answer", 0.4, 3.5)],
    Quantities: [],  # no parameters
    Temperature: [],  # what a field holds cannot be held at another value
    Mixture: [],  # of many tasks no one parameter
    Numeracy: [],  # nor of one whose draws depend on each other
    WordProblems: [],  # nor can the numbers of a text whose answer must be one
}
GOLDEN = {  # raise the task's version when one of these changes
    "Planets(n_steps=3, n_planets=(2, 4), step_sizes=(0.2, 0.3, 0.5, 0.8), "
    "aligned=0.3, a_final=(1.5, 3.0), angles=None)": (1, "e639323ea1ab"),
    "Planets(n_steps=2, n_planets=(2, 2), step_sizes=(0.2, 0.5), "
    "aligned=0.3, a_final=(1.5, 3.0), angles=None)": (1, "971d617dc00b"),
    "Planets(n_steps=2, n_planets=(1, 5), step_sizes=(0.2, 0.3, 0.5, 0.8), "
    "aligned=0.3, a_final=(1.5, 3.0), angles=3.141592653589793)": (1, "a4e737cb9dbf"),
    "Addition(int_digits=6, frac_digits=0)": (1, "8b09962cc12e"),
    "Addition(int_digits=3, frac_digits=3)": (1, "68237c245cee"),
    "Addition(int_digits=30, frac_digits=0)": (1, "6cccbd25e9b0"),
    "Subtraction(int_digits=5, frac_digits=0)": (1, "6cb4a9bd2876"),
    "Subtraction(int_digits=20, frac_digits=0)": (1, "f75f19f52e17"),
    "Multiplication(digits=2)": (1, "90eac769654e"),
    "Multiplication(digits=9)": (1, "23b624d060e3"),
    "LongAddition(int_digits=4)": (1, "9e268d79a4a2"),
    "Classification(d=10, largest=1000)": (1, "21ed5653136c"),
    "Classification(d=-190, largest=99)": (1, "11b559324e3b"),
    "BinaryTrees(operands=2, bounds=(0.1, 3.0))": (1, "ab341db783cc"),
    "BinaryTrees(operands=3, bounds=(0.1, 3.0))": (1, "4cf9431d57d8"),
    "BinaryTrees(operands=4, bounds=(0.1, 3.0))": (1, "94294f914fdc"),
    "Lookup(entries=4, withheld=(0.3, 0.5), figures=3)": (1, "d3c065df8ca1"),
    "Lookup(entries=2, withheld=(-1, 0.25), figures=3)": (1, "4c49b094755f"),
    "Quantities()": (2, "78e34cdcfe2f"),
    repr(Temperature(SMALL, stations=(2, 4), times=(2, 3))): (1, "78db5afa8fd8"),
    repr(Temperature(SMALL, stations=(5, 5), times=(4, 4))): (1, "29ead8e97582"),
    repr(WordProblems()): (1, "ba174d7f99dc"),
    repr(BACKWARDS): (1, "f70044e83618"),
    repr(Numeracy("Addition")): (1, "d52a3e74e7c4"),
    repr(Numeracy("Multiplication")): (1, "3e278cf5e4f6"),
    repr(Numeracy("Division")): (1, "35f270443526"),
    repr(Numeracy("Exponentiation")): (1, "8bcce9d97e2c"),
    repr(Numeracy("Mean")): (1, "6264050a4307"),
    repr(Numeracy("Std")): (1, "ba90f94db233"),
    repr(Numeracy("MinMax")): (1, "572d9ab54be7"),
    repr(Numeracy("Interval")): (1, "ff7bf90a8b96"),
    repr(Numeracy("Sorting")): (1, "ab34070c1c5e"),
    repr(EASY): (1, "288a13f33fcf"),
    repr(MIXED): (1, "a02147c8a445"),
}
every_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: repr(task)[:80])
OF_A_CLASS = {type(task): task for task in TASKS}  # for laws that no setting could break
every_class = pytest.mark.parametrize("task", OF_A_CLASS.values(), ids=lambda t: type(t).__name__)
every_held = pytest.mark.parametrize(
    ("task", "name", "value", "outside"),
    [(task, *held) for task in TASKS for held in HELD[type(task)]],
    ids=str,
)
every_name = pytest.mark.parametrize(
    ("task", "name", "value", "outside"),
    [(task, *held) for task in OF_A_CLASS.values() for held in HELD[type(task)]],
    ids=str,
)


def texts(corpus):
    """Every text by its place: what it says and its numbers in full."""
    rows = {}
    for examples in corpus:
        for place, numbers in zip(examples.index.tolist(), examples.numbers.tolist(), strict=True):
            rows[place] = (examples.layout, tuple(numbers))
    return rows


def table(corpus, slot):
    """(n,) numbers of a slot, by place."""
    numbers = {}
    for examples in corpus:
        numbers |= zip(examples.index.tolist(), examples.column(slot).tolist(), strict=True)
    return [numbers[place] for place in sorted(numbers)]


def test_every_exported_task_is_held_to_the_laws():
    exported = [getattr(tasks, name) for name in tasks.__all__]
    classes = {e for e in exported if isinstance(e, type) and issubclass(e, tasks.Task)}
    of_data = {tasks.Sentences, tasks.Table, tasks.Texts}  # held to them in tests of their own
    assert classes - {tasks.Task, tasks.PopulationTask} - of_data == {type(task) for task in TASKS}


@every_task
def test_a_task_is_a_frozen_dataclass_of_plain_values_with_a_version(task):
    assert dataclasses.is_dataclass(task) and task.__dataclass_params__.frozen
    assert dataclasses.replace(task) == task and hash(dataclasses.replace(task)) == hash(task)
    assert eval(repr(task)) == task
    assert isinstance(type(task).version, int)


@every_task
def test_a_seed_gives_the_same_texts_again(task):
    assert texts(task.sample(20, seed=3)) == texts(task.sample(20, seed=3))


@every_task
def test_another_seed_gives_other_texts(task):
    ours, others = texts(task.sample(20, seed=3)), texts(task.sample(20, seed=4))
    assert sum(ours[place] == others[place] for place in ours) <= 1


@every_task
def test_a_smaller_sample_is_the_beginning_of_a_larger(task):
    large = texts(task.sample(33, seed=5))
    assert texts(task.sample(20, seed=5)) == {place: large[place] for place in range(20)}


@every_task
def test_a_sample_has_a_text_for_each_place_and_only_layouts_that_were_announced(task):
    corpus = task.sample(50, seed=6)
    assert sorted(place for examples in corpus for place in examples.index) == list(range(50))
    drawn = [examples.layout for examples in corpus]
    assert len(set(drawn)) == len(drawn)
    assert set(drawn) <= set(task.layouts())


@every_task
def test_numbers_are_finite_floats_or_python_ints(task):
    for examples in task.sample(50, seed=7):
        if examples.numbers.dtype == object:
            assert {type(number) for number in examples.numbers.ravel()} == {int}
        else:
            assert np.isfinite(examples.numbers).all()


@every_class
def test_an_empty_sample_is_an_empty_corpus(task):
    assert task.sample(0, seed=0) == []


@every_task
def test_a_split_is_disjoint_and_has_the_sizes_asked_for(task):
    parts = [texts(part) for part in task.split((10, 0, 20, 40), seed=8)]
    assert [sorted(part) for part in parts] == [list(range(n)) for n in (10, 0, 20, 40)]
    assert len({text for part in parts for text in part.values()}) == 70


@every_task
def test_a_larger_training_set_begins_with_a_smaller_and_leaves_the_others_as_they_were(task):
    *others, small = map(texts, task.split((10, 20, 15), seed=9))
    *same, large = map(texts, task.split((10, 20, 40), seed=9))
    assert others == same
    assert small == {place: large[place] for place in range(15)}


@every_task
def test_shards_are_the_split_bit_by_bit(task, monkeypatch):
    monkeypatch.setattr(base, "SHARD", 7)
    parts, sizes = task.split((10, 0, 30), seed=9), (10, 0, 30)
    drawn = {}
    layouts = task.layouts()
    for i, examples in task.shards(sizes, seed=9):
        drawn.setdefault((i, layouts.index(examples.layout)), []).append(examples)
    wholes = [(i, e) for i, part in enumerate(parts) for e in part]
    for ((i, _), shards), (own, whole) in zip(sorted(drawn.items()), wholes, strict=True):
        assert i == own and {e.layout for e in shards} == {whole.layout}
        for name in ("numbers", "words", "index"):
            if (array := getattr(whole, name)) is not None:
                joined = np.concatenate([getattr(e, name) for e in shards])
                assert joined.dtype == array.dtype and np.array_equal(joined, array)


@every_task
def test_a_split_shares_nothing_with_the_sample_of_its_seed(task):
    (train,) = task.split((20,), seed=1)
    ours, others = texts(train), texts(task.sample(20, seed=1))
    assert sum(ours[place] == others[place] for place in ours) <= 1


@every_held
def test_a_held_parameter_takes_the_values_given(task, name, value, outside):
    assert table(task.sample(12, seed=10, **{name: value}), name) == [value] * 12
    values = [value] * 11 + [2 * value if name in "ab" else 0.75 * value]
    assert table(task.sample(12, seed=10, **{name: values}), name) == values


@every_held
def test_holding_a_parameter_leaves_the_other_draws_as_they_were(task, name, value, outside):
    free, held = task.sample(12, seed=11), task.sample(12, seed=11, **{name: value})
    for ours, theirs in zip(free, held, strict=True):
        assert ours.layout == theirs.layout and (ours.index == theirs.index).all()
        for slot in ours.layout.number_slots:
            follows = slot[0] in "xy" or slot == "answer" or (name == "a0" and slot[0] == "a")
            follows |= name == "answer" and slot.startswith("value")  # one of them: test_lookup
            if slot != name and not follows:
                assert ours.column(slot).tolist() == theirs.column(slot).tolist(), slot


@every_name
def test_a_value_out_of_range_is_refused_by_name(task, name, value, outside):
    with pytest.raises(ValueError, match=rf"\b{name}\b.*got"):
        task.sample(3, seed=0, **{name: [value, outside, value]})


@every_name
def test_an_array_of_another_length_is_refused_by_its_shape(task, name, value, outside):
    with pytest.raises(ValueError, match=rf"{name} is .*\(3,\); got shape \(2,\)"):
        task.sample(3, seed=0, **{name: [value, value]})


@every_class
def test_an_unknown_parameter_is_refused_with_those_there_are(task):
    with pytest.raises(ValueError, match=r"can be held: .*; got 'colour'"):
        task.sample(3, seed=0, colour=1.0)


@every_class
def test_a_size_or_seed_that_is_none_is_refused(task):
    for n, seed in ((-1, 0), (2.5, 0), (True, 0), (3, -1), (3, None)):
        with pytest.raises(ValueError, match="a whole number, 0 or more; got"):
            task.sample(n, seed=seed)


def fingerprint(task):
    """Of the first texts, to six digits: machines differ in the last ones of an integration."""
    said = [
        e.text(i, lambda number: f"{number:.6g}" if isinstance(number, float) else str(number))
        for e in task.sample(8, seed=0)
        for i in range(len(e))
    ]
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:12]


@every_task
def test_texts_change_only_with_the_version(task):
    assert (type(task).version, fingerprint(task)) == GOLDEN[repr(task)]


@pytest.mark.parametrize(
    "task", [t for t in OF_A_CLASS.values() if isinstance(t, base.PopulationTask)], ids=str
)
def test_counts_of_numpy_are_counts(task):
    whole = {f.name: getattr(task, f.name) for f in dataclasses.fields(task)}
    counts = {name: np.int64(n) for name, n in whole.items() if type(n) is int}
    assert dataclasses.replace(task, **counts).population == task.population
