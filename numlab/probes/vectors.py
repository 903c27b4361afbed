"""What vectors of numbers hold: components, what a linear classifier reads off them, periods."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn import model_selection
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import cohen_kappa_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from numlab.codes.edges import near_one
from numlab.embeddings import Embeddings
from numlab.numbers import check_count

MODULI = (2, 3, 4, 5, 7, 10)
FOLDS = 5
FEWEST = 8  # integers of a spectrum; fewer have hardly any frequencies


def pca(e: Embeddings, n_components: int = 2) -> pd.DataFrame:
    """1 to min(n, d) principal components of n number embeddings of width d (xval, Fig. 11).

    Returns
    -------
    DataFrame [number, pc1, pc2, ...]
        Centred coordinates, in the order of their variance.
        `.attrs["explained_variance_ratio"]`: list of their shares of the variance.

    >>> cloud = Embeddings(np.arange(5), np.outer(np.arange(5.0), [3, 4]), "a line")
    >>> pca(cloud).pc1.abs().round(6).tolist()
    [10.0, 5.0, 0.0, 5.0, 10.0]
    """
    most = min(e.vectors.shape)
    if not 1 <= n_components <= most:
        had = f"vectors of shape {e.vectors.shape} have 1 to {most} principal components"
        raise ValueError(f"{had}; got n_components={n_components}")
    fit, (vectors, k) = PCA(n_components, svd_solver="full"), near_one(e.vectors)
    components = np.ldexp(fit.fit_transform(vectors), k).T
    columns = {f"pc{i + 1}": c for i, c in enumerate(components)}
    frame = pd.DataFrame({"number": e.numbers, **columns})
    frame.attrs["explained_variance_ratio"] = fit.explained_variance_ratio_.tolist()
    return frame


def linear(
    vectors: np.ndarray, target: np.ndarray, n_train: int = 500, draws: int = 5
) -> pd.DataFrame:
    """Logistic regression of a yes-or-no target on vectors (xval, Table 9).

    `vectors` are (n, d), or Embeddings, `target` (n,) bool; `n_train` rows train, the others test.
    Each draw is a random split with both answers in their shares on either side.

    Returns
    -------
    DataFrame [draw, n_train, n_test, roc_auc]

    >>> x = np.random.default_rng(0).normal(size=(400, 3))
    >>> bool(linear(x, x[:, 0] > 0, n_train=200).roc_auc.min() > 0.99)
    True
    """
    check_count("n_train", n_train)
    check_count("draws", draws)
    vectors = np.asarray(getattr(vectors, "vectors", vectors))
    target = np.asarray(target)
    if not np.isfinite(vectors).all():
        raise ValueError("a vector holds NaN or infinity")
    vectors = near_one(vectors)[0]  # their squares stay within float64
    if not np.isin(target, (False, True)).all():
        raise ValueError(f"targets are True or False; got {target[:3]}")
    target = target.astype(bool)
    if len(vectors) != len(target) or not 2 <= n_train <= len(target) - 2:
        got = f"{len(target)} targets, {len(vectors)} vectors and n_train {n_train}"
        raise ValueError(f"expected n targets, n vectors and 2 <= n_train <= n - 2; got {got}")
    n_test, n_true = len(target) - n_train, target.sum()
    rarer = min(n_true, len(target) - n_true) / len(target)
    if rarer * min(n_train, n_test) < 1:
        got = f"{n_true} of {len(target)} True, and n_train {n_train}"
        raise ValueError(f"both answers must occur on either side of a split; got {got}")
    sizes = {"test_size": n_test, "train_size": n_train, "random_state": 0}
    how = {"cv": model_selection.StratifiedShuffleSplit(draws, **sizes), "scoring": "roc_auc"}
    scores = model_selection.cross_val_score(_classifier(), vectors, target, **how)
    frame = pd.DataFrame({"draw": range(draws), "n_train": n_train, "n_test": n_test})
    return frame.assign(roc_auc=scores)


def separability(e: Embeddings, moduli: Sequence[int] = MODULI) -> pd.DataFrame:
    """5-fold accuracy of predicting n mod T from the vector, by logistic regression (2604.20817).

    A peak of the `spectrum` at the period T says that the means of the classes differ; this says
    whether single numbers can be classified. `e` is of whole numbers; `moduli` are the T.
    ValueError where a class has fewer than five numbers.

    Returns
    -------
    DataFrame [modulus, accuracy, kappa]
        kappa is Cohen's, (accuracy - chance) / (1 - chance): 1 is perfect, 0 is chance.

    >>> one_hot = Embeddings(np.arange(100), np.tile(np.eye(5), (20, 1)), "n mod 5")
    >>> (separability(one_hot, (5, 3)).kappa > 0.9).tolist()
    [True, False]
    """
    parts = model_selection.StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    rows, vectors = [], near_one(e.vectors)[0]
    if (broken := e.numbers % 1 != 0).any():
        raise ValueError(f"n mod T takes whole numbers; got {e.numbers[broken][0]}")
    for modulus in moduli:
        check_count("a modulus", modulus, 2)
        true = (e.numbers % modulus).astype(int)
        if (fewest := np.bincount(true, minlength=modulus).min()) < FOLDS:
            wanted = f"{FOLDS} folds take as many numbers of each n mod {modulus}"
            raise ValueError(f"{wanted}; got {fewest}")
        read = model_selection.cross_val_predict(_classifier(), vectors, true, cv=parts)
        rows.append((modulus, float((read == true).mean()), cohen_kappa_score(true, read)))
    return pd.DataFrame(rows, columns=["modulus", "accuracy", "kappa"])


def _classifier():
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))


def spectrum(e: Embeddings, n_permutations: int = 200, level: float = 0.01) -> pd.DataFrame:
    """The power of each frequency along the number line: which periods stand out (fone, App. D).

    Each entry of the vectors is a function of the number. It loses its trend (the least-squares
    line) before the discrete Fourier transform, and powers are summed over the entries. The
    threshold comes from a permutation test: the same with the numbers shuffled. ValueError where
    the numbers are not 8 or more consecutive integers, or all vectors lie on a line.

    `e` is of n consecutive integers, in any order. A period that divides n falls on one frequency;
    any other is spread over several. In a share `level` of the shuffles the largest power exceeds
    the threshold.

    Returns
    -------
    DataFrame [frequency, period, power, threshold, peak]
        One row per frequency from 1/n to 1/2. frequency: cycles per number; period: its inverse;
        power: relative to the mean of all frequencies; peak: above the threshold and above both
        neighbours.

    >>> turns = np.arange(100) * 2 * np.pi / 10
    >>> noise = np.random.default_rng(0).normal(size=(100, 6))
    >>> circle = np.column_stack([np.cos(turns), np.sin(turns), 0.3 * noise])
    >>> frame = spectrum(Embeddings(np.arange(100), circle, "a circle"))
    >>> frame.period[frame.peak].tolist()
    [10.0]
    """
    check_count("n_permutations", n_permutations)
    order = np.argsort(e.numbers)
    numbers, n = e.numbers[order], len(e)
    if n < FEWEST or (np.diff(numbers) != 1).any() or numbers[0] != int(numbers[0]):
        got = f"{n} from {min(numbers, default=None)} to {max(numbers, default=None)}"
        raise ValueError(f"a spectrum takes {FEWEST} or more consecutive integers; got {got}")
    vectors = e.vectors[order].astype(np.float64)
    vectors /= np.abs(vectors).max() or 1.0  # squares stay within float64
    if vectors.shape[1] > n:  # rotated into their span, (n, n), which keeps all powers
        vectors = np.linalg.qr(vectors.T)[1].T
    power = _power(vectors)
    rng = np.random.default_rng(0)
    largest = [_power(rng.permutation(vectors)).max() for _ in range(n_permutations)]
    threshold = np.quantile(largest, 1 - level)
    around = np.concatenate([[0.0], power, [0.0]])
    frequency = np.arange(1, n // 2 + 1) / n
    return pd.DataFrame(
        {
            "frequency": frequency,
            "period": 1 / frequency,
            "power": power,
            "threshold": threshold,
            "peak": (power > threshold) & (power > around[:-2]) & (power > around[2:]),
        }
    )


def _power(vectors: np.ndarray) -> np.ndarray:
    """(n, d) to (n // 2,) powers at 1/n, 2/n, ..., relative to the mean over both signs."""
    n = len(vectors)
    line = np.linalg.qr(np.column_stack([np.ones(n), np.arange(n)]))[0]  # (n, 2)
    waves = vectors - line @ (line.T @ vectors)  # less the trend
    total = np.square(waves).sum()
    if total <= 1e-20 * np.square(vectors).sum():
        raise ValueError("the vectors lie on a line: without their trend nothing is left")
    power = np.square(np.abs(np.fft.rfft(waves, axis=0)[1:])).sum(axis=1)
    return power * (n - 1) / (n * total)  # Parseval
