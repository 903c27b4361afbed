"""Can a small network add and multiply what it reads in two encodings? (D9 of BitTokens.)"""

import time

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.nn import functional as F

from numlab.embeddings import token_vectors
from numlab.encoders import Encoder, Tokens
from numlab.metrics import log_smape
from numlab.numbers import rounded
from numlab.training.run import TORCH_GENERATOR

WIDTH, BATCH, TEST = 256, 256, 1000
PAIRS = 20_000  # to learn from
LEARNING_RATE = 1e-3
SIGNS = {"+": np.add, "*": np.multiply}


def arithmetic(
    encoder: Encoder, sign: str, numbers: np.ndarray, seconds: float, seed: int = 0
) -> float:
    """log-sMAPE of a network of two layers that reads two encoded numbers and writes the result.

    It writes through the encoder's own head where the answer is one token that carries a number,
    else its words, token by token. NaN where answers mix words and carriers, or are out of range.

    The vectors of the encoder, which is untrained, stay as they are. `sign` is + or *. Pairs of the
    (n,) numbers, of few digits, whose result is in range are drawn. `seconds` of training are of
    CPU time; `seed` is as in `report_card`.
    """
    rng = np.random.default_rng((seed, ord(sign)))
    a, b = rng.choice(numbers, (2, 4 * PAIRS))
    y = SIGNS[sign](a, b)
    if y.dtype != object:
        y = rounded(y, 12)  # 0.1 + 0.2 is 0.3
    low, high = encoder.answer.bounds
    kept = (y >= low) & (y <= high) & (np.abs(y) >= np.abs(numbers).min())
    a, b, y = (x[kept][: PAIRS + TEST] for x in (a, b, y))
    answers = encoder.answer.encode(y)
    carries = answers.carry(encoder.answer.carriers)
    valued = bool(carries.all()) and answers.ids.shape[1] == 1 and encoder.answer.head is not None
    if len(y) < 2 * TEST or (carries.any() and not valued):
        return float("nan")
    with TORCH_GENERATOR, torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        out = _Values(encoder.answer, answers) if valued else _Words(encoder.answer, answers)
        first = nn.Linear(2 * encoder.length * WIDTH, WIDTH)
        trunk = nn.Sequential(first, nn.GELU(), nn.Linear(WIDTH, WIDTH))
    return _learned(encoder, trunk, out, (a, b, y), seconds, seed)


def _learned(encoder: Encoder, trunk, out, sums: tuple, seconds: float, seed: int) -> float:
    """Train for a while on all but TEST of the sums, and score those."""
    a, b, y = sums

    def read(rows: np.ndarray) -> torch.Tensor:
        parts = [token_vectors(encoder, x[rows], WIDTH, seed)[0] for x in (a, b)]
        return torch.from_numpy(np.concatenate(parts, 2).reshape(len(rows), -1))

    test = np.arange(TEST)
    asked = read(test)
    scale = asked.square().mean().sqrt().clamp_min(1e-30)  # one for all: what a norm would do
    model = nn.ModuleList([trunk, out])
    optimizer = torch.optim.Adam(model.parameters(), LEARNING_RATE)
    rng, end = np.random.default_rng(seed), time.thread_time() + seconds
    while time.thread_time() < end:
        rows = rng.integers(TEST, len(y), BATCH)
        loss = out.loss(F.gelu(trunk(read(rows) / scale)), rows)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    with torch.no_grad():
        predicted = out.read(F.gelu(trunk(asked / scale)))
    return log_smape(pd.DataFrame({"true": y[:TEST], "predicted": predicted}))


class _Values(nn.Module):
    """One token that carries the answer."""

    def __init__(self, encoder: Encoder, answers: Tokens):
        super().__init__()
        self.encoder, self.answers = encoder, answers
        self.head = encoder.head.build(WIDTH)

    def loss(self, h: torch.Tensor, rows: np.ndarray) -> torch.Tensor:
        return self.encoder.head.loss(
            self.head(h), torch.from_numpy(self.answers.features[rows])
        ).mean()

    def read(self, h: torch.Tensor) -> np.ndarray:
        features = self.encoder.head.read(self.head(h)).numpy()
        ids, mask = self.answers.ids[: len(h)], self.answers.mask[: len(h)]
        return self.encoder.decode(Tokens(ids, mask, features))


class _Words(nn.Module):
    """A word, or no word, for each token of the answer."""

    def __init__(self, encoder: Encoder, answers: Tokens):
        super().__init__()
        self.encoder, self.length = encoder, answers.ids.shape[1]
        self.none = len(encoder.vocabulary)
        targets = np.where(answers.mask, answers.ids, self.none)
        self.register_buffer("targets", torch.from_numpy(targets).long(), persistent=False)
        self.out = nn.Linear(WIDTH, self.length * (self.none + 1))

    def loss(self, h: torch.Tensor, rows: np.ndarray) -> torch.Tensor:
        logits = self.out(h).unflatten(1, (self.length, -1))
        return F.cross_entropy(logits.flatten(0, 1), self.targets[rows].flatten())

    def read(self, h: torch.Tensor) -> np.ndarray:
        ids = self.out(h).unflatten(1, (self.length, -1)).argmax(2).numpy()
        return self.encoder.decode(Tokens.of(ids, ids < self.none))
