"""A run, and texts of sums, as small as they come."""

import hashlib
from dataclasses import replace

import numpy as np

import numlab as nl

SPEC = nl.RunSpec(
    task=nl.tasks.Addition(int_digits=2),
    encoder=nl.FoNE(3),
    objective=nl.CausalLM(only=("answer",)),
    model=nl.GPT2(32, 1, 2),
    n_train=512,
    n_valid=64,
    n_test=64,
    steps=40,
    learning_rate=3e-3,
)
SUM = nl.Layout.of("{a}+{b}={answer}")


def spec(encoder: nl.Encoder = SPEC.encoder, head=None, objective=SPEC.objective, **changes):
    """The spec of a run of two steps."""
    sizes = {"n_train": 64, "n_valid": 16, "n_test": 16, "steps": 2, "batch_size": 16}
    return replace(SPEC, encoder=encoder, head=head, objective=objective, **sizes | changes)


def weights(run: nl.Run) -> str:
    """The digest of a stored run's weights."""
    return hashlib.sha256((run.folder / "weights.safetensors").read_bytes()).hexdigest()


def sums(n: int = 5, seed: int = 0) -> nl.Examples:
    """Sums of two numbers below 999."""
    pair = np.random.default_rng(seed).integers(0, 999, (n, 2))
    return nl.Examples(SUM, np.column_stack([pair, pair.sum(1)]).astype(float))


def batch_of(encoder: nl.Encoder, n: int = 64, answers: tuple[str, ...] = ()):
    """The batch of n sums."""
    return nl.Tokenizer.of([SUM], encoder)([sums(n)], answers).batch(np.arange(n))
