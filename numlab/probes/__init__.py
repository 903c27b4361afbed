"""Looks inside: each probe turns embeddings or a run into a DataFrame, and draws nothing."""

from numlab.probes.interpolation import interpolation
from numlab.probes.linear import linear, text_vectors
from numlab.probes.logits import expectation, logit_scan
from numlab.probes.neighbours import neighbour_f1
from numlab.probes.pca import pca
from numlab.probes.response import largest_jumps, response

__all__ = [
    "expectation",
    "interpolation",
    "largest_jumps",
    "linear",
    "logit_scan",
    "neighbour_f1",
    "pca",
    "response",
    "text_vectors",
]
