"""Do numbers that are close lie close in the embedding? The kNN-F1 of the digits paper.

Ties are never broken by the order of the numbers. Where m candidates share the k-th distance and
only s of them fit among the k, each counts with probability s / m, independently on the number line
and in the embedding, and the F1 is the expectation. Distances are Euclidean. Two are tied if they
differ by rounding noise: 1e-12 of the vectors' length in float64, 5e-7 in float32.
"""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from numlab.codes.base import LARGEST
from numlab.codes.edges import near_one
from numlab.embeddings import Embeddings

TREE_DIMENSIONS = 16  # with more, a k-d tree is slower than all pairs as matrix products


def neighbour_f1(e: Embeddings, k: int = 10) -> pd.DataFrame:
    """Overlap of each of n numbers' k nearest numbers with its k nearest embeddings, 1 <= k < n.

    Both sets have k members, so precision, recall and F1 are all the overlap over k (digits,
    section 3). Time grows with the number of different vectors: seconds for 900,000 of up to 16
    dimensions.

    Returns
    -------
    DataFrame [number, f1]
        In the order of the numbers; the expected F1, 0 to 1.

    >>> line = Embeddings(np.arange(100), np.arange(100.0)[:, None], "a line")
    >>> float(neighbour_f1(line).f1.mean())
    1.0
    """
    f1 = shared_f1(e.numbers, e.vectors, np.arange(len(e)), k)
    return pd.DataFrame({"number": e.numbers, "f1": f1})


def shared_f1(numbers: np.ndarray, vectors: np.ndarray, which: np.ndarray, k: int) -> np.ndarray:
    """(n,) F1 of numbers (n,) whose vectors are the rows `which` (n,) of vectors (u, d)."""
    _check_k(k, len(numbers))
    vectors, _ = near_one(vectors)
    first, same = _distinct(vectors)
    if len(first) < len(vectors):
        vectors, which = vectors[first], same[which]
    points = vectors.astype(np.float64, copy=False)
    shells = _shells(points, np.bincount(which), k, _noise(vectors))
    order = np.argsort(numbers, kind="stable")
    numbers, which = numbers[order], which[order]
    f1 = np.empty(len(numbers))
    for part in _chunks(len(numbers), 2 * k, megabytes=8):
        rows = np.arange(part.start, part.stop)
        candidates, chance = _nearest_numbers(numbers, rows, k)
        row, column = np.nonzero(chance)
        here, there = which[rows[row]], which[candidates[row, column]]
        both = chance[row, column] * _membership(_distances(points, here, there), *shells[:, here])
        f1[order[part]] = np.bincount(row, both, len(rows)) / k
    return f1


def nearby(e: Embeddings, rows: np.ndarray, k: int = 10) -> pd.DataFrame:
    """The k nearest numbers of a few numbers, in the embedding and on the number line.

    The numbers are (m,) rows of n, or a mask (n,) of them; 1 <= k < n. Time and memory grow with
    m n.

    Returns
    -------
    DataFrame [number, neighbour, embedding, line]
        A number and a candidate, the nearest in the embedding first; `embedding` and `line`:
        probability that the candidate is among the k nearest there. The sum of their products, over
        k, is the number's expected F1.

    >>> line = Embeddings(np.arange(9), np.arange(9.0)[:, None], "a line")
    >>> nearby(line, [4], k=2).neighbour.tolist()
    [3.0, 5.0]
    """
    _check_k(k, len(e))
    rows, (vectors, _) = np.arange(len(e))[rows], near_one(e.vectors)
    distance = np.empty((len(rows), len(e)))
    for part in _chunks(*vectors.shape):  # cdist copies float32
        distance[:, part] = cdist(vectors[rows], vectors[part])
    distance[np.arange(len(rows)), rows] = np.inf
    embedding = _memberships(distance, k, _norms(vectors[rows]), 2 * _noise(vectors))
    order = np.argsort(e.numbers, kind="stable")
    candidates, chance = _nearest_numbers(e.numbers[order], np.argsort(order)[rows], k)
    row, column = np.nonzero(chance)
    line = np.zeros_like(distance)
    line[row, order[candidates[row, column]]] = chance[row, column]

    row, neighbour = np.nonzero((embedding > 0) | (line > 0))
    by_distance = np.lexsort((distance[row, neighbour], row))
    row, neighbour = row[by_distance], neighbour[by_distance]
    frame = pd.DataFrame({"number": e.numbers[rows[row]], "neighbour": e.numbers[neighbour]})
    return frame.assign(embedding=embedding[row, neighbour], line=line[row, neighbour])


def _chance(distance, radius, margin, k: int, weight=1) -> np.ndarray:
    """(u,) probability that a candidate at distance radius +- margin is among the k nearest.

    From the distances (u, m) of candidates, each of which counts `weight` times.
    """
    beyond = distance - radius[:, None]
    closer = (weight * (beyond < -margin[:, None])).sum(axis=1)
    tied = (weight * (np.abs(beyond) <= margin[:, None])).sum(axis=1)
    return (k - closer) / np.maximum(tied, 1)


def _membership(distance, radius, margin, chance) -> np.ndarray:
    """Probability that a candidate at a distance is among the k nearest."""
    beyond = distance - radius
    return np.where(beyond < -margin, 1.0, np.where(beyond <= margin, chance, 0.0))


def _memberships(distance: np.ndarray, k: int, size: np.ndarray, tolerance: float) -> np.ndarray:
    """(m, c) probability of each candidate to be among the k nearest of m points of a `size`."""
    radius = np.partition(distance, k - 1, axis=1)[:, k - 1]
    margin = tolerance * (size + radius)
    shell = radius, margin, _chance(distance, radius, margin, k)
    return _membership(distance, *(part[:, None] for part in shell))


def _nearest_numbers(numbers: np.ndarray, rows: np.ndarray, k: int) -> tuple[np.ndarray, ...]:
    """Candidates (m, 2k) for the k nearest of some sorted numbers, and the chance of each."""
    if numbers.dtype != object and max(-numbers[0], numbers[-1]) > LARGEST / 4:
        numbers = numbers / 4  # so that no gap overflows
    candidates = rows[:, None] + np.concatenate([np.arange(-k, 0), np.arange(1, k + 1)])
    outside = (candidates < 0) | (candidates >= len(numbers))
    gap = np.abs(numbers[candidates.clip(0, len(numbers) - 1)] - numbers[rows, None])
    gap = np.where(outside, np.inf, gap.astype(np.float64))
    size = 0 if numbers.dtype == object else np.abs(numbers[rows])  # Python ints are exact
    return candidates, _memberships(gap, k, size, 4 * np.finfo(np.float64).eps)


def _shells(points: np.ndarray, count: np.ndarray, k: int, tolerance: float) -> np.ndarray:
    """(3, u) where the k nearest neighbours of different points (u, d) end: the distance of the
    k-th, the margin within which distances are tied with it, and the chance of those that are.

    Each point stands for `count` numbers.
    """
    u, norm = len(points), _norms(points)
    nearest, blur = _search(points)
    shells = np.empty((3, u))
    todo, fetch = np.arange(u), min(u, k + 2)  # itself, k others, one to see that no tie follows
    while len(todo):
        unfinished = []
        for part in _chunks(len(todo), 4 * fetch, megabytes=32):
            rows = todo[part]
            distance, found = nearest(rows, fetch)
            weight = count[found] - (found == rows[:, None])
            enough = weight.cumsum(axis=1) >= k
            radius = distance[np.arange(len(rows)), enough.argmax(axis=1)]
            margin = 2 * tolerance * (norm[rows] + radius)
            shells[:, rows] = radius, margin, _chance(distance, radius, margin, k, weight)
            seen = distance[:, -1] > radius + margin + blur
            done = enough[:, -1] & seen | (fetch == u)
            unfinished.append(rows[~done])
        todo, fetch = np.concatenate(unfinished), min(u, 4 * fetch)
    return shells


def _search(points: np.ndarray) -> tuple[Callable, float]:
    """A function (rows, fetch) -> sorted distances and indices of the points nearest to each row,
    and the error of distances by which it may leave out a point."""
    if points.shape[1] <= TREE_DIMENSIONS:
        tree = cKDTree(points, balanced_tree=False)  # 4 times faster on these nested clusters
        return lambda rows, fetch: tree.query(points[rows], range(1, fetch + 1), workers=-1), 0.0

    centred = points - points.mean(axis=0)
    index = NearestNeighbors(algorithm="brute").fit(centred)

    def nearest(rows, fetch):
        found = index.kneighbors(centred[rows], fetch, return_distance=False)
        # again: in |x|^2 - 2xy + |y|^2 half of the digits cancel
        distance = _distances(points, rows.repeat(fetch), found.ravel()).reshape(found.shape)
        rank = distance.argsort(axis=1, kind="stable")
        return np.take_along_axis(distance, rank, 1), np.take_along_axis(found, rank, 1)

    return nearest, 1e-7 * _norms(centred).max()


def _distances(points: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Distance of points[a] and points[b]."""
    distance = np.empty(len(a))
    for part in _chunks(len(a), points.shape[1]):
        distance[part] = _norms(points[a[part]] - points[b[part]])
    return distance


def _distinct(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows (u,) that differ by more than rounding, and for every row (n,) which of them it equals.

    Rows are grouped by a random projection and compared with the first of their group. Equal rows
    that fall into two groups stay two points at a distance of rounding noise: slower, still exact.
    """
    n, d = vectors.shape
    norm = _norms(vectors)
    projection = np.einsum("ij,j->i", vectors, np.random.default_rng(0).normal(size=d))
    cells = np.rint(projection / (8 * _noise(vectors) * (norm.max() or 1)))
    _, first, which = np.unique(cells, return_index=True, return_inverse=True)
    repeated = np.flatnonzero(first[which] != np.arange(n))
    distance = _distances(vectors, repeated, first[which[repeated]])
    alone = repeated[distance > _noise(vectors) * norm[repeated]]
    which[alone] = len(first) + np.arange(len(alone))
    first = np.concatenate([first, alone])
    return (np.arange(n), np.arange(n)) if len(first) == n else (first, which)


def _noise(vectors: np.ndarray) -> float:
    """Rounding noise relative to a vector's norm.

    In a weighted sum with base 10 the last of six digits has only 5e-7 of it: take float64.
    """
    return 1e-12 if vectors.dtype == np.float64 else 5e-7


def _norms(rows: np.ndarray) -> np.ndarray:
    return np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))


def _chunks(n: int, width: int, megabytes: int = 1) -> Iterator[slice]:
    """Slices over n rows of `width` float64 each; 1 MB stays in a core's cache."""
    step = max(1, (megabytes << 20) // (8 * max(1, width)))
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


def _check_k(k: int, n: int) -> None:
    if not 1 <= k < n or k % 1:
        raise ValueError(f"each of {n} numbers has 1 to {n - 1} neighbours; got k={k}")
