"""What is trained: everything that decides a run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from numlab import store
from numlab.examples import Examples
from numlab.models import ModelSpec
from numlab.tokenizer import Tokenizer

if TYPE_CHECKING:
    from numlab.pretrained import Pretrained


@dataclass(frozen=True)
class RunSpec:
    """Everything that decides a run.

    Parameters
    ----------
    task, encoder, objective, model : what is learned, how numbers are spelled, how, by what (a
        ModelSpec, or a Pretrained model).
    n_train, n_valid, n_test : examples drawn from the task, disjoint, with `data_seed`.
    steps, batch_size : how long.
    learning_rate : of AdamW at its peak, after a linear warm-up over `warmup` of the steps; it
        falls along a cosine to `min_lr_ratio` of it at the end (xval, Appendix C).
    weight_decay : of the matrices; norms and biases have none.
    clip : largest norm of the gradient.
    auxiliary : losses added to the objective's.
    bf16 : autocast to bfloat16 where the device has units for it; pays from d_model 128 on.
    threads : one and two threads give different bits, so they stand here.
    """

    version: ClassVar[int] = 1
    task: Any
    encoder: Any
    objective: Any
    model: ModelSpec | Pretrained
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
    auxiliary: tuple[Any, ...] = ()
    bf16: bool = False
    threads: int = 1
    data_seed: int = 0
    seed: int = 0

    def __post_init__(self):
        for field in ("n_train", "n_valid", "n_test", "steps", "batch_size", "threads"):
            if getattr(self, field) < 1:
                raise ValueError(f"{field} is at least 1; got {getattr(self, field)}")

    @property
    def name(self) -> str:
        """For a person: what is trained on what."""
        return f"{type(self.task).__name__} · {self.encoder} · seed {self.seed}"

    def tokenizer(self) -> Tokenizer:
        return self.model.tokenizer(self.task.layouts(), self.encoder)

    def examples(self, part: str) -> list[Examples]:
        """The "train", "valid" or "test" part of the data."""
        sizes = (self.n_test, self.n_valid, self.n_train)  # the test part never moves
        parts = store.split(self.task, sizes, self.data_seed)
        return dict(zip(("test", "valid", "train"), parts, strict=True))[part]

    def rate(self, step: int) -> float:
        """The learning rate of a step."""
        warm = max(1, round(self.warmup * self.steps))
        if step < warm:
            return self.learning_rate * (step + 1) / warm
        done = (step - warm) / max(1, self.steps - 1 - warm)
        fall = (1 + math.cos(math.pi * min(1.0, done))) / 2
        return self.learning_rate * (self.min_lr_ratio + (1 - self.min_lr_ratio) * fall)
