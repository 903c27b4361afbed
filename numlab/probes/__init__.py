"""Looks inside: each probe turns embeddings or a run into a DataFrame, and draws nothing."""

from numlab.probes.neighbours import neighbour_f1
from numlab.probes.pca import pca

__all__ = ["neighbour_f1", "pca"]
