"""Looks inside: each probe turns embeddings or a run into a DataFrame, and draws nothing."""

from numlab.probes.linear import linear
from numlab.probes.logits import NumberLogits, expectation, logit_scan, number_logits
from numlab.probes.neighbours import nearby, neighbour_f1
from numlab.probes.pca import pca
from numlab.probes.spectrum import spectrum

__all__ = [
    "NumberLogits",
    "expectation",
    "linear",
    "logit_scan",
    "nearby",
    "neighbour_f1",
    "number_logits",
    "pca",
    "spectrum",
]
