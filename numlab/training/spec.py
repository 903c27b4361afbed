"""Everything that decides a run."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from html import escape
from numbers import Real
from typing import ClassVar

import numpy as np

from numlab import store
from numlab.described import changed, is_frozen
from numlab.encoders import Encoder
from numlab.examples import Examples, matches
from numlab.heads import Head
from numlab.losses import LossTerm
from numlab.models import Architecture
from numlab.numbers import check_count
from numlab.objectives import Objective
from numlab.tasks import Task
from numlab.tasks.leaks import warn_of_leak
from numlab.tokenizer import Tokenizer
from numlab.training.curriculum import Curriculum
from numlab.training.own_code import own_code

HISTORY = {"step", "part", "loss", "token", "value", "learning_rate", "tokens", "seconds"}
SEEDS = 2**63 - 1  # the greatest that torch takes
LONGEST = 70  # characters of an encoder in a run's name


@dataclass(frozen=True)
class RunSpec:
    """Everything that decides a run. ValueError for parts that do not fit together.

    Parameters
    ----------
    task, encoder, objective, model : what is learned, how numbers are spelled, what is predicted,
        and by which model (a ModelSpec or Pretrained).
    n_train, n_valid, n_test : examples drawn from the task, disjoint, with `seed`.
    steps, batch_size : optimizer steps, and texts in each.
    learning_rate : of AdamW at its peak, after a linear warm-up over `warmup` of the steps. It
        falls along a cosine to `min_lr_ratio` of that (xval, Appendix C).
    weight_decay : of the matrices; norms and biases have none.
    clip : largest norm of the gradient.
    head : predicts numbers, each at its first token; None: the encoder's own head or words do.
    losses : terms that are added to the objective's loss; their names differ.
    start : spec of the run whose weights are the initial ones; None: all are drawn. Weights that it
        lacks are drawn. So are those of the encoder's module and of the head, unless both runs
        have the same encoder and head. Words of both, such as [NUM] or 7, keep their vectors.
    trainable : patterns of the names of the parameters that are trained, such as ("embed.*",);
        None: all.
    curriculum : which levels of difficulty are drawn; None: all texts alike, each once an
        epoch, but for the few that do not fill a last batch.
    bf16 : autocast to bfloat16 where the device has units for it; pays from d_model 128 on.
    threads : of torch on the CPU. Part of the spec, as their number changes the last bits.
    seed : of the texts, the initial weights, and the draws of each step.
    data_seed : of the texts, where runs of several seeds share them; None: `seed`.

    >>> spec = nl.RunSpec(nl.tasks.Addition(2), nl.P10(), nl.MaskedLM(), nl.GPT2(8), 64, 2, 1e-3)
    >>> spec.name, spec.batch_size
    ('Addition · P10 · seed 0', 64)
    """

    version: ClassVar[int] = 1
    task: Task
    encoder: Encoder | None
    objective: Objective
    model: Architecture
    n_train: int
    steps: int
    learning_rate: float
    batch_size: int = 64
    n_valid: int = 512
    n_test: int = 1024
    warmup: float = 0.05
    min_lr_ratio: float = 0.1
    weight_decay: float = 0.1
    clip: float = 1.0
    head: Head | None = None
    losses: tuple[LossTerm, ...] = ()
    start: RunSpec | None = None
    trainable: tuple[str, ...] | None = None
    curriculum: Curriculum | None = None
    bf16: bool = False
    threads: int = 1
    seed: int = 0
    data_seed: int | None = None

    def __post_init__(self):
        needed = {"task": Task, "objective": Objective, "model": Architecture}
        optional = {"encoder": Encoder, "head": Head, "start": RunSpec, "curriculum": Curriculum}
        for field, kind in {**needed, **optional}.items():
            part = getattr(self, field)
            if not isinstance(part, kind) and not (part is None and field in optional):
                raise ValueError(f"{field} is an instance of {kind.__name__}; got {part!r}")
            if part is not None and not is_frozen(part):
                raise ValueError(f"{type(part).__name__} needs @dataclass(frozen=True) above it")
        self._check_numbers()
        for field, kind in {"trainable": str, "losses": LossTerm}.items():
            if (parts := getattr(self, field)) is not None or field == "losses":
                one = isinstance(parts, kind) or not isinstance(parts, Iterable)
                parts = (parts,) if one else tuple(parts)
                if not all(isinstance(part, kind) for part in parts):
                    raise ValueError(f"{field} holds instances of {kind.__name__}; got {parts}")
                object.__setattr__(self, field, parts)
        for term in self.losses:
            if not (is_frozen(term) and hasattr(term, "name") and hasattr(term, "weight")):
                wanted = "is a frozen dataclass with a name and a weight"
                raise ValueError(f"a LossTerm {wanted}; got one of {type(term).__name__}")
        names = [term.name for term in self.losses]
        if len(set(names)) < len(names) or HISTORY & set(names):
            taken = f"not those of a history's columns, {', '.join(sorted(HISTORY))}"
            raise ValueError(f"losses have different names, {taken}; got {names}")
        for part in (*self.losses, *([self.head] if self.head else [])):
            if not isinstance(part.weight, Real) or not 0 <= part.weight < math.inf:
                raise ValueError(f"the weight of a loss is 0 or more and finite; got {part}")
        own = None if self.head else self.encoder
        if self.losses and not own:
            got = f"{self.head} predicts numbers" if self.head else "there is no encoder"
            raise ValueError(f"added losses need answers in words; {got}")
        for term in self.losses:
            term.check(own)
        self._check_spelling(own)
        self.model.check(self.encoder, self.head, self.objective, self.losses)
        at_once = self.head and self.encoder and self.objective.fills_at_once
        if at_once and self.objective.shows_rest and self.encoder.length > 1:
            expected = "expected an objective that hides them, such as MaskedLM(whole=True)"
            seen = "the head would see the other tokens of the number that it predicts"
            raise ValueError(f"{seen}: {expected}; got {self.objective}")
        if own and self.objective.shows_rest and set(own.carriers) - set(own.answer.carriers):
            expected = "expected an objective that hides it, such as MaskedLM(whole=True)"
            told = f"{own} has a token that shows a whole number while its digits are predicted"
            raise ValueError(f"{told}: {expected}; got {self.objective}")
        if self.curriculum:
            if type(self.objective).ask is Objective.ask:
                wanted = "a curriculum asks for slots, as MaskedLM and CausalLM do"
                raise ValueError(f"{wanted}; got {self.objective}")
            for layout in self.task.layouts():
                self.task.task_of(layout).levels(self.curriculum.base)  # or a ValueError

    def _check_spelling(self, own: Encoder | None) -> None:
        """ValueError where no text has the encoder's words, or a loss would read other words."""
        if not self.encoder or (answer := self.encoder.answer) == self.encoder:
            return
        names = {name for layout in self.task.layouts() for name in layout.number_slots}
        asked = [name for name in names if matches(name, self.objective.answers)]
        if names and len(asked) == len(names):
            got = f"{self.objective}, with which all numbers are spelled as {answer} spells them"
            expected = "expected an objective for some of the slots, such as only=('answer',)"
            raise ValueError(f"{self.encoder} would spell no number: {expected}; got {got}")
        spelled = self.encoder.vocabulary[: len(answer.vocabulary)]
        if self.losses and own and not self.objective.answers and spelled != answer.vocabulary:
            got = f"{self.objective}, with which {own} itself spells them"
            raise ValueError(f"added losses read answers in the words of {answer}; got {got}")

    def _check_numbers(self) -> None:
        """Turn numpy's numbers into Python's; ValueError for one that is not allowed."""
        for f in fields(self):
            if isinstance(value := getattr(self, f.name), np.generic):
                object.__setattr__(self, f.name, value.item())
        for field in ("n_train", "n_valid", "n_test", "steps", "batch_size", "threads"):
            check_count(field, getattr(self, field))
        check_count("seed", self.seed, 0, SEEDS)
        if self.data_seed is not None:
            check_count("data_seed", self.data_seed, 0, SEEDS)
        for field in ("learning_rate", "warmup", "min_lr_ratio", "weight_decay", "clip"):
            if type(x := getattr(self, field)) not in (int, float):
                raise ValueError(f"{field} is a number; got {x!r}")
        if not 0 < self.learning_rate < math.inf:
            raise ValueError(f"learning_rate is above 0 and finite; got {self.learning_rate}")
        if not 0 <= self.weight_decay < math.inf:
            raise ValueError(f"weight_decay is 0 or more and finite; got {self.weight_decay}")
        for field in ("warmup", "min_lr_ratio"):
            if not 0 <= (share := getattr(self, field)) <= 1:
                raise ValueError(f"{field} is a share, from 0 to 1; got {share}")
        if not self.clip > 0:
            raise ValueError(f"clip is above 0 (math.inf: no clipping); got {self.clip}")
        if not isinstance(self.bf16, bool):
            raise ValueError(f"bf16 is True or False; got {self.bf16!r}")

    def __getattr__(self, name: str):
        """Python asks here for what the class lacks, such as what only its run has."""
        if hasattr(type(self), name):  # a property that failed: its own error
            return object.__getattribute__(self, name)
        raise AttributeError(f"a RunSpec has no {name!r}; its run may have it: nl.train(spec)")

    @property
    def name(self) -> str:
        """The task, the encoder and the seed, for people."""
        encoder = "plain text" if self.encoder is None else str(self.encoder)
        encoder = encoder if len(encoder) <= LONGEST else self.encoder.label
        return f"{type(self.task).__name__} · {encoder} · seed {self.seed}"

    def seeds(self, n: int) -> list[RunSpec]:
        """The spec with the seeds 0 to n - 1: texts, initial weights and batches differ.

        With a `data_seed`, the texts are the same. The run that it starts from gets the same seed.
        """
        check_count("n", n)
        starts = self.start.seeds(n) if self.start else [None] * n
        return [replace(self, seed=seed, start=start) for seed, start in enumerate(starts)]

    def halved(self) -> RunSpec:
        """The spec with half of the steps, all else the same: for the gate "settled" of a claim."""
        return replace(self, steps=self.steps // 2)

    def tokenizer(self) -> Tokenizer:
        """The tokenizer of the task's layouts and the encoder."""
        return self.model.tokenizer(self.task.layouts(), self.encoder, self.head)

    def examples(self, part: str) -> list[Examples]:
        """The "train", "valid" or "test" part of the data."""
        if part not in ("train", "valid", "test"):
            raise ValueError(f'examples are "train", "valid" or "test"; got {part!r}')
        sizes = (self.n_test, self.n_valid, self.n_train)  # the test part never moves
        seed = self.seed if self.data_seed is None else self.data_seed
        code = tuple(own_code(self.task).values())
        if part == "test":
            warn_of_leak(self.task, sizes, seed, code)
        parts = store.split(self.task, sizes, seed, code)
        return [*parts[("test", "valid", "train").index(part)]]

    def rate(self, step: int) -> float:
        """The learning rate of a step."""
        warm = max(1, round(self.warmup * self.steps))
        if step < warm:
            return self.learning_rate * (step + 1) / warm
        done = (step - warm) / max(1, self.steps - 1 - warm)
        fall = (1 + math.cos(math.pi * min(1.0, done))) / 2
        return self.learning_rate * (self.min_lr_ratio + (1 - self.min_lr_ratio) * fall)

    def _repr_html_(self) -> str:
        """In a notebook: the fields that are not the defaults."""
        cells = ((name, escape(str(value))) for name, value in changed(self).items())
        rows = "".join(f"<tr><th>{name}</th><td>{text}</td></tr>" for name, text in cells)
        return f"<b>{escape(self.name)}</b><table>{rows}</table>"
