"""Whether an encoder reads back what it spells, before a training: users write their own."""

from collections import Counter

import numpy as np

from numlab.encoders.base import Encoder, Tokens
from numlab.examples import Examples, matches

CHECKED = 64  # numbers of each spelling


def check_slots(encoder: Encoder, examples: list[Examples], answers: tuple[str, ...]) -> None:
    """ValueError where some numbers of the texts are not spelled well, with the slot's name.

    `encoder.answer` spells the slots that fit `answers`.
    """
    checked = Counter()
    for e in examples:
        for slot in e.layout.number_slots:
            spelling = (encoder.answer if matches(slot, answers) else encoder).at(slot)
            if checked[spelling] < CHECKED:
                numbers = e.column(slot)
                numbers = numbers[numbers == numbers][:CHECKED]
                checked[spelling] += len(numbers)
                try:
                    check(spelling, numbers)
                except ValueError as error:
                    raise ValueError(f"{slot}: {error}") from None


def check(encoder: Encoder, numbers: np.ndarray) -> None:
    """ValueError where the tokens of some numbers are malformed, or are not read back."""
    tokens, n = encoder.encode(numbers), len(numbers)
    if not isinstance(tokens, Tokens):
        wanted = "encodes numbers as nl.Tokens, such as Tokens.of(ids)"
        raise ValueError(f"{encoder} {wanted}; got one of {type(tokens).__name__}")
    ids, mask, words = tokens.ids, tokens.mask, len(encoder.vocabulary)
    if ids.ndim != 2 or len(ids) != n or mask.shape != ids.shape or mask.dtype != bool:
        got = f"{ids.shape}, and {mask.shape} of {mask.dtype}"
        raise ValueError(f"{encoder} encodes {n} numbers as ids and a mask, ({n}, L); got {got}")
    counts = mask.sum(1)
    if encoder.fixed and n and counts.min() < counts.max():
        got = f"{counts.min()} to {counts.max()} tokens a number"
        raise ValueError(f"{encoder} gives {got}, so its class must say `fixed = False`")
    if ids.shape[1] != encoder.length:
        got = f"{ids.shape[1]} columns"
        raise ValueError(f"{encoder} has the length {encoder.length}; its tokens have {got}")
    used = ids[mask]
    if len(used) and not 0 <= used.min() <= used.max() < words:
        got = f"{used.min()} to {used.max()}"
        raise ValueError(f"{encoder} has {words} words; its tokens are indices of them; got {got}")
    shape = int(tokens.carry(encoder.carriers).sum()), encoder.n_features
    if (shape[0] and tokens.features.shape != shape) or len(tokens.features) != shape[0]:
        got = tokens.features.shape
        raise ValueError(f"{encoder} has a row of features for each carrier, {shape}; got {got}")
    low, high = encoder.bounds
    if wrong := [x for x in numbers.tolist() if not low <= x <= high]:
        refuse = f"refuses numbers beyond its bounds, {low} to {high}, with a ValueError"
        raise ValueError(f"encode of {encoder} {refuse}; got tokens of {wrong[0]}")
    read = encoder.decode(tokens)
    if not isinstance(read, np.ndarray) or read.shape != (n,):
        got = read.shape if isinstance(read, np.ndarray) else f"a {type(read).__name__}"
        raise ValueError(f"{encoder} decodes {n} numbers to an array of shape ({n},); got {got}")
    for number, back in zip(numbers, read, strict=True):
        if back is None or back != back:
            raise ValueError(f"{encoder} does not read back its own tokens of {number}; got {back}")
