"""The neighbours of a few numbers among many: live, where `neighbour_f1` would take seconds."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np

from numlab.embeddings import Embeddings
from numlab.probes.geometry import noise, one_thread

if TYPE_CHECKING:
    import pandas as pd

TIED = 1e-6  # of a vector's length: nearer, a difference of squares tells no distances apart


@one_thread
def nearby(e: Embeddings, rows: np.ndarray, k: int = 10) -> pd.DataFrame:
    """The k nearest numbers of some numbers, in the embedding and on the number line.

    Ties are shared as in `neighbour_f1`: where more candidates are tied than there are places
    left, each counts with the probability (places left) / (tied candidates).

    Parameters
    ----------
    e : Embeddings
        n numbers that float64 holds.
    rows : array of shape (m,)
        Which of them are asked for; time and memory grow with m n.
    k : int
        1 <= k < n.

    Returns
    -------
    DataFrame [number, neighbour, embedding, line]
        A row for each candidate of a number that may be among its neighbours: the probability
        that it is, in either space. Nearest in the embedding first. The sum of their products
        over k is the number's expected F1.

    Examples
    --------
    >>> line = Embeddings(np.arange(9), np.arange(9.0)[:, None], "a line")
    >>> nearby(line, [4], k=2).neighbour.tolist()
    [3.0, 5.0]
    """
    import pandas as pd

    rows = np.asarray(rows, np.int64)
    if not 1 <= k < len(e):
        raise ValueError(f"each of {len(e)} numbers has 1 to {len(e) - 1} neighbours; got k={k}")
    numbers, vectors, squares, order, place = _prepared(e)
    square = squares - 2.0 * (vectors[rows] @ vectors.T)  # but for each row's own
    farthest = np.partition(square, k, axis=1)[:, k]
    frames = []
    for row, own, bound in zip(rows, square, farthest, strict=True):
        around = order[max(0, place[row] - k) : place[row] + k + 1]
        among = np.union1d(np.flatnonzero(own <= bound + TIED * squares[row]), around)
        among = among[among != row]
        distance = np.linalg.norm(vectors[among] - vectors[row], axis=1)  # exact, of these few
        gap = np.abs(numbers[among] - numbers[row])
        margin = 2 * noise(e.vectors) * (squares[row] ** 0.5)
        frame = pd.DataFrame(
            {
                "number": e.numbers[row],
                "neighbour": e.numbers[among],
                "embedding": _membership(distance, k, margin),
                "line": _membership(gap, k, 4 * np.finfo(float).eps * abs(numbers[row])),
            }
        )
        found = (frame.embedding > 0) | (frame.line > 0)
        frames.append(frame[found].iloc[distance[found].argsort(kind="stable")])
    return pd.concat(frames, ignore_index=True)


@functools.lru_cache(maxsize=4)
def _prepared(e: Embeddings) -> tuple[np.ndarray, ...]:
    """Numbers, centred vectors, their squared lengths, the order of the numbers, its inverse."""
    numbers, vectors = e.numbers.astype(float), e.vectors - e.vectors.mean(axis=0, dtype=float)
    order = np.argsort(numbers, kind="stable")
    return numbers, vectors, np.einsum("ij,ij->i", vectors, vectors), order, np.argsort(order)


def _membership(distance: np.ndarray, k: int, margin: float) -> np.ndarray:
    """Probabilities that candidates at these distances are among the k nearest."""
    beyond = distance - np.partition(distance, k - 1)[k - 1]
    closer, tied = beyond < -margin, np.abs(beyond) <= margin
    return closer + tied * ((k - closer.sum()) / tied.sum())
