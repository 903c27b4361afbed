"""What every head of numbers is: it reads a number off a hidden state."""

from __future__ import annotations

import abc
import contextlib
import functools
from typing import ClassVar

import numpy as np
import torch
from torch import nn

from numlab.codes import Code
from numlab.described import short
from numlab.heads.distributions import Distribution, Points

SAMPLES = 256  # of a distribution without a formula


class Head(Code):
    """How a number is read from a hidden state. Subclasses are frozen dataclasses of plain values.

    `closed` says whether `distribution` is a formula and draws nothing; `weight` is a factor on the
    loss of numbers. Raise `version` when the same fields mean another head.

    Its features are what the head predicts: `features(numbers)` gives the targets, and
    `number(features)` the numbers that predicted features stand for.

    >>> head = nl.heads.DigitHead(int_digits=3)
    >>> head.features([-42]).tolist(), head.number(head.features([-42])).tolist()
    ([[1, 0, 4, 2]], [-42.0])
    """

    version: ClassVar[int] = 1
    closed: ClassVar[bool] = False
    weight: ClassVar[float] = 1.0  # some heads have a field

    __str__ = short

    @abc.abstractmethod
    def build(self, d_model: int) -> HeadModule:
        """The module that predicts; raises a ValueError where d_model is too small."""

    @abc.abstractmethod
    def loss(self, outputs: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        """(m, O) outputs and (m, F) true features to (m,) losses."""

    @abc.abstractmethod
    def read(self, outputs: torch.Tensor) -> torch.Tensor:
        """(m, O) outputs to (m, F) features."""

    def draw(self, outputs: torch.Tensor, n: int, generator: torch.Generator) -> torch.Tensor:
        """(n, m, F) features drawn from what (m, O) outputs predict, each independently.

        ValueError where the head predicts single numbers.
        """
        advice = "take a head of distributions, such as nl.heads.Bars"
        raise ValueError(f"{type(self).__name__} predicts single numbers: {advice}")

    def log_probability(self, outputs: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        """The natural logarithm of the probability that `draw` draws features (..., m, F)."""
        raise ValueError(f"{type(self).__name__} gives no probability of what it draws")

    def distribution(self, outputs: torch.Tensor) -> Distribution:
        """The distributions of m numbers that (m, O) outputs, on the CPU, describe.

        By default samples, each feature drawn independently. A head with a formula returns that;
        one that predicts single numbers raises a ValueError.
        """
        known = outputs.isfinite().all(1, keepdim=True)  # else the model has diverged
        drawn = self.draw(outputs.where(known, 0.0), SAMPLES, torch.Generator().manual_seed(0))
        numbers = torch.from_numpy(self.number(drawn.flatten(0, 1).numpy()).astype(float))
        numbers = numbers.view(SAMPLES, -1).where(known[:, 0], torch.nan)
        return Points(numbers, functools.partial(self._log_density, outputs))

    def _log_density(self, outputs: torch.Tensor, x: torch.Tensor):
        """The log of the probability of x's features, over the width of what is rounded to x."""
        numbers, (low, high) = x.double().numpy().ravel(), self.bounds
        held = (numbers >= low) & (numbers <= high)
        numbers = np.where(held, numbers, 0.0)
        width, features = self.spacing(numbers), self.features(numbers)
        zero = self.number(features) == 0
        features[zero, 0] = 0
        features = torch.from_numpy(features).view(*x.shape, -1)
        log_share = self.log_probability(outputs, features)
        features[..., 0] = 1  # the sign: 0 has two spellings
        both = log_share.logaddexp(self.log_probability(outputs, features))
        zero, held, width = (torch.from_numpy(a).view(x.shape) for a in (zero, held, width))
        log_share = torch.where(zero & held, both, log_share)
        return torch.where(held, log_share - width.log(), -torch.inf)


class HeadModule(nn.Module):
    """(m, d) hidden states to (m, O) outputs by `predict`, which its `Head` reads.

    m numbers are read from hidden states of width d; a number has O outputs and F features.

    >>> import torch
    >>> head = nl.heads.DigitHead(int_digits=3)
    >>> module = head.build(d_model=8)
    >>> outputs, true = module(torch.zeros(2, 8)), torch.from_numpy(head.features([7, -42]))
    >>> outputs.shape, head.loss(outputs, true).shape, head.read(outputs).shape
    (torch.Size([2, 31]), torch.Size([2]), torch.Size([2, 4]))
    """

    def __init__(self, head: Head, predict: nn.Module):
        super().__init__()
        self.head, self.predict = head, predict

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        """(m, d) to (m, O), in float32."""
        with in_float32(h):
            return self.predict(h.float())


def in_float32(tensor: torch.Tensor) -> contextlib.AbstractContextManager:
    """Embed and read numbers in float32, under bf16 autocast too: bf16 loses digits."""
    on = torch.is_autocast_enabled(tensor.device.type)  # to ask costs less than to turn it off
    return torch.autocast(tensor.device.type, enabled=False) if on else contextlib.nullcontext()
