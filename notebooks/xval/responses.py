"""What a model reads and predicts, and how its output moves with an input (xval, 2.2)."""

import dataclasses
import itertools

import numpy as np
import pandas as pd
import torch

import numlab as nl


def coefficients(k: int, numbers: np.ndarray) -> pd.DataFrame:
    """What XVal(k) multiplies each of its 2 k + 1 embeddings by, for (n,) numbers (xval, Eq. 1).

    The columns are number, scale and coefficient.
    """
    size = 2 * k + 1
    features = torch.tensor(numbers, dtype=torch.float32)[:, None]
    # the module's output for unit vectors as embeddings
    table = nl.XVal(k=k).embedding(size)(features, torch.eye(size)).double().numpy()
    wide = pd.DataFrame(table, columns=range(-k, k + 1)).assign(number=numbers)
    return wide.melt("number", var_name="scale", value_name="coefficient").astype({"scale": int})


def tokens(run: nl.Run, text: nl.Examples, slot: str) -> pd.DataFrame:
    """The tokens of one text that a run reads, with a slot masked, and what it predicts there.

    The columns are encoder, part, kind ("literal", "number" or "mask"), word and note. part is
    "read", "predicted" (the likeliest word at each mask, with its probability) or "number".
    """
    batch = run.tokenizer([text]).batch(np.array([0]))
    rows = [*_read(run, batch, slot), *_predicted(run, batch, slot)]
    number = nl.predict(run, [text], slot).predicted[0]
    note = "number head" if run.spec.encoder.carriers else ""
    rows.append(("number", "literal", f"{number:.4g}" if np.isfinite(number) else "none", note))
    frame = pd.DataFrame(rows, columns=["part", "kind", "word", "note"])
    return frame.assign(encoder=run.spec.encoder.label)


def _words(run: nl.Run) -> list[str]:
    return [*run.tokenizer.text.words, *run.spec.encoder.vocabulary]


def _read(run: nl.Run, batch, slot: str):
    words, masked = _words(run), batch.in_slots((slot,))[0]
    values = dict(zip(batch.carriers.tolist(), batch.features[:, :1], strict=True))
    in_literal = (batch.slot[0] < 0).tolist()
    for literal, positions in itertools.groupby(range(len(masked)), in_literal.__getitem__):
        if literal:
            text = "".join(words[batch.ids[0, i]] for i in positions).replace("[END]", "").strip()
            yield from [("read", "literal", text, "")] if text else []
            continue
        for i in positions:
            if masked[i]:
                yield "read", "mask", "?", ""
            else:
                note = f"× {values[i][0]:.3g}" if i in values else ""
                yield "read", "number", words[batch.ids[0, i]], note


@torch.no_grad()
def _predicted(run: nl.Run, batch, slot: str):
    inputs, targets = run.spec.objective.ask(batch, (slot,))
    device = run.model.device
    logits = run.model.logits(run.model.hidden(inputs.to(device), targets.reads.to(device)))
    for probability, token in zip(*logits.softmax(-1).max(-1), strict=True):
        yield "predicted", "number", _words(run)[token], f"{100 * probability:.0f} %"


def responses(
    runs: list[nl.Run], text: nl.Examples, slot: str, values: np.ndarray, ask: str
) -> pd.DataFrame:
    """Predictions of one number of a text while another one moves.

    `text` has one example, in which `slot` moves through `values` (n,) and `ask` is predicted. The
    columns are encoder, seed, input, predicted and valid.
    """
    if len(text) != 1 or slot == ask:
        got = f"{len(text)} texts, {slot!r} and {ask!r}"
        raise ValueError(f"expected one text and two slots; got {got}")
    values = np.asarray(values, np.float64)
    copies = text.take(np.zeros(len(values), int))
    numbers = copies.numbers.astype(np.float64)
    numbers[:, text.layout.number_slots.index(slot)] = values
    moved = dataclasses.replace(copies, numbers=numbers, index=np.arange(len(values)))
    answers = nl.predict(runs, [moved], ask).astype({"predicted": float})
    answers["input"] = values[answers.example]
    return answers[["encoder", "seed", "input", "predicted", "valid"]]


def largest_jumps(frame: pd.DataFrame) -> pd.DataFrame:
    """The largest step between neighbouring outputs, on finer and finer sweeps of the input.

    `frame` comes from `responses`, at 2^m + 1 evenly spaced points; the coarser sweeps are every
    second, fourth, ... of them. The columns are encoder, seed, points and jump, between
    neighbouring valid outputs and relative to the output's range; NaN without any. If the output is
    a Lipschitz function of the input, the jump falls in inverse proportion to the number of points.
    On a staircase it stays as high as the highest stair.

    >>> line = pd.DataFrame({"input": range(9), "predicted": range(9), "valid": True})
    >>> largest_jumps(line.assign(encoder="XVal", seed=0)).jump.tolist()
    [1.0, 0.5, 0.25, 0.125]
    """
    rows = [
        (encoder, seed, *row)
        for (encoder, seed), sweep in frame.groupby(["encoder", "seed"], sort=False)
        for row in _jumps(sweep.predicted.where(sweep.valid).to_numpy(float))
    ]
    return pd.DataFrame(rows, columns=["encoder", "seed", "points", "jump"])


def _jumps(output: np.ndarray):
    n = len(output) - 1
    if n < 1 or n & (n - 1):
        raise ValueError(f"a sweep has 2^m + 1 points; got {n + 1}")
    known = output[~np.isnan(output)]
    extent = np.ptp(known) if len(known) else np.nan
    for halvings in range(n.bit_length() - 1, -1, -1):
        coarse = output[:: 2**halvings]
        jump = np.abs(np.diff(coarse[~np.isnan(coarse)])).max(initial=0.0)
        yield n // 2**halvings + 1, 0.0 if extent == 0 else jump / extent
