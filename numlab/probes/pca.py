"""Principal components of number embeddings."""

import pandas as pd
from sklearn.decomposition import PCA

from numlab.embeddings import Embeddings


def pca(e: Embeddings, n_components: int = 2) -> pd.DataFrame:
    """1 to min(n, d) principal components of n number embeddings of width d (xval, Fig. 11).

    Returns
    -------
    DataFrame [number, pc1, pc2, ...]
        Centred coordinates, in the order of their variance.
        `.attrs["explained_variance_ratio"]`: list of their shares of the variance.

    >>> import numpy as np
    >>> cloud = Embeddings(np.arange(5), np.outer(np.arange(5.0), [3, 4]), "a line")
    >>> pca(cloud).pc1.abs().round(6).tolist()
    [10.0, 5.0, 0.0, 5.0, 10.0]
    """
    most = min(e.vectors.shape)
    if not 1 <= n_components <= most:
        had = f"vectors of shape {e.vectors.shape} have 1 to {most} principal components"
        raise ValueError(f"{had}; got n_components={n_components}")
    fit = PCA(n_components, svd_solver="full")
    columns = {f"pc{i + 1}": c for i, c in enumerate(fit.fit_transform(e.vectors).T)}
    frame = pd.DataFrame({"number": e.numbers, **columns})
    frame.attrs["explained_variance_ratio"] = fit.explained_variance_ratio_.tolist()
    return frame
