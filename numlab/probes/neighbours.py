"""Do numbers that are close lie close in the embedding? The kNN-F1 of the digits paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from numlab.embeddings import Embeddings
from numlab.probes.geometry import chunks, distinct, isometry, noise

if TYPE_CHECKING:
    import pandas as pd

TREE_DIMENSIONS = 16  # above, a k-d tree is slower than all pairs as matrix products


def neighbour_f1(e: Embeddings, k: int = 10) -> pd.DataFrame:
    """Overlap of each number's k nearest numbers with its k nearest embeddings.

    Both sets have k members, so precision, recall and F1 are one value: the overlap over k
    (digits, section 3). The natural neighbours of a number are the k nearest of `e.numbers`; at
    the ends of the range they lie on one side. Distances in the embedding are Euclidean.

    Ties are not broken by the order of the numbers. Where more candidates share the k-th distance
    than there are places left, each counts with probability (places left) / (tied candidates),
    independently in the two spaces, and the F1 is the expectation. Distances count as tied when
    they differ by no more than rounding noise: relative to the length of the vectors, 1e-12 for
    float64 and 5e-7 for float32.

    Parameters
    ----------
    e : Embeddings
        n numbers, all different, in any order.
    k : int
        1 <= k < n.

    Returns
    -------
    DataFrame with columns
        number : the number, in the order of `e.numbers`
        f1 : expected F1, 0 to 1

    Notes
    -----
    Exact: numbers with the same vector are searched for once, and vectors that span few
    dimensions are searched in these (all weighted sums of ten digit embeddings span ten), neither
    of which changes a distance. Time grows with the number of different vectors: seconds for
    900,000 weighted sums.

    Examples
    --------
    >>> line = Embeddings(np.arange(100), np.arange(100.0)[:, None], "a line")
    >>> float(neighbour_f1(line).f1.mean())
    1.0
    """
    import pandas as pd

    first, which = distinct(e.vectors)
    if len(first) == len(e):  # no copy of a large matrix
        points, which = e.vectors, np.arange(len(e))
    else:
        points = e.vectors[first]
    return pd.DataFrame({"number": e.numbers, "f1": shared_f1(e.numbers, points, which, k)})


def shared_f1(numbers: np.ndarray, vectors: np.ndarray, which: np.ndarray, k: int) -> np.ndarray:
    """The F1 of `neighbour_f1` where numbers share vectors and one a number would not fit.

    Parameters
    ----------
    numbers : array of shape (n,)
    vectors : array of shape (u, d)
        The vectors that occur, float64 or float32.
    which : array of shape (n,)
        Row of `vectors` that belongs to each number; every row to one at least.
    k : int
        1 <= k < n.

    Returns
    -------
    array of shape (n,)
    """
    n = len(numbers)
    _check_k(k, n)
    points = isometry(vectors, TREE_DIMENSIONS)
    embedded = embedding_shells(points, np.bincount(which), k, noise(vectors))
    order = np.argsort(numbers, kind="stable")
    f1 = np.empty(n)
    f1[order] = _expected_overlap(numbers[order], points, which[order], embedded, k) / k
    return f1


def _check_k(k: int, n: int) -> None:
    if not 1 <= k < n:
        raise ValueError(f"each of {n} numbers has 1 to {n - 1} neighbours; got k={k}")


@dataclass(frozen=True, eq=False)
class Shells:
    """Where the k nearest neighbours of each of u points end.

    Attributes
    ----------
    radius : array of shape (u,)
        Distance of the k-th neighbour.
    margin : array of shape (u,)
        Distances within `radius` +- `margin` are tied with it.
    chance : array of shape (u,)
        Probability that a tied candidate is among the k: places left over candidates.
    """

    radius: np.ndarray
    margin: np.ndarray
    chance: np.ndarray

    def membership(self, rows: np.ndarray, distance: np.ndarray) -> np.ndarray:
        """Probability that a candidate at `distance` of point `rows` is among its k nearest."""
        beyond = distance - self.radius[rows]
        margin = self.margin[rows]
        return np.where(beyond < -margin, 1.0, np.where(beyond <= margin, self.chance[rows], 0.0))


def natural_shells(numbers: np.ndarray, k: int) -> Shells:
    """Shells of sorted numbers on the line, from the k to the left and the k to the right."""
    n = len(numbers)
    radius, margin, chance = np.empty(n), np.empty(n), np.empty(n)
    offsets = np.concatenate([np.arange(-k, 0), np.arange(1, k + 1)])
    for part in chunks(n, 2 * k):
        rows = np.arange(part.start, part.stop)
        candidates = rows[:, None] + offsets
        inside = (candidates >= 0) & (candidates < n)
        gap = np.abs(numbers[candidates.clip(0, n - 1)] - numbers[rows, None]).astype(np.float64)
        distance = np.sort(np.where(inside, gap, np.inf), axis=1)
        size = 0 if numbers.dtype == object else np.abs(numbers[rows])  # Python ints are exact
        radius[part] = distance[:, k - 1]
        margin[part] = 4 * np.finfo(np.float64).eps * (size + radius[part])
        chance[part] = _chance(distance, np.ones_like(distance), radius[part], margin[part], k)
    return Shells(radius, margin, chance)


def embedding_shells(points: np.ndarray, count: np.ndarray, k: int, tolerance: float) -> Shells:
    """Shells of distinct points (u, d), each of which stands for `count` numbers."""
    u = len(points)
    nearest, blur = _search(points)
    norm = np.sqrt(np.einsum("ij,ij->i", points, points))
    radius, margin, chance = np.empty(u), np.empty(u), np.empty(u)
    todo, fetch = np.arange(u), min(u, k + 2)  # itself, k others, one to see that no tie follows
    while len(todo):
        open_rows = []
        for part in chunks(len(todo), 4 * fetch, megabytes=32):
            rows = todo[part]
            distance, found = nearest(rows, fetch)
            weight = count[found] - (found == rows[:, None])
            enough = weight.cumsum(axis=1) >= k
            r = distance[np.arange(len(rows)), enough.argmax(axis=1)]
            m = 2 * tolerance * (norm[rows] + r)
            radius[rows], margin[rows] = r, m
            chance[rows] = _chance(distance, weight, r, m, k)
            done = enough[:, -1] & (distance[:, -1] > r + m + blur) | (fetch == u)
            open_rows.append(rows[~done])
        todo, fetch = np.concatenate(open_rows), min(u, 4 * fetch)
    return Shells(radius, margin, chance)


def _chance(distance, weight, radius, margin, k: int) -> np.ndarray:
    """Places left at the k-th distance over the candidates there, a row a point."""
    beyond = distance - radius[:, None]
    closer = (weight * (beyond < -margin[:, None])).sum(axis=1)
    tied = (weight * (np.abs(beyond) <= margin[:, None])).sum(axis=1)
    return (k - closer) / np.maximum(tied, 1)


def _search(points: np.ndarray) -> tuple[Callable, float]:
    """A function (rows, fetch) -> sorted distances and places of each row's nearest points.

    With it comes by how much a point that it left out may be nearer than the last that it found.
    """
    if points.shape[1] <= TREE_DIMENSIONS:
        from scipy.spatial import cKDTree

        tree = cKDTree(points, balanced_tree=False)  # 4 times faster on these nested clusters
        return lambda rows, fetch: tree.query(points[rows], range(1, fetch + 1), workers=-1), 0.0

    from sklearn.neighbors import NearestNeighbors

    centred = points - points.mean(axis=0)
    index = NearestNeighbors(algorithm="brute").fit(centred)

    def nearest(rows, fetch):
        found = index.kneighbors(centred[rows], fetch, return_distance=False)
        distance = np.empty(found.shape)  # anew: in |x|^2 - 2xy + |y|^2 half of the digits cancel
        for part in chunks(len(rows), fetch * points.shape[1]):
            gap = points[found[part]] - points[rows[part], None]
            distance[part] = np.sqrt(np.einsum("ijk,ijk->ij", gap, gap))
        rank = distance.argsort(axis=1, kind="stable")
        return np.take_along_axis(distance, rank, 1), np.take_along_axis(found, rank, 1)

    return nearest, 1e-7 * np.linalg.norm(centred, axis=1).max()


def _expected_overlap(
    numbers: np.ndarray, points: np.ndarray, which: np.ndarray, embedded: Shells, k: int
) -> np.ndarray:
    """Expected number of shared neighbours of sorted numbers, `points[which]` their vectors."""
    n = len(numbers)
    natural = natural_shells(numbers, k)
    overlap = np.zeros(n)
    for part in chunks(n, 32, megabytes=16):  # small enough for a processor's cache
        for places in range(1, k + 1):  # the natural neighbours lie at most k places away
            left = np.arange(part.start, min(part.stop, n - places))
            right = left + places
            gap = np.abs(numbers[right] - numbers[left]).astype(np.float64)
            chance = [natural.membership(ends, gap) for ends in (left, right)]
            near = (chance[0] > 0) | (chance[1] > 0)
            distance = _distances(points, which[left[near]], which[right[near]])
            for ends, natural_chance in zip((left, right), chance, strict=True):
                shared = embedded.membership(which[ends[near]], distance)
                overlap[ends[near]] += natural_chance[near] * shared
    return overlap


def _distances(points: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Distance of points[a] and points[b]; where points recur, each pair of them once."""
    if len(points) < len(a):
        pair, which = np.unique(a * len(points) + b, return_inverse=True)
        if len(pair) < len(a):
            return _distances(points, *np.divmod(pair, len(points)))[which]
    distance = np.empty(len(a))
    for part in chunks(len(a), points.shape[1]):
        gap = points[a[part]] - points[b[part]]
        distance[part] = np.sqrt(np.einsum("ij,ij->i", gap, gap))
    return distance
