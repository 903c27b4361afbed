"""Training under torchrun: each process takes its share of every batch, gradients are summed.

Without torchrun there is one process, and all of this does nothing.
"""

import os
from collections.abc import Callable

import torch
from torch import distributed

from numlab.objectives import Inputs, Targets

Parts = dict[str, torch.Tensor]


def rank() -> int:
    """The number of this process, from 0; it joins the others at the first call."""
    if not distributed.is_torchelastic_launched():
        return 0
    if not distributed.is_initialized():
        if gpu := torch.cuda.is_available():
            torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        distributed.init_process_group("nccl" if gpu else "gloo")
    return distributed.get_rank()


def from_rank_0(value: bool) -> bool:
    """Process 0's value, broadcast to all; also a barrier."""
    shared = [value]
    if distributed.is_initialized():
        distributed.broadcast_object_list(shared)
    return shared[0]


def losses(compute: Callable[[Inputs, Targets], Parts], inputs: Inputs, targets: Targets) -> Parts:
    """The losses of a batch; or of this process's share, which add up to them.

    "value" is a mean over numbers, all others are taken for means over targets. So the sum is the
    loss of one process but for what is normalised within a share: `ValueHead(normalised=True)`
    (XVal with k > 0) by its mean square, `AggregateLoss` and `NumberTokenLoss` by its numbers. Each
    process draws a dropout of its own.
    """
    if not distributed.is_initialized():
        return compute(inputs, targets)
    own_inputs, own = _share(inputs, targets)
    parts, n_numbers = compute(own_inputs, own), len(targets.features)
    weights = dict.fromkeys(parts, len(own.ids) / max(1, len(targets.ids)))
    if n_numbers:  # perhaps none of them here
        parts.setdefault("value", 0 * parts["token"])
        weights["value"] = len(own.features) / n_numbers
    return {k: weights[k] * v for k, v in parts.items()}


def _share(inputs: Inputs, targets: Targets) -> tuple[Inputs, Targets]:
    """The rows of a batch that this process takes."""
    n_rows, length = inputs.ids.shape
    if n_rows < (world := distributed.get_world_size()):
        raise ValueError(f"{world} processes cannot share a batch of {n_rows}: raise batch_size")
    first, end = (n_rows * i // world for i in (rank(), rank() + 1))
    mine = (targets.row >= first) & (targets.row < end)
    return inputs.part(torch.arange(first, end), length), Targets(
        reads=targets.reads[mine] - first * length,
        ids=targets.ids[mine],
        carries=targets.carries[mine],
        features=targets.features[mine[targets.carries]],
        row=targets.row[mine] - first,
        slot=targets.slot[mine],
    )


def add_up(parameters: list[torch.nn.Parameter], parts: Parts) -> Parts:
    """Sum the gradients over the processes, in place; the sums of the losses."""
    parts = {k: v.detach() for k, v in parts.items()}
    if not distributed.is_initialized():
        return parts
    known = torch.tensor([float(p.grad is not None) for p in parameters])
    grads = [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]
    losses = torch.stack([parts[k] for k in sorted(parts)])
    pieces = [*(grad.flatten() for grad in grads), known.to(losses.device), losses]
    total = torch.cat(pieces)
    distributed.all_reduce(total)
    *grads, known, losses = total.split([len(piece) for piece in pieces])
    for p, grad, n in zip(parameters, grads, known.tolist(), strict=True):
        p.grad = grad.view_as(p) if n else None
    return dict(zip(sorted(parts), losses, strict=True))
