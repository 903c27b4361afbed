"""What a masked language model thinks where a number is hidden."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import torch

from numlab.examples import Examples

if TYPE_CHECKING:
    from numlab.training import Run

_TEXTS = 256  # in one forward pass


@torch.no_grad()
def masked_states(
    run: Run, examples: list[Examples], slot: str
) -> Iterator[tuple[np.ndarray, torch.Tensor]]:
    """Pairs (n,) true numbers of a slot, (t, d) hidden states at their tokens, masked."""
    corpus, device = run.tokenizer(examples), run.model.device
    for e, first in zip(examples, corpus.first, strict=True):
        for i in range(0, len(e), _TEXTS):
            rows = np.arange(i, min(i + _TEXTS, len(e)))
            inputs, targets = run.spec.objective.ask(corpus.batch(first + rows), (slot,))
            yield (
                e.column(slot)[rows],
                run.model.hidden(inputs.to(device), targets.reads.to(device)),
            )
