"""An encoder, a head, a loss, an objective, a task and a probe from outside: numlab knows none."""

from __future__ import annotations

import dataclasses
import importlib
import re
import shutil
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn
from torch.nn import functional as F

import numlab as nl
from numlab import evaluation, metrics
from numlab.batch.run import run_notebooks
from numlab.codes import DigitCode, ScaledCode
from numlab.compare.encodings import encodings
from numlab.heads import value
from numlab.training import fit
from numlab.training.own_code import own_code


@dataclass(frozen=True)
class OneHot(DigitCode, nl.ValueEncoder):
    """Each digit as one of ten entries, projected; ten logits a digit come back."""

    int_digits: int = 3
    frac_digits: int = 0
    signed: bool = True

    def embedding(self, d_model):
        return OneHotEmbedding(self.n_digits, d_model)

    @property
    def head(self):
        return nl.heads.DigitHead(self.int_digits, self.frac_digits, self.signed)


class OneHotEmbedding(nn.Module):
    def __init__(self, n_digits, d_model):
        super().__init__()
        self.project = nn.Linear(1 + 10 * n_digits, d_model)

    def forward(self, features, words):
        digits = F.one_hot(features[:, 1:].long(), 10).flatten(1)
        return words[0] + self.project(torch.cat([features[:, :1], digits], 1).float())


@dataclass(frozen=True)
class Logarithm(ScaledCode, nl.heads.Head):
    """The logarithm of a number's size, and its sign."""

    scale: float = 1.0
    n_features = 2

    def features(self, numbers):
        x = super().features(numbers)
        return np.hstack([np.sign(x), np.log1p(np.abs(x))])

    def number(self, features):
        return super().number(features[:, :1] * np.expm1(np.abs(features[:, 1:])))

    def build(self, d_model):
        return nl.heads.HeadModule(self, nn.Linear(d_model, 2))

    def loss(self, outputs, features):
        return (outputs - features).abs().sum(1)

    def read(self, outputs):
        return outputs


@dataclass(frozen=True)
class Entropy(nl.losses.LossTerm):
    """Confident answers cost more."""

    weight: float = 0.1
    name: str = "entropy"

    def __call__(self, logits, targets, embed):
        return (logits.softmax(1) * logits.log_softmax(1)).sum(1).mean()


@dataclass(frozen=True)
class OneNumber(nl.objectives.Objective):
    """Mask exactly one slot a text, the first that fits."""

    only: tuple[str, ...] = ("*",)
    fills_at_once = True

    def train(self, batch, rng):
        first = batch.in_slots(self.only) & (batch.slot == batch.slot.max(1, keepdims=True))
        return nl.MaskedLM().ask(batch, self._names(batch, first))

    def fill(self, model, batch, slots):
        return nl.MaskedLM().fill(model, batch, slots)

    def _names(self, batch, where):
        layout = batch.corpus.examples[0].layout
        return tuple({layout.slots[j].name for j in batch.slot[where]})


@dataclass(frozen=True)
class Doubling(nl.Task):
    """2 x = ?"""

    high: int = 500
    stored = False

    def layouts(self):
        return [nl.Layout.of("2*{x}={answer}")]

    def sample(self, n, seed, **fixed):
        return self._texts(np.random.default_rng(seed).integers(0, self.high, n))

    def split(self, sizes, seed):
        x = np.random.default_rng(seed).permutation(self.high)[: sum(sizes)]
        return tuple(map(self._texts, np.split(x, np.cumsum(sizes)[:-1])))

    def _texts(self, x):
        numbers, index = np.column_stack([x, 2 * x]), np.arange(len(x))
        return [nl.Examples(*self.layouts(), numbers, index=index)]


def errors_by_size(run, examples):
    """A probe: the mean error of each answer's decade."""
    frame = nl.predict(run, examples, "answer")
    decade = np.log10(frame.true.clip(lower=1)).astype(int)
    return metrics.score(frame.assign(decade=decade), metrics.mse, by=("encoder", "decade"))


def spec(**fields):
    base = {
        "task": Doubling(),
        "encoder": OneHot(),
        "objective": nl.CausalLM(only=("answer",)),
        "model": nl.GPT2(32, 1, 2, context=32),
        "n_train": 320,
        "n_valid": 64,
        "n_test": 64,
        "steps": 4,
        "learning_rate": 3e-3,
    }
    return nl.RunSpec(**base | fields)


@pytest.fixture(scope="module")
def runs(module_home, cluster):
    """One run with each of them."""
    return nl.train_all(
        [
            spec(losses=(Entropy(), Entropy(0.2, "more entropy")), steps=300),
            spec(head=Logarithm()),
            spec(encoder=nl.FoNE(3), head=nl.heads.DigitHead(3)),
            spec(encoder=nl.XVal(), head=Logarithm(), objective=OneNumber(only=("answer",))),
        ],
        scheduler=cluster,
    )


def test_all_train_and_predict(runs):
    frame = nl.predict(runs, "test", "answer")
    names = ["OneHot", "OneHot #2", "FoNE", "XVal"]
    assert frame.groupby("encoder").size().to_dict() == dict.fromkeys(names, 64)
    assert frame.valid.groupby(frame.encoder).any().all()


def test_an_encoder_from_outside_learns(runs):
    frame = nl.predict(runs[0], "test", "answer")
    constant = frame.true.var()
    assert metrics.mse(frame) < 0.5 * constant


def test_each_term_of_the_loss_counts(runs):
    history = runs[0].history
    parts = history.token + history.value + history.entropy + history["more entropy"]
    assert np.allclose(history.loss, parts)
    assert np.allclose(history["more entropy"], 2 * history.entropy, rtol=1e-4)


def test_the_head_says_what_is_predicted(runs):
    run = runs[1]
    assert run.model.value_head.head == Logarithm()
    batch = run.tokenizer(run.examples("test"), ("answer",)).batch(np.arange(4))
    _, targets = run.spec.objective.train(batch, np.random.default_rng(0))
    answers = run.examples("test")[0].column("answer")[:4]
    assert np.allclose(targets.features, Logarithm().features(answers))


def test_probes_and_embeddings_take_them(runs):
    assert set(errors_by_size(runs[0], runs[0].examples("test")).decade) <= {0, 1, 2}
    e = nl.embeddings.from_run(runs[0], np.arange(50))
    assert len(nl.probes.neighbour_f1(e, k=5)) == 50
    assert len(nl.probes.pca(e)) > 0


def test_compare_takes_them(tmp_path):
    x = np.arange(300.0)
    path = tmp_path / "numbers.csv"
    pd.DataFrame({"x": x, "y": 2 * x}).to_csv(path, index=False)
    numbers = nl.compare.read(path).numbers
    assert "OneHot" in set(encodings(numbers, [OneHot(), nl.P1000()]).encoder)


def test_a_head_reads_numbers_that_are_written_in_words(module_home):
    frame = nl.predict(nl.train(spec(encoder=nl.P1000(), head=Logarithm())), "test", "answer")
    assert len(frame) == 64


def test_nothing_inside_numlab_knows_their_names():
    names = [OneHot, Logarithm, Entropy, OneNumber, Doubling, errors_by_size]
    package = Path(nl.__file__).parent
    source = "\n".join(p.read_text("utf-8") for p in package.rglob("*.py"))
    assert not [n.__name__ for n in names if re.search(rf"\b{n.__name__}\b", source)]


def test_labels_and_descriptions_know_nothing_of_classes(runs):
    assert list(evaluation.labels(runs).values()) == ["OneHot", "OneHot", "FoNE", "XVal"]
    assert dataclasses.asdict(runs[0].spec.encoder)["int_digits"] == 3
    assert "OneHot" in runs[0].spec._repr_html_()


MINE = """
from dataclasses import dataclass
import numlab as nl

@dataclass(frozen=True)
class Mine(nl.P10):
    figures: int = 2
"""
TRAINS = "assert set(answers.encoder) == {'Mine'} and answers.score.notna().all()"


def test_the_leaderboard_trains_an_encoder_of_a_file_beside_it(home):
    """It alone, up to its scores, on workers and a scheduler that do not find the file."""
    beyond = Path(nl.__file__).parents[1] / "notebooks/beyond"
    shutil.copytree(beyond, home / "notebooks/beyond", ignore=shutil.ignore_patterns("*.ipynb"))
    (home / "notebooks/beyond/mymodule.py").write_text(MINE)
    notebook = nbformat.read(beyond / "leaderboard.ipynb", 4)
    scores = next(i for i, cell in enumerate(notebook.cells) if "figures.scored(" in cell.source)
    notebook.cells[scores + 1 :] = [nbformat.v4.new_code_cell(TRAINS)]
    source = notebook.cells[1].source
    notebook.cells[1].source = source.replace("encoders=5", "encoders=0").replace(
        'own = ""', 'own = "mymodule:Mine"'
    )
    nbformat.write(notebook, home / "notebooks/beyond/leaderboard.ipynb")
    (job,) = run_notebooks(profile="smoke")
    assert job.state == "done", job.note


def test_a_run_whose_class_was_edited_is_not_read_in_silence(home, monkeypatch):
    path = home / "edited_later.py"
    path.write_text(f"{MINE}\nFIGURES = 2\n\n\ndef unrelated():\n    return 1\n")
    monkeypatch.syspath_prepend(home)
    mine = spec(encoder=importlib.import_module("edited_later").Mine(), steps=1)
    nl.train(mine)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        nl.train(mine)
        path.write_text(path.read_text().replace("return 1", "return 2  # unrelated"))
        nl.train(mine)
    path.write_text(path.read_text().replace("figures: int = 2", "figures: int = FIGURES"))
    edited = r"edited_later\.Mine has changed .* raise the `version` of the class"
    for read in (nl.train, lambda again: nl.train_all([again])):
        with pytest.warns(UserWarning, match=edited):
            read(mine)


DRAWS = """
from dataclasses import dataclass
import numlab as nl

@dataclass(frozen=True)
class Mine(nl.tasks.Addition):
    stored = True

    def split(self, sizes, seed):
        return super().split(sizes, 1 + seed)
"""


def test_a_task_that_was_edited_draws_its_texts_again(home, monkeypatch):
    path = home / "drawn_later.py"
    path.write_text(DRAWS)
    monkeypatch.syspath_prepend(home)
    mine = spec(task=importlib.import_module("drawn_later").Mine(2))
    before = mine.examples("test")[0].numbers
    path.write_text(DRAWS.replace("1 + seed", "200 + seed"))
    reloaded = importlib.reload(sys.modules["drawn_later"]).Mine(2)
    after = dataclasses.replace(mine, task=reloaded).examples("test")[0].numbers
    assert (before != after).any()


def test_a_checkpoint_of_other_code_is_not_trained_on(home, monkeypatch):
    path = home / "halfway.py"
    path.write_text(MINE)
    monkeypatch.syspath_prepend(home)
    mine = spec(encoder=importlib.import_module("halfway").Mine(), steps=3)
    half = fit.Fit(mine, nl.Run(mine).digest)
    half.step = 1
    half._checkpoint()
    path.write_text(f"{MINE}    other: int = 0\n")
    with pytest.warns(UserWarning, match="starts anew: your class has changed"):
        assert fit.Fit(mine, nl.Run(mine).digest).step == 0


def test_code_that_is_edited_during_a_training_is_that_of_its_beginning(home, monkeypatch):
    path = home / "edited_meanwhile.py"
    path.write_text(MINE)
    monkeypatch.syspath_prepend(home)
    mine = spec(encoder=importlib.import_module("edited_meanwhile").Mine(), steps=1)
    whole = fit.Fit.loop

    def loop(*given):
        path.write_text(f"{MINE}    other: int = 0\n")
        whole(*given)

    monkeypatch.setattr(fit.Fit, "loop", loop)
    nl.train(mine)
    with pytest.warns(UserWarning, match="edited_meanwhile.Mine has changed"):
        nl.train(mine)


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("", "# a comment", True),
        ("N = 1", "N  =  1", True),
        ("N = 1", "N = (1", False),
        ("N = 1", "N = 2", False),
        ("N = 1\nN += 1", "N = 1\nN += 2", False),
        ("N = {}\nN[0] = 1", "N = {}\nN[0] = 2", False),
        ("N = 1", "from .other import N", False),
        ("N = 1", "import", False),
        ("N = 1", "class", False),
        ("N = 1", "@dataclass", False),
        ("if 1:\n    def N(): return 1", "if 1:\n    def N(): return 2", False),
        ("from os import path as N", "from os import sep as N", False),
        ("M = [N for N in range(3)]", "M = [N for N in range(4)]", True),
        ("def N():\n    'One.'", "def N():\n    'Two.'", True),
    ],
)
def test_the_code_of_a_class_is_what_it_uses_of_its_module(before, after, same, home, monkeypatch):
    path = home / "using.py"
    path.write_text(MINE)
    monkeypatch.syspath_prepend(home)
    monkeypatch.delitem(sys.modules, "using", raising=False)
    mine = importlib.import_module("using").Mine()
    codes = []
    for text in (before, after):
        path.write_text(f"{MINE}    other: int = N\n{text}\n")
        codes.append(own_code(mine))
    assert set(codes[0]) == {"using.Mine"} and (codes[0] == codes[1]) is same


HELPED = """
import numpy as np
from dataclasses import dataclass
from numlab.tasks import Addition
from {}helping import LEAST as N

@dataclass(frozen=True)
class Mine(Addition):
    least: int = N
"""


@pytest.mark.parametrize("package", ["", "mypackage"])
def test_the_code_of_a_class_is_what_it_imports_from_beside_it(package, home, monkeypatch):
    folder, prefix = home / package, package and f"{package}."
    folder.mkdir(exist_ok=True)
    (folder / "__init__.py").write_text("")
    (folder / "using.py").write_text(HELPED.format("." if package else ""))
    monkeypatch.syspath_prepend(home)
    for name in ("", "using", "helping"):
        monkeypatch.delitem(sys.modules, (prefix + name).rstrip("."), raising=False)
    helping, codes = folder / "helping.py", []
    helping.write_text("LEAST = 1")
    mine = importlib.import_module(prefix + "using").Mine()
    for text in ("LEAST = 1", "LEAST  =  1", "LEAST = 2"):
        helping.write_text(text)
        codes.append(own_code(mine)[f"{prefix}using.Mine"])
    assert codes[0] == codes[1] != codes[2]


@dataclass(frozen=True)
class Repeating(Doubling):
    """Its split knows nothing of repetitions; `wrong` says what else it does."""

    wrong: str = ""

    split = nl.Task.split

    def sample(self, n, seed, **fixed):
        (drawn,) = super().sample(n + (self.wrong == "size"), seed)
        if self.wrong != "layout":
            return [drawn]
        return [nl.Examples(nl.Layout.of("{x} and {answer}"), drawn.numbers, index=drawn.index)]


@dataclass(frozen=True)
class OnDisk(Repeating):
    stored = True


@pytest.mark.parametrize("task", [Repeating, OnDisk])
def test_texts_of_the_test_that_are_in_the_training_are_told(task, home):
    with pytest.warns(UserWarning, match="are in its training") as told:
        spec(task=task()).examples("test")
    assert re.match("4[0-9]% of the test texts of ", str(told[0].message))
    assert re.match("[0-9]+% of the validation texts of ", str(told[1].message))


@pytest.mark.parametrize("part", [Repeating(), nl.tasks.Mixture((Repeating(),))], ids=repr)
def test_texts_of_the_test_that_are_in_the_training_are_told_of_a_mixture(part, home):
    with pytest.warns(UserWarning, match="% of the test texts of Mixture.* are in its training"):
        spec(task=nl.tasks.Mixture((part, nl.tasks.Addition(2)))).examples("test")


@pytest.mark.parametrize("task", [Repeating, OnDisk])
@pytest.mark.parametrize(
    ("wrong", "told"),
    [("size", "asked for 64, 64, 320 texts; got .65, 65, 321"), ("layout", r"layouts\(\) lack")],
)
def test_a_task_that_draws_what_it_should_not_is_refused_and_not_stored(task, wrong, told, home):
    for _ in range(2):
        with pytest.raises(ValueError, match=told):
            spec(task=task(wrong=wrong)).examples("train")


@dataclass(frozen=True)
class Faulty(nl.P1000):
    """Wrong in one way."""

    fault: str = ""

    def encode(self, numbers):
        tokens = super().encode(np.minimum(numbers, 30) if self.fault == "bounds" else numbers)
        if self.fault == "fixed":
            return dataclasses.replace(tokens, mask=tokens.mask & (tokens.ids != tokens.ids[0, 1]))
        if self.fault == "mask":
            return dataclasses.replace(tokens, mask=tokens.mask[:, :1])
        if self.fault == "words":
            return dataclasses.replace(tokens, ids=tokens.ids + 2000)
        if self.fault == "array":
            return tokens.ids
        if self.fault == "length":
            return nl.Tokens.of(np.zeros((len(tokens.ids), 4)))
        if self.fault == "features":
            return dataclasses.replace(tokens, features=np.ones((1, 3), np.float32))
        return tokens

    def decode(self, tokens):
        read = super().decode(tokens)
        if self.fault == "list":
            return read.tolist()
        return read[:, None] if self.fault == "shape" else read * np.nan

    @property
    def bounds(self):
        return (0, 30) if self.fault == "bounds" else super().bounds


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("fixed", "gives 2 to 3 tokens a number, so its class must say `fixed = False`"),
        ("mask", r"encodes 64 numbers as ids and a mask, \(64, L\); got \(64, 3\), and \(64, 1\)"),
        ("array", r"encodes numbers as nl.Tokens, such as Tokens.of\(ids\); got one of ndarray"),
        ("length", "has the length 3; its tokens have 4 columns"),
        ("bounds", "refuses numbers beyond its bounds, 0 to 30, with a ValueError; got tokens of"),
        ("words", r"has \d+ words; its tokens are indices of them; got 2000 to"),
        ("features", r"a row of features for each carrier, \(0, 0\); got \(1, 3\)"),
        ("list", r"decodes 64 numbers to an array of shape \(64,\); got a list"),
        ("shape", r"decodes 64 numbers to an array of shape \(64,\); got \(64, 1\)"),
        ("nothing", "does not read back its own tokens of [0-9.]+; got nan"),
    ],
)
@pytest.mark.parametrize("head", [None, nl.heads.ValueHead()])
def test_a_faulty_encoder_is_refused_before_it_is_trained(fault, told, head, home):
    with pytest.raises(ValueError, match=told):
        nl.train(spec(encoder=Faulty(fault=fault), head=head))


@dataclass(frozen=True)
class Everywhere(Entropy):
    """Forgets to take the mean."""

    def __call__(self, logits, targets, embed):
        return logits.sum(1)


def test_a_value_encoder_without_an_embedding_is_refused():
    class Blind(nl.encoders.ValueEncoder):
        n_features, head, features, number, bounds = 1, None, None, None, (0, 1)

    with pytest.raises(TypeError, match="abstract method '?embedding"):
        Blind()


def test_a_head_whose_loss_is_not_one_for_each_number_is_refused(home, monkeypatch):
    monkeypatch.setattr(value.ValueHead, "loss", lambda self, o, f: o - f[:, 0])
    with pytest.raises(ValueError, match=r"a loss for each number, \((\d+),\); got \(\1, \1\)"):
        nl.train(spec(encoder=nl.XVal()))


class Undecorated(nl.tasks.Addition):
    def __init__(self, int_digits, more):
        super().__init__(int_digits)
        self.more = more


class Nameless(nl.losses.LossTerm):
    def check(self, encoder):
        pass

    def __call__(self, logits, targets, embed):
        return logits.sum()


def test_parts_that_are_no_frozen_dataclasses_are_refused():
    with pytest.raises(ValueError, match=r"Undecorated needs @dataclass\(frozen=True\) above it"):
        spec(task=Undecorated(2, 3))
    with pytest.raises(ValueError, match="a LossTerm is a frozen dataclass with a name and a wei"):
        spec(losses=(Nameless(),))


def test_a_loss_that_is_not_one_number_a_batch_is_refused(home):
    with pytest.raises(ValueError, match="a LossTerm gives one number a batch; Every.* gave"):
        nl.train(spec(losses=(Everywhere(),)))
