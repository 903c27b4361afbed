"""One embedding for a whole number, aggregated from the embeddings of its digits.

Each function takes `digits`, an array of shape (n, N) of integers 0-9, most significant first,
and `embeddings`, an array of shape (10, d), one row a digit; it returns an array of shape (n, d)
of the embeddings' dtype. `weighted_sum` is the aggregation of Sivakumar and Moosavi (2024),
"How to Leverage Digit Embeddings to Represent Numbers?", section 3; the others are the standard
functions that they compare it with (section 3 and Appendix A).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

_CHUNK = 1024  # multisets of digits reduced at a time: (1024, N, d) floats stay in tens of MB


def digit_weights(n_digits: int, base: float = 2.0) -> np.ndarray:
    """Weight of each digit in a number of `n_digits` digits, most significant first.

    `w_i = base**(N - i) * 3 (N + 1 - i) (N + 2 - i) / (N (N + 1) (N + 2))`, i = 1 leftmost: an
    exponential in the place times a normalised triangular number. One digit weighs 1.

    Parameters
    ----------
    n_digits : int
        N, at least 1.
    base : float
        Growth from one place to the next.

    Returns
    -------
    array of shape (n_digits,), float64

    Notes
    -----
    Eq. 1, digits, reconstructed: the equation is lost in the text that we have. The prose fixes
    the fraction ("1, 3, 6, normalised to 0.1, 0.3, 0.6") and w = 1 for one digit; that the
    exponential has base 2 is our reading.

    Examples
    --------
    >>> digit_weights(3).tolist()
    [2.4, 0.6, 0.1]
    """
    if n_digits < 1:
        raise ValueError(f"a number has at least one digit; got n_digits={n_digits}")
    place = np.arange(n_digits, 0, -1)  # N + 1 - i: the units are place 1
    triangular = 3 * place * (place + 1) / (n_digits * (n_digits + 1) * (n_digits + 2))
    return float(base) ** (place - 1) * triangular


def weighted_sum(digits: np.ndarray, embeddings: np.ndarray, base: float = 2.0) -> np.ndarray:
    """Sum of the digits' embeddings, weighted by place (section 3, Eq. 1 reconstructed).

    Examples
    --------
    >>> weighted_sum(np.array([[1, 0, 2]]), np.eye(10)).round(2).tolist()
    [[0.6, 2.4, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]
    """
    digits, embeddings = _checked(digits, embeddings)
    return _linear(digits, embeddings, digit_weights(digits.shape[1], base))


def digit_sum(digits: np.ndarray, embeddings: np.ndarray) -> np.ndarray:
    """Sum of the digits' embeddings: blind to their order, and it grows with their count."""
    digits, embeddings = _checked(digits, embeddings)
    return _linear(digits, embeddings, np.ones(digits.shape[1]))


def digit_mean(digits: np.ndarray, embeddings: np.ndarray) -> np.ndarray:
    """Mean of the digits' embeddings in each dimension."""
    digits, embeddings = _checked(digits, embeddings)
    n_digits = digits.shape[1]
    return _linear(digits, embeddings, np.full(n_digits, 1 / n_digits))


def digit_max(digits: np.ndarray, embeddings: np.ndarray) -> np.ndarray:
    """Largest entry among the digits' embeddings in each dimension."""
    return _symmetric(digits, embeddings, np.max)


def digit_min(digits: np.ndarray, embeddings: np.ndarray) -> np.ndarray:
    """Smallest entry among the digits' embeddings in each dimension."""
    return _symmetric(digits, embeddings, np.min)


def digit_median(digits: np.ndarray, embeddings: np.ndarray) -> np.ndarray:
    """Median of the digits' embeddings in each dimension (mean of the middle two)."""
    return _symmetric(digits, embeddings, np.median)


def _checked(digits: np.ndarray, embeddings: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    digits, embeddings = np.asarray(digits), np.asarray(embeddings)
    if digits.ndim != 2 or digits.shape[1] == 0 or digits.dtype.kind not in "iu":
        raise ValueError(
            f"digits are integers of shape (n, N >= 1); got {digits.dtype} of shape {digits.shape}"
        )
    if digits.size and not (digits.min() >= 0 and digits.max() <= 9):
        raise ValueError(f"digits are 0 to 9; got {digits.min()} to {digits.max()}")
    if embeddings.ndim != 2 or len(embeddings) != 10 or embeddings.dtype.kind != "f":
        raise ValueError(
            "embeddings are floats of shape (10, d), one row a digit; "
            f"got {embeddings.dtype} of shape {embeddings.shape}"
        )
    return digits, embeddings


def _linear(digits: np.ndarray, embeddings: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weighted sum as one product, (n, 10) coefficients by the (10, d) table."""
    rows = np.arange(len(digits))
    coefficients = np.zeros((len(digits), 10), embeddings.dtype)
    for column, weight in zip(digits.T, weights, strict=True):
        coefficients[rows, column] += weight
    return coefficients @ embeddings


def _symmetric(digits: np.ndarray, embeddings: np.ndarray, reduce: Callable) -> np.ndarray:
    """A function of the multiset of digits, computed once each: 900,000 numbers hold 5,004."""
    digits, embeddings = _checked(digits, embeddings)
    ordered = np.sort(digits, axis=1)
    n_digits = ordered.shape[1]
    if n_digits <= 18:  # the ordered digits as one int64: a 20 times faster sort than rows
        code = ordered.astype(np.int64) @ 10 ** np.arange(n_digits, dtype=np.int64)
        _, first, which = np.unique(code, return_index=True, return_inverse=True)
        multisets = ordered[first]
    else:
        multisets, which = np.unique(ordered, axis=0, return_inverse=True)
    reduced = np.empty((len(multisets), embeddings.shape[1]), embeddings.dtype)
    for start in range(0, len(multisets), _CHUNK):
        part = slice(start, start + _CHUNK)
        reduced[part] = reduce(embeddings[multisets[part]], axis=1)
    return reduced[which]
