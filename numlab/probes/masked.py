"""Hidden states where a number is masked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import torch

from numlab.examples import Examples

if TYPE_CHECKING:
    from numlab.training import Run

__all__ = ["masked_states"]

BATCH = 256  # texts in one forward pass


@torch.no_grad()
def masked_states(
    run: Run, examples: list[Examples], slot: str
) -> Iterator[tuple[np.ndarray, torch.Tensor]]:
    """Mask one number of each text, and read the hidden states at its tokens.

    Parameters
    ----------
    run : Run
        Of a masked LM.
    examples : list of Examples
    slot : str
        The number to mask.

    Yields
    ------
    true : array of shape (n,)
        The numbers of a batch of texts.
    hidden : tensor of shape (t, d_model)
        The hidden states at all of their tokens, text by text.

    Raises
    ------
    ValueError
        For a run of another objective.
    """
    objective, model = run.spec.objective, run.model
    if not objective.fills_at_once:
        raise ValueError(f"only a masked LM predicts masked numbers; got {objective}")
    corpus = run.tokenizer(examples)
    for e, first in zip(examples, corpus.starts, strict=False):
        for i in range(0, len(e), BATCH):
            rows = np.arange(i, min(i + BATCH, len(e)))
            inputs, targets = objective.ask(corpus.batch(first + rows), (slot,))
            hidden = model.hidden(inputs.to(model.device), targets.reads.to(model.device))
            yield e.column(slot)[rows], hidden
