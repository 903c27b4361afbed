"""Clouds of vectors made smaller without a change to any distance: equal vectors, few dimensions.

Both reductions are checked, not assumed: a row that does not fit is left as it was.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from threadpoolctl import threadpool_limits

# Products as thin as those here are slower on two threads, and far slower on shared cores.
one_thread = threadpool_limits.wrap(limits=1, user_api="blas")


def noise(vectors: np.ndarray) -> float:
    """Rounding noise of a cloud, relative to the norm of a vector.

    Vectors closer than this times their norm are one vector. For float64 it is 1e-12, thousands
    of roundings, which leaves room for sums in any order and for a change of basis; for float32
    it is 5e-7, about four roundings: more would swallow the last of six digits, which weighs 1/670
    of the first.
    """
    return 1e-12 if vectors.dtype == np.float64 else 5e-7


def chunks(n: int, width: int, megabytes: int = 1) -> Iterator[slice]:
    """Slices over n rows of `width` float64 each; those of 1 MB stay in a core's cache."""
    step = max(1, (megabytes << 20) // (8 * max(1, width)))
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


@one_thread
def distinct(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows that differ, and for every row which of them it equals up to rounding.

    Parameters
    ----------
    vectors : array of shape (n, d)

    Returns
    -------
    first : array of shape (u,)
        Rows of `vectors`, one for each distinct vector.
    which : array of shape (n,)
        Place in `first` of the vector that each row equals.

    Notes
    -----
    Rows are hashed by a few random projections on a grid as fine as the noise, and each row is
    then compared with the first of its cell. Equal rows that a grid line divides stay two
    distinct vectors at a distance of rounding noise, which costs time but no exactness.
    """
    n, d = vectors.shape
    tolerance = noise(vectors)
    directions = np.random.default_rng(0).normal(size=(d, 4))
    keys = np.empty(n, np.int64)
    norms = np.empty(n)
    for part in chunks(n, d):
        rows = vectors[part].astype(np.float64, copy=False)
        norms[part] = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        keys[part] = _cells(rows @ directions, norms[part], tolerance)
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    representative = first[which]

    repeated = np.flatnonzero(representative != np.arange(n))
    differs = []
    for part in chunks(len(repeated), d):
        rows = repeated[part]
        gap = vectors[rows].astype(np.float64, copy=False) - vectors[representative[rows]]
        far = np.einsum("ij,ij->i", gap, gap) > (tolerance * norms[rows]) ** 2
        differs.append(rows[far])
    alone = np.concatenate([*differs, np.empty(0, np.int64)]).astype(np.int64)
    which[alone] = len(first) + np.arange(len(alone))
    return np.concatenate([first, alone]), which


def _cells(projections: np.ndarray, norms: np.ndarray, tolerance: float) -> np.ndarray:
    """One integer a row for the cell of a grid whose lines lie `tolerance` norms apart."""
    octave = np.frexp(norms)[1].astype(np.int64)
    spacing = 8 * tolerance * np.exp2(octave)[:, None]
    grid = np.rint(projections / spacing).astype(np.int64)
    odd = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93])
    mixed = (grid * odd.view(np.int64)).sum(axis=1) + octave * 0x2545F4914F6CDD1D
    return mixed ^ (mixed >> 29)


@one_thread
def isometry(vectors: np.ndarray, most: int) -> np.ndarray:
    """Coordinates of the vectors in an orthonormal basis of the space that they span.

    Distances stay what they were: up to rounding where the span has at most `most` dimensions,
    to the bit otherwise, where the vectors themselves are returned.

    Parameters
    ----------
    vectors : array of shape (n, d)
    most : int
        Largest dimension that is worth a change of basis.

    Returns
    -------
    array of shape (n, r), float64
        r <= most, or r = d.

    Notes
    -----
    The basis is that of a sample of the rows; then every row is projected and its residual
    measured, and rows that leave the basis join the sample. No (n, d) matrix is copied or
    decomposed.
    """
    n, d = vectors.shape
    if d <= most:
        return vectors.astype(np.float64, copy=False)
    sample = np.random.default_rng(0).choice(n, min(n, 8 * most), replace=False)
    for _ in range(most):  # each round adds a dimension or is the last
        basis = _row_space(vectors[sample].astype(np.float64), noise(vectors), most)
        if basis.shape[1] > most:
            break
        coordinates, outside = _project(vectors, basis)
        if len(outside) == 0:
            return coordinates
        sample = np.concatenate([sample, outside])
    return vectors.astype(np.float64, copy=False)


def _row_space(rows: np.ndarray, tolerance: float, most: int) -> np.ndarray:
    """Orthonormal basis, (d, r), of the span of the rows, whatever their lengths; r <= most + 1.

    Gram-Schmidt that takes the longest remainder first, and stops early.
    """
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    rows = rows / np.where(norms > 0, norms, 1)
    basis = np.zeros((rows.shape[1], 0))
    while basis.shape[1] <= most:
        left = np.einsum("ij,ij->i", rows, rows)
        longest = rows[left.argmax()] / np.sqrt(left.max() or 1)
        if basis.shape[1] and left.max() <= tolerance**2:
            break
        longest = longest - basis @ (basis.T @ longest)  # twice is enough
        longest /= np.linalg.norm(longest) or 1
        basis = np.column_stack([basis, longest])
        rows = rows - np.outer(rows @ longest, longest)
    return basis


def _project(vectors: np.ndarray, basis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates of all rows, and some of those that are not in the span of the basis."""
    coordinates = np.empty((len(vectors), basis.shape[1]))
    outside = []
    for part in chunks(*vectors.shape):
        rows = vectors[part].astype(np.float64, copy=False)
        coordinates[part] = rows @ basis
        residual = rows - coordinates[part] @ basis.T
        far = np.einsum("ij,ij->i", residual, residual) > noise(vectors) ** 2 * np.einsum(
            "ij,ij->i", rows, rows
        )
        outside.append(np.flatnonzero(far)[:8] + part.start)
    return coordinates, np.concatenate(outside)[:64]
