"""PCA of embeddings: coordinates, shares of the variance, errors."""

import numpy as np
import pytest

from numlab.embeddings import Embeddings
from numlab.probes import pca

CLOUD = Embeddings(np.arange(50), np.random.default_rng(0).normal(size=(50, 6)), "test")


def test_all_components_keep_every_distance_from_the_mean():
    coordinates = pca(CLOUD, 6).drop(columns="number").to_numpy()
    centred = CLOUD.vectors - CLOUD.vectors.mean(axis=0)
    np.testing.assert_allclose(np.linalg.norm(coordinates, axis=1), np.linalg.norm(centred, axis=1))


def test_components_are_ordered_by_their_share_of_the_variance():
    frame = pca(CLOUD, 3)
    assert list(frame) == ["number", "pc1", "pc2", "pc3"]
    share = frame.attrs["explained_variance_ratio"]
    assert share == sorted(share, reverse=True)
    total = CLOUD.vectors.var(axis=0, ddof=1).sum()
    np.testing.assert_allclose(frame[["pc1", "pc2", "pc3"]].var() / total, share)


@pytest.mark.parametrize("dtype, size", [(np.float32, 2.0**-100), (np.float64, 2.0**600)])
def test_the_shares_do_not_depend_on_the_size_of_the_vectors(dtype, size):
    vectors = CLOUD.vectors.astype(dtype)
    near, far = (
        pca(Embeddings(CLOUD.numbers, v, "test")) for v in (vectors, vectors * dtype(size))
    )
    assert far.attrs == near.attrs
    assert (far.pc1 / size).tolist() == near.pc1.tolist()


@pytest.mark.parametrize("n_components", [0, 7])
def test_there_are_as_many_components_as_dimensions(n_components):
    with pytest.raises(ValueError, match=f"1 to 6 .* got n_components={n_components}"):
        pca(CLOUD, n_components)
