"""Vectors of numbers that are aggregated from their digits' embeddings, and their kNN-F1."""

import numpy as np
import pandas as pd
import torch

import numlab as nl
from numlab.encoders.aggregate import Aggregation
from numlab.probes.neighbours import shared_f1


def from_digits(
    numbers: np.ndarray, table: np.ndarray, aggregate: Aggregation
) -> nl.embeddings.Embeddings:
    """Aggregates of the embeddings of the digits of whole numbers, without leading zeros.

    `numbers` (n,) are of any lengths, 0 <= number < 2**63; `table` (10, d) holds the embeddings of
    the digits.

    >>> from numlab.encoders import DigitSum
    >>> from_digits([7, 70], np.eye(10), DigitSum()).vectors[:, [0, 7]].tolist()
    [[0.0, 1.0], [1.0, 1.0]]
    """
    given, numbers = np.asarray(numbers), np.asarray(numbers).astype(np.int64)
    if (given != numbers).any() or (numbers < 0).any():
        wrong = given[(given != numbers) | (numbers < 0)][0]
        raise ValueError(f"digits are aggregated for whole numbers >= 0; got {wrong}")
    table = torch.from_numpy(np.ascontiguousarray(table))
    power = 10 ** np.arange(len(str(numbers.max())) - 1, -1, -1, dtype=np.int64)
    vectors = np.empty((len(numbers), table.shape[1]), table.numpy().dtype)
    for part in range(0, len(numbers), 8192):  # to save memory
        some = numbers[part : part + 8192, None]
        written = (some >= power) | (power == 1)  # not a leading zero
        tally = aggregate.tally(some // power % 10, written, vectors.dtype)
        vectors[part : part + 8192] = aggregate.combine(torch.from_numpy(tally), table)
    return nl.Embeddings(numbers, vectors, repr(aggregate))


def digit_f1(
    numbers: np.ndarray, table: np.ndarray, aggregate: Aggregation, k: int = 10
) -> pd.DataFrame:
    """`nl.probes.neighbour_f1` of `from_digits`, for up to 10^7 numbers.

    `numbers` (n,) are whole and all different, 0 <= number < 10**18; `table` (10, d) holds the
    embeddings of the digits, all finite; 1 <= k < n. Sums are computed in the ten dimensions that
    ten embeddings span. An aggregate that ignores the order of digits has one
    vector for each of the 19,447 multisets in 10^7 numbers.

    >>> from numlab.encoders import DigitSum
    >>> digit_f1(np.arange(10, 100), np.eye(10), DigitSum()).f1.mean().round(3)
    np.float64(0.254)
    """
    numbers = np.asarray(numbers)
    table = nl.Embeddings(np.arange(10), table, "digits").vectors.astype(np.float64)
    if type(aggregate).combine is Aggregation.combine:
        table = np.linalg.qr(table.T)[1].T
    if aggregate.sees_order:
        return nl.probes.neighbour_f1(from_digits(numbers, table, aggregate), k)
    _, first, which = np.unique(multisets(numbers), return_index=True, return_inverse=True)
    vectors = from_digits(numbers[first], table, aggregate).vectors
    f1 = shared_f1(numbers, vectors, which, k)
    return pd.DataFrame({"number": numbers.astype(np.float64), "f1": f1})


def multisets(numbers: np.ndarray) -> np.ndarray:
    """(n,) int64, equal for two numbers that have the same digits in any order.

    >>> multisets(np.array([112, 211, 12])).tolist()
    [24, 24, 20]
    """
    rest = np.asarray(numbers).astype(np.int64)
    base = len(str(rest.max(initial=0))) + 1  # more than a number has digits
    rest, digit = np.divmod(rest, 10)
    code = base**digit
    while rest.any():
        more = rest > 0  # a leading zero does not count
        rest, digit = np.divmod(rest, 10)
        code += more * base**digit
    return code
