"""The kNN-F1 of aggregated digits, for as many as 10^7 numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from numlab.embeddings import from_digits, from_matrix
from numlab.encoders.aggregate import Aggregation
from numlab.probes.geometry import distinct, isometry
from numlab.probes.neighbours import TREE_DIMENSIONS, neighbour_f1, shared_f1

if TYPE_CHECKING:
    import pandas as pd


def digit_f1(
    numbers: np.ndarray, table: np.ndarray, aggregate: Aggregation, k: int = 10
) -> pd.DataFrame:
    """`neighbour_f1` of `from_digits`, without a vector of d entries a number.

    What sees the order of the digits is linear in their embeddings, and ten of these span no more
    than ten dimensions; what does not see it has one vector for each multiset of digits, of which
    10^7 numbers have 19,447.

    Parameters
    ----------
    numbers : array of shape (n,)
        Whole numbers, all different, 0 <= number < 10**18.
    table : array of shape (10, d)
        The embeddings of the digits.
    aggregate : Aggregation
    k : int
        1 <= k < n.

    Returns
    -------
    DataFrame [number, f1], as of `neighbour_f1`

    Raises
    ------
    ValueError
        For a digit without a finite embedding, and k out of range.

    Examples
    --------
    >>> from numlab.encoders import DigitSum
    >>> digit_f1(np.arange(10, 100), np.eye(10), DigitSum()).f1.mean().round(3)
    np.float64(0.254)
    """
    import pandas as pd

    numbers = np.asarray(numbers)
    table = from_matrix(np.arange(10), table, "digits").vectors.astype(np.float64, copy=False)
    if aggregate.sees_order:
        short = isometry(table, TREE_DIMENSIONS)
        return neighbour_f1(from_digits(numbers, short, aggregate), k)
    _, first, which = np.unique(multisets(numbers), return_index=True, return_inverse=True)
    e = from_digits(numbers[first], table, aggregate)
    unlike, same = distinct(e.vectors)  # the maximum of 11 is that of 1
    f1 = shared_f1(numbers, e.vectors[unlike], same[which], k)
    return pd.DataFrame({"number": numbers.astype(np.float64), "f1": f1})


def multisets(numbers: np.ndarray) -> np.ndarray:
    """(n,) int64, equal where two numbers have the same digits in any order.

    >>> multisets(np.array([112, 211, 12])).tolist()
    [24, 24, 20]
    """
    rest = np.asarray(numbers).astype(np.int64)
    base = len(str(rest.max(initial=0))) + 1  # more than any digit occurs
    code = np.zeros(len(rest), np.int64)
    powers = base ** np.arange(10, dtype=np.int64)
    first = True
    while first or rest.any():
        rest, digit = np.divmod(rest, 10)
        there = first | (rest > 0) | (digit > 0)  # no leading zeros
        code += powers[digit] * there
        first = False
    return code
