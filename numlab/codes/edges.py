"""Edges of bins of numbers, fitted to data: quantiles, or the cuts of a decision tree."""

import numpy as np

from numlab.codes.base import as_column, written
from numlab.numbers import check_count, check_held

EPS = np.finfo(float).eps


def as_edges(
    name: str, edges, least: int = 2, scale: float | None = None, advice: str = ""
) -> tuple[float, ...]:
    """Edges as a tuple of floats; a ValueError unless finite, ascending, and enough of them.

    With a scale, they must also ascend in float32 after division by it; else the error gives
    `advice`.
    """
    x = as_column(edges).astype(float)
    if len(x) < least or not np.isfinite(x).all() or (np.diff(x) <= 0).any():
        got = ", ".join(map(written, x[:8]))
        alike = " (numbers that are all alike give one)" if len(x) == 1 else ""
        raise ValueError(f"{name} has {least} or more finite numbers, ascending; got {got}{alike}")
    if scale is not None:
        with np.errstate(over="ignore"):
            same = ~(np.diff((x / scale).astype(np.float32)) > 0)
        if same.any():
            got = f"got {float(x[:-1][same][0])!r} and {float(x[1:][same][0])!r}"
            raise ValueError(f"{name}: edges coincide in float32: {advice} first; {got}")
    return tuple(x.tolist())


def as_floats(numbers, name: str = "numbers") -> np.ndarray:
    """(n,) float64; a ValueError if one is NaN, infinite, or an integer beyond float64."""
    x = as_column(numbers)
    check_held(x, name)
    return x.astype(float)


def near_one(x: np.ndarray) -> tuple[np.ndarray, int]:
    """x / 2**k, its largest entry near 1, and k: sums and squares of that stay within float64."""
    _, k = np.frexp(np.abs(x).max(initial=0.0))
    return np.ldexp(x, -k), k


def deviation(numbers) -> float:
    """The numbers' standard deviation, as a scale: 1 where they are all the same."""
    x = as_floats(numbers)
    if (x == x[:1]).all():  # rounding could make it 1e-17
        return 1.0
    scaled, k = near_one(x)
    return float(np.ldexp(scaled.std(), k)) or 1.0


def quantile_edges(numbers, bins: int = 48) -> tuple[float, ...]:
    """Quantiles at bins + 1 even levels; those that are equal up to rounding become one edge.

    An empty tuple for no numbers.

    >>> quantile_edges([0, 1, 1, 1, 2, 4], 4)
    (0.0, 1.0, 1.75, 4.0)
    """
    check_count("bins", bins)
    x, levels = as_floats(numbers), np.linspace(0, 1, bins + 1)
    edges: list[float] = []
    for edge in np.unique(np.quantile(x, levels)).tolist() if len(x) else ():
        if not edges or edge - edges[-1] > 8 * EPS * abs(edge):  # 0.1 + 0.2 is 0.3
            edges.append(edge)
    return tuple(edges)


def quantile_centres(numbers, bins: int = 48) -> tuple[float, ...]:
    """`bins` centres, 2 or more, at even levels; fewer where quantiles are equal."""
    check_count("bins", bins, 2)
    return quantile_edges(numbers, bins - 1)


def tree_edges(numbers, targets, bins: int = 48, least: int = 64) -> tuple[float, ...]:
    """The cuts of a regression tree with at most `bins` leaves, with the extremes around them.

    A leaf has `least` or more of the numbers, and a cut explains 1e-4 of the targets' variance or
    more (the settings of rtdl_num_embeddings, which scales the targets first).
    """
    from sklearn.tree import DecisionTreeRegressor

    check_count("bins", bins, 2)
    x, y = as_floats(numbers), as_floats(targets, "targets")
    values, rank = np.unique(x, return_inverse=True)  # a tree holds float32: exact for ranks
    rule = {"min_samples_leaf": least, "min_impurity_decrease": 1e-4}
    tree = DecisionTreeRegressor(max_leaf_nodes=int(bins), random_state=0, **rule)
    cuts = tree.fit(rank[:, None], (y - y.mean()) / deviation(y)).tree_
    below = cuts.threshold[cuts.children_left >= 0].astype(int)
    inner = values[below] / 2 + values[below + 1] / 2
    return tuple(np.unique([values[0], *inner, values[-1]]).tolist())
